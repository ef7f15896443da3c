// What an ingest does with a file: which memories it becomes, under which names. Private to this folder; it writes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/store/memories.h"
#include "memory/transfer/ingest.h"

namespace candor::memory {

// What a memory's metadata say that it was made of.
struct Origin {
  std::string path, sha256;
  std::int64_t part = 1, parts = 1;
};
[[nodiscard]] std::optional<Origin> origin_of(std::string_view metadata);

struct PlannedPart {
  Remember input;
  bool update = false;
};

struct Plan {
  std::string name;           // of the first memory
  std::string original_name;  // as the file has it, where that was changed
  bool truncated = false;
  std::size_t parts = 1;
  std::vector<PlannedPart> writes;   // none: the file is passed over
  std::vector<std::string> surplus;  // memories of parts that the file has no longer
  std::string why;                   // it is passed over
  std::vector<std::string> warnings;
};

class Planner {
 public:
  struct Stored {
    std::int64_t id = 0;
    std::string name;
    bool forgotten = false;
    Origin origin;
  };

  // `store` and `options` must outlive this.
  Planner(Store& store, const IngestOptions& options) : store_(&store), options_(&options) {}
  // What the memory has of the files below `folder`.
  [[nodiscard]] Status read(const std::string& folder);
  // By path and part.
  [[nodiscard]] const std::map<std::string, std::map<std::int64_t, Stored>>& stored() const { return stored_; }

  // Fails with `duplicate` where the name belongs to something else.
  [[nodiscard]] Result<Plan> plan(const FolderFile& file, const FileText& text);
  // The name that the file's memory would get were it alone.
  [[nodiscard]] std::string name_of(const FolderFile& file) const;

 private:
  struct Target {
    std::optional<MemoryRow> row;
    std::string name;
    std::string warning;
  };

  [[nodiscard]] std::string name_of(const FolderFile& file, std::size_t part, std::string_view ending) const;
  [[nodiscard]] Result<Target> target_of(const FolderFile& file, const FileText& text, std::size_t part);
  [[nodiscard]] Result<std::optional<Target>> by_name(const FolderFile& file, const FileText& text, std::size_t part,
                                                      const std::string& name);
  [[nodiscard]] Remember input_of(const FolderFile& file, const FileText& text, std::string_view body,
                                  const Origin& origin, const Target& target) const;

  Store* store_;
  const IngestOptions* options_;
  std::map<std::string, std::map<std::int64_t, Stored>> stored_;
  std::map<std::string, std::string> named_;  // the paths of names that were given
};

}  // namespace candor::memory
