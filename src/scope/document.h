// The record `agent_surface` as JSON.
#pragma once

#include <string_view>

#include "json/json.h"
#include "scope/scope.h"

namespace candor::scope {

[[nodiscard]] json::Node surface_document(const AgentSurface& surface);

[[nodiscard]] std::string_view name_of(LimitSource source);

}  // namespace candor::scope
