# make demo   set-up and a first benchmark, no keys
# make test   set-up, checks and tests
# make test-busy  the tests beside two busy loops
# make test-timing  those about deadlines, signals, kills and races, twenty times beside them
# make faults  hundreds of kills, damaged files and hostile answers
# make docs   the documentation as a site, into build/site
# make site   the same, with an example leaderboard and an example page
# make bench  speed, as ratios from one run, into docs/performance.md; BEFORE=OTHER/src measures another version too

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-compile
unexport PYTHONDONTWRITEBYTECODE  # most of what is installed is never imported; what is, is compiled then

.PHONY: demo test test-busy test-timing check unit faults bench docs site clean

demo: .venv/installed
	$(BIN)/convergebench weights pull lpips
	$(BIN)/convergebench run --suite converge-small --model classical,classical-patch,classical-reencode,jpeg,identity --limit 6 --rounds 5 || test $$? -eq 3
	$(BIN)/convergebench report

test: .venv/installed-for-tests
	$(MAKE) --jobs 2 check unit

PYTEST := HF_HUB_OFFLINE=1 $(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder
BUSY := yes > /dev/null & one=$$!; yes > /dev/null & other=$$!; trap "kill $$one $$other" EXIT

unit: .venv/compiled-for-tests
	$(PYTEST)

test-busy: .venv/compiled-for-tests
	$(BUSY); $(PYTEST)

test-timing: .venv/compiled-for-tests
	$(BUSY); for run in $$(seq 20); do $(PYTEST) -m timing || exit 1; done

check: .venv/installed-for-tests
	$(BIN)/ruff check src tests benchmarks rendering examples
	$(BIN)/ruff format --check src tests benchmarks rendering examples
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports

faults: .venv/installed-for-tests
	CONVERGEBENCH_FAULTS=$${CONVERGEBENCH_FAULTS:-200} $(BIN)/pytest tests/faults tests/network

bench: .venv/installed-for-tests
	HF_HUB_OFFLINE=1 $(BIN)/python benchmarks/table.py $(if $(BEFORE),--before $(BEFORE))

docs: .venv/installed
	$(INSTALL) --editable ".[docs]"
	$(BIN)/python docs/generate_models.py
	$(BIN)/python docs/generate_reference.py
	$(BIN)/mkdocs build --strict

site: docs
	$(BIN)/python docs/make_example_site.py build/site/example

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable .
	touch $@

.venv/installed-for-tests: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable ".[dev]"
	touch .venv/installed $@

.venv/compiled-for-tests: .venv/installed-for-tests  # once, and not by every process of the tests
	HF_HUB_OFFLINE=1 $(BIN)/pytest --collect-only -qq > /dev/null || true  # unit shows what is wrong
	touch $@

clean:
	rm -rf .venv results build
