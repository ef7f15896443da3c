// One script a shell. Words that only a running Candor knows come from `candor completion sources|codes|batches`.
#include "cli/completion.h"

#include <vector>

#include "cli/arguments.h"

namespace candor::cli {
namespace {

bool takes_file(const FlagInfo& flag) { return flag.value.ends_with("FILE") || flag.value == "NAME=SPEC"; }
bool takes_folder(const FlagInfo& flag) { return flag.value == "DIR"; }
bool takes_source(const FlagInfo& flag) { return flag.value == "SOURCE"; }

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// What can stand behind a command besides flags and files.
std::string words_command(const CommandInfo& command) {
  if (command.name == "explain") return "candor completion codes 2>/dev/null";
  if (command.name == "completion") return "echo bash zsh fish";
  if (command.name == "contract") return "echo describe check init";
  if (command.name == "memory") return "candor completion memory";
  if (command.name == "undo") return "candor completion batches 2>/dev/null";
  return "";
}

// Files stand beside the words, too.
bool takes_files_too(const CommandInfo& command) { return command.name == "contract" || command.name == "undo"; }

std::string bash_script(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string flags = "--help";
    std::string values;
    for (const FlagInfo& flag : command.flags) {
      flags += " " + joined(flag.names, " ");
      if (flag.value.empty()) continue;
      std::string reply = "COMPREPLY=()";
      if (!flag.choices.empty()) reply = "COMPREPLY=($(compgen -W '" + joined(flag.choices, " ") + "' -- \"$cur\"))";
      if (takes_file(flag)) reply = "COMPREPLY=($(compgen -f -- \"${cur#*=}\"))";
      if (takes_folder(flag)) reply = "COMPREPLY=($(compgen -d -- \"$cur\"))";
      if (takes_source(flag))
        reply = "COMPREPLY=($(compgen -W \"$(candor completion sources 2>/dev/null)\" -- \"$cur\"))";
      values += "        " + joined(flag.names, "|") + ") " + reply + "; return ;;\n";
    }
    cases += "    " + command.name + ")\n";
    if (!values.empty()) cases += "      case $prev in\n" + values + "      esac\n";
    cases += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + flags + "' -- \"$cur\")); return; fi\n";
    const std::string words = words_command(command);
    cases += words.empty() ? "      COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                           : "      COMPREPLY=($(compgen -W \"$(" + words + ")\" -- \"$cur\")" +
                                 (takes_files_too(command) ? " $(compgen -f -- \"$cur\")" : "") + ")\n";
    cases += "      ;;\n";
  }
  return "# Completions of candor for bash: source <(candor completion bash)\n"
         "_candor() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      -*) ;;\n"
         "      *) case \" " +
         names +
         " \" in *\" ${COMP_WORDS[i]} \"*) command=${COMP_WORDS[i]}; break ;; esac ;;\n"
         "    esac\n"
         "  done\n"
         "  case $command in\n" +
         cases + "    *) COMPREPLY=($(compgen -W '" + names +
         " --help --version' -- \"$cur\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -o bashdefault -F _candor candor\n";
}

// For single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

// For the descriptions of zsh's _arguments, where brackets and colons separate.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : quoted(text)) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_script(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names += "    '" + command.name + ":" + zsh_quoted(command.description) + "'\n";
    cases += "    " + command.name + ")\n      _arguments \\\n";
    for (const FlagInfo& flag : command.flags) {
      const std::string action = flag.value.empty()      ? ""
                                 : !flag.choices.empty() ? ":value:(" + joined(flag.choices, " ") + ")"
                                 : takes_file(flag)      ? ":file:_files"
                                 : takes_folder(flag)    ? ":folder:_files -/"
                                 : takes_source(flag)
                                     ? ":source:{compadd ${(f)\"$(candor completion sources 2>/dev/null)\"}}"
                                     : ":value:";
      const bool repeatable = flag.value == "NAME=SPEC";
      const std::string description = "[" + zsh_quoted(flag.description) + "]" + action + "' \\\n";
      for (const std::string& name : flag.names) {
        cases += repeatable ? "        '*" : "        '";
        cases += name;
        cases += description;
      }
    }
    const std::string words = words_command(command);
    cases += words.empty() ? "        '*:file:_files'\n"
                           : "        '*:word:{compadd ${=\"$(" + words + ")\"}" +
                                 (takes_files_too(command) ? "; _files" : "") + "}'\n";
    cases += "      ;;\n";
  }
  return "#compdef candor\n"
         "# Completions of candor for zsh: source <(candor completion zsh)\n"
         "_candor() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe -t commands command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "compdef _candor candor\n";
}

std::string fish_script(const std::vector<CommandInfo>& commands) {
  std::string text = "# Completions of candor for fish: candor completion fish | source\n";
  for (const CommandInfo& command : commands) {
    text += "complete -c candor -f -n __fish_use_subcommand -a " + command.name + " -d '" +
            quoted(command.description) + "'\n";
  }
  for (const CommandInfo& command : commands) {
    const std::string here = "complete -c candor -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const FlagInfo& flag : command.flags) {
      text += here;
      for (const std::string& name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!flag.value.empty())
        text += takes_file(flag) ? " -r -F" : takes_folder(flag) ? " -x -a '(__fish_complete_directories)'" : " -x";
      if (!flag.choices.empty()) text += " -a '" + joined(flag.choices, " ") + "'";
      if (takes_source(flag)) text += " -a '(candor completion sources 2>/dev/null)'";
      text += " -d '" + quoted(flag.description) + "'\n";
    }
    const std::string words = words_command(command);
    if (words.empty()) continue;
    text += here;
    text += (takes_files_too(command) ? std::string(" -a '(") : std::string(" -f -a '(")) + words +
            " | string split \" \")'\n";
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  const std::vector<CommandInfo> commands = describe_commands();
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  return {};
}

}  // namespace candor::cli
