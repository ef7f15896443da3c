// A fixture with the engine on the shared server's database, and its tables: made once a program, read by every test.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "engine/postgres/postgres_engine.h"
#include "support/engine_rows.h"
#include "support/postgres_server.h"

namespace candor::test {

class PostgresTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool made = [] {
      server().run(
          "CREATE TABLE users (id integer PRIMARY KEY, name text NOT NULL, age smallint, joined date);"
          "COMMENT ON TABLE users IS 'Who signed up'; COMMENT ON COLUMN users.age IS 'In years';"
          "INSERT INTO users VALUES (1,'Ann',30,'2024-01-02'),(2,'Bob',NULL,NULL),(3,'Cyd',41,'2024-03-04');"
          "CREATE TABLE hidden (id integer); CREATE VIEW adults AS SELECT * FROM users WHERE age >= 18;"
          "CREATE SCHEMA sales; CREATE TABLE sales.orders (id bigint PRIMARY KEY, amount numeric(10,2), tags text[]);"
          "INSERT INTO sales.orders SELECT i, i * 1.25, ARRAY['a','b'] FROM generate_series(1, 5000) AS i;"
          "GRANT USAGE ON SCHEMA sales TO reader, writer;"
          "GRANT SELECT ON users, adults, sales.orders TO reader, writer;"
          "CREATE TABLE cards (id integer PRIMARY KEY, front text NOT NULL, tags text[] NOT NULL DEFAULT '{}',"
          " amount numeric(10,2) CHECK (amount >= 0), payload jsonb, seen timestamptz);"
          "GRANT SELECT, INSERT, UPDATE, DELETE ON cards TO writer; GRANT SELECT ON cards TO reader; ANALYZE");
      return true;
    }();
    (void)made;
  }

  static PostgresServer& server() { return PostgresServer::shared(); }

  static engine::Policy policy(std::string_view role, bool contract = false) {
    engine::Policy policy;
    policy.sources = {server().spec(role)};
    policy.contract = contract;
    return policy;
  }

  static std::unique_ptr<engine::Engine> open(const engine::Policy& policy) {
    auto opened = engine::postgres::open(policy);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message + " " + opened.error().detail);
    return opened.ok() ? std::move(*opened) : nullptr;
  }

  engine::Engine& engine() {
    if (engine_ == nullptr) engine_ = open(policy("reader"));
    return *engine_;
  }

  std::string rows(const std::string& sql) { return run(engine(), sql).all(); }
  Ran ask(const std::string& sql) { return run(engine(), sql); }

 private:
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace candor::test
