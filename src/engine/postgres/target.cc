// Parameters of a connection, by libpq's own parser of URLs.
#include "engine/postgres/target.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "engine/postgres/libpq.h"

namespace candor::engine::postgres {
namespace {

// A shorter secret is part of ordinary words.
constexpr std::size_t kSecretMin = 4;
constexpr int kConnectSecondsMax = 60;

Diagnostic unreadable(const SourceSpec& source, std::string why) {
  return make_error("source-error", "source " + source.name + ": " + std::move(why),
                    "postgresql://USER@HOST:PORT/DATABASE, special characters of a password percent-encoded, or the "
                    "password in PGPASSWORD or a passfile");
}

std::optional<std::string> from_environment(const SourceSpec& source, std::string_view variable) {
  for (const std::string& line : source.environment) {
    if (line.size() > variable.size() && line.starts_with(variable) && line[variable.size()] == '=') {
      return line.substr(variable.size() + 1);
    }
  }
  return std::nullopt;
}

bool is_secret(std::string_view keyword) { return keyword == "password" || keyword == "sslpassword"; }

class Parameters {
 public:
  void set(std::string_view keyword, std::string value) { target_.parameters.emplace_back(keyword, std::move(value)); }
  void set_default(std::string_view keyword, std::string value) {
    if (!has(keyword)) set(keyword, std::move(value));
  }
  [[nodiscard]] bool has(std::string_view keyword) const { return value(keyword) != nullptr; }
  [[nodiscard]] const std::string* value(std::string_view keyword) const {
    for (const auto& [known, text] : target_.parameters) {
      if (known == keyword) return &text;
    }
    return nullptr;
  }
  Target& target() { return target_; }

 private:
  Target target_;
};

// A password with an @ or / of its own leaves a part of itself where the host, port or database should be.
bool misread(const Parameters& parameters) {
  const auto holds = [&](std::string_view keyword, std::string_view characters) {
    const std::string* value = parameters.value(keyword);
    return value != nullptr && value->find_first_of(characters) != std::string::npos;
  };
  const std::string* port = parameters.value("port");
  const bool port_is_wrong = port != nullptr && port->find_first_not_of("0123456789,") != std::string::npos;
  return holds("host", "@") || holds("dbname", "@") || port_is_wrong;
}

void keep_secrets(Target& target) {
  for (const auto& [keyword, value] : target.parameters) {
    if (is_secret(keyword) && value.size() >= kSecretMin) target.secrets.push_back(value);
  }
  // A password that holds another one is replaced first.
  std::ranges::sort(target.secrets, std::ranges::greater(), &std::string::size);
}

}  // namespace

Result<Target> target_of(const SourceSpec& source) {
  CANDOR_ASSIGN(const Libpq* const pq, load_libpq());
  char* said = nullptr;
  const PgOptions url(pq->PQconninfoParse(source.path.c_str(), &said));
  if (said != nullptr) pq->PQfreemem(said);  // repeats what it could not read
  if (url == nullptr) return unreadable(source, "the URL can't be read");
  Parameters parameters;
  for (const PQconninfoOption* option = url.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) parameters.set(option->keyword, option->val);
  }
  if (misread(parameters)) return unreadable(source, "the URL can't be read");
  const PgOptions defaults(pq->PQconndefaults());
  for (const PQconninfoOption* option = defaults.get(); option != nullptr && option->keyword != nullptr; ++option) {
    if (option->envvar == nullptr) continue;
    if (auto value = from_environment(source, option->envvar)) parameters.set_default(option->keyword, *value);
  }
  parameters.set_default("fallback_application_name", "candor");
  // A server that vanished is noticed by the system, also while nothing is sent.
  parameters.set_default("keepalives_idle", "15");
  parameters.set_default("keepalives_interval", "5");
  parameters.set_default("keepalives_count", "3");
  parameters.set_default("tcp_user_timeout", "20000");
  Target target = std::move(parameters.target());
  std::erase_if(target.parameters, [](const auto& parameter) { return parameter.first == "client_encoding"; });
  target.parameters.emplace_back("client_encoding", "UTF8");
  for (const auto& [keyword, value] : target.parameters) {
    int seconds = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (keyword == "connect_timeout" && read.ec == std::errc() && seconds > 0) {
      target.connect_seconds = std::min(seconds, kConnectSecondsMax);
    }
  }
  keep_secrets(target);
  return target;
}

std::string told_safely(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3) {
      text.replace(at, secret.size(), "…");
    }
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      line += "; ";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      line += c;
    } else if (line.empty() || line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

}  // namespace candor::engine::postgres
