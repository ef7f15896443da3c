// Drawing of diagnostics.
#include "cli/diagnostic_text.h"

#include <algorithm>

#include "base/render_json.h"
#include "cli/text_layout.h"

namespace candor::cli {
namespace {

constexpr std::size_t kMessageCharacters = 4'000;  // an engine puts whole values and names into its messages

// The part of the statement's line that is shown around a span, made visible, and where the carets go.
struct Excerpt {
  std::size_t line_number = 1;
  std::string text;
  std::size_t caret_at = 0;
  std::size_t caret_width = 1;
};

// Moves back to the first byte of a character.
std::size_t character_start(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

Excerpt excerpt_of(std::string_view sql, const Span& span, std::size_t room) {
  Excerpt excerpt;
  const std::size_t start = character_start(sql, std::min(span.start, sql.size()));
  const std::size_t before = start == 0 ? std::string_view::npos : sql.rfind('\n', start - 1);
  const std::size_t line_start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t line_end = std::min(sql.find('\n', start), sql.size());
  excerpt.line_number +=
      static_cast<std::size_t>(std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(line_start), '\n'));
  // A statement of ten megabytes may be one line: at most a few times the room is looked at on each side of the place.
  const std::size_t reach = room * 4;
  const std::size_t left = character_start(sql, start - line_start > reach ? start - reach : line_start);
  const std::size_t right = character_start(sql, std::min(line_end, start + reach));
  std::string head = visible(sql.substr(left, start - left));
  const std::size_t span_end = std::clamp(character_start(sql, std::min(span.end, right)), start, right);
  const std::string marked = visible(sql.substr(start, span_end - start));
  const std::string tail = visible(sql.substr(span_end, right - span_end));
  const std::size_t head_room = room / 2;
  if (left > line_start || (width_of(head) > head_room && width_of(head + marked + tail) > room)) {
    while (width_of(head) > head_room) head.erase(0, std::max<std::size_t>(prefix_of_width(head, 1).size(), 1));
    head.insert(0, "…");
  }
  excerpt.caret_at = width_of(head);
  const std::string whole = head + marked + tail;
  excerpt.text = prefix_of_width(whole, room);
  if (excerpt.text.size() < whole.size() || right < line_end) excerpt.text += "…";
  const std::size_t room_for_carets = room > excerpt.caret_at ? room - excerpt.caret_at : 1;
  excerpt.caret_width = std::clamp<std::size_t>(width_of(marked), 1, room_for_carets);
  return excerpt;
}

void append_place(std::string& text, const Stream& err, const Diagnostic& diagnostic, std::string_view sql) {
  if (!diagnostic.span || sql.empty()) return;
  const std::string_view bar = err.unicode() ? "│" : "|";
  const Excerpt excerpt = excerpt_of(sql, *diagnostic.span, err.width() > 20 ? err.width() - 10 : 10);
  const std::string number = std::to_string(excerpt.line_number);
  text += " " + err.painted(Paint::kDim, number + " " + std::string(bar)) + " " + excerpt.text + "\n";
  text +=
      std::string(number.size() + 2, ' ') + err.painted(Paint::kDim, bar) + " " + std::string(excerpt.caret_at, ' ');
  text += err.painted(Paint::kRed, std::string(excerpt.caret_width, '^')) + "\n";
}

// "  hint: …", later lines indented below.
void append_labelled(std::string& text, const Stream& stream, std::string_view label, std::string_view body) {
  if (body.empty()) return;
  text += "  " + stream.painted(Paint::kCyan, label) + ": ";
  const std::string indent(label.size() + 4, ' ');
  const std::string shown = visible(body, true);
  for (std::size_t at = 0; at <= shown.size();) {
    const std::size_t end = std::min(shown.find('\n', at), shown.size());
    if (at > 0) text += indent;
    text += shown.substr(at, end - at) + "\n";
    at = end + 1;
  }
}

void append_one(std::string& text, const Stream& err, const Diagnostic& diagnostic, std::string_view sql) {
  const bool warns = diagnostic.severity != Severity::kError;
  text += err.painted(warns ? Paint::kYellow : Paint::kRed, (warns ? "warning[" : "error[") + diagnostic.code + "]");
  text += ": " + visible(shortened(diagnostic.message, kMessageCharacters), true) + "\n";
  append_place(text, err, diagnostic, sql);
  append_labelled(text, err, "detail", shortened(diagnostic.detail, kMessageCharacters));
  append_labelled(text, err, "hint", shortened(diagnostic.hint, kMessageCharacters));
  append_labelled(text, err, "fix", diagnostic.fix);
}

}  // namespace

std::string diagnostic_text(const Stream& err, const Diagnostic& diagnostic, std::string_view sql) {
  std::string text;
  append_one(text, err, diagnostic, sql);
  for (const Diagnostic& other : diagnostic.others) append_one(text, err, other, sql);
  return text;
}

std::string warning_text(const Stream& out, const Warning& warning) {
  std::string text = out.painted(Paint::kYellow, "warning[" + warning.code + "]: " + visible(warning.message)) + "\n";
  append_labelled(text, out, "hint", warning.hint);
  return text;
}

}  // namespace candor::cli
