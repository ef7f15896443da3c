// No document of a list is made of bare rows.
// sees: wire
// expect: could not convert|invalid initialization|no matching function|no known conversion

#include "wire/lists.h"

candor::json::Node document_of(const std::vector<candor::json::Node>& rows) {
#ifdef CONTROL
  candor::scope::ShapedList* none = nullptr;
  return rows.empty() ? candor::json::Node() : candor::wire::list_document(*none);
#else
  return candor::wire::list_document(rows);
#endif
}
