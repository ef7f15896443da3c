// A small contract with something of everything, for tests that need one.
#pragma once

#include <string_view>

namespace candor::test {

inline constexpr std::string_view kFlashcards = R"(contract: flashcards
source: app
limits: {rows_per_statement: 100}
scope: {column: workspace_id, value: "${claim.workspace}"}
notes:
  - A deck is a saved tag filter.
  - Times are UTC.
resources:
  cards:
    table: study.card_table
    description: Cards in the selected workspace.
    key: card_id
    writes: [insert, update, delete]
    soft_delete: deleted_at
    columns:
      card_id:    {type: uuid, read_only: true, generated: uuid}
      front_text: {type: string, description: "The question | never the answer."}
      card_type:  {type: string, enum: [basic, cloze, "it's"]}
      tags:       {type: "string[]"}
      metadata:   {type: json, column: meta_blob, filterable: false, sortable: false, read_only: true}
      order:      {type: integer, nullable: true}
      created_at: {type: datetime, read_only: true, generated: now}
      deleted_at: {type: datetime, nullable: true, filterable: false, sortable: false}
    absent:
      deck_id: Match the deck's tags.
  reviews:
    key: review_id
    columns:
      review_id: integer
      workspace_id: string
      rating: {type: number, nullable: true}
)";

}  // namespace candor::test
