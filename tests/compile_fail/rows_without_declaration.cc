// The rows of a list are read by a ShapedList alone, which applies what was declared.
// sees: wire
// expect: is protected within this context

#include "scope/list.h"

candor::Status read_rows(candor::scope::List& list, std::vector<candor::json::Node>& rows) {
  const candor::scope::Visitor take = [&](candor::json::Node row) {
    rows.push_back(std::move(row));
    return true;
  };
#ifdef CONTROL
  const auto shaped = candor::scope::ShapedList::make(list, {});
  if (!shaped.ok()) return shaped.error();
  for (const candor::json::Node& row : shaped->rows()) take(row);
  return candor::Ok{};
#else
  return list.visit({}, take);
#endif
}
