// The engine's parser as a service: text to a JSON tree and back, in an instance of its own without any user object.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

// Opened when it is first asked.
class ParserInstance {
 public:
  // `json_serialize_sql` of the text. Fails with `syntax` and a span, also for what is no SELECT.
  [[nodiscard]] Result<std::string> tree(std::string_view sql);
  // `json_deserialize_sql`. Fails with `bad-request` for trees that the engine does not take, among them those that
  // would crash it.
  [[nodiscard]] Result<std::string> text(std::string_view tree);

 private:
  Status open();
  Result<std::string> call(Prepared& statement, std::string_view argument);

  std::mutex mutex_;
  Database database_;
  Connection connection_;
  Prepared serialize_;
  Prepared deserialize_;
};

}  // namespace candor::engine::duckdb
