// The floor of the protocol's figures: a server that parses nothing and answers every request with the same text of the
// length given, so that what remains is a process start, a pipe there and a pipe back.
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int count, char** arguments) {
  const std::string text(count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1, 'x');
  std::string line;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    const std::size_t id = line.find("\"id\": ");
    if (id != std::string::npos) {
      const std::string answer = "{\"id\":" + std::to_string(std::strtol(line.c_str() + id + 6, nullptr, 10)) +
                                 ",\"jsonrpc\":\"2.0\",\"result\":\"" + text + "\"}\n";
      std::fwrite(answer.data(), 1, answer.size(), stdout);
      std::fflush(stdout);
    }
    line.clear();
  }
  return 0;
}
