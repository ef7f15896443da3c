// How a command returns a list: it declares what the list is a part of, and gets back what may be shown of it. There is no
// other way to a ShapedList, and no renderer takes anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "scope/scope.h"
#include "scope/shaping.h"

namespace candor::scope {

// The keys that rows can have, so that a typing error is told even where no row would have shown it.
struct KeyCatalogue {
  std::vector<std::string> keys;
  std::vector<std::string> open;  // keys under which any further ones may stand: "metadata"
  std::vector<std::pair<std::string, std::string>> aliases;  // "memory_type" is "type"
};

struct Declaration {
  std::string array = "items";  // the name of the list in its document
  Ceiling ceiling;              // of kind kNone: all of the universe
  KeyCatalogue catalogue;
  std::vector<std::string> content;  // keys whose texts --truncate-content cuts: "snippet", "body"
  Order order = Order::kTotal;
};

// How many rows the universe has, or why that is not known.
struct Universe {
  std::optional<std::uint64_t> total;
  std::string reason;
};

// Which rows are asked for. Rows that `below` does not let pass are as if they were not there; null lets all pass.
struct Slice {
  const Predicate* below = nullptr;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit;
};

// False: enough.
using Visitor = std::function<bool(json::Node row)>;

// What a command that returns a list implements.
class List {
 public:
  virtual ~List() = default;
  [[nodiscard]] virtual Declaration declare() const = 0;
  [[nodiscard]] virtual Result<Universe> universe() = 0;
  // Rows in the list's order, which is total unless declared otherwise: two calls give the same. A row may carry more keys
  // than are shown (`hidden`), for filters to look at.
  [[nodiscard]] virtual Status visit(const Slice& slice, const Visitor& visitor) = 0;
  // Keys of rows that filters and sorts may use and that are not shown unless --select names them: "metadata".
  [[nodiscard]] virtual std::vector<std::string> hidden() const { return {}; }
  // How many rows a predicate lets pass; counting them one by one unless a list knows better.
  [[nodiscard]] virtual Result<std::uint64_t> count(const Predicate& below);
};

// A list as it may be shown, with its record.
class ShapedList {
 public:
  // Applies the rules of docs/scope.md. Fails with `filter-over-ceiling` and `count-over-ceiling` where the ceiling cut
  // what a predicate or a count is about, and with `unknown-key`.
  [[nodiscard]] static Result<ShapedList> make(List& list, const Shaping& shaping);

  // Another array of the same document, of which --max-items shows as many.
  void add_secondary(std::string name, std::vector<json::Node> items);
  // Something of the answer was done worse than asked: "vector-search". --fail-on-degraded has its command fail.
  void add_note(std::string name, json::Node value);

  [[nodiscard]] const std::vector<json::Node>& rows() const { return rows_; }
  [[nodiscard]] const AgentSurface& surface() const { return surface_; }
  [[nodiscard]] std::optional<std::uint64_t> count() const { return count_; }  // with --count-only

  // Sets the arrays (or `count`) and `agent_surface` of the document. The byte budget is of the whole document: rows are
  // dropped from the end until it fits; a document that can't fit is {"truncated":true,…}.
  void put_into(json::Node& document) const;

 private:
  ShapedList() = default;
  std::vector<json::Node> rows_;
  std::vector<std::pair<std::string, std::vector<json::Node>>> secondary_;
  std::vector<std::pair<std::string, json::Node>> notes_;
  AgentSurface surface_;
  Declaration declaration_;
  Shaping shaping_;
  std::optional<std::uint64_t> count_;
};

}  // namespace candor::scope
