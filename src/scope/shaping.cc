// Reading the shaping flags: all that is wrong with them is told at once.
#include "scope/shaping.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "base/render_json.h"

namespace candor::scope {
namespace {

constexpr std::size_t kShown = 80;

std::string quoted(std::string_view text) { return is_utf8(text) ? "'" + shortened(text, kShown) + "'" : "given"; }

class Reader {
 public:
  void filter(const std::string& text, std::vector<Filter>& into) {
    Result<Filter> read = parse_filter(text);
    if (read.ok()) {
      into.push_back(*std::move(read));
    } else {
      errors_.push_back(std::move(read).error());
    }
  }

  void key(std::string_view flag, const std::optional<std::string>& text, std::optional<std::string>& into) {
    if (!text) return;
    if (text->empty() || !is_utf8(*text)) {
      fail(std::string(flag) + " takes a key, and " + quoted(*text) + " is none", std::string(flag) + " name");
    }
    into = text;
  }

  void number(std::string_view flag, const std::optional<std::string>& text, std::optional<std::uint64_t>& into) {
    if (!text) return;
    std::uint64_t value = 0;
    const auto done = std::from_chars(text->data(), text->data() + text->size(), value);
    if (done.ec != std::errc() || done.ptr != text->data() + text->size() || value == 0) {
      fail(std::string(flag) + " takes a whole number from 1 on, not " + quoted(*text), std::string(flag) + " 20");
    }
    into = value;
  }

  void keys(std::string_view flag, const std::optional<std::string>& text, std::vector<std::string>& into) {
    if (!text) return;
    std::string_view rest = *text;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      std::optional<std::string> one;
      key(flag, std::string(rest.substr(0, comma)), one);
      into.push_back(*std::move(one));
      if (more) rest.remove_prefix(comma + 1);
    }
  }

  void scope(const std::optional<std::string>& text, std::optional<FilterScope>& into) {
    if (!text) return;
    if (*text == "universe") {
      into = FilterScope::kUniverse;
    } else if (*text == "page") {
      into = FilterScope::kPage;
    } else {
      fail("--filter-scope takes universe or page, not " + quoted(*text), "--filter-scope universe");
    }
  }

  // The first error with the others in it.
  std::optional<Diagnostic> failure() && {
    if (errors_.empty()) return std::nullopt;
    Diagnostic first = std::move(errors_.front());
    first.others.assign(std::make_move_iterator(errors_.begin() + 1), std::make_move_iterator(errors_.end()));
    return first;
  }

 private:
  void fail(std::string message, std::string hint) {
    errors_.push_back(make_error("usage", std::move(message), std::move(hint)));
  }

  std::vector<Diagnostic> errors_;
};

}  // namespace

bool ShapingFlags::empty() const {
  return filters.empty() && !sort && !dedupe_by && !select && !filter_scope && !max_items && !truncate_content &&
         !max_output_bytes && !count_only && !allow_unknown_keys && !fail_on_degraded;
}

bool Shaping::empty() const {
  return predicate.empty() && !sort && !dedupe_by && select.empty() && !max_items && !truncate_content &&
         !max_output_bytes && !count_only;
}

Result<Shaping> parse_shaping(const ShapingFlags& flags) {
  Shaping shaping;
  Reader reader;
  std::vector<Filter> filters;
  for (const std::string& text : flags.filters) reader.filter(text, filters);
  shaping.predicate = Predicate(std::move(filters));
  reader.key("--sort", flags.sort, shaping.sort);
  if (shaping.sort && shaping.sort->size() > 1 && shaping.sort->starts_with('-')) {
    shaping.sort->erase(0, 1);
    shaping.falling = true;
  }
  reader.key("--dedupe-by", flags.dedupe_by, shaping.dedupe_by);
  reader.keys("--select", flags.select, shaping.select);
  reader.scope(flags.filter_scope, shaping.filter_scope);
  reader.number("--max-items", flags.max_items, shaping.max_items);
  reader.number("--truncate-content", flags.truncate_content, shaping.truncate_content);
  reader.number("--max-output-bytes", flags.max_output_bytes, shaping.max_output_bytes);
  shaping.count_only = flags.count_only;
  shaping.allow_unknown_keys = flags.allow_unknown_keys;
  shaping.fail_on_degraded = flags.fail_on_degraded;
  if (auto failure = std::move(reader).failure()) return *std::move(failure);
  return shaping;
}

}  // namespace candor::scope
