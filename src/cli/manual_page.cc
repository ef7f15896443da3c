// The manual page in roff.
#include "base/codes.h"
#include "cli/arguments.h"
#include "cli/completion.h"

namespace candor::cli {
namespace {

// Text of the page: backslashes and hyphens escaped, no line that begins with a control character.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string flag_entry(const FlagInfo& flag) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < flag.names.size(); ++i) {
    text += (i > 0 ? std::string(", ") : std::string()) + "\\fB" + roff(flag.names[i]) + "\\fR";
  }
  if (!flag.value.empty()) text += " \\fI" + roff(flag.value) + "\\fR";
  text += "\n" + roff(flag.description);
  for (std::size_t i = 0; i < flag.choices.size(); ++i) text += (i == 0 ? ": " : ", ") + roff(flag.choices[i]);
  return text + "\n";
}

constexpr std::string_view kFiles =
    ".SH FILES\n"
    ".TP\n"
    "\\fBcandor.yaml\\fR\n"
    "sources, limits and the review's settings; read in the working folder, or the file behind \\fB\\-\\-config\\fR\n"
    ".TP\n"
    "\\fB$XDG_STATE_HOME/candor\\fR\n"
    "the ledger and the sessions' scratch databases, unless \\fB\\-\\-home\\fR or \\fBCANDOR_HOME\\fR name another "
    "folder\n"
    ".SH ENVIRONMENT\n"
    ".TP\n"
    "\\fBCANDOR_HOME\\fR\n"
    "the home folder\n"
    ".TP\n"
    "\\fBCANDOR_SQL_AUTO_CHECK\\fR\n"
    "off, false or 0 turns the review of answers off; receipts say so\n"
    ".TP\n"
    "\\fBNO_COLOR\\fR\n"
    "no colours\n";

constexpr std::string_view kExits =
    ".SH EXIT STATUS\n"
    "0 done; 1 rejected; 2 usage; 3 lost a race; 4 not found; 5 session; 6 over a limit; 7 answer held, or a finding "
    "of\n"
    "\\fBcheck\\fR; 9 duplicate; 10 engine or storage; 11 embedding; 13 part of a batch; 14 file; 15 busy;\n"
    "19 interrupted; 20 internal; 75 lock; 78 configuration.\n"
    "\\fBcandor explain\\fR lists every code with its exit status.\n";

}  // namespace

std::string manual_page(const std::string& version) {
  std::string text =
      ".\\\" Made by `candor completion man`.\n.TH CANDOR 1 \"\" \"candor " + version + "\" \"User Commands\"\n";
  text += ".SH NAME\ncandor \\- ask data through SQL, and commit answers that are reviewed\n";
  text += ".SH SYNOPSIS\n\\fBcandor\\fR \\fICOMMAND\\fR [\\fIWORDS\\fR] [\\fIFLAGS\\fR]\n";
  text +=
      ".SH DESCRIPTION\n"
      "Candor stands between AI agents and data: an answer is never silently wrong. Statements run against published\n"
      "sources, read only and sandboxed; every result says what it is a part of; an answer is reviewed on the data "
      "once\n"
      "before it is accepted.\n"
      ".PP\nOn a terminal results are tables. Elsewhere, and with \\fB\\-\\-json\\fR, standard output is exactly one "
      "JSON\n"
      "document, and messages for people go to standard error.\n"
      ".PP\nA source is a DuckDB or SQLite database, or a folder or file of CSV, TSV, Parquet, JSON or NDJSON, told by "
      "its\n"
      "content. A word behind a command that names a file or folder is a source named after it.\n";
  text += ".SH COMMANDS\n";
  std::vector<CommandInfo> commands = describe_commands();
  for (CommandInfo& verb : describe_memory_verbs()) commands.push_back(std::move(verb));
  for (const CommandInfo& command : commands) {
    text += ".SS \"candor " + command.name + (command.words.empty() ? "" : " " + command.words) + "\"\n" +
            roff(command.description) + "\n";
    for (const FlagInfo& flag : command.flags) text += flag_entry(flag);
    text += ".PP\n.nf\n.RS\n" + roff(command.examples) + "\n.RE\n.fi\n";
  }
  text += kFiles;
  text += kExits;
  return text;
}

}  // namespace candor::cli
