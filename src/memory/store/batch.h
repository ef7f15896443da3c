// The verb `remember-batch`: one memory a line of JSON, each stored whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"

namespace candor::memory {

constexpr std::size_t kBatchLineBytes = std::size_t{16} << 20U;

struct BatchOptions {
  std::string space = "global";
  bool whole = false;      // one transaction: all lines or none
  bool fail_fast = false;  // end at the first line that fails
  bool force_merge = false;
  bool dry_run = false;
  bool allow_missing_vector = false;
};

// What a line says, on top of what its command says. Fails with `bad-request` for members that there are not.
[[nodiscard]] Result<Remember> remember_of(const json::Node& line, Remember base);

struct ActiveModel;  // memory/embed/model_store.h
class Spool;         // spool.h

// Where the memory has an embedder, lines wait until there are some, get their vectors in one request, and are stored then:
// no transaction is open while an embedder is asked. With `whole` they wait in a file for the one transaction.
class Batch {
 public:
  // `memory` must outlive this. Nothing else may write through it until `finish`.
  Batch(Memory& memory, BatchOptions options);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  // Takes back what was not committed.
  ~Batch();

  // One line. False: no further one will be taken (fail_fast). Fails where the file can't be written, and then nothing of
  // the lines since the last commit is stored.
  [[nodiscard]] Result<bool> add(std::string_view line);
  // Makes durable what was added, and gives the documents of those lines, which may be told from now on. With `whole` and in
  // a dry run nothing comes before `finish`.
  [[nodiscard]] Result<std::vector<json::Node>> commit();
  [[nodiscard]] Result<std::vector<json::Node>> finish();

  // {"summary":true,…}
  [[nodiscard]] json::Node summary() const;
  [[nodiscard]] bool failed() const { return failures_ > 0; }

 private:
  struct Line;
  [[nodiscard]] Line read(std::string_view text) const;
  [[nodiscard]] bool must_wait_for(const Line& line) const;
  [[nodiscard]] Status embed();
  [[nodiscard]] Status store_waiting();
  [[nodiscard]] Status store(Line line);
  [[nodiscard]] Status set_aside();
  [[nodiscard]] Status store_set_aside();
  void note(Result<json::Node> stored, const std::string& name);
  [[nodiscard]] Result<std::vector<json::Node>> end(bool keep);

  Store* store_;
  BatchOptions options_;
  std::unique_ptr<ActiveModel> model_;
  bool embeds_ = false;
  std::vector<Line> waiting_;  // for their vectors
  std::size_t waiting_bytes_ = 0;
  std::unordered_set<std::string> names_;  // of lines that are not committed yet
  std::unique_ptr<Spool> spool_;           // with `whole`
  std::vector<json::Node> documents_;
  std::int64_t lines_ = 0, failures_ = 0;
  bool open_ = false;
};

}  // namespace candor::memory
