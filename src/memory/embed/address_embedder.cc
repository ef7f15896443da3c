// Requests to an embedder's address, and when they are tried again.
#include "memory/embed/address_embedder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "memory/embed/libcurl.h"
#include "memory/embed/vector_json.h"

namespace candor::memory {
namespace {

constexpr std::size_t kBatch = 64, kAnswerMax = std::size_t{256} << 20U;
constexpr int kTries = 3;
constexpr auto kFirstWait = std::chrono::milliseconds(200);

struct Answer {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body;
};

std::size_t collect(char* bytes, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kAnswerMax) return 0;
  body.append(bytes, size * count);
  return size * count;
}

// What a server said about a failure, on one line and not the whole page. A key is never in it: it is only sent.
std::string said(const Answer& answer) {
  const auto node = json::parse(answer.body);
  std::string text;
  if (node.ok() && node->is_object()) {
    const auto& error = (*node)["error"];
    text = error.is_string() ? error.text() : std::string(error.string_or("message", ""));
  }
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text.substr(0, 300);
}

bool worth_another_try(const Answer& answer) {
  if (answer.code == CURLE_OPERATION_TIMEDOUT) return false;  // the time is used up
  if (answer.code != CURLE_OK) {
    return answer.code == CURLE_COULDNT_CONNECT || answer.code == CURLE_GOT_NOTHING ||
           answer.code == CURLE_RECV_ERROR || answer.code == CURLE_SEND_ERROR;
  }
  return answer.status == 429 || answer.status >= 500;
}

class AddressEmbedder : public Embedder {
 public:
  AddressEmbedder(const Libcurl& curl, std::string url, std::string model, int timeout_ms)
      : curl_(&curl), url_(std::move(url)), model_(std::move(model)), timeout_ms_(timeout_ms) {}

  Result<std::vector<Vector>> embed(std::span<const std::string> texts) override {
    std::vector<Vector> all;
    for (std::size_t from = 0; from < texts.size(); from += kBatch) {
      CANDOR_ASSIGN(auto some, embed_batch(texts.subspan(from, std::min(kBatch, texts.size() - from))));
      std::ranges::move(some, std::back_inserter(all));
    }
    return all;
  }

 private:
  Result<std::vector<Vector>> embed_batch(std::span<const std::string> texts) {
    json::Node input = json::Node::array();
    for (const auto& text : texts) input.push(json::Node::string(text));
    json::Node request = json::Node::object();
    request.set("model", json::Node::string(model_)).set("input", std::move(input));
    const std::string body = json::dump(request);
    Answer answer;
    auto wait = kFirstWait;
    for (int attempt = 1;; ++attempt) {
      answer = post(body);
      if (!worth_another_try(answer) || attempt == kTries) break;
      std::this_thread::sleep_for(wait);
      wait *= 3;
    }
    if (answer.code == CURLE_OPERATION_TIMEDOUT) {
      return make_error("embedding-timeout", "the embedder at " + url_ + " did not answer in time",
                        "CANDOR_EMBED_SECONDS=120");
    }
    if (answer.code != CURLE_OK) {
      return make_error("embedding-failed", "the embedder at " + url_ + " can't be reached",
                        "candor memory embed status", curl_->curl_easy_strerror(answer.code));
    }
    if (answer.status != 200) {
      return make_error("embedding-failed",
                        "the embedder at " + url_ + " answered with HTTP " + std::to_string(answer.status),
                        answer.status == 401 || answer.status == 403 ? "export CANDOR_EMBED_KEY=…" : "", said(answer));
    }
    return read(answer.body, texts.size());
  }

  Answer post(const std::string& body) {
    Answer answer;
    CURL* handle = curl_->curl_easy_init();
    if (handle == nullptr) return {.code = CURLE_FAILED_INIT, .status = 0, .body = {}};
    curl_slist* headers = curl_->curl_slist_append(nullptr, "Content-Type: application/json");
    const char* key = std::getenv("CANDOR_EMBED_KEY");
    if (key != nullptr && *key != '\0') {
      headers = curl_->curl_slist_append(headers, ("Authorization: Bearer " + std::string(key)).c_str());
    }
    const std::string address = url_ + "/embeddings";
    const auto set = curl_->curl_easy_setopt;
    set(handle, CURLOPT_URL, address.c_str());
    set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    set(handle, CURLOPT_HTTPHEADER, headers);
    set(handle, CURLOPT_POSTFIELDS, body.c_str());
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(handle, CURLOPT_WRITEFUNCTION, &collect);
    set(handle, CURLOPT_WRITEDATA, static_cast<void*>(&answer.body));
    set(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms_));
    set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(timeout_ms_, 5'000)));
    set(handle, CURLOPT_NOSIGNAL, 1L);
    set(handle, CURLOPT_FOLLOWLOCATION, 0L);
    answer.code = curl_->curl_easy_perform(handle);
    curl_->curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
    curl_->curl_slist_free_all(headers);
    curl_->curl_easy_cleanup(handle);
    return answer;
  }

  // {"data": [{"index": 0, "embedding": […]}, …]}, in any order.
  [[nodiscard]] Result<std::vector<Vector>> read(const std::string& body, std::size_t expected) const {
    const auto wrong = [&] {
      return make_error("embedding-failed", "the embedder at " + url_ + " answered with something else than vectors");
    };
    const auto node = json::parse(body, {.depth_max = 16, .bytes_max = kAnswerMax, .nodes_max = 20'000'000});
    if (!node.ok() || !node->is_object() || !(*node)["data"].is_array()) return wrong();
    const auto& data = (*node)["data"].items();
    if (data.size() != expected) return wrong();
    std::vector<Vector> vectors(expected);
    for (std::size_t i = 0; i < data.size(); ++i) {
      const auto place = data[i]["index"].integer().value_or(static_cast<std::int64_t>(i));
      auto vector = vector_of(data[i]["embedding"]);
      if (!vector || place < 0 || static_cast<std::size_t>(place) >= expected) return wrong();
      vectors[static_cast<std::size_t>(place)] = std::move(*vector);
    }
    return vectors;
  }

  const Libcurl* curl_;
  std::string url_, model_;
  int timeout_ms_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> make_address_embedder(std::string url, std::string model,
                                                        const EmbedSettings& settings) {
  CANDOR_ASSIGN(const Libcurl* curl, load_libcurl());
  return std::unique_ptr<Embedder>(
      std::make_unique<AddressEmbedder>(*curl, std::move(url), std::move(model), settings.timeout_ms));
}

}  // namespace candor::memory
