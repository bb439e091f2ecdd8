# The two things that must work on a bare machine with Python 3.10 or newer: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
PYTEST ?= -n auto --dist worksteal
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint clean

help:
	@echo "make demo   install into $(VENV), write a project, look the machine over, run the project"
	@echo "make test   install into $(VENV) with the development tools, run the tests (PYTEST='-k name' to choose)"
	@echo "make lint   ruff, pyright and mypy"
	@echo "make clean  remove $(VENV) and what tools left behind"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "oxidepy needs Python 3.10 or newer; choose one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	@set -e; bin=$$(cd $(BIN) && pwd); folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; cd "$$folder"; \
	"$$bin/oxidepy" new vecadd_demo; \
	"$$bin/oxidepy" doctor; \
	cd vecadd_demo; \
	"$$bin/oxidepy" run

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(PYTEST)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
