// Any bytes as a batch of an agent: what is refused says why and where, what is taken is printed and read back as it was,
// and binding it to a contract never crashes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bind/binder.h"
#include "contract/contract.h"
#include "dialect/parser.h"
#include "dialect/printer.h"
#include "dialect/same_tree.h"

namespace {

constexpr std::string_view kContract = R"(contract: flashcards
source: app
scope: {column: workspace_id, value: A}
resources:
  cards:
    key: card_id
    writes: [insert, update, delete]
    soft_delete: deleted_at
    columns:
      card_id:    {type: uuid, read_only: true, generated: uuid}
      card_no:    {type: integer, nullable: true}
      front_text: {type: string}
      card_type:  {type: string, enum: [basic, cloze]}
      tags:       {type: "string[]"}
      grades:     {type: "integer[]", nullable: true}
      is_easy:    {type: boolean, nullable: true}
      stability:  {type: number, nullable: true}
      price:      {type: decimal, nullable: true}
      due_at:     {type: datetime, nullable: true}
      starts_on:  {type: date, nullable: true}
      metadata:   {type: json, filterable: false, sortable: false, read_only: true}
      deleted_at: {type: datetime, nullable: true, read_only: true, filterable: false, sortable: false}
    absent:
      deck_id: Match the deck's tags.
  decks:
    key: deck_id
    columns:
      deck_id: {type: uuid}
      name:    {type: string}
      tags:    {type: "string[]"}
)";

void demand(bool holds) {
  if (!holds) std::abort();
}

const candor::contract::Contract& contract() {
  static const auto made = candor::contract::parse(kContract, "fuzz.yaml");
  demand(made.ok());
  return *made;
}

void demand_told(const candor::Diagnostic& error, std::size_t size) {
  demand(!error.code.empty() && !error.message.empty());
  if (error.span) demand(error.span->start <= error.span->end && error.span->end <= size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  const candor::dialect::Parsed parsed = candor::dialect::parse(sql);
  for (const candor::Diagnostic& error : parsed.errors) demand_told(error, size);
  demand(!parsed.errors.empty() || parsed.statements.size() == parsed.count);
  for (const candor::dialect::Statement& statement : parsed.statements) {
    demand(statement.span.start < statement.span.end && statement.span.end <= size);
    const std::string text = print(statement);
    // Printing may put parentheses where the text had none, each a level.
    const candor::dialect::Parsed again = candor::dialect::parse(text, {512, 1, 64'000'000});
    demand(again.errors.empty() && again.statements.size() == 1);
    demand(same_tree(statement, again.statements.front()));
    demand(print(again.statements.front()) == text);
  }
  const candor::bind::Bound bound = candor::bind::bind(sql, parsed, {&contract(), "A"});
  for (const candor::Diagnostic& error : bound.errors) demand_told(error, size);
  for (const auto& [error, resource] : bound.unbounded_writes)
    demand(error < bound.errors.size() && resource != nullptr);
  return 0;
}
