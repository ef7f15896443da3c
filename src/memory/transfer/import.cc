// Which of the two a file is.
#include "memory/transfer/import.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "memory/transfer/readers.h"

namespace candor::memory {

Result<json::Node> import_file(Store& store, const Import& input) {
  std::ifstream file(input.from, std::ios::binary);
  const int failed = errno;
  std::string start(16, '\0');
  if (!file || !file.read(start.data(), 1)) {
    return make_error("unreadable-input",
                      "can't read " + input.from +
                          (file.is_open() ? ": it is empty" : ": " + std::generic_category().message(failed)),
                      "--from FILE");
  }
  file.read(start.data() + 1, 15);
  file.clear();
  const bool database = start.starts_with("SQLite format 3");
  std::string text;
  if (!database) {
    file.seekg(0);
    std::ostringstream whole;
    whole << file.rdbuf();
    text = std::move(whole).str();
  }
  CANDOR_TRY(store.begin());
  Result<json::Node> document = database ? import_database(store, input) : import_lines(store, input, text);
  CANDOR_TRY(store.end(document.ok() && !input.dry_run));
  if (document.ok()) document->set("dry_run", json::Node::boolean(input.dry_run));
  return document;
}

}  // namespace candor::memory
