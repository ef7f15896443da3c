// The id of a request whose text is no acceptable JSON: too long, a number out of range, a surrogate alone, a byte that is
// not UTF-8. Its client waits for an answer to that id, and would wait for ever for one without.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"

namespace candor::mcp {

// Takes the text in pieces and keeps none of it.
class IdFinder {
 public:
  void feed(std::string_view bytes);

  // The value of the one member "id" of the outermost object, a string or a number. None when there is none or more than
  // one, or it is not whole.
  [[nodiscard]] std::optional<json::Node> id() const;

 private:
  void take(char byte);
  void take_in_string(char byte);
  void keep(char byte);
  void end_part();

  static constexpr std::size_t kPartBytesMax = 256;  // a longer name or value is none of interest

  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool value_ = false;  // behind the colon of the outermost object's member
  bool too_long_ = false;
  bool ended_ = false;  // behind the outermost object
  std::string part_;    // the name or value that is being read, on the outermost level
  std::string name_;
  std::string found_;
  int found_times_ = 0;
};

}  // namespace candor::mcp
