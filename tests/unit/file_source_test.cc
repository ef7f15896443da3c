// File sources end to end: real files in a folder, imported by the real engine, looked at through the cache database.
#include "engine/duckdb/file_source.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/duckdb_session.h"
#include "support/temp_folder.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;

class FileSourceTest : public testing::Test {
 protected:
  Result<FileSource> prepare_path(const std::string& path, const std::string& encoding = {}) {
    return prepare_file_source({.name = "s", .kind = SourceKind::kFiles, .path = path, .encoding = encoding}, cache(),
                               limits_, progress_, cancel_);
  }
  FileSource prepare(const std::string& encoding = {}) {
    auto source = prepare_path(data(), encoding);
    if (!source) {
      ADD_FAILURE() << source.error().code << ": " << source.error().message << ' ' << source.error().detail;
      return {};
    }
    return std::move(source).value();
  }
  // The one table of a folder with that file.
  FileTable import_one(const std::string& name, std::string_view content, const std::string& encoding = {}) {
    write(name, content);
    source_ = prepare(encoding);
    return source_.tables.size() == 1 ? source_.tables.front() : FileTable{};
  }
  std::string write(const std::string& name, std::string_view content) {
    return folder_.write("data/" + name, content);
  }
  std::string data() { return folder_.path() + "/data"; }
  std::string cache() { return folder_.path() + "/cache"; }
  // Rows of the cache database as JSON, one a line.
  std::string query(const std::string& sql) {
    test::DuckdbSession session;
    session.execute("ATTACH '" + source_.database_path + "' AS c (READ_ONLY)");
    session.execute("USE c");
    const test::EncodedRows found = session.encode(sql);
    std::string out = found.error;
    for (const std::string& row : found.rows) out += row;
    return out;
  }
  std::string types(const std::string& table) {
    return query(
        "SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index) FROM duckdb_columns() "
        "WHERE database_name = 'c' AND table_name = '" +
        table + "'");
  }
  static std::string note(const FileTable& table, const std::string& column) {
    for (const ColumnNote& one : table.notes) {
      if (one.column == column) return one.note;
    }
    return {};
  }

  test::TempFolder folder_;
  ImportLimits limits_;
  ImportProgressCallback progress_;
  CancelToken cancel_;
  FileSource source_;
};

TEST_F(FileSourceTest, AFileBecomesATableWithItsOrigin) {
  const FileTable table = import_one("my-data 2024.csv",
                                     "id,name,amount,day,at\n1,a,1.5,2024-01-02,2024-01-02T10:00:00Z\n2,\"b, "
                                     "c\",2,2024-01-03,2024-01-02T10:00:00+02:00\n");
  EXPECT_EQ(table.name, "my_data_2024");
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.origin.path, "my-data 2024.csv");
  EXPECT_EQ(table.origin.format, "csv");
  EXPECT_EQ(table.origin.delimiter, ",");
  EXPECT_EQ(table.origin.quote, "\"");
  EXPECT_TRUE(table.origin.header);
  EXPECT_EQ(table.origin.encoding, "utf-8");
  EXPECT_EQ(table.origin.rows_rejected, 0U);
  EXPECT_EQ(types("my_data_2024"),
            R"(["id BIGINT, name VARCHAR, amount DOUBLE, day DATE, at TIMESTAMP WITH TIME ZONE"])");
  EXPECT_EQ(query("SELECT * FROM my_data_2024 ORDER BY id DESC LIMIT 1"),
            R"([2,"b, c",2,"2024-01-03","2024-01-02T08:00:00+00:00"])");
}

TEST_F(FileSourceTest, NumbersThatWouldLoseSomethingStayText) {
  const FileTable table =
      import_one("t.csv",
                 "zip,phone,digits,when,order_of,mixed\n01001,+491234,12345678901234567890,01/02/2024,13/02/"
                 "2024,1\n99999,+491235,1,03/04/2024,01/02/2024,n/a\n12345,+491235,1,03/04/2024,01/02/2024,2\n");
  EXPECT_EQ(types("t"),
            R"(["zip VARCHAR, phone VARCHAR, digits VARCHAR, when VARCHAR, order_of DATE, mixed VARCHAR"])");
  EXPECT_EQ(note(table, "zip"), "kept as text: 1 of 3 values have leading zeros");
  EXPECT_EQ(note(table, "phone"), "kept as text: 3 of 3 values start with a plus sign");
  EXPECT_EQ(note(table, "digits"), "kept as text: 1 of 3 values have more digits than a number keeps");
  EXPECT_EQ(note(table, "when"), "kept as text: day and month can't be told apart in any of 3 values");
  EXPECT_EQ(note(table, "order_of"), "read as day/month/year: no other order fits");
  EXPECT_EQ(note(table, "mixed"), "kept as text: 1 of 3 values are not numbers");
  EXPECT_EQ(query("SELECT zip, order_of FROM t LIMIT 1"), R"(["01001","2024-02-13"])");
}

TEST_F(FileSourceTest, OneLateValueDecidesOverTheWholeFile) {
  std::string text = "n,z\n";
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i) + ",1" + std::to_string(i) + "\n";
  text += "late,0\n";
  const FileTable table = import_one("t.csv", text + "1,007\n");
  EXPECT_EQ(types("t"), R"(["n VARCHAR, z VARCHAR"])");
  EXPECT_EQ(note(table, "n"), "kept as text: 1 of 60002 values are not numbers");
  EXPECT_EQ(note(table, "z"), "kept as text: 1 of 60002 values have leading zeros");
  EXPECT_EQ(table.rows, 60'002U);
}

TEST_F(FileSourceTest, RowsThatDoNotFitAreCountedAndShown) {
  const FileTable table = import_one("t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n");
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.origin.rows_rejected, 2U);
  ASSERT_EQ(table.origin.rejected.size(), 2U);
  EXPECT_EQ(table.origin.rejected[0].line, 3U);
  EXPECT_NE(table.origin.rejected[0].reason.find("Expected Number of Columns: 3 Found: 2"), std::string::npos);
  EXPECT_EQ(table.origin.rejected[1].line, 4U);
  EXPECT_EQ(types("t"), R"(["a BIGINT, b BIGINT, c BIGINT"])");
}

TEST_F(FileSourceTest, TheFirstTwentyRejectedAreShownAndAllAreCounted) {
  std::string text = "a,b\n";
  for (int i = 0; i < 500; ++i) text += std::to_string(i) + "," + std::to_string(i) + (i % 10 == 0 ? ",extra\n" : "\n");
  const FileTable table = import_one("t.csv", text);
  EXPECT_EQ(table.rows + table.origin.rows_rejected, 500U);
  EXPECT_EQ(table.origin.rows_rejected, 50U);
  EXPECT_EQ(table.origin.rejected.size(), 20U);
}

TEST_F(FileSourceTest, AQuoteThatNeverClosesLosesItsLinesAloud) {
  const FileTable table = import_one("t.csv", "a,b\n1,x\n2,\"open\n3,y\n4,z\n");
  EXPECT_EQ(table.rows, 1U);
  EXPECT_EQ(table.origin.rows_rejected, 3U);
}

TEST_F(FileSourceTest, LinesBeforeTheHeaderAndCommentsAreCounted) {
  const FileTable table = import_one("t.csv", "title line\n\na,b,c\n1,2,3\n4,5,6\n# note\n7,8,9\n");
  EXPECT_EQ(table.rows, 3U);
  EXPECT_EQ(table.origin.rows_rejected, 3U);
  ASSERT_FALSE(table.origin.rejected.empty());
  EXPECT_EQ(table.origin.rejected[0].reason, "before the header");
  EXPECT_EQ(table.origin.rejected.back().reason, "a comment");
}

TEST_F(FileSourceTest, QuotesLineBreaksAndZeroBytesSurvive) {
  import_one("t.csv", std::string("a,b\n1,\"x\ny\"\n2,\"p\"\"q\"\n3,n") + '\0' + "l\n");
  EXPECT_EQ(query("SELECT b FROM t ORDER BY a"), R"(["x\ny"]["p\"q"]["n\u0000l"])");
}

TEST_F(FileSourceTest, HeadersThatRepeatOrAreMissing) {
  const FileTable twice = import_one("twice.csv", "a,a,A\n1,2,3\n");
  EXPECT_EQ(types("twice"), R"(["a BIGINT, a_1 BIGINT, A_2 BIGINT"])");
  EXPECT_EQ(note(twice, "a_1"), "named \"a\" in the file");
  fs::remove_all(data());
  const FileTable none = import_one("none.csv", "1,2\n3,4\n");
  EXPECT_FALSE(none.origin.header);
  EXPECT_EQ(none.rows, 2U);
  fs::remove_all(data());
  const FileTable heading = import_one("heading.csv", "a,b\n");
  EXPECT_EQ(heading.rows, 0U);
  EXPECT_EQ(types("heading"), R"(["a VARCHAR, b VARCHAR"])");
}

TEST_F(FileSourceTest, TabsSemicolonsAndByteOrderMark) {
  write("t.tsv", "a\tb\n1\tx,y\n");
  write("s.csv", "a;b\n1,5;x\n2,5;y\n");
  write("bom.csv",
        "\xEF\xBB\xBF"
        "first,b\n1,2\n");
  source_ = prepare();
  EXPECT_EQ(query("SELECT * FROM t"), R"([1,"x,y"])");
  EXPECT_EQ(query("SELECT * FROM s LIMIT 1"), R"(["1,5","x"])");
  EXPECT_EQ(query("SELECT first FROM bom"), "[1]");
}

TEST_F(FileSourceTest, WrongEncodingNamesThePlaceAndTheWayOut) {
  const FileTable table = import_one("t.csv", "a,b\n1,caf\xE9\n");
  EXPECT_EQ(table.origin.failure,
            "its text is not UTF-8, first at byte 9 on line 2: set `encoding: latin-1` (or windows-1252) for the "
            "source in candor.yaml");
  source_ = prepare("latin-1");
  EXPECT_EQ(source_.tables[0].origin.encoding, "latin-1");
  EXPECT_EQ(query("SELECT b FROM t"), R"(["café"])");
  EXPECT_EQ(prepare_path(data(), "ebcdic").error().code, "configuration");
}

TEST_F(FileSourceTest, Utf16) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("a,b\n1,x\n")) wide += {c, '\0'};
  const FileTable table = import_one("t.csv", wide);
  EXPECT_NE(table.origin.failure.find("encoding: utf-16"), std::string::npos);
  source_ = prepare("utf-16");
  EXPECT_EQ(query("SELECT * FROM t"), R"([1,"x"])");
}

TEST_F(FileSourceTest, WideFilesAndGiantLines) {
  std::string header;
  std::string row;
  for (int i = 0; i < 2'000; ++i) {
    header += (i > 0 ? ",c" : "c") + std::to_string(i);
    row += (i > 0 ? "," : "") + std::to_string(i);
  }
  write("wide.csv", header + "\n" + row + "\n");
  write("giant.csv", "a,b\n1," + std::string(5'000'000, 'x') + "\n2,y\n");
  source_ = prepare();
  EXPECT_EQ(query("SELECT c0, c1999 FROM wide"), "[0,1999]");
  EXPECT_EQ(query("SELECT length(b) FROM giant ORDER BY a"), "[5000000][1]");
}

TEST_F(FileSourceTest, JsonArraysAndLines) {
  write("a.json", "\xEF\xBB\xBF[{\"a\":1,\"o\":{\"x\":[1]}},{\"a\":2.5,\"b\":\"007\"}]");
  write("l.ndjson",
        "{\"a\":1,\"d\":\"2024-01-02\",\"e\":\"01/02/"
        "2024\",\"n\":12345678901234567890123}\n{bad\n\n{\"a\":2,\"t\":\"2024-01-01T00:00:00Z\"}\n5\n");
  source_ = prepare();
  EXPECT_EQ(query("SELECT * FROM a"), R"([1,{"x":[1]},null][2.5,null,"007"])");
  EXPECT_EQ(types("l"), R"(["a BIGINT, d DATE, e VARCHAR, n VARCHAR, t TIMESTAMP WITH TIME ZONE"])");
  EXPECT_EQ(query("SELECT n FROM l WHERE a = 1"), R"(["12345678901234567890123"])");
  const FileTable& lines = source_.tables[1];
  EXPECT_EQ(lines.rows, 2U);
  EXPECT_EQ(lines.origin.rows_rejected, 2U);
  ASSERT_EQ(lines.origin.rejected.size(), 2U);
  EXPECT_EQ(lines.origin.rejected[0].line, 2U);
  EXPECT_EQ(lines.origin.rejected[1].line, 5U);
  EXPECT_NE(note(lines, "e"), "");
}

TEST_F(FileSourceTest, ParquetWholeHalfAndTooLarge) {
  fs::create_directories(data());
  test::DuckdbSession session;
  ASSERT_EQ(
      session.execute("COPY (SELECT i, i::DECIMAL(9,2) AS d FROM range(50000) t(i)) TO '" + data() + "/whole.parquet'"),
      "");
  std::ifstream whole(data() + "/whole.parquet", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  write("half.parquet", bytes.substr(0, bytes.size() / 2));
  source_ = prepare();
  ASSERT_EQ(source_.tables.size(), 2U);
  EXPECT_NE(source_.tables[0].origin.failure, "");
  EXPECT_EQ(source_.tables[1].rows, 50'000U);
  EXPECT_EQ(query("SELECT sum(d) FROM whole"), R"(["1249975000.00"])");
  const auto alone = prepare_path(data() + "/half.parquet");
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().code, "file-error");
  EXPECT_NE(alone.error().message.find("half.parquet"), std::string::npos);

  limits_.file_bytes_max = 1'000;
  fs::remove(data() + "/half.parquet");
  write("big.csv", "a,b\n" + std::string(2'000, '1') + ",2\n");
  source_ = prepare();
  EXPECT_NE(source_.tables[0].origin.failure.find("raise import_mb"), std::string::npos);
  EXPECT_TRUE(source_.tables[1].view);
  EXPECT_EQ(source_.allowed_paths, (std::vector<std::string>{data() + "/whole.parquet"}));
  EXPECT_EQ(query("SELECT count(*) FROM whole"), "[50000]");
}

TEST_F(FileSourceTest, JsonOfSeveralDocuments) {
  write("lines.json", "{\"a\":1}\n{\"a\":2}\n{bad\n");
  write("pretty.json", "{\n \"a\": 1\n}\n{\"a\": 2}\n");
  write("junk.json", "[{\"a\":1},{\"a\":2} x]");
  source_ = prepare();
  ASSERT_EQ(source_.tables.size(), 3U);
  EXPECT_NE(source_.tables[0].origin.failure.find("in file \"junk.json\""), std::string::npos)
      << source_.tables[0].origin.failure;
  EXPECT_EQ(source_.tables[1].rows, 2U);
  EXPECT_EQ(source_.tables[1].origin.rows_rejected, 1U);
  EXPECT_EQ(query("SELECT a FROM pretty"), "[1][2]");
}

TEST_F(FileSourceTest, JsonThatIsCutOffIsNotTakenForWhole) {
  for (const char* text : {"[{\"a\":1},", "[{\"a\":1}", "[[1],[2]", "[{\"a\":\"x]", "{\"a\":[1,2"}) {
    const FileTable table = import_one("t.json", text);
    EXPECT_NE(table.origin.failure, "") << text;
  }
  EXPECT_EQ(import_one("t.json", R"([{"a":"]\"["}])").origin.failure, "");
}

TEST_F(FileSourceTest, OneBadFileLeavesTheOthers) {
  write("good.csv", "a,b\n1,2\n");
  write("empty.csv", "");
  write("bad.json", "[{\"a\":1},");
  source_ = prepare();
  ASSERT_EQ(source_.tables.size(), 3U);
  EXPECT_NE(source_.tables[0].origin.failure, "");
  EXPECT_EQ(source_.tables[1].origin.failure, "the file is empty");
  EXPECT_EQ(query("SELECT * FROM good"), "[1,2]");
  EXPECT_EQ(query("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'c'"), "[1]");
}

TEST_F(FileSourceTest, NamesFoldersLinksAndWhatIsLeftOut) {
  for (const char* name : {"a.csv", "a.tsv", "sub/x.csv", "B.csv", "b.ndjson", "2024.csv", "select.csv", "größe.csv"}) {
    write(name, std::string(name).ends_with("ndjson") ? "{\"a\":1}\n" : "a\n1\n");
  }
  write(".hidden.csv", "a\n1\n");
  write("notes.txt", "x");
  folder_.write("outside.csv", "secret\n1\n");
  fs::create_symlink(folder_.path() + "/outside.csv", data() + "/link.csv");
  write("1/2/3/4/5/6/7/8/9/deep.csv", "a\n1\n");
  source_ = prepare();
  std::vector<std::string> names;
  for (const FileTable& table : source_.tables) names.push_back(table.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"B_csv", "a_csv", "a_tsv", "b_ndjson", "größe", "sub_x", "t_2024", "t_select"}));
  std::string all;
  for (const std::string& warning : source_.warnings) all += warning + "\n";
  for (const char* part : {".hidden.csv: hidden", "notes.txt: not a CSV",
                           "link.csv: a symbolic link that leaves the folder", "more than 8 folders deep"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
  }
}

TEST_F(FileSourceTest, TooManyFilesAreLeftOutWithAWarning) {
  for (int i = 0; i < 5; ++i) write("f" + std::to_string(i) + ".csv", "a\n1\n");
  limits_.files_max = 3;
  source_ = prepare();
  EXPECT_EQ(source_.tables.size(), 3U);
  ASSERT_EQ(source_.warnings.size(), 1U);
  EXPECT_EQ(source_.warnings[0], "2 files were left out: a source has at most 3");
}

TEST_F(FileSourceTest, ASingleFileTellsItsFormat) {
  source_ = std::move(prepare_path(folder_.write("data/plain.txt", "a\tb\n1\t2\n"))).value();
  EXPECT_EQ(query("SELECT * FROM plain_txt"), "[1,2]");
  source_ = std::move(prepare_path(folder_.write("data/thing", "{\"k\":[1,2]}"))).value();
  EXPECT_EQ(query("SELECT k FROM thing"), "[[1,2]]");
  EXPECT_EQ(prepare_path(folder_.write("data/noise", std::string("\0\1\2", 3))).error().code, "file-error");
  EXPECT_EQ(prepare_path(data() + "/absent.csv").error().code, "file-error");
}

TEST_F(FileSourceTest, TheCacheIsReusedUntilAFileChanges) {
  write("t.csv", "a,b\n1,2\n");
  write("u.csv", "zip\n01\n02,x\n");
  const FileSource first = prepare();
  EXPECT_FALSE(first.from_cache);
  const SourceSpec spec{.name = "s", .kind = SourceKind::kFiles, .path = data(), .encoding = {}};
  EXPECT_EQ(file_version(spec, limits_), first.version);
  const FileSource again = prepare();
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.database_path, first.database_path);
  ASSERT_EQ(again.tables.size(), 2U);
  EXPECT_EQ(again.tables[1].origin.rows_rejected, first.tables[1].origin.rows_rejected);
  EXPECT_EQ(note(again.tables[1], "zip"), note(first.tables[1], "zip"));

  write("t.csv", "a,b\n1,3\n");  // of the same length
  EXPECT_NE(file_version(spec, limits_), first.version);
  source_ = prepare();
  EXPECT_FALSE(source_.from_cache);
  EXPECT_EQ(query("SELECT b FROM t"), "[3]");
  EXPECT_FALSE(fs::exists(first.database_path));  // an older cache of the source is removed
  struct stat facts{};
  ASSERT_EQ(stat(cache().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  fs::remove_all(data());
  EXPECT_EQ(file_version(spec, limits_), "");
}

TEST_F(FileSourceTest, ADamagedSideFileMeansANewImport) {
  write("t.csv", "a,b\n1,2\n");
  const FileSource first = prepare();
  std::ofstream(fs::path(first.database_path).replace_filename("origin"), std::ios::trunc) << "candor file source 1\n";
  EXPECT_FALSE(prepare().from_cache);
}

TEST_F(FileSourceTest, SeveralAtOnceImportOnce) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i) + ",x\n";
  write("t.csv", text);
  std::vector<FileSource> found(4);
  std::vector<std::thread> threads;
  for (FileSource& one : found) threads.emplace_back([&] { one = prepare(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(found, false, &FileSource::from_cache), 1);
  for (const FileSource& one : found) EXPECT_EQ(one.tables.at(0).rows, 20'000U);
}

TEST_F(FileSourceTest, AKilledImportIsNotTakenForWhole) {
  write("a.csv", "a\n1\n");
  write("b.csv", "a\n1\n");
  const pid_t child = fork();
  if (child == 0) {
    progress_ = [](const ImportProgress& at) {
      if (at.files_done == 1) raise(SIGKILL);
    };
    prepare();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  source_ = prepare();
  EXPECT_FALSE(source_.from_cache);
  EXPECT_EQ(source_.tables.size(), 2U);
  EXPECT_EQ(query("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'c'"), "[2]");
}

TEST_F(FileSourceTest, CancelledAndProgress) {
  write("a.csv", "a\n1\n");
  write("b.csv", "a\n1\n");
  std::vector<std::string> seen;
  progress_ = [&](const ImportProgress& at) {
    seen.push_back(at.path + " " + std::to_string(at.files_done) + "/" + std::to_string(at.files_total));
  };
  prepare();
  EXPECT_EQ(seen, (std::vector<std::string>{"a.csv 0/2", "b.csv 1/2"}));
  write("c.csv", "a\n1\n");
  progress_ = [&](const ImportProgress&) { cancel_.cancel(); };
  const auto cancelled = prepare_path(data());
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, "cancelled");
  for (const fs::directory_entry& entry : fs::directory_iterator(cache())) {
    EXPECT_EQ(entry.path().filename().string().find("building"), std::string::npos) << entry.path();
  }
}

TEST_F(FileSourceTest, CompressedTextFiles) {
  fs::create_directories(data());
  test::DuckdbSession session;
  for (const char* ending : {"csv.gz", "csv.zst", "ndjson.gz"}) {
    const std::string format = std::string(ending).starts_with("csv") ? "csv" : "json";
    ASSERT_EQ(session.execute("COPY (SELECT 1 AS a, '007' AS b) TO '" + data() + "/" + ending + "." + ending +
                              "' (FORMAT " + format + ")"),
              "");
  }
  source_ = prepare();
  ASSERT_EQ(source_.tables.size(), 3U);
  for (const FileTable& table : source_.tables) {
    EXPECT_EQ(table.origin.failure, "") << table.name;
    EXPECT_EQ(query("SELECT a, b FROM " + table.name), R"([1,"007"])") << table.name;
  }
}

}  // namespace
}  // namespace candor::engine::duckdb
