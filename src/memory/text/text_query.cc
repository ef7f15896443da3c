// Words of a query to groups of terms.
#include "memory/text/text_query.h"

#include <algorithm>
#include <unordered_set>

#include "memory/text/analysis.h"
#include "memory/text/scripts.h"

namespace candor::memory {
namespace {

// A term in more than this share of the memories ranks next to nothing and costs most of the time.
constexpr double kCommonShare = 0.4;
constexpr std::int64_t kCommonFrom = 50;  // memories; below that a share means little
constexpr double kExactBonus = 0.25;      // of the word as it was written beside its stem

bool ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

class Builder {
 public:
  Builder(std::string_view text, const TermStatistics& statistics)
      : text_(text), statistics_(statistics), latin_(latin_language_of(text)) {}

  Result<TextQuery> build() {
    Status status = Ok{};
    std::size_t words = 0;
    for_each_word(text_, [&](const Word& word) {
      if (words == kQueryWordsMax) {
        ++query_.words_not_read;
        return true;
      }
      ++words;
      status = add(word);
      return status.ok();
    });
    CANDOR_TRY(std::move(status));
    drop_common();
    keep_rarest();
    explain(words);
    return std::move(query_);
  }

 private:
  Status add(const Word& word) {
    if (!word.units.empty()) return add_grams(word.units);
    if (word.parts.empty()) return add_word(word.whole, word.folded, true);
    return add_compound(word);
  }

  Status add_grams(const std::vector<std::string>& units) {
    if (units.size() == 1) return add_group({units.front()}, units.front(), 1);
    for (std::size_t i = 0; i + 1 < units.size(); ++i) {
      const std::string pair = units[i] + units[i + 1];
      CANDOR_TRY(add_group({pair}, pair, 1));
    }
    return Ok{};
  }

  Status add_word(const std::string& plain, const std::string& folded, bool may_drop) {
    if (plain.empty()) return Ok{};
    if (may_drop && (function_word(plain, Language::kEnglish) || function_word(plain, latin_))) {
      if (std::ranges::find(query_.dropped, plain) == query_.dropped.end()) query_.dropped.push_back(plain);
      return Ok{};
    }
    auto stems = stems_of(folded);
    if (stems.empty() || (stems.size() == 1 && stems.front() == plain)) return add_group({plain}, plain, 1);
    if (std::ranges::find(stems, plain) == stems.end()) CANDOR_TRY(add_group({plain}, plain, kExactBonus));
    return add_group(std::move(stems), plain, 1);
  }

  // A name with dots, digits or underscores is looked for as a whole where the index knows it. Words with a hyphen between
  // them may stand apart elsewhere, so they are looked for in both ways.
  Status add_compound(const Word& word) {
    CANDOR_ASSIGN(const std::int64_t known, statistics_.documents_with(word.whole));
    if (known > 0) CANDOR_TRY(add_group({word.whole}, word.whole, 1));
    if (known > 0 && word.identifier) return Ok{};
    for (const auto& part : word.parts)
      CANDOR_TRY(add_word(part.plain, part.folded, known > 0 || word.parts.size() > 1));
    return Ok{};
  }

  // Of several languages where a word of the Latin script has foreign letters and nothing says which language it is of.
  std::vector<std::string> stems_of(const std::string& folded) const {
    std::vector<std::string> stems;
    const auto add = [&](Language language) {
      auto found = stem(folded, language);
      if (!found.empty() && std::ranges::find(stems, found) == stems.end()) stems.push_back(std::move(found));
    };
    const auto language = language_of(folded, latin_);
    add(language);
    if (language == Language::kEnglish && !ascii(folded)) {
      for (std::size_t i = 1; i < kLatinLanguages; ++i) add(static_cast<Language>(i));
    }
    return stems;
  }

  Status add_group(std::vector<std::string> terms, const std::string& shown, double weight) {
    std::string key;
    for (const auto& term : terms) key += term + '\0';
    if (!seen_.insert(std::move(key)).second) return Ok{};
    TermGroup group{.terms = std::move(terms), .shown = shown, .weight = weight, .documents = 0};
    for (const auto& term : group.terms) {
      CANDOR_ASSIGN(const std::int64_t documents, statistics_.documents_with(term));
      group.documents = std::max(group.documents, documents);
    }
    any_term_ = true;
    if (group.documents > 0) {
      query_.groups.push_back(std::move(group));
    } else {
      query_.weight_absent += group.weight;
    }
    return Ok{};
  }

  void drop(const TermGroup& group) {
    if (std::ranges::find(query_.dropped, group.shown) == query_.dropped.end()) query_.dropped.push_back(group.shown);
  }

  void drop_common() {
    const auto common = [&](const TermGroup& group) {
      return statistics_.documents >= kCommonFrom &&
             static_cast<double>(group.documents) > kCommonShare * static_cast<double>(statistics_.documents);
    };
    if (std::ranges::all_of(query_.groups, common)) return;  // better than nothing
    for (const auto& group : query_.groups) {
      if (common(group)) drop(group);
    }
    std::erase_if(query_.groups, common);
  }

  void keep_rarest() {
    if (query_.groups.size() <= kQueryGroupsMax) return;
    std::vector<std::int64_t> counts;
    counts.reserve(query_.groups.size());
    for (const auto& group : query_.groups) counts.push_back(group.documents);
    std::ranges::nth_element(counts, counts.begin() + static_cast<std::ptrdiff_t>(kQueryGroupsMax));
    const auto border = counts[kQueryGroupsMax];
    std::vector<TermGroup> kept;
    for (auto& group : query_.groups) {
      if (kept.size() < kQueryGroupsMax && group.documents <= border) {
        kept.push_back(std::move(group));
      } else {
        drop(group);
      }
    }
    query_.groups = std::move(kept);
  }

  void explain(std::size_t words) {
    query_.only_common = !any_term_;
    if (words == 0) {
      query_.reason = "the query has no word to look for";
    } else if (!any_term_) {
      query_.reason = "every word of the query is too common to tell memories apart";
    } else if (query_.groups.empty()) {
      query_.reason = "no memory holds a word of the query";
    }
  }

  std::string_view text_;
  const TermStatistics& statistics_;
  Language latin_;
  TextQuery query_;
  std::unordered_set<std::string> seen_;
  bool any_term_ = false;
};

}  // namespace

Result<TextQuery> build_text_query(std::string_view text, const TermStatistics& statistics) {
  return Builder(text, statistics).build();
}

}  // namespace candor::memory
