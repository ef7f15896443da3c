// Any bytes as a stored text and as a query.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "memory/text/analysis.h"
#include "memory/text/text_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  candor::memory::for_each_term(text, [&](const candor::memory::Term& term) {
    if (term.text.empty() || term.start > term.end || term.end > text.size()) std::abort();
    return true;
  });
  const candor::memory::TermStatistics statistics{
      .documents = 100, .documents_with = [](const std::string& term) -> candor::Result<std::int64_t> {
        return static_cast<std::int64_t>(term.size() % 90);
      }};
  const auto query = candor::memory::build_text_query(text, statistics);
  if (!query.ok()) std::abort();
  if (query->groups.empty() == query->reason.empty()) std::abort();
  if (query->groups.size() > candor::memory::kQueryGroupsMax) std::abort();
  return 0;
}
