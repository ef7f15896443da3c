# What a person types. Each command installs or fetches what it needs, once, and is quick when nothing changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

# ccache gives the same object to every clone, whatever its folder is called.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

BUILD := build/release
PREFIX ?= /usr/local
ifeq ($(CI),true)
WERROR := ON
else
WERROR := OFF
endif

.PHONY: build
build: deps ## Build the programs into build/release/bin
	@tools/configure release CANDOR_WERROR=$(WERROR)
	@cmake --build --preset release --target candor candor-worker

.PHONY: deps
deps:
	@tools/install_dependencies build
	@tools/fetch_duckdb >/dev/null

.PHONY: demo
demo: build ## Build, fetch the public data once, and show a wrong answer held and mended
	@CANDOR_DEMO_DATA="$$(tools/fetch_demo_data)" $(BUILD)/bin/candor demo

.PHONY: test
test: deps ## Build and run all tests, and those of unit, property, golden, fuzz again under sanitizers
	@tools/run_tests

.PHONY: golden
golden: deps ## Rewrite the expectations of the golden tests; read the change before you commit it
	@tools/run_tests --rewrite-golden

.PHONY: format
format: ## Rewrite the C++ files in the project's format
	@tools/install_dependencies lint
	@tools/lint --format

.PHONY: lint
lint: deps ## Check format and run clang-tidy on what changed since the last clean run
	@tools/install_dependencies test lint
	@tools/configure release CANDOR_TESTS=ON CANDOR_WERROR=$(WERROR)
	@tools/lint

.PHONY: bench
bench: deps ## Measure against named alternatives in one run; BENCH="name…" chooses
	@tools/install_dependencies bench
	@tools/configure release CANDOR_BENCH=ON CANDOR_WERROR=$(WERROR)
	@cmake --build --preset release --target candor candor-worker candor_bench
	@bench/run $(BENCH)

.PHONY: fuzz
fuzz: deps ## Fuzz each target for FUZZ_SECONDS (default 60) with libFuzzer
	@tools/install_dependencies test lint
	@tools/run_fuzz

.PHONY: install
install: build ## Install below PREFIX (default /usr/local)
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

.PHONY: clean
clean: ## Remove build/; what was fetched stays in the dependency cache
	@rm -rf build

.PHONY: help
help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
