// `candor schema`: what there is to ask.
#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/text_layout.h"
#include "wire/lists.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

constexpr std::size_t kColumnsListed = 12;

std::string rows_of(const engine::CatalogTable& table) {
  if (!table.rows_estimated) return "";
  return (table.rows_exact ? "" : "~") + grouped(*table.rows_estimated);
}

// "orders.csv: csv, delimiter ',', with a header, 12 rows not parsed".
std::string origin_of(const engine::FileOrigin& file) {
  std::string text = file.path + ": ";
  if (!file.failure.empty()) return text + file.failure;
  text += file.format;
  if (!file.delimiter.empty()) {
    text += ", delimiter '" + file.delimiter + "'" + (file.header ? ", with a header" : ", without a header");
  }
  if (!file.encoding.empty() && file.encoding != "utf-8") text += ", " + file.encoding;
  if (file.rows_rejected > 0) text += ", " + counted(file.rows_rejected, "row", "rows") + " not parsed";
  return text;
}

void print_one(const Context& context, const engine::CatalogTable& table) {
  const Stream& out = context.out;
  std::string head = out.painted(Paint::kBold, visible(engine::written_name(table))) + "  " +
                     (table.temporary ? "temporary " : "") + (table.view ? "view" : "table");
  if (table.rows_estimated) head += ", " + rows_of(table) + (*table.rows_estimated == 1 ? " row" : " rows");
  head += "\n";
  if (!table.comment.empty()) head += visible(table.comment) + "\n";
  if (table.file) head += out.painted(Paint::kDim, "from " + visible(origin_of(*table.file))) + "\n";
  out.put(head);
  Table columns(out, {"column", "type", "", "notes"}, 0);
  for (const engine::CatalogColumn& column : table.columns) {
    const std::string key = column.primary_key ? "key" : column.nullable ? "" : "not null";
    const std::string both = column.comment + (column.comment.empty() || column.note.empty() ? "" : "; ") + column.note;
    columns.add({{column.name}, {column.type}, {key}, {both}});
  }
  if (!table.columns.empty()) columns.finish();
  if (!table.file) return;
  for (const engine::RejectedRow& row : table.file->rejected) {
    out.put(out.painted(Paint::kYellow, "line " + grouped(row.line) + " not parsed: " + visible(row.reason)) + "\n");
  }
  if (table.file->rows_rejected > table.file->rejected.size() && !table.file->rejected.empty()) {
    out.put(out.painted(Paint::kYellow,
                        "and " + grouped(table.file->rows_rejected - table.file->rejected.size()) + " more") +
            "\n");
  }
}

void print_all(const Context& context, const engine::Catalog& catalog) {
  Table table(context.out, {"resource", "kind", "rows", "columns", "from"}, 3);
  for (const engine::CatalogTable& one : catalog.tables) {
    std::string columns;
    for (std::size_t i = 0; i < one.columns.size() && i < kColumnsListed; ++i) {
      columns += (i > 0 ? ", " : "") + one.columns[i].name;
    }
    if (one.columns.size() > kColumnsListed)
      columns += ", and " + grouped(one.columns.size() - kColumnsListed) + " more";
    const bool broken = one.file && (!one.file->failure.empty() || one.file->rows_rejected > 0);
    table.add({{engine::written_name(one)},
               {one.view ? "view" : "table"},
               {rows_of(one), Paint::kPlain, true},
               {columns},
               {one.file ? origin_of(*one.file) : "", broken ? Paint::kYellow : Paint::kPlain}});
  }
  if (!catalog.tables.empty()) table.finish();
  context.out.put(counted(catalog.tables.size(), "resource", "resources") + "\n");
}

// Of a list that was shaped.
ListText shaped_text() {
  const auto names = [](const json::Node& row) {
    std::string columns;
    for (const json::Node& column : row["columns"].items())
      columns += (columns.empty() ? "" : ", ") + std::string(column.string_or("name", ""));
    return TableCell{columns};
  };
  return {{{"resource", under("resource")}, {"kind", under("kind")}, {"rows", under("rows")}, {"columns", names}},
          "resource",
          "resources",
          3};
}

}  // namespace

ExitCode run_schema(const Context& context) {
  std::vector<std::string> words = context.arguments.words;
  // The first word that is no file is the resource; a resource may be named like a file, then source.table tells them apart.
  std::string resource;
  const auto found = std::ranges::find_if(words, [](const std::string& word) { return !names_source(word); });
  if (found != words.end()) {
    resource = *found;
    words.erase(found);
  }
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Progress progress(context.err, "reading the catalogs");
  const Result<Schema> catalog = (*candor)->schema(caller_of(context.arguments), resource);
  progress.stop();
  if (!catalog.ok()) return fail(context, catalog.error());
  const auto list = wire::schema_list(*catalog);
  const Result<scope::ShapedList> shaped = scope::ShapedList::make(*list, context.shaping);
  if (!shaped.ok()) return fail(context, shaped.error());
  if (context.document) {
    print_document(context, wire::schema_document(*catalog, *shaped));
    return ExitCode::kDone;
  }
  if (!context.shaping.empty()) {
    print_list(context, *shaped, shaped_text());
  } else if (!resource.empty() && catalog->tables.size() <= 3) {
    for (std::size_t i = 0; i < catalog->tables.size(); ++i) {
      if (i > 0) context.out.put("\n");
      print_one(context, catalog->tables[i]);
    }
  } else {
    print_all(context, *catalog);
  }
  for (const std::string& note : catalog->notes) context.out.put("note: " + visible(note) + "\n");
  for (const std::string& warning : catalog->warnings) {
    context.out.put(context.out.painted(Paint::kYellow, "warning: " + visible(warning)) + "\n");
  }
  return ExitCode::kDone;
}

}  // namespace candor::cli
