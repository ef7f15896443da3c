// How the demo looks: prose, an agent's calls, and Candor's replies from the documents that any surface gets.
#pragma once

#include <string>
#include <string_view>

#include "json/json.h"

namespace candor::cli {

class DemoPage {
 public:
  explicit DemoPage(bool colour) : colour_(colour) {}

  void heading(std::string_view text);
  void prose(std::string_view text);  // wrapped
  void verbatim(std::string_view text);

  // "agent   sql_query" and the text of its argument below.
  void call(std::string_view tool, std::string_view argument);

  void result(const json::Node& document);   // of one statement
  void outcome(const json::Node& document);  // of a commit: the hold, or the receipt
  void failure(const json::Node& document);  // an error document

 private:
  [[nodiscard]] std::string painted(std::string_view text, std::string_view colour) const;
  void reply(std::string_view title, std::string_view colour);
  void checks(const json::Node& list);
  void joins(const json::Node& list);

  bool colour_;
};

// 1443 as "1,443".
[[nodiscard]] std::string grouped_digits(std::int64_t number);

}  // namespace candor::cli
