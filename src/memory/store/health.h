// What `memory health` measures, one group a function. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "json/json.h"
#include "memory/store/store.h"

namespace candor::memory {

// Collects a document and its `checks`. What was not looked at is null with a reason, and never called fine.
class HealthReport {
 public:
  enum class Weight { kDamage, kLack };  // of a check that fails: the file is wrong, or something is missing

  void passed(std::string_view check) { add(check, json::Node::boolean(true), {}); }
  void failed(std::string_view check, std::string detail, Weight weight);
  void not_looked_at(std::string_view check, std::string reason) { add(check, json::Node(), std::move(reason)); }
  // A fault, or none.
  void judged(std::string_view check, std::string fault, Weight weight);

  HealthReport& set(std::string_view field, json::Node value) {
    document_.set(std::string(field), std::move(value));
    return *this;
  }
  // The outcome of the latest check.
  [[nodiscard]] const json::Node& latest() const { return latest_; }
  // With `status`: ok, degraded or error.
  [[nodiscard]] json::Node finish();

 private:
  void add(std::string_view check, json::Node ok, std::string detail);
  json::Node document_ = json::Node::object(), checks_ = json::Node::array(), latest_;
  bool damage_ = false, lack_ = false;
};

struct HealthScope {
  Store* store = nullptr;
  std::optional<std::string> space;  // none: all
};

[[nodiscard]] Status look_at_text(const HealthScope& scope, HealthReport& report);
[[nodiscard]] Status look_at_vectors(const HealthScope& scope, HealthReport& report);
[[nodiscard]] Status look_at_graph(const HealthScope& scope, HealthReport& report);

}  // namespace candor::memory
