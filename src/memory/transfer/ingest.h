// The verb `ingest`: the text files of a folder as memories, one a file. What was stored is known by its path and digest, so
// that a second run passes over what did not change: it also resumes one that was killed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"
#include "memory/transfer/folder.h"

namespace candor::memory {

class Planner;  // ingest_plan.h
struct Plan;

struct IngestOptions {
  FolderQuery folder;
  std::string space = "global";
  std::optional<std::string> type;  // of new memories `document` where it is not given
  std::string prefix;               // of each name
  std::size_t name_bytes = 60;      // at most, of each name
  std::size_t threads = 4;          // that read files
  bool fail_fast = false;           // end at the first file that fails
  bool dry_run = false;
  bool allow_missing_vector = false;  // store files even where their vectors can't be made
  bool force_merge = false;           // take over memories that have a file's name, and revive forgotten ones
};

class Ingest {
 public:
  // Reads the folder and what is stored of it. `memory` must outlive this; without dry_run it must be open for writing.
  [[nodiscard]] static Result<std::unique_ptr<Ingest>> start(Memory& memory, IngestOptions options);
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  // Stores the next files in one transaction and gives a document for each, which are durable then; none at the end. Fails
  // where the memory can't be written, and then nothing of these files is stored.
  [[nodiscard]] Result<std::vector<json::Node>> next();
  // A document for each file that was stored and is not there any more; its memory stays.
  [[nodiscard]] std::vector<json::Node> missing();

  [[nodiscard]] std::size_t total() const { return folder_.files.size(); }
  [[nodiscard]] std::size_t done() const { return at_; }
  [[nodiscard]] bool failed() const { return failures_ > 0; }
  // {"summary":true,…}
  [[nodiscard]] json::Node summary() const;

 private:
  struct Work;
  Ingest(Memory& memory, IngestOptions options, Folder folder);
  [[nodiscard]] Status embed(Plan& plan);
  [[nodiscard]] Result<std::vector<Work>> prepare(std::size_t count);
  [[nodiscard]] Status store(std::vector<Work>& works);
  [[nodiscard]] Status store(const Plan& plan, json::Node& document);
  [[nodiscard]] Status store(Work& work);
  [[nodiscard]] json::Node document_of(const Work& work);

  Store* store_;
  IngestOptions options_;
  Folder folder_;
  std::unique_ptr<Planner> planner_;
  std::size_t at_ = 0;
  std::int64_t successes_ = 0, failures_ = 0, skips_ = 0, missing_ = 0;
  std::string model_;      // the memory's embedder
  bool embedded_ = false;  // it made a vector
  bool stopped_ = false;
};

}  // namespace candor::memory
