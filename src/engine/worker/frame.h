// Frames on the socket between a client and its worker: nine bytes of head, then a payload (messages.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace candor::engine::worker {

enum class FrameType : std::uint8_t {
  // From the client. Each begins a request, and is answered by kDone or kFailed with the same id.
  kOpen = 1,       // Policy; the first frame of a connection
  kRun,            // RunRequest; answered by kHeader, kRows…, kDone with End
  kCatalog,        // -> Catalog
  kSyntaxTree,     // text -> text
  kPrintTree,      // text -> text
  kTableFacts,     // TableName, column names -> TableFacts
  kFunctionFacts,  // names -> vector of FunctionFacts
  kAppend,         // Append, then kRows…, kRowsEnd or kRowsFailed; -> rows
  kBegin,          // milliseconds to wait -> number of the transaction
  kRunIn,          // number of the transaction, RunRequest; answered like kRun
  kRunAllIn,  // likewise with several RunRequests; for each kHeader, kRows… and kNext, for the last kDone, with End
  kCommit,    // number of the transaction, which ends whatever the answer is
  kRollback,  // likewise
  // From the client, about a request that runs.
  kCancel,
  kRowsEnd,     // End: of an append
  kRowsFailed,  // Diagnostic: of an append
  kClose,       // cancels what runs, closes the engine, ends the connection
  // From the worker.
  kHeader,
  kNext,    // End of a statement of kRunAllIn behind which the next one's kHeader comes
  kDone,    // the last frame of a request; its payload by the request's kind
  kFailed,  // the last frame of a request: Diagnostic
  // From the side that produces rows, and from the one that takes them.
  kRows,
  kCredit,  // Credit: so much was taken
};
constexpr auto kFrameTypeLast = FrameType::kCredit;

constexpr std::size_t kHeadBytes = 9;
// A larger frame is malformed. Rows are split long before; the largest text of a statement stays far below it.
constexpr std::uint32_t kPayloadBytesMax = std::uint32_t{256} << 20U;

struct Frame {
  FrameType type = FrameType::kFailed;
  std::uint32_t id = 0;
  std::string payload;
};

// Appends a whole frame. Requires payload.size() <= kPayloadBytesMax.
void append_frame(std::string& out, FrameType type, std::uint32_t id, std::string_view payload);

// The head alone, for a payload that is written from where it lies.
[[nodiscard]] std::string frame_head(FrameType type, std::uint32_t id, std::size_t payload_bytes);

// Cuts a stream of bytes into frames. Never takes more memory than bytes have arrived.
class FrameReader {
 public:
  // Takes bytes from the front of `bytes` until a frame is whole. No frame: all were taken, or broken().
  [[nodiscard]] std::optional<Frame> feed(std::string_view& bytes);
  // The stream holds something that is no frame; nothing that follows can be trusted.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  bool read_head(std::string_view& bytes);

  std::string head_;
  Frame frame_;
  std::uint32_t payload_bytes_ = 0;
  bool in_payload_ = false;
  bool broken_ = false;
};

}  // namespace candor::engine::worker
