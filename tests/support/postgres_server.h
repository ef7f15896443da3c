// A PostgreSQL server of Debian's package for one test program: in a folder of its own, on a free port of the loopback
// interface, under a user without rights, and gone with the program however that ends.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

#include "engine/engine.h"
#include "support/temp_folder.h"

namespace candor::test {

class PostgresServer {
 public:
  // The program's own; started by the first call.
  static PostgresServer& shared();

  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Of the database `app`. There are the roles admin (a superuser), reader and writer; the password of each is its name
  // and "-secret".
  [[nodiscard]] std::string url(std::string_view role) const;
  [[nodiscard]] engine::SourceSpec spec(std::string_view role) const;
  // Runs statements as admin, by psql; what they print, one line a row. A failure ends the test.
  std::string run(const std::string& sql) const;

  // Ends the server as a crash would, and starts it anew on the same port; with more attempts on another, where somebody
  // took the free one meanwhile.
  void stop();
  void start(int attempts = 1);

 private:
  [[nodiscard]] bool ready() const;
  [[nodiscard]] std::string program(std::string_view name) const;

  TempFolder folder_;
  std::string programs_;
  int port_ = 0;
  pid_t process_ = -1;
};

}  // namespace candor::test
