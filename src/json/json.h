// JSON text to a tree that keeps the digits of its numbers, and a tree to text. The library that parses stays in json.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace candor::json {

enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

// One JSON value. Members keep the order of the text.
class Node {
 public:
  Node() = default;  // null
  [[nodiscard]] static Node boolean(bool value);
  [[nodiscard]] static Node number(std::int64_t value);
  [[nodiscard]] static Node number(double value);             // non-finite values become strings
  [[nodiscard]] static Node number_text(std::string digits);  // digits as they stand in the text
  [[nodiscard]] static Node string(std::string value);
  [[nodiscard]] static Node array();
  [[nodiscard]] static Node object();
  // A piece of JSON that is already text; appended verbatim by dump. The caller answers for its validity. Its kind is
  // that of the text, its parts can't be looked at.
  [[nodiscard]] static Node raw(std::string json);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::kNull; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::kBoolean; }
  [[nodiscard]] bool is_number() const { return kind_ == Kind::kNumber; }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::kString; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::kArray; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::kObject; }

  [[nodiscard]] bool truth() const { return truth_; }              // of a boolean, else false
  [[nodiscard]] const std::string& text() const { return text_; }  // of a string; the digits of a number
  [[nodiscard]] std::optional<std::int64_t> integer() const;       // of a number written as an integer within int64
  [[nodiscard]] std::optional<double> real() const;                // of any number

  [[nodiscard]] const std::vector<Node>& items() const { return items_; }  // of an array
  [[nodiscard]] std::vector<Node>& items() { return items_; }
  [[nodiscard]] const std::vector<std::pair<std::string, Node>>& members() const { return members_; }  // of an object
  [[nodiscard]] std::vector<std::pair<std::string, Node>>& members() { return members_; }

  // The member of that name, or null.
  [[nodiscard]] const Node* find(std::string_view name) const;
  [[nodiscard]] Node* find(std::string_view name);
  // The same, but a shared null node in place of a null pointer, so that look-ups can be chained.
  [[nodiscard]] const Node& operator[](std::string_view name) const;
  // The text of a string member, or `otherwise`.
  [[nodiscard]] std::string_view string_or(std::string_view name, std::string_view otherwise) const;

  Node& push(Node item);                    // onto an array; this
  Node& set(std::string name, Node value);  // replaces a member of that name; this

  friend bool operator==(const Node&, const Node&);  // numbers by their digits, members in their order

 private:
  Kind kind_ = Kind::kNull;
  bool truth_ = false;
  bool raw_ = false;
  std::string text_;
  std::vector<Node> items_;
  std::vector<std::pair<std::string, Node>> members_;
  friend void append(std::string& out, const Node& node);
};

struct ParseLimits {
  std::size_t depth_max = 200;
  std::size_t bytes_max = std::size_t{64} << 20U;
  std::size_t nodes_max = 4'000'000;  // values: a tree takes up to 45 times the bytes of its text
};

// Strict JSON (RFC 8259): one document, valid UTF-8, no lone surrogates, no duplicate member names, no NaN, no number
// beyond the range of a double; a byte order mark is passed over. Fails with `bad-request`, the byte position in the span.
[[nodiscard]] Result<Node> parse(std::string_view text, const ParseLimits& limits = {});

void append(std::string& out, const Node& node);
[[nodiscard]] std::string dump(const Node& node);
// With two blanks of indent, for people.
[[nodiscard]] std::string dump_pretty(const Node& node);

}  // namespace candor::json
