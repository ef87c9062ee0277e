# make demo   set-up and a first benchmark, no keys
# make test   set-up, checks and tests
# make bench  speed, as ratios from one run

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test check bench clean

demo: .venv/installed
	$(BIN)/convergebench weights pull
	$(BIN)/convergebench run --model classical,jpeg,noise,tint,identity --limit 12 || test $$? -eq 3
	$(BIN)/convergebench report

test: .venv/installed-for-tests check
	HF_HUB_OFFLINE=1 $(BIN)/pytest --numprocesses 2 --dist loadfile

check: .venv/installed-for-tests
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports

bench: .venv/installed-for-tests
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/engine_overhead.py
	$(BIN)/python benchmarks/latency.py
	$(BIN)/python benchmarks/statistics_speed.py
	$(BIN)/python benchmarks/batched_editing.py
	$(BIN)/python benchmarks/metrics_speed.py

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable .
	touch $@

.venv/installed-for-tests: .venv/installed
	$(INSTALL) --editable ".[dev]"
	touch $@

clean:
	rm -rf .venv results build
