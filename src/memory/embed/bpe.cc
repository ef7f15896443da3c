// Merging neighbours, the best pair of the whole text first.
#include "memory/embed/bpe.h"

#include <queue>
#include <tuple>

#include "memory/text/scripts.h"

namespace candor::memory {
namespace {

constexpr std::uint32_t kBlankMark = 0x2581;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Tokens in a list from which they are taken out as they become one.
class Merging {
 public:
  explicit Merging(const TokenTable& table) : table_(&table) {}

  void add_character(std::uint32_t code_point, std::string_view bytes) {
    if (const auto token = table_->character(code_point)) return add(*token);
    for (const char byte : bytes) add(table_->byte(static_cast<std::uint8_t>(byte)));
  }
  void add_byte(char byte) { add(table_->byte(static_cast<std::uint8_t>(byte))); }

  std::vector<std::uint32_t> merged() {
    for (std::size_t i = 0; i + 1 < links_.size(); ++i) consider(i);
    while (!pairs_.empty()) {
      const Pair best = pairs_.top();
      pairs_.pop();
      merge(best);
    }
    std::vector<std::uint32_t> tokens;
    for (std::size_t i = links_.empty() ? kNone : 0; i != kNone; i = links_[i].next) tokens.push_back(links_[i].token);
    return tokens;
  }

 private:
  struct Link {
    std::uint32_t token;
    std::size_t before, next;
    bool gone;
  };
  struct Pair {
    std::uint32_t rank;
    std::size_t left;
    std::uint32_t left_token, right_token, token;
    bool operator>(const Pair& other) const { return std::tie(rank, left) > std::tie(other.rank, other.left); }
  };

  void add(std::uint32_t token) {
    if (!links_.empty()) links_.back().next = links_.size();
    links_.push_back({token, links_.empty() ? kNone : links_.size() - 1, kNone, false});
  }

  void consider(std::size_t left) {
    const std::uint32_t a = links_[left].token, b = links_[links_[left].next].token;
    if (const auto found = table_->merge(a, b)) pairs_.push({found->rank, left, a, b, found->token});
  }

  // A pair that was noted may have been taken apart meanwhile.
  void merge(const Pair& pair) {
    Link& left = links_[pair.left];
    if (left.gone || left.token != pair.left_token || left.next == kNone) return;
    Link& right = links_[left.next];
    if (right.token != pair.right_token) return;
    left.token = pair.token;
    right.gone = true;
    left.next = right.next;
    if (left.next != kNone) {
      links_[left.next].before = pair.left;
      consider(pair.left);
    }
    if (left.before != kNone) consider(left.before);
  }

  const TokenTable* table_;
  std::vector<Link> links_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
};

}  // namespace

std::vector<std::uint32_t> tokens_of(const TokenTable& table, std::string_view text) {
  Merging merging(table);
  if (!text.empty()) merging.add_character(kBlankMark, "\u2581");
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint here = code_point_at(text, at);
    if (here.value < 0) {
      merging.add_byte(text[at]);
    } else if (here.value == ' ') {
      merging.add_character(kBlankMark, "\u2581");
    } else {
      merging.add_character(static_cast<std::uint32_t>(here.value), text.substr(at, here.bytes));
    }
    at += here.bytes;
  }
  return merging.merged();
}

}  // namespace candor::memory
