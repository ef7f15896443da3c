// Which names are offered for one that does not exist, and in which order.
#include "base/near_names.h"

#include <gtest/gtest.h>

namespace candor {
namespace {

using Names = std::vector<std::string>;

TEST(NearNames, KindsOfDifferenceComeInOrder) {
  const Names known = {"old_customer", "customre", "customer_notes", "customers", "custo_mer", "CUSTOMER", "orders"};
  EXPECT_EQ(near_names("customer", known, 9),
            (Names{"CUSTOMER", "custo_mer", "customers", "customer_notes", "customre", "old_customer"}));
  EXPECT_EQ(near_names("customer", known), (Names{"CUSTOMER", "custo_mer", "customers"}));
}

TEST(NearNames, SeparatorsAndCase) {
  EXPECT_EQ(near_names("CustomerID", {"customer_id", "customer_ids"}), (Names{"customer_id", "customer_ids"}));
  EXPECT_EQ(near_names("unit price", {"UnitPrice", "unit_prize"}), (Names{"UnitPrice", "unit_prize"}));
  EXPECT_EQ(near_names("ÄRZTE", {"ärzte"}), (Names{"ärzte"}));
}

TEST(NearNames, Number) {
  EXPECT_EQ(near_names("customer", {"customers"}), (Names{"customers"}));
  EXPECT_EQ(near_names("customers", {"customer"}), (Names{"customer"}));
  EXPECT_EQ(near_names("city", {"cities"}), (Names{"cities"}));
  EXPECT_EQ(near_names("box", {"boxes"}), (Names{"boxes"}));
  EXPECT_EQ(near_names("address", {"addresses"}), (Names{"addresses"}));
  EXPECT_EQ(near_names("order_item", {"OrderItems"}), (Names{"OrderItems"}));
}

TEST(NearNames, SlipsOfThePen) {
  EXPECT_EQ(near_names("paitents", {"payments", "patients"}), (Names{"patients", "payments"}));
  EXPECT_EQ(near_names("ammount", {"account", "amount"}), (Names{"amount", "account"}));
  EXPECT_EQ(near_names("naem", {"name"}), (Names{"name"})) << "an exchange is one slip";
  EXPECT_EQ(near_names("naïve", {"naive"}), (Names{"naive"})) << "a letter is one letter, whatever its bytes";
}

TEST(NearNames, WordsAtAnEnd) {
  EXPECT_EQ(near_names("name", {"customer_name", "filename"}), (Names{"customer_name"}));
  EXPECT_EQ(near_names("total_amount", {"amount"}), (Names{"amount"}));
}

TEST(NearNames, NothingIsOfferedWhereNothingIsNear) {
  EXPECT_EQ(near_names("revenue", {"patients", "visits", "id"}), Names());
  EXPECT_EQ(near_names("a", {"b", "c"}), Names());
  EXPECT_EQ(near_names("ab", {"cd"}), Names());
  EXPECT_EQ(near_names("", {"a", ""}), (Names{""}));
  EXPECT_EQ(near_names("_", {"a", "-"}), Names());
  EXPECT_EQ(near_names("x", {}), Names());
  EXPECT_EQ(near_names("customer", {"customers"}, 0), Names());
}

TEST(NearNames, ARepeatedNameIsOfferedOnce) { EXPECT_EQ(near_names("idd", {"id", "id", "id"}), (Names{"id"})); }

TEST(NearNames, LongAndBrokenNamesAreBounded) {
  const std::string huge(2'000'000, 'x');
  EXPECT_EQ(near_names(huge, {"xx"}), Names());
  EXPECT_EQ(near_names("\xFF\xF0\x9F", {"name"}), Names());
}

}  // namespace
}  // namespace candor
