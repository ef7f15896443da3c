// `candor explain`: the pages of codes.h.
#include <string>
#include <vector>

#include "base/near_names.h"
#include "candor/documents.h"
#include "cli/commands.h"
#include "cli/list_output.h"
#include "cli/text_layout.h"
#include "scope/rows_list.h"

namespace candor::cli {
namespace {

std::string_view class_name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kPermanent:
      return "permanent";
    case ErrorClass::kTransient:
      return "transient";
    case ErrorClass::kAmbiguous:
      return "ambiguous";
  }
  return "permanent";
}

json::Node code_node(const CodeInfo& info) {
  json::Node node = json::Node::object();
  node.set("code", json::Node::string(std::string(info.code)));
  node.set("exit_code", json::Node::number(std::int64_t{static_cast<int>(info.exit)}));
  node.set("error_class", json::Node::string(std::string(class_name(info.error_class))));
  node.set("summary", json::Node::string(std::string(info.summary)));
  node.set("explanation", json::Node::string(std::string(info.explanation)));
  return node;
}

void print_page(const Context& context, const CodeInfo& info) {
  const Stream& out = context.out;
  std::string text = out.painted(Paint::kBold, info.code) + "\n" + std::string(info.summary) + "\n\n";
  for (const std::string& line : folded(info.explanation, std::min<std::size_t>(out.width(), 100))) text += line + "\n";
  if (info.exit == ExitCode::kDone) {
    text += "\nA warning, or a reason for `undetermined`: no request fails with it.\n";
  } else {
    text += "\nExit code " + std::to_string(static_cast<int>(info.exit)) + ". ";
    text += info.exit == ExitCode::kHeld                 ? "It holds an answer once a turn.\n"
            : info.error_class == ErrorClass::kTransient ? "The same request may succeed later.\n"
            : info.error_class == ErrorClass::kAmbiguous ? "Whether the request took effect is not known.\n"
                                                         : "The same request fails again.\n";
  }
  out.put(text);
}

ExitCode list_all(const Context& context) {
  scope::Declaration declaration;  // in the order of the codes
  declaration.array = "codes";
  declaration.catalogue.keys = {"code", "exit_code", "error_class", "summary", "explanation"};
  declaration.content = {"summary", "explanation"};
  std::vector<json::Node> rows;
  for (const CodeInfo& info : all_codes()) rows.push_back(code_node(info));
  scope::RowsList list(std::move(declaration), std::move(rows));
  const ListText text{{{"code", under("code")},
                       {"exit",
                        [](const json::Node& row) {
                          const std::string& exit = row["exit_code"].text();
                          return exit == "0" ? TableCell{"", Paint::kDim, true} : TableCell{exit, Paint::kPlain, true};
                        }},
                       {"what it says", under("summary")}},
                      "code",
                      "codes",
                      0};
  return show_list(context, list, text, [](const scope::ShapedList& shaped) {
    json::Node document = json::Node::object();
    document.set("code_count", json::Node::number(static_cast<std::int64_t>(shaped.surface().output_count)));
    shaped.put_into(document);
    return document;
  });
}

}  // namespace

ExitCode run_explain(const Context& context) {
  const std::vector<std::string>& words = context.arguments.words;
  if (words.empty()) return list_all(context);
  if (const Status fit = no_shaping(context, "one page"); !fit.ok()) return fail(context, fit.error());
  const CodeInfo* info = find_code(words[0]);
  if (info == nullptr || words.size() > 1) {
    std::vector<std::string> codes;
    for (const CodeInfo& known : all_codes()) codes.emplace_back(known.code);
    std::string near;
    for (const std::string& name : near_names(words[0], codes)) near += (near.empty() ? "" : ", ") + name;
    if (info != nullptr)
      return fail(context, make_error("usage", "one code is expected", "candor explain " + words[0]));
    return fail(context, make_error("not-found", "there is no code '" + visible(words[0]) + "'",
                                    near.empty() ? "candor explain lists all codes" : "did you mean " + near + "?"));
  }
  if (context.document) {
    print_document(context, code_node(*info));
  } else {
    print_page(context, *info);
  }
  return ExitCode::kDone;
}

}  // namespace candor::cli
