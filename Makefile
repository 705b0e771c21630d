# SPDX-License-Identifier: Apache-2.0
# Everything here needs Python 3.11 or later, pip and make; nothing is put outside
# this folder. PYTHON=... picks another interpreter, VENV=... another environment.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
READY := $(VENV)/.tacit-ready
TESTS ?=
ROUNDS ?= 1
PAGES := docs/_build/html

.PHONY: help setup demo test fuzz lint format docs bench lock clean
.DEFAULT_GOAL := help

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' Makefile

setup: $(READY) ## make the environment

$(READY): requirements.lock pyproject.toml tools/setup.py
	@test -n "$(PYTHON)" || { echo "tacit needs Python 3.11 or later, and none was \
	found. Install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) tools/setup.py $(VENV)

demo: $(READY) ## from generated microdata to a protected, audited, certified table
	$(RUN) examples/turnover/generate.py
	$(BIN)/tacit assess examples/turnover/job.toml
	$(BIN)/tacit run examples/turnover/publish.toml --force
	$(BIN)/tacit verify examples/turnover/out
	@echo "The report: $(CURDIR)/examples/turnover/out/internal/report.internal.html"

test: $(READY) ## pass the tests, the doctests and the examples of the pages
	$(RUN) -m pytest -n 2 $(TESTS)

fuzz: $(READY) ## try other random examples (ROUNDS=10 TESTS=tests/protect)
	@for round in $$(seq $(ROUNDS)); do \
	  $(RUN) -m pytest -n 2 -q -m hypothesis --hypothesis-profile fuzz $(TESTS) || exit 1; done

lint: $(READY) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY) ## build the pages, every warning an error
	$(BIN)/sphinx-build -b html -W --keep-going -q -j 2 docs $(PAGES)
	@echo "docs: $(PAGES)/index.html"

bench: $(READY) ## run every benchmark (BENCH="relations rules" runs some)
	$(RUN) bench/run.py $(BENCH)

lock: $(READY) ## pin every package with its hashes, no address in the file
	$(RUN) -m pip install --quiet 'uv>=0.9'
	$(BIN)/uv pip compile --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-find-links --quiet \
	  --extra excel --extra plots --extra scip --group dev --output-file requirements.lock \
	  $(LOCK_OPTIONS) pyproject.toml

clean: ## remove what was made
	rm -rf $(VENV) docs/_build bench/results examples/*/out dist build \
	  .mypy_cache .ruff_cache .pytest_cache .hypothesis
