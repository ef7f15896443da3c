// The JSON tree over nlohmann's event parser, and an appending writer. The library is seen in this file alone.
#include "json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "base/render_json.h"

namespace candor::json {
namespace {

const Node kNullNode;

// Objects with more members than this look duplicates up in a set, so that the work stays linear.
constexpr std::size_t kLinearMembers = 24;

// Hands the parser its bytes and tells the event handler how far it has read: the events carry no positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

Diagnostic bad_json(std::string reason, std::size_t position) {
  Diagnostic failure =
      make_error("bad-request", "not valid JSON at byte " + std::to_string(position) + ": " + std::move(reason));
  failure.span = Span{position, position + 1};
  return failure;
}

// The parser's own words without its prefix and without the text it read, which may be anything.
std::string reason_of(std::string_view what) {
  const std::size_t column = what.find("column ");
  const std::size_t colon = column == std::string_view::npos ? what.find("] ") : what.find(": ", column);
  if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
  what = what.substr(0, what.find("; last read"));
  std::string reason;
  for (const char byte : what) reason += static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte;
  return is_utf8(reason) ? reason : "a syntax error";
}

template <typename Integer>
std::string digits_of(Integer value) {
  char digits[24];
  const auto done = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, done.ptr};
}

// Builds the tree from events. Every handler that returns false has set `failure`.
class Builder {
 public:
  Builder(const ParseLimits& limits, const std::size_t* read) : limits_(&limits), read_(read) {}

  bool null() { return place(Node()) != nullptr; }
  bool boolean(bool value) { return place(Node::boolean(value)) != nullptr; }
  // Negative literals alone come here, so that a zero was written "-0".
  bool number_integer(std::int64_t value) {
    return place(Node::number_text(value == 0 ? "-0" : digits_of(value))) != nullptr;
  }
  bool number_unsigned(std::uint64_t value) { return place(Node::number_text(digits_of(value))) != nullptr; }
  bool number_float(double /*value*/, const std::string& digits) { return place(Node::number_text(digits)) != nullptr; }
  bool string(std::string& value) { return place(Node::string(std::move(value))) != nullptr; }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return fail("binary values are not JSON"); }
  bool start_object(std::size_t /*elements*/) { return open(Node::object()); }
  bool start_array(std::size_t /*elements*/) { return open(Node::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Frame& frame = stack_.back();
    if (!new_name(frame, name)) return fail("the member name is there twice in one object");
    frame.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::json::exception& error) {
    if (!failure_) failure_ = bad_json(reason_of(error.what()), position > 0 ? position - 1 : 0);
    return false;
  }

  [[nodiscard]] std::optional<Diagnostic>& failure() { return failure_; }
  [[nodiscard]] Node& root() { return root_; }

 private:
  struct Frame {
    Node* node = nullptr;
    std::string key;
    std::unordered_set<std::string> names;  // filled once there are more than kLinearMembers
  };

  static bool new_name(Frame& frame, const std::string& name) {
    const auto& members = frame.node->members();
    if (members.size() < kLinearMembers) return frame.node->find(name) == nullptr;
    if (frame.names.empty()) {
      for (const auto& member : members) frame.names.insert(member.first);
    }
    return frame.names.insert(name).second;
  }

  Node* place(Node node) {
    if (++nodes_ > limits_->nodes_max) {
      fail("more than " + std::to_string(limits_->nodes_max) + " values");
      return nullptr;
    }
    if (stack_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Frame& frame = stack_.back();
    if (frame.node->is_array()) return &frame.node->items().emplace_back(std::move(node));
    return &frame.node->members().emplace_back(std::move(frame.key), std::move(node)).second;
  }

  // The pointer to an open container stays good: its parent does not grow before it is closed.
  bool open(Node node) {
    if (stack_.size() >= limits_->depth_max) {
      return fail("nested deeper than " + std::to_string(limits_->depth_max) + " levels");
    }
    Node* placed = place(std::move(node));
    if (placed == nullptr) return false;
    stack_.push_back(Frame{placed, {}, {}});
    return true;
  }

  bool close() {
    stack_.pop_back();
    return true;
  }

  bool fail(std::string reason) {
    failure_ = bad_json(std::move(reason), *read_ > 0 ? *read_ - 1 : 0);
    return false;
  }

  const ParseLimits* limits_;
  const std::size_t* read_;
  std::size_t nodes_ = 0;
  Node root_;
  std::vector<Frame> stack_;
  std::optional<Diagnostic> failure_;
};

Kind kind_of_text(std::string_view json) {
  const std::size_t first = json.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Kind::kNull;
  switch (json[first]) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      return Kind::kNumber;
  }
}

void append_pretty(std::string& out, const Node& node, std::size_t indent) {
  const bool object = !node.members().empty();
  if (!object && node.items().empty()) {
    append(out, node);
    return;
  }
  bool first = true;
  const auto begin_line = [&] {
    if (!first) out += ',';
    first = false;
    out += '\n';
    out.append(indent + 2, ' ');
  };
  out += object ? '{' : '[';
  for (const auto& [name, value] : node.members()) {
    begin_line();
    append_json_string(out, name);
    out += ": ";
    append_pretty(out, value, indent + 2);
  }
  for (const Node& item : node.items()) {
    begin_line();
    append_pretty(out, item, indent + 2);
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

Node Node::boolean(bool value) {
  Node node;
  node.kind_ = Kind::kBoolean;
  node.truth_ = value;
  return node;
}

Node Node::number(std::int64_t value) { return number_text(digits_of(value)); }

Node Node::number(double value) {
  std::string digits;
  append_json_real(digits, value);
  if (std::isfinite(value)) return number_text(std::move(digits));
  return string(digits.substr(1, digits.size() - 2));
}

Node Node::number_text(std::string digits) {
  Node node;
  node.kind_ = Kind::kNumber;
  node.text_ = std::move(digits);
  return node;
}

Node Node::string(std::string value) {
  Node node;
  node.kind_ = Kind::kString;
  node.text_ = std::move(value);
  return node;
}

Node Node::array() {
  Node node;
  node.kind_ = Kind::kArray;
  return node;
}

Node Node::object() {
  Node node;
  node.kind_ = Kind::kObject;
  return node;
}

Node Node::raw(std::string json) {
  Node node;
  node.kind_ = kind_of_text(json);
  node.raw_ = true;
  node.text_ = std::move(json);
  return node;
}

std::optional<std::int64_t> Node::integer() const {
  if (kind_ != Kind::kNumber) return std::nullopt;
  std::int64_t value = 0;
  const char* end = text_.data() + text_.size();
  const auto done = std::from_chars(text_.data(), end, value);
  if (done.ec != std::errc() || done.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> Node::real() const {
  if (kind_ != Kind::kNumber) return std::nullopt;
  double value = 0;
  const char* end = text_.data() + text_.size();
  const auto done = std::from_chars(text_.data(), end, value);
  if (done.ec == std::errc() && done.ptr == end) return value;
  // from_chars refuses what is too small for a double as well as what is too large; the former is zero to any reader.
  if (done.ec == std::errc::result_out_of_range && done.ptr == end &&
      std::abs(std::strtod(text_.c_str(), nullptr)) < 1) {
    return std::strtod(text_.c_str(), nullptr);
  }
  return std::nullopt;
}

const Node* Node::find(std::string_view name) const {
  for (const auto& [key, value] : members_) {
    if (key == name) return &value;
  }
  return nullptr;
}

Node* Node::find(std::string_view name) {
  for (auto& [key, value] : members_) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Node& Node::operator[](std::string_view name) const {
  const Node* member = find(name);
  return member != nullptr ? *member : kNullNode;
}

std::string_view Node::string_or(std::string_view name, std::string_view otherwise) const {
  const Node* member = find(name);
  return member != nullptr && member->is_string() ? std::string_view(member->text_) : otherwise;
}

Node& Node::push(Node item) {
  items_.push_back(std::move(item));
  return *this;
}

Node& Node::set(std::string name, Node value) {
  if (Node* member = find(name)) {
    *member = std::move(value);
  } else {
    members_.emplace_back(std::move(name), std::move(value));
  }
  return *this;
}

bool operator==(const Node& a, const Node& b) {
  return a.kind_ == b.kind_ && a.truth_ == b.truth_ && a.raw_ == b.raw_ && a.text_ == b.text_ && a.items_ == b.items_ &&
         a.members_ == b.members_;
}

Result<Node> parse(std::string_view text, const ParseLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return bad_json("longer than " + std::to_string(limits.bytes_max) + " bytes", limits.bytes_max);
  }
  // The library takes a NUL outside of a string for the end of the text, and would not look at what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) return bad_json("a NUL byte", nul);
  std::size_t read = 0;
  Builder builder(limits, &read);
  const CountingIterator first(text.data(), &read);
  const CountingIterator last(text.data() + text.size(), &read);
  try {
    const bool whole = nlohmann::json::sax_parse(first, last, &builder);
    if (auto& failure = builder.failure()) return std::move(*failure);
    if (!whole) return bad_json("a syntax error", read);
  } catch (const std::exception& error) {
    return bad_json(reason_of(error.what()), read);
  }
  return std::move(builder.root());
}

void append(std::string& out, const Node& node) {
  if (node.raw_) {
    out += node.text_;
    return;
  }
  switch (node.kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBoolean:
      out += node.truth_ ? "true" : "false";
      return;
    case Kind::kNumber:
      out += node.text_;
      return;
    case Kind::kString:
      return append_json_string(out, node.text_);
    case Kind::kArray: {
      out += '[';
      bool first = true;
      for (const Node& item : node.items_) {
        if (!first) out += ',';
        first = false;
        append(out, item);
      }
      out += ']';
      return;
    }
    case Kind::kObject: {
      out += '{';
      bool first = true;
      for (const auto& [name, value] : node.members_) {
        if (!first) out += ',';
        first = false;
        append_json_string(out, name);
        out += ':';
        append(out, value);
      }
      out += '}';
      return;
    }
  }
}

std::string dump(const Node& node) {
  std::string out;
  append(out, node);
  return out;
}

std::string dump_pretty(const Node& node) {
  std::string out;
  append_pretty(out, node, 0);
  return out;
}

}  // namespace candor::json
