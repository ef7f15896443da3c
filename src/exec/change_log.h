// Which rows a batch of writes touches, and how they were before: private to this folder.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "exec/changes.h"
#include "exec/exchange.h"

namespace candor::exec {

// The rows of a resource with these keys that are there now, whatever their number: each begun by its key. Fails with
// `result-too-large` in words that fit a write.
[[nodiscard]] Result<std::vector<std::vector<Value>>> kept_rows(const contract::Resource& resource,
                                                                const std::vector<Value>& keys,
                                                                const Environment& environment, Exchange& exchange);

class ChangeLog {
 public:
  ChangeLog(const Environment& environment, Exchange& exchange) : environment_(environment), exchange_(exchange) {}

  // Whether rows of the resource can be kept; `before` does nothing where they can't.
  [[nodiscard]] bool keeps(const contract::Resource& resource);
  // To be called before the rows are changed; the second takes the rows, each its key and what is kept of it.
  [[nodiscard]] Status before(const contract::Resource& resource, const std::vector<Value>& keys);
  [[nodiscard]] Status before(const contract::Resource& resource, const std::vector<std::vector<Value>>& rows);
  // To be called after a row was.
  void inserted(const contract::Resource& resource, const Value& key);
  void removed(const contract::Resource& resource, const Value& key);
  void moved(const contract::Resource& resource, const Value& from, const Value& to);
  void changed_others() { changed_others_ = true; }

  // Looks at what has become of the rows.
  [[nodiscard]] Result<Changes> finish();

 private:
  struct Entry {
    Change change;
    bool removed = false;
    std::size_t order = 0;
  };
  [[nodiscard]] std::string id_of(const contract::Resource& resource, const Value& key) const;
  [[nodiscard]] Entry* find(const contract::Resource& resource, const Value& key);
  Entry& add(const contract::Resource& resource, const Value& key);
  [[nodiscard]] Status look_again();

  const Environment& environment_;
  Exchange& exchange_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> places_;  // of entries, by table and present key
  std::size_t order_ = 0;
  std::size_t bytes_ = 0;
  bool changed_others_ = false;
  std::string cannot_keep_;
};

}  // namespace candor::exec
