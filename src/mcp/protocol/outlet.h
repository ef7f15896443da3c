// Where the texts of one connection, or of one request over HTTP, go.
#pragma once

#include <string>

namespace candor::mcp {

class Outlet {
 public:
  virtual ~Outlet() = default;
  // Sends one message whole, in the order of the calls; may be called from any thread. `text` is one line without its end.
  virtual void send(std::string text) = 0;
};

}  // namespace candor::mcp
