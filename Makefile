# Everything sets itself up: all you need is Python 3.11 or newer with venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo run test check lint types floors format bench screenshots clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

demo: .venv/ready ## watch a small agent at work in a temporary folder, until you quit
	$(BIN)/spillscope --demo

run: .venv/ready ## open the inspector on SESSION=…, by default on this directory's newest session
	$(BIN)/spillscope $(SESSION)

test: .venv/ready ## pass the tests
	$(BIN)/pytest -n 2 --dist loadgroup

check: lint types floors test ## all that CI checks

lint: .venv/ready ## lint and format check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready ## strict types
	$(BIN)/mypy

floors: .venv/ready ## imports point only downwards
	$(BIN)/lint-imports

format: .venv/ready ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: .venv/ready ## the pictures in screenshots/, from the demo
	TZ=UTC TEXTUAL_ANIMATIONS=none $(BIN)/python tools/shots.py

bench: .venv/ready ## the benchmarks, as ratios
	PYTHONPATH=tests $(BIN)/python -m benchmarks

clean: ## remove what was set up
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
