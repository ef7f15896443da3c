// The rows of one statement that a worker runs, as they arrive.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/worker/answers.h"
#include "engine/worker/codec.h"
#include "engine/worker/connection.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {

class RemoteStream final : public RowStream {
 public:
  // Takes over a request of kind kRun, kRunIn or kRunAllIn that was sent. `writing`: its effect is not known when the process ends
  // before it has answered.
  RemoteStream(std::shared_ptr<Connection> connection, std::shared_ptr<Call> call, std::unique_ptr<CancelHook> hook,
               bool writing);
  ~RemoteStream() override;
  RemoteStream(const RemoteStream&) = delete;
  RemoteStream& operator=(const RemoteStream&) = delete;

  // Waits for the first frame: the header, or why there is none. Again where `more`.
  Status begin();
  // The rows came to their end, and those of another statement of the same request follow.
  [[nodiscard]] bool more() const { return more_; }

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  Diagnostic finish(Diagnostic failure);
  Diagnostic died(Diagnostic failure);
  Item take(std::string payload);

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Call> call_;
  std::unique_ptr<CancelHook> hook_;
  const bool writing_;
  Header header_;
  Credit taken_;
  std::optional<Item> last_;
  bool more_ = false;
};

}  // namespace candor::engine::worker
