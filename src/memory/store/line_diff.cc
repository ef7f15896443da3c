// The edit script, and its hunks.
#include "memory/store/line_diff.h"

#include <algorithm>
#include <vector>

namespace candor::memory {
namespace {

using Lines = std::vector<std::string_view>;
constexpr std::size_t kContext = 3;
constexpr std::ptrdiff_t kChangesMax = 1'000;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// One line of the script: kept, taken away or put in.
struct Step {
  char kind = ' ';
  std::string_view line;
};

// V of each round d: how far each diagonal reaches with d changes. Empty: more changes than are looked for.
std::vector<std::vector<std::ptrdiff_t>> rounds_of(const Lines& a, const Lines& b) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const std::ptrdiff_t most = std::min(n + m, kChangesMax);
  std::vector<std::vector<std::ptrdiff_t>> rounds;
  std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
    return reach[static_cast<std::size_t>(diagonal + most + 1)];
  };
  for (std::ptrdiff_t d = 0; d <= most; ++d) {
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      at(k) = x;
      if (x < n || x - k < m) continue;
      rounds.emplace_back(reach.begin() + (most + 1 - d), reach.begin() + (most + 2 + d));
      return rounds;
    }
    rounds.emplace_back(reach.begin() + (most + 1 - d), reach.begin() + (most + 2 + d));
  }
  return {};
}

// The script of the part between the equal ends, from its last step to its first.
std::vector<Step> walked_back(const Lines& a, const Lines& b, const std::vector<std::vector<std::ptrdiff_t>>& rounds) {
  std::vector<Step> steps;
  auto x = static_cast<std::ptrdiff_t>(a.size());
  auto y = static_cast<std::ptrdiff_t>(b.size());
  for (auto d = static_cast<std::ptrdiff_t>(rounds.size()) - 1; d > 0; --d) {
    const std::vector<std::ptrdiff_t>& before = rounds[static_cast<std::size_t>(d - 1)];  // diagonals -(d-1) … d-1
    const auto reach = [&](std::ptrdiff_t diagonal) {
      const std::ptrdiff_t index = diagonal + d - 1;
      return index < 0 || index >= static_cast<std::ptrdiff_t>(before.size()) ? -1
                                                                              : before[static_cast<std::size_t>(index)];
    };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && reach(k - 1) < reach(k + 1));
    const std::ptrdiff_t from = down ? reach(k + 1) : reach(k - 1) + 1;
    for (; x > from; --x, --y) steps.push_back({' ', a[static_cast<std::size_t>(x - 1)]});
    if (down) {
      steps.push_back({'+', b[static_cast<std::size_t>(--y)]});
    } else {
      steps.push_back({'-', a[static_cast<std::size_t>(--x)]});
    }
  }
  for (; x > 0; --x) steps.push_back({' ', a[static_cast<std::size_t>(x - 1)]});
  return steps;
}

std::vector<Step> script_of(const Lines& a, const Lines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail + head < a.size() && tail + head < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head), lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  const Lines before = middle(a);
  const Lines after = middle(b);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < head; ++i) steps.push_back({' ', a[i]});
  const auto rounds = rounds_of(before, after);
  if (rounds.empty()) {
    for (const std::string_view line : before) steps.push_back({'-', line});
    for (const std::string_view line : after) steps.push_back({'+', line});
  } else {
    const std::vector<Step> back = walked_back(before, after, rounds);
    steps.insert(steps.end(), back.rbegin(), back.rend());
  }
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) steps.push_back({' ', a[i]});
  return steps;
}

std::string range_of(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
}

}  // namespace

LineDiff line_diff(std::string_view before, std::string_view after) {
  LineDiff diff;
  if (before == after) return diff;
  const std::vector<Step> steps = script_of(lines_of(before), lines_of(after));
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  for (std::size_t i = 0; i < steps.size();) {
    // The next change, with as many equal lines before it as are shown.
    std::size_t change = i;
    while (change < steps.size() && steps[change].kind == ' ') ++change;
    if (change == steps.size()) break;
    const std::size_t start = change - std::min(kContext, change - i);
    old_line += start - i;
    new_line += start - i;
    std::size_t end = change;
    for (std::size_t equal = 0; end < steps.size() && equal <= 2 * kContext; ++end) {
      equal = steps[end].kind == ' ' ? equal + 1 : 0;
    }
    while (end > change && steps[end - 1].kind == ' ') --end;
    end = std::min(end + kContext, steps.size());
    std::string body;
    std::size_t olds = 0;
    std::size_t news = 0;
    for (std::size_t at = start; at < end; ++at) {
      body += steps[at].kind;
      body += steps[at].line;
      body += '\n';
      olds += steps[at].kind == '+' ? 0 : 1;
      news += steps[at].kind == '-' ? 0 : 1;
      diff.added += steps[at].kind == '+' ? 1 : 0;
      diff.removed += steps[at].kind == '-' ? 1 : 0;
    }
    diff.text += "@@ -" + range_of(old_line, olds) + " +" + range_of(new_line, news) + " @@\n" + body;
    old_line += olds;
    new_line += news;
    i = end;
  }
  return diff;
}

}  // namespace candor::memory
