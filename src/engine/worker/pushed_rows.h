// The rows that a client pushes for an append, as a stream for the engine to pull from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "engine/worker/codec.h"
#include "engine/worker/request.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {

class PushedRows final : public RowStream {
 public:
  // `send` takes the frames that give credit back.
  PushedRows(Request& request, Header header, std::function<void(std::string_view)> send);

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  Item finish(Diagnostic failure);
  Item take(std::string payload);

  Request& request_;
  Header header_;
  std::function<void(std::string_view)> send_;
  Credit taken_;
  std::optional<Item> last_;
};

}  // namespace candor::engine::worker
