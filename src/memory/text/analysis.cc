// Words, compounds and grams.
#include "memory/text/analysis.h"

#include <algorithm>
#include <array>
#include <utf8proc.h>

#include "memory/text/scripts.h"

namespace candor::memory {
namespace {

constexpr std::string_view kJoiners = "-_./\\:@+'&";
constexpr std::size_t kPartsMax = 24;  // of a compound; further ones are words of their own

std::string cut(std::string term) {
  if (term.size() <= kTermBytesMax) return term;
  std::size_t end = kTermBytesMax;
  while (end > 0 && (static_cast<unsigned char>(term[end]) & 0xC0U) == 0x80U) --end;
  term.resize(end);
  return term;
}

bool digit(char c) { return c >= '0' && c <= '9'; }
bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool lower(char c) { return c >= 'a' && c <= 'z'; }

// The end of the run of one class that begins at `at`, marks and joiners of no width included.
std::size_t run_end(std::string_view text, std::size_t at, CharClass kind) {
  while (at < text.size()) {
    const auto point = code_point_at(text, at);
    const auto found = class_of(point.value);
    if (found != kind && found != CharClass::kJoin) break;
    at += point.bytes;
  }
  return at;
}

// How many bytes of `text` at `at` join what stands before them with a word behind them; 0: none do.
std::size_t joiner_bytes(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  std::size_t bytes = 0;
  if (kJoiners.find(text[at]) != std::string_view::npos) {
    bytes = 1;
  } else if (text.substr(at, 3) == "\xE2\x80\x99" || text.substr(at, 3) == "\xE2\x80\x91") {
    bytes = 3;  // the apostrophe and the hyphen of typesetters
  } else {
    return 0;
  }
  if (text.substr(at, 2) == "::") bytes = 2;
  if (at + bytes >= text.size()) return 0;
  return class_of(code_point_at(text, at + bytes).value) == CharClass::kWord ? bytes : 0;
}

// Where a word of ASCII has humps: getHttpResponse, XMLReader. Digits are no border: XR4200 is one word.
std::vector<std::size_t> humps(std::string_view word) {
  std::vector<std::size_t> borders;
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool rise = lower(word[i - 1]) && upper(word[i]);
    const bool fall = i + 1 < word.size() && upper(word[i - 1]) && upper(word[i]) && lower(word[i + 1]);
    if (rise || fall) borders.push_back(i);
  }
  return borders;
}

class Compound {
 public:
  explicit Compound(std::string_view text) : text_(text) {}

  void add(std::size_t start, std::size_t end) {
    const auto piece = text_.substr(start, end - start);
    const auto folded = fold(piece);
    // A dot within a number says more than where it is written: 1.2.3 is not 123.
    if (!word_.whole.empty() && digit(word_.whole.back()) && !folded.plain.empty() && digit(folded.plain.front())) {
      word_.whole += joiner_;
    }
    word_.whole += folded.plain;
    word_.folded += folded.folded;
    ++pieces_;
    if (std::ranges::any_of(piece, digit)) word_.identifier = true;
    const auto borders = humps(piece);
    if (borders.empty()) {
      add_part(folded.plain, folded.folded);
      return;
    }
    word_.identifier = true;
    pieces_ += borders.size();
    std::size_t from = 0;
    for (std::size_t i = 0; i <= borders.size(); ++i) {
      const auto to = i < borders.size() ? borders[i] : piece.size();
      const auto hump = fold(piece.substr(from, to - from));
      add_part(hump.plain, hump.folded);
      from = to;
    }
  }

  void join(std::string_view joiner) {
    joiner_ = joiner;
    if (joiner != "-" && joiner != "'" && joiner.size() == 1) word_.identifier = true;
    if (joiner == "::") word_.identifier = true;
  }

  // "C++", "C#": signs that make it another name.
  void add_suffix(std::string_view signs) {
    word_.whole += signs;
    word_.folded.clear();
    suffixed_ = true;
  }

  [[nodiscard]] std::size_t pieces() const { return pieces_; }

  Word finish(std::size_t start, std::size_t end) {
    word_.start = start;
    word_.end = end;
    if (pieces_ == 1 && !suffixed_) word_.parts.clear();
    if (pieces_ > 1) {
      word_.folded.clear();
      // The "s" of "user's", the "t" of "don't".
      std::erase_if(word_.parts,
                    [](const Word::Part& part) { return part.plain.size() == 1 && !digit(part.plain[0]); });
    }
    word_.whole = cut(std::move(word_.whole));
    return std::move(word_);
  }

 private:
  void add_part(std::string plain, std::string folded) {
    word_.parts.push_back({cut(std::move(plain)), std::move(folded)});
  }

  std::string_view text_;
  Word word_;
  std::string joiner_;
  std::size_t pieces_ = 0;
  bool suffixed_ = false;
};

Word compound_at(std::string_view text, std::size_t start) {
  Compound compound(text);
  std::size_t end = start;
  for (std::size_t at = start;;) {
    end = run_end(text, at, CharClass::kWord);
    compound.add(at, end);
    const auto joiner = joiner_bytes(text, end);
    if (joiner == 0 || compound.pieces() >= kPartsMax) break;
    compound.join(text.substr(end, joiner));
    at = end + joiner;
  }
  if (compound.pieces() == 1 && end - start <= 12) {
    if (text.substr(end, 2) == "++") {
      compound.add_suffix("++");
      end += 2;
    } else if (end < text.size() && text[end] == '#') {
      compound.add_suffix("#");
      ++end;
    }
  }
  return compound.finish(start, end);
}

Word grams_at(std::string_view text, std::size_t start) {
  Word word;
  word.start = start;
  word.end = run_end(text, start, CharClass::kGram);
  const auto plain = fold(text.substr(start, word.end - start)).plain;
  for (std::size_t at = 0; at < plain.size();) {
    const auto point = code_point_at(plain, at);
    const bool mark = class_of(point.value) == CharClass::kJoin;
    if (!mark || word.units.empty()) word.units.emplace_back();
    if (word.units.back().size() < kTermBytesMax / 2) word.units.back() += plain.substr(at, point.bytes);
    at += point.bytes;
  }
  return word;
}

Word symbol_at(std::string_view text, std::size_t start, std::size_t bytes) {
  Word word;
  word.start = start;
  word.end = start + bytes;
  word.whole = fold(text.substr(start, bytes)).plain;
  return word;
}

// What a word puts into the index.
class TermWriter {
 public:
  TermWriter(Language latin, const std::function<bool(const Term&)>& visit) : latin_(latin), visit_(visit) {}

  bool write(const Word& word) {
    start_ = word.start;
    end_ = word.end;
    if (!word.units.empty()) return write_grams(word.units);
    fresh_ = true;
    seen_.clear();
    if (!emit(word.whole)) return false;
    if (!word.folded.empty() && !emit(stem(word.folded, language_of(word.folded, latin_)))) return false;
    for (const auto& part : word.parts) {
      // The first part shares its position with the whole, so that a compound is as long as its parts.
      if (&part != &word.parts.front()) fresh_ = true;
      if (!emit(part.plain) || !emit(stem(part.folded, language_of(part.folded, latin_)))) return false;
    }
    return true;
  }

 private:
  bool emit(std::string term) {
    if (term.empty() || std::ranges::find(seen_, term) != seen_.end()) return true;
    seen_.push_back(std::move(term));
    const Term out{.text = seen_.back(), .start = start_, .end = end_, .same_position = !fresh_};
    fresh_ = false;
    return visit_(out);
  }

  bool write_grams(const std::vector<std::string>& units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!visit_({.text = units[i], .start = start_, .end = end_, .same_position = false})) return false;
      if (i + 1 == units.size()) break;
      const std::string pair = units[i] + units[i + 1];
      if (!visit_({.text = pair, .start = start_, .end = end_, .same_position = true})) return false;
    }
    return true;
  }

  Language latin_;
  const std::function<bool(const Term&)>& visit_;
  std::vector<std::string> seen_;
  std::size_t start_ = 0, end_ = 0;
  bool fresh_ = true;
};

}  // namespace

void for_each_word(std::string_view text, const std::function<bool(Word&)>& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto point = code_point_at(text, at);
    Word word;
    switch (class_of(point.value)) {
      case CharClass::kBreak:
      case CharClass::kJoin:
        at += point.bytes;
        continue;
      case CharClass::kWord:
        word = compound_at(text, at);
        break;
      case CharClass::kGram:
        word = grams_at(text, at);
        break;
      case CharClass::kSymbol:
        word = symbol_at(text, at, point.bytes);
        break;
    }
    at = word.end;
    if ((!word.whole.empty() || !word.units.empty()) && !visit(word)) return;
  }
}

void for_each_term(std::string_view text, const std::function<bool(const Term&)>& visit) {
  TermWriter writer(latin_language_of(text), visit);
  for_each_word(text, [&](const Word& word) { return writer.write(word); });
}

}  // namespace candor::memory
