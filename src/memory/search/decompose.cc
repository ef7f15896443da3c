// Taking a question apart by its words alone.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "memory/search/deep_research.h"
#include "memory/text/analysis.h"
#include "memory/text/language.h"

namespace candor::memory {
namespace {

// Longer ones before those that they hold.
constexpr std::array<std::string_view, 16> kBorders = {" in relation to ",
                                                       " as well as ",
                                                       " compared to ",
                                                       " related to ",
                                                       " depends on ",
                                                       " caused by ",
                                                       " because of ",
                                                       " between ",
                                                       " versus ",
                                                       " together with ",
                                                       " and ",
                                                       " or ",
                                                       " vs ",
                                                       " e ",
                                                       ";",
                                                       ","};

constexpr std::array<std::string_view, 11> kAspects = {
    "overview", "decision", "incident", "cause", "fix", "dependency", "owner", "history", "risk", "example", "status"};

std::vector<std::string> parts_of(const std::string& question) {
  std::string text = question;
  const std::string lowered = lower_ascii(question);
  for (const auto border : kBorders) {
    for (auto at = lowered.find(border); at != std::string::npos; at = lowered.find(border, at + border.size())) {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), border.size(), '\n');
    }
  }
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto first = text.find_first_not_of(" \t", start);
    if (first < end) {
      const auto last = text.find_last_not_of(" \t", end - 1);
      parts.push_back(text.substr(first, last + 1 - first));
    }
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> words_of(const std::string& question) {
  std::vector<std::string> words;
  for_each_word(question, [&](const Word& word) {
    if (!function_word(word.whole, Language::kEnglish))
      words.push_back(question.substr(word.start, word.end - word.start));
    return words.size() < 32;
  });
  return words;
}

}  // namespace

std::vector<SubQuery> decompose(const std::string& question, std::size_t most) {
  std::vector<SubQuery> queries = {{question, "original"}};
  const auto add = [&](const std::string& text, const char* source) {
    const auto same = [&](const SubQuery& query) { return query.text == text; };
    if (queries.size() < most && std::ranges::none_of(queries, same)) queries.push_back({text, source});
  };
  const auto parts = parts_of(question);
  if (parts.size() > 1) {
    for (const auto& part : parts) add(part, "decomposed");
    return queries;
  }
  const auto words = words_of(question);
  if (words.size() >= 3) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) add(words[i] + " " + words[i + 1], "decomposed");
  } else if (words.size() == 1) {
    for (const auto aspect : kAspects) add(words.front() + " " + std::string(aspect), "aspect");
  }
  return queries;
}

}  // namespace candor::memory
