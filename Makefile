# The two commands of the README: `make demo` and `make test`. Each sets up its own virtual environment.

PYTHON ?= python3
CORES ?= $(shell nproc)
CONFIG ?= config.yaml
RUN = $(shell sed -n 's/^run: *\([^ ]*\).*/\1/p' $(CONFIG))
ENVIRONMENT := .venv
INSTALLED := $(ENVIRONMENT)/.installed
INSTALLED_DEVELOPMENT := $(ENVIRONMENT)/.installed-development
ACTIVATE := . $(ENVIRONMENT)/bin/activate
export OMP_WAIT_POLICY := PASSIVE

.PHONY: demo report test check lint benchmark clean

demo: $(INSTALLED)  ## Train, translate and score on the embedded demo corpus; prints the table.
	$(ACTIVATE) && snakemake --cores $(CORES) --configfile $(CONFIG) -- score report && cat results/$(RUN)/scores.md

test: $(INSTALLED_DEVELOPMENT) lint  ## All checks and tests.
	$(ACTIVATE) && python -m pytest -n 2 $(PYTEST_OPTIONS)

lint: $(INSTALLED_DEVELOPMENT)  ## Style, types and workflow lint.
	$(ACTIVATE) && ruff check . && ruff format --check . && mypy . && snakefmt --check Snakefile rules && snakemake --lint

benchmark: $(INSTALLED_DEVELOPMENT)  ## Speed against references, in one run each.
	$(ACTIVATE) && for script in benchmarks/*.py; do python "$$script" || exit 1; done

clean:  ## Remove the demo's results (never a corpus or the environment).
	rm -rf results/demo work/demo

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(ENVIRONMENT)
	$(ENVIRONMENT)/bin/python -m pip install --quiet --disable-pip-version-check .
	touch $@

$(INSTALLED_DEVELOPMENT): $(INSTALLED)
	$(ENVIRONMENT)/bin/python -m pip install --quiet --disable-pip-version-check '.[development]'
	touch $@
