// Which query of a turn produced the committed values: review::locate.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "review/review.h"

namespace candor::review {
namespace {

json::Node parsed(const std::string& text) {
  auto node = json::parse(text);
  EXPECT_TRUE(node.ok()) << text;
  return node.ok() ? *std::move(node) : json::Node();
}

ShownQuery query(const std::string& id, const std::string& sql, const std::string& rows, bool cut = false) {
  ShownQuery shown;
  shown.id = id;
  shown.sql = sql;
  shown.rows = parsed(rows);
  shown.cut = cut;
  return shown;
}

std::string outcome(const Located& located) { return located.query != nullptr ? located.query->id : located.reason; }

// Where a single committed field is found when one query shows one cell.
std::string found(const std::string& committed, const std::string& shown) {
  const std::vector<ShownQuery> queries = {query("q1", "SELECT 1", "[[" + shown + "]]")};
  return outcome(locate(parsed(R"({"fields":{"x":)" + committed + "}}"), queries));
}

TEST(Locate, TakesNumbersExactRoundedOrTruncated) {
  EXPECT_EQ(found("12.3", "12.34"), "q1");
  EXPECT_EQ(found("12.3", "12.29"), "q1");
  EXPECT_EQ(found("12.3", "12.25"), "q1") << "a half rounds up";
  EXPECT_EQ(found("12.2", "12.25"), "q1") << "or to the even digit, or is truncated";
  EXPECT_EQ(found("12.3", "12.3999"), "q1");
  EXPECT_EQ(found("12.3", "12.4"), "no-match");
  EXPECT_EQ(found("12.3", "12.2499999"), "no-match");
  EXPECT_EQ(found("12", "12.34"), "q1");
  EXPECT_EQ(found("12", "11.6"), "q1");
  EXPECT_EQ(found("12", "11.4"), "no-match");
  EXPECT_EQ(found("12.345", "12.35"), "no-match") << "more places than were shown";
  EXPECT_EQ(found("12.340", "12.34"), "q1");
  EXPECT_EQ(found("12.340", "12.3406"), "q1");
  EXPECT_EQ(found("12.340", "12.349"), "no-match");
  EXPECT_EQ(found("12.34", "12.349"), "q1");
}

TEST(Locate, NeverScales) {
  EXPECT_EQ(found("12.3", "123"), "no-match");
  EXPECT_EQ(found("12.3", "1.23"), "no-match");
  EXPECT_EQ(found("83.3", "0.833"), "no-match");
  EXPECT_EQ(found("0.592", "592.1"), "no-match");
  EXPECT_EQ(found("\"83.3 %\"", "0.833"), "no-match");
  EXPECT_EQ(found("\"83.3 %\"", "83.333"), "q1");
  EXPECT_EQ(found("83.3", "\"83.3%\""), "q1");
  EXPECT_EQ(found("1.2e7", "12345678"), "no-match");
  EXPECT_EQ(found("1.2e7", "12000000"), "q1");
}

TEST(Locate, KeepsEveryDigit) {
  EXPECT_EQ(found("0.30000000000000004", "0.30000000000000004"), "q1");
  EXPECT_EQ(found("0.30000000000000005", "0.30000000000000004"), "no-match");
  EXPECT_EQ(found("0.3", "0.30000000000000004"), "q1");
  EXPECT_EQ(found("9223372036854775807", "\"9223372036854775807\""), "q1");
  EXPECT_EQ(found("9223372036854775806", "\"9223372036854775807\""), "no-match");
  EXPECT_EQ(found("\"170141183460469231731687303715884105727\"", "\"170141183460469231731687303715884105727\""), "q1");
  EXPECT_EQ(found("100000000000000000000", "1e+20"), "q1");
  EXPECT_EQ(found("12.5", "\"12.50\""), "q1");
  EXPECT_EQ(found("99.99", "\"99.995\""), "q1");
  EXPECT_EQ(found("100.00", "\"99.995\""), "q1");
  EXPECT_EQ(found("100", "99.4"), "no-match");
}

TEST(Locate, MindsTheSign) {
  EXPECT_EQ(found("-12.3", "-12.34"), "q1");
  EXPECT_EQ(found("-12.3", "12.34"), "no-match");
  EXPECT_EQ(found("12.3", "-12.34"), "no-match");
  EXPECT_EQ(found("-12", "-11.5"), "q1");
  EXPECT_EQ(found("\"\u221212.3\"", "-12.34"), "q1");
}

TEST(Locate, ReadsNumbersInTexts) {
  EXPECT_EQ(found("\"12,345\"", "12345"), "q1");
  EXPECT_EQ(found("12345", "\"12,345\""), "q1");
  EXPECT_EQ(found("\"12'345.6\"", "12345.61"), "q1");
  EXPECT_EQ(found("\"12\u00a0345\"", "12345"), "q1");
  EXPECT_EQ(found("\"12\u202f345\"", "12345"), "q1");
  EXPECT_EQ(found("\"12 345\"", "12345"), "q1");
  EXPECT_EQ(found("\"1.234,5\"", "1234.5"), "q1");
  EXPECT_EQ(found("\"83,3 %\"", "83.3"), "q1");
  EXPECT_EQ(found("\"1,234,567\"", "1234567"), "q1");
  EXPECT_EQ(found("\"1,23,4567\"", "1234567"), "no-match");
  EXPECT_EQ(found("\"10.0.0.1\"", "\"10.0.0.1\""), "q1") << "a text";
  EXPECT_EQ(found("\"00123\"", "\"00123\""), "q1") << "an id";
  EXPECT_EQ(found("123", "\"00123\""), "no-match") << "an id that lost its zeros is another id";
}

TEST(Locate, WeighsEvidence) {
  for (const char* weak :
       {"5", "-5", "10", "5.0", "\"5 %\"", "0", "\"DE\"", "\"\u00e4\u00f6\"", "true", "null", "\"\""}) {
    EXPECT_EQ(found(weak, weak), "no-evidence") << weak;
  }
  for (const char* telling : {"11", "-11", "0.5", "10.01", "\"DEU\"", "\"\u00e4\u00f6\u00fc\"", "\"2024-01-01\""}) {
    EXPECT_EQ(found(telling, telling), "q1") << telling;
  }
  EXPECT_EQ(outcome(locate(parsed(R"({"fields":{"revenue of 2024":5}})"),
                           {query("q1", "SELECT 1", R"([["revenue of 2024"]])")})),
            "no-evidence")
      << "names are no evidence";
  EXPECT_EQ(outcome(locate(parsed(R"({"rows":{"columns":["total"],"values":[]}})"), {})), "no-evidence");
  EXPECT_EQ(outcome(locate(parsed("{}"), {})), "no-evidence");
}

TEST(Locate, ComparesTextsInTheirOwnCase) {
  EXPECT_EQ(found("\"Bergen\"", "\"Bergen\""), "q1");
  EXPECT_EQ(found("\"bergen\"", "\"Bergen\""), "no-match");
  EXPECT_EQ(found("\"Bergen\"", "\"Bergen  \""), "q1");
  EXPECT_EQ(found("\"Berg\"", "\"Bergen\""), "no-match");
  EXPECT_EQ(found("\"2024-03-01\"", "\"2024-03-01 00:00:00\""), "q1");
  EXPECT_EQ(found("\"2024-03-01\"", "\"2024-03-01 10:00:00\""), "no-match");
}

TEST(Locate, LooksIntoContainers) {
  EXPECT_EQ(found("345", R"({"a":[1,{"b":345}]})"), "q1");
  EXPECT_EQ(found("\"site\"", R"({"site":1})"), "no-match") << "a struct's name is no value";
  EXPECT_EQ(found("3000000", R"({"cut":true,"chars":3000000,"text":"abc"})"), "no-match");
  EXPECT_EQ(found("345", R"({"base64":"AAAA","bytes":345})"), "no-match");
  ShownQuery map = query("q1", "SELECT 1", R"([[{"Bergen":1}]])");
  map.columns = parsed(R"x([{"name":"m","type":"MAP(VARCHAR, INTEGER)","id":"c0"}])x");
  EXPECT_EQ(outcome(locate(parsed(R"({"fields":{"x":"Bergen"}})"), {map})), "q1");
}

TEST(Locate, NeedsEveryValueOfOneQuery) {
  const std::string both = R"({"rows":{"columns":["site","n"],"values":[["Bergen",24],["Fano",32]]}})";
  EXPECT_EQ(outcome(locate(parsed(both), {query("q1", "SELECT 1", R"([["Bergen",24],["Fano",32],["Cork",11]])")})),
            "q1");
  EXPECT_EQ(outcome(locate(parsed(both), {query("q1", "SELECT 1", R"([["Bergen",24],["Fano",33]])")})), "no-match");
  EXPECT_EQ(outcome(locate(parsed(both), {query("q1", "SELECT 1", R"([["Bergen",24]])"),
                                          query("q2", "SELECT 2", R"([["Fano",32]])")})),
            "split-values");
  EXPECT_EQ(outcome(locate(parsed(both), {query("q1", "SELECT 1", R"([["Bergen",24]])"),
                                          query("q2", "SELECT 2", R"([["Fano",32],[24,"Bergen"]])")})),
            "q2");
  EXPECT_EQ(outcome(locate(parsed(R"({"fields":{"a":70,"b":70}})"), {query("q1", "SELECT 1", "[[70]]")})), "q1")
      << "one cell may serve twice";
}

TEST(Locate, AbstainsBetweenTwoTexts) {
  const json::Node answer = parsed(R"({"fields":{"n":70}})");
  const auto two = [&](const std::string& first, const std::string& second) {
    return outcome(locate(answer, {query("q1", first, "[[70]]"), query("q2", second, "[[70]]")}));
  };
  EXPECT_EQ(two("SELECT count(*) FROM a", "SELECT count(*) FROM b"), "ambiguous-match");
  EXPECT_EQ(two("SELECT count(*) FROM a", "SELECT\n  count( * )\tFROM a ;"), "q2") << "the later run is named";
  EXPECT_EQ(two("SELECT count(*) FROM a;", "SELECT count(*) FROM a"), "q2");
  EXPECT_EQ(two("SELECT count(*) FROM a", "select count(*) FROM a"), "ambiguous-match");
  EXPECT_EQ(two("SELECT 'a  b'", "SELECT 'a b'"), "ambiguous-match");
  EXPECT_EQ(two("SELECT 1", "SELECT 1 -- again"), "ambiguous-match");
  EXPECT_EQ(two("SELECT ab", "SELECT a b"), "ambiguous-match");
}

TEST(Locate, AbstainsOnCutOutput) {
  const json::Node answer = parsed(R"({"fields":{"first":"P-00037","n":103}})");
  EXPECT_EQ(outcome(locate(answer, {query("q1", "SELECT 1", R"([["P-00037",103]])", true)})), "output-cut");
  EXPECT_EQ(outcome(locate(answer, {query("q1", "SELECT 1", R"([["P-00037",99]])", true)})), "output-cut");
  EXPECT_EQ(outcome(locate(answer, {query("q1", "SELECT 1", R"([["P-00074",99]])", true)})), "no-match");
  EXPECT_EQ(outcome(locate(answer, {query("q1", "SELECT 1", R"([["P-00037",99]])", true),
                                    query("q2", "SELECT 2", R"([["P-00037",103]])")})),
            "q2");
}

TEST(Locate, ChecksEveryValueOfANamedQuery) {
  const std::vector<ShownQuery> queries = {query("q1", "SELECT 1", R"([[993,"DE",5,true]])"),
                                           query("q2", "SELECT 2", "[[7]]")};
  const auto missing = [&](const std::string& fields, const ShownQuery& named) {
    const Located located = locate(parsed(R"({"fields":)" + fields + "}"), queries, &named);
    EXPECT_EQ(located.query, &named);
    return located.not_shown;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(missing(R"({"n":993,"mean":4993})", queries[0]), Texts{"4993"});
  EXPECT_EQ(missing(R"({"c":"DE","k":5,"t":true})", queries[0]), Texts{});
  EXPECT_EQ(missing(R"({"c":"FR","k":6,"t":false,"z":null})", queries[0]), (Texts{"FR", "6", "false"}));
  EXPECT_EQ(missing(R"({"n":993})", queries[1]), Texts{"993"}) << "another query does not help";
  const ShownQuery cut = query("q3", "SELECT 3", "[[993]]", true);
  const Located located = locate(parsed(R"({"fields":{"n":994}})"), queries, &cut);
  EXPECT_EQ(located.query, &cut);
  EXPECT_TRUE(located.not_shown.empty());
  EXPECT_EQ(located.reason, "output-cut");
  EXPECT_EQ(locate(parsed(R"({"fields":{"n":993}})"), queries, &cut).reason, "");
}

}  // namespace
}  // namespace candor::review
