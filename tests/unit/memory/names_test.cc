// Names: what is made of them, and what is refused.
#include "memory/store/names.h"

#include <gtest/gtest.h>

#include "memory/store/times.h"

namespace candor::memory {
namespace {

std::string name_of(std::string_view given) {
  const Result<Name> name = memory_name(given);
  return name.ok() ? name->text : name.error().code;
}
std::string key_of(std::string_view given) {
  const Result<EntityName> name = entity_name(given);
  return name.ok() ? name->key : name.error().code;
}

TEST(MemoryNames, AreMadeSlugs) {
  EXPECT_EQ(name_of("release-day"), "release-day");
  EXPECT_EQ(name_of("Release_Day 7"), "release-day-7");
  EXPECT_EQ(name_of("-trimmed--"), "trimmed");
  EXPECT_EQ(name_of("7"), "7");
  for (const char* bad : {"", "-", "7days", "naïve", "a.b", "a/b", "名前", "a\nb", "__kept"}) {
    EXPECT_EQ(name_of(bad), "invalid-name") << bad;
  }
  EXPECT_EQ(name_of(std::string("a\0b", 3)), "invalid-name");
  EXPECT_EQ(name_of(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(name_of(std::string(81, 'a')), "over-limit");
  EXPECT_FALSE(memory_name("Release", true).ok());
  EXPECT_TRUE(memory_name("release", true).ok());
}

TEST(EntityNames, KeepEveryScriptAndFoldOnlyForComparing) {
  EXPECT_EQ(key_of("東京"), "東京");
  EXPECT_EQ(key_of("Сергей"), "сергей");
  EXPECT_EQ(key_of("كريم"), "كريم");
  EXPECT_EQ(key_of("Straße"), key_of("STRASSE"));
  EXPECT_EQ(key_of("Mu\xCC\x88nchen"), key_of("M\xC3\xBCnchen"));  // decomposed and composed
  EXPECT_EQ(key_of("ＡＢＣ１２３"), "abc123");
  EXPECT_EQ(key_of("ledger_db"), key_of("Ledger  DB"));
  EXPECT_NE(key_of("C++"), key_of("C#"));
  EXPECT_EQ(entity_name("  Anna   M\xC3\xBCller ")->text, "Anna M\xC3\xBCller");
  EXPECT_EQ(key_of("猫"), "猫");
  for (const char* bad : {"", " ", "-", "a", "42", "two\nlines", "tab\there"})
    EXPECT_EQ(key_of(bad), "invalid-name") << bad;
  EXPECT_EQ(key_of("\xFF\xFE"), "invalid-text");
  EXPECT_EQ(key_of(std::string(500, 'a')), std::string(500, 'a'));
  EXPECT_EQ(key_of(std::string(501, 'a')), "over-limit");
}

TEST(RelationNames, AreOpenAndMayBeStrict) {
  EXPECT_EQ(*relation_name("Depends-On"), "depends_on");
  EXPECT_EQ(*relation_name("joins with"), "joins_with");
  EXPECT_FALSE(relation_name("joins_with", true).ok());
  EXPECT_TRUE(relation_name("uses", true).ok());
  for (const char* bad : {"", "7th", "a;b", "é"}) EXPECT_FALSE(relation_name(bad).ok()) << bad;
}

TEST(Namespaces, ArePlain) {
  EXPECT_EQ(*namespace_name("team-A.1_x"), "team-A.1_x");
  for (const char* bad : {"", "a b", "a/b", "ä"})
    EXPECT_EQ(namespace_name(bad).error().code, "invalid-namespace") << bad;
}

TEST(Types, NameTheNearOnes) {
  EXPECT_EQ(*memory_type("Skill"), "skill");
  EXPECT_EQ(memory_type("skil").error().hint, "did you mean skill");
  EXPECT_FALSE(entity_type("note").ok());
}

TEST(Times, AreReadBack) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(1'796'082'517), "2026-11-30T23:48:37Z");
  EXPECT_EQ(*parse_time("1796082517"), 1'796'082'517);
  EXPECT_EQ(*parse_time("2026-11-30T23:48:37Z"), 1'796'082'517);
  EXPECT_EQ(*parse_time("2026-12-01T01:48:37.5+02:00"), 1'796'082'517);
  for (const char* bad :
       {"", "now", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-30", "2026-11-30T23:48:37"}) {
    EXPECT_FALSE(parse_time(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace candor::memory
