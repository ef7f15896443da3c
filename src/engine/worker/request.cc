// The worker's two small answers.
#include "engine/worker/request.h"

namespace candor::engine::worker {

std::string frame_of(FrameType type, const Request& request, std::string_view payload) {
  std::string out;
  append_frame(out, type, request.frame.id, payload);
  return out;
}

Diagnostic bad_request() { return make_error("internal", "the engine's process was sent a malformed request"); }

}  // namespace candor::engine::worker
