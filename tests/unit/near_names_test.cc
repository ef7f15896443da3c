// Which names are offered for one that does not exist, and in which order.
#include "base/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace candor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

TEST(NearNames, KindsOfDifferenceComeInOrder) {
  const Names known = {"old_customer", "customre", "customer_notes", "customers", "custo_mer", "CUSTOMER", "orders"};
  EXPECT_THAT(near_names("customer", known, 9),
              ElementsAre("CUSTOMER", "custo_mer", "customers", "customer_notes", "customre", "old_customer"));
  EXPECT_THAT(near_names("customer", known), ElementsAre("CUSTOMER", "custo_mer", "customers"));
}

TEST(NearNames, SeparatorsAndCase) {
  EXPECT_THAT(near_names("CustomerID", {"customer_id", "customer_ids"}), ElementsAre("customer_id", "customer_ids"));
  EXPECT_THAT(near_names("unit price", {"UnitPrice", "unit_prize"}), ElementsAre("UnitPrice", "unit_prize"));
  EXPECT_THAT(near_names("ÄRZTE", {"ärzte"}), ElementsAre("ärzte"));
}

TEST(NearNames, Number) {
  EXPECT_THAT(near_names("customer", {"customers"}), ElementsAre("customers"));
  EXPECT_THAT(near_names("customers", {"customer"}), ElementsAre("customer"));
  EXPECT_THAT(near_names("city", {"cities"}), ElementsAre("cities"));
  EXPECT_THAT(near_names("box", {"boxes"}), ElementsAre("boxes"));
  EXPECT_THAT(near_names("address", {"addresses"}), ElementsAre("addresses"));
  EXPECT_THAT(near_names("order_item", {"OrderItems"}), ElementsAre("OrderItems"));
}

TEST(NearNames, SlipsOfThePen) {
  EXPECT_THAT(near_names("paitents", {"payments", "patients"}), ElementsAre("patients", "payments"));
  EXPECT_THAT(near_names("ammount", {"account", "amount"}), ElementsAre("amount", "account"));
  EXPECT_THAT(near_names("naem", {"name"}), ElementsAre("name")) << "an exchange is one slip";
  EXPECT_THAT(near_names("naïve", {"naive"}), ElementsAre("naive")) << "a letter is one letter, whatever its bytes";
}

TEST(NearNames, WordsAtAnEnd) {
  EXPECT_THAT(near_names("name", {"customer_name", "filename"}), ElementsAre("customer_name"));
  EXPECT_THAT(near_names("total_amount", {"amount"}), ElementsAre("amount"));
}

TEST(NearNames, NothingIsOfferedWhereNothingIsNear) {
  EXPECT_THAT(near_names("revenue", {"patients", "visits", "id"}), IsEmpty());
  EXPECT_THAT(near_names("a", {"b", "c"}), IsEmpty());
  EXPECT_THAT(near_names("ab", {"cd"}), IsEmpty());
  EXPECT_THAT(near_names("", {"a", ""}), ElementsAre(""));
  EXPECT_THAT(near_names("_", {"a", "-"}), IsEmpty());
  EXPECT_THAT(near_names("x", {}), IsEmpty());
  EXPECT_THAT(near_names("customer", {"customers"}, 0), IsEmpty());
}

TEST(NearNames, ARepeatedNameIsOfferedOnce) { EXPECT_THAT(near_names("idd", {"id", "id", "id"}), ElementsAre("id")); }

TEST(NearNames, LongAndBrokenNamesAreBounded) {
  const std::string huge(2'000'000, 'x');
  EXPECT_THAT(near_names(huge, {"xx"}), IsEmpty());
  EXPECT_THAT(near_names("\xFF\xF0\x9F", {"name"}), IsEmpty());
}

}  // namespace
}  // namespace candor
