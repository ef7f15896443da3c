// Where a command's text and sources come from, and how its failure is told.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "candor/documents.h"
#include "cli/commands.h"
#include "cli/diagnostic_text.h"
#include "cli/text_layout.h"
#include "config/source_names.h"

namespace candor::cli {
namespace {

constexpr std::size_t kInputBytesMax = std::size_t{64} << 20U;

Diagnostic unreadable(const std::string& path, const std::string& why) {
  return make_error("unreadable-input", "can't read " + visible(path) + ": " + why,
                    "name an existing file, or - for standard input");
}

Result<std::string> read_all(int fd, const std::string& name) {
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{64} << 10U));
    const ssize_t got = ::read(fd, text.data() + before, text.size() - before);
    if (got < 0 && errno == EINTR) {
      text.resize(before);
      continue;
    }
    if (got < 0) return unreadable(name, std::strerror(errno));
    text.resize(before + static_cast<std::size_t>(got));
    if (got == 0) return text;
    if (text.size() > kInputBytesMax) {
      return make_error("over-limit", visible(name) + " has more than " + grouped(kInputBytesMax) + " bytes",
                        "split it");
    }
  }
}

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable(path, std::strerror(errno));
  Result<std::string> text = read_all(fd, path);
  ::close(fd);
  return text;
}

// Who runs the program, as the environment says: asking the system may mean asking a network.
std::string user_name() {
  for (const char* variable : {"LOGNAME", "USER"}) {
    const char* name = std::getenv(variable);
    if (name != nullptr && *name != '\0') return name;
  }
  return "uid " + std::to_string(::geteuid());
}

// A file that was written by an editor may begin with a mark.
std::string without_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace

Caller caller_of(const Arguments& arguments) { return {"cli", arguments.session, arguments.turn, user_name()}; }

bool names_source(std::string_view word) {
  if (word.empty() || word.size() > 4096 || word.find_first_of("\n;") != std::string_view::npos) return false;
  struct stat status{};
  return config::is_postgres_url(word) || ::stat(std::string(word).c_str(), &status) == 0;
}

Result<config::Configuration> load_configuration(const Context& context, const std::vector<std::string>& words) {
  config::Overrides overrides = context.arguments.overrides;
  for (const std::string& word : words) {
    if (!names_source(word)) {
      return make_error("usage", "'" + visible(config::shown_spec(word)) + "' is no file or folder",
                        "name a database, a file or a folder, or NAME=SPEC behind --source");
    }
    overrides.sources.push_back(word);
  }
  return config::load(overrides);
}

Result<std::string> read_input(const Context& context, std::vector<std::string>& words, std::string_view what) {
  if (context.arguments.file) {
    CANDOR_ASSIGN(std::string text, read_file(*context.arguments.file));
    return without_mark(std::move(text));
  }
  if (!words.empty() && words.front() != "-" && !names_source(words.front())) {
    std::string text = std::move(words.front());
    words.erase(words.begin());
    return text;
  }
  if (!words.empty() && words.front() == "-") words.erase(words.begin());
  if (::isatty(STDIN_FILENO) == 1) {
    return make_error("usage", "no " + std::string(what) + " given", "candor " + context.arguments.command + " --help");
  }
  CANDOR_ASSIGN(std::string text, read_all(STDIN_FILENO, "standard input"));
  return without_mark(std::move(text));
}

Result<std::string> read_whole(const std::string& path) {
  CANDOR_ASSIGN(std::string text, read_file(path));
  return without_mark(std::move(text));
}

void print_document(const Context& context, const json::Node& document) {
  std::string text;
  json::append(text, document);
  context.out.put(text + "\n");
}

ExitCode fail(const Context& context, const Diagnostic& failure, std::string_view sql) {
  if (context.document) print_document(context, error_document(failure));
  // On a terminal the document stands there already.
  if (!context.document || !context.out.terminal()) context.err.put(diagnostic_text(context.err, failure, sql));
  return exit_code(failure);
}

}  // namespace candor::cli
