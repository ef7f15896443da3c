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
#include "scope/keys.h"
#include "scope/scope.h"
#include "scope/shaping.h"

namespace candor::scope {

struct Declaration {
  std::string array = "items";  // the name of the list in its document
  Ceiling ceiling;              // of kind kNone: all of the universe
  KeyCatalogue catalogue;
  std::vector<std::string> content;  // keys whose texts --truncate-content cuts: "snippet", "body"; "*": every text
  Order order = Order::kTotal;
  // What to write with the number of rows that the ceiling is to hold, for hints: "--limit "; empty: it can't be raised.
  std::string raise_with = "--limit ";
  std::string cut_by = "default";  // a default ceiling as `output_truncated_by` calls it
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

// What a command that returns a list implements. Only a ShapedList can be made of it: its rows are nobody else's to read.
class List {
 public:
  virtual ~List() = default;

 protected:
  [[nodiscard]] virtual Declaration declare() const = 0;
  [[nodiscard]] virtual Result<Universe> universe() = 0;
  // Rows in the list's order, which is total unless declared otherwise: two calls give the same. A row may carry more keys
  // than are shown (`hidden`), for filters to look at. No part of a row is Node::raw: filters could not look into it. The
  // keys of `below` have their aliases resolved.
  [[nodiscard]] virtual Status visit(const Slice& slice, const Visitor& visitor) = 0;
  // Keys of rows that filters and sorts may use and that are not shown unless --select names them: "metadata".
  [[nodiscard]] virtual std::vector<std::string> hidden() const { return {}; }
  // How many rows a predicate lets pass; counting them one by one unless a list knows better. Called after visit, where both
  // are.
  [[nodiscard]] virtual Result<std::uint64_t> count(const Predicate& below);
  // Whether any row of the universe has the key, and if none has, which keys rows have (some of them, for near names).
  // Looking at one after the other unless a list knows better. Asked only of keys that the catalogue leaves open, and only
  // when no row that was visited had it.
  struct KeySearch {
    bool found = false;
    std::vector<std::string> keys;
  };
  [[nodiscard]] virtual Result<KeySearch> look_for(const std::string& key);
  // The last word on the record, after the rows: what else is known of the order.
  virtual void complete(AgentSurface& /*surface*/) const {}

 private:
  friend class Shaper;
};

// A list as it may be shown, with its record.
class ShapedList {
 public:
  // Applies the rules of docs/scope.md. Fails with `filter-over-ceiling` and `count-over-ceiling` where the ceiling cut
  // what a predicate or a count is about, and with `unknown-key`.
  [[nodiscard]] static Result<ShapedList> make(List& list, const Shaping& shaping);

  // Another array of the same document, of which --max-items shows as many. `cut`: it is not all of them already.
  void add_secondary(std::string name, std::vector<json::Node> items, bool cut = false);
  // Something of the answer was done worse than asked: ("vec_degraded_reason", "timeout"). Set in the document; with
  // --fail-on-degraded check() fails.
  void add_note(std::string name, json::Node value);
  // `degraded` when notes were added and --fail-on-degraded was given.
  [[nodiscard]] Status check() const;

  [[nodiscard]] const std::vector<json::Node>& rows() const { return rows_; }
  [[nodiscard]] const AgentSurface& surface() const { return surface_; }
  [[nodiscard]] std::optional<std::uint64_t> count() const { return count_; }  // with --count-only
  [[nodiscard]] const std::vector<std::string>& selected() const { return shaping_.select; }

  // Sets the arrays (or `count`) and `agent_surface` of the document, whose other members stand already. The byte budget is
  // of the whole document and its line break: rows are dropped from the end until it fits, then the other arrays; a document
  // that can't fit becomes {"truncated":true,"dropped":n}. Members that end in _ms count with the most digits they may have,
  // so that two equal runs drop the same rows.
  void put_into(json::Node& document) const { put_into(document, {}); }
  // The same with each row as `render` makes it: an array in place of an object.
  using Render = std::function<json::Node(const json::Node& row)>;
  void put_into(json::Node& document, const Render& render) const;

 private:
  friend class Shaper;
  ShapedList() = default;
  void set_arrays(json::Node& document, std::size_t rows, bool with_secondary, const Render& render) const;
  [[nodiscard]] AgentSurface surface_with(std::size_t rows, bool with_secondary) const;
  [[nodiscard]] std::size_t bytes_without_rows(const json::Node& document, std::size_t rows, bool with_secondary) const;

  std::vector<json::Node> rows_;
  std::vector<std::pair<std::string, std::vector<json::Node>>> secondary_;
  std::vector<std::pair<std::string, json::Node>> notes_;
  AgentSurface surface_;
  Declaration declaration_;
  Shaping shaping_;
  std::optional<std::uint64_t> count_;
};

}  // namespace candor::scope
