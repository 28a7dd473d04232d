# Targets for people; `make help` lists them. Each sets up the virtual environment that it needs.

PYTHON ?= python3
CORES ?= $(shell nproc)
INPUTS ?= 2000
LEARN ?= all
CONFIG ?= config.yaml
ifeq ($(wildcard $(CONFIG)),)
$(error no file $(CONFIG); CONFIG=FILE names a configuration)
endif
ENVIRONMENT := .venv
INSTALLED := $(ENVIRONMENT)/.installed
INSTALLED_DEVELOPMENT := $(ENVIRONMENT)/.installed-development
INSTALLED_CLUSTERS := $(ENVIRONMENT)/.installed-clusters
ACTIVATE := . $(ENVIRONMENT)/bin/activate
# Scores and report of a run, with a short display; the log holds all output. The shell's variable RESULTS is its folder.
WORKFLOW = RESULTS=$$(python -m discourse_nmt.workflow.results_folder $(CONFIG)) && \
	python -m discourse_nmt.workflow.display --log $$RESULTS/logs/workflow.log -- --cores $(CORES) \
	--configfile $(CONFIG) -- score report
export OMP_WAIT_POLICY := PASSIVE

# Exact versions: envs/requirements.lock.
PIP_OPTIONS = --disable-pip-version-check --constraint envs/requirements.lock --editable
INSTALL = $(ENVIRONMENT)/bin/python -m pip install --quiet $(PIP_OPTIONS)
APT_INSTALL = apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends

.DEFAULT_GOAL := help
.PHONY: help install lock docs demo matrix report why schema test test-workflow test-browser test-cloud test-cluster test-faults test-hostile test-learning test-gpu mutants mutants-sample fuzz lint benchmark clean

help:  ## This list.
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

install: $(INSTALLED)  ## The environment .venv with the command discourse-nmt, its page and the workflow: 1.7 GB (with CUDA 5.8), some minutes.
	@echo "ready: . $(ENVIRONMENT)/bin/activate"

demo: $(INSTALLED)  ## Analyse, train, translate and score on the embedded demo corpus; prints the table.
	@$(ACTIVATE) && $(WORKFLOW) models && cat $$RESULTS/scores.md && printf '%s\n' '' \
		'One seed, short trainings: not the figures of three seeds in docs/reference/figures/demo.md, nor those of real text in README.md.' \
		'' 'What to look at next:' \
		"  $$RESULTS/report.html: scores, curves, costs, and the documents with their trees, chains and translations" \
		"  $$RESULTS/scores.tsv: every number, with the signature of its computation" \
		"  $$RESULTS/documents/index.html: analysed English texts" \
		"  discourse-nmt translate --model $$(ls -dt $$RESULTS/*/experiments/*/seed*/model | head -1) FILE: a text of yours, by a model of the demo" \
		'  docs/how-to/corpora.md: the same for your corpus; config/README.md: the presets'

matrix: CONFIG := config/demo_matrix.yaml
matrix: $(INSTALLED)  ## All systems on the demo corpus, three seeds each; takes hours.
	@$(ACTIVATE) && $(WORKFLOW) && cat $$RESULTS/scores.md

report: $(INSTALLED)  ## The report of a run (CONFIG=...), of which all that is missing is made first.
	@$(ACTIVATE) && $(WORKFLOW) && echo $$RESULTS/report.html

why: $(INSTALLED)  ## What would run for a run (CONFIG=...), and why, in words.
	$(ACTIVATE) && discourse-nmt why --configfile $(CONFIG) -- score report

schema: $(INSTALLED)  ## All that is made from the code: config.schema.yaml, comments of config.yaml, pages of settings, pictures of docs/architecture.md and docs/study.md.
	$(ACTIVATE) && python -m discourse_nmt.workflow.schema.generate && python -m docs.drawings.generate

WHOLE_WORKFLOW = tests/workflow/test_workflow.py
test: $(INSTALLED_DEVELOPMENT) lint  ## All checks, the tests of every part, and those of one whole workflow.
	$(ACTIVATE) && python -m pytest -n 2 --dist loadfile tests/unit $(WHOLE_WORKFLOW) $(PYTEST_OPTIONS)

test-workflow: $(INSTALLED_DEVELOPMENT)  ## Whole workflows of all systems, kinds of corpora and analysers; minutes.
	$(ACTIVATE) && python -m pytest -n 2 --dist loadfile tests/workflow --ignore $(WHOLE_WORKFLOW) $(PYTEST_OPTIONS)

test-browser: $(INSTALLED_DEVELOPMENT)  ## The report in headless Chromium; as root, Debian's packages are installed first.
	@{ command -v chromium && command -v chromedriver; } >/dev/null || [ "$$(id -u)" != 0 ] || \
		{ $(APT_INSTALL) chromium chromium-driver; }
	$(ACTIVATE) && python -m pytest tests/browser --fail-on-skip $(PYTEST_OPTIONS)

test-cloud: $(INSTALLED_CLUSTERS)  ## A run in S3 storage that loses its machine, all profiles, the manifest for Kubernetes.
	$(ACTIVATE) && python -m pytest tests/cloud --fail-on-skip $(PYTEST_OPTIONS)

test-cluster: $(INSTALLED_CLUSTERS)  ## The workflow on a Slurm of its own; as root, Debian's packages are installed first.
	@PATH="$$PATH:/usr/sbin"; { command -v slurmctld && command -v slurmd && command -v munged && command -v qsub; } >/dev/null || \
		[ "$$(id -u)" != 0 ] || { $(APT_INSTALL) munge slurmctld slurmd slurm-client slurm-wlm-basic-plugins slurm-wlm-torque; }
	$(ACTIVATE) && python -m pytest tests/cluster --fail-on-skip $(PYTEST_OPTIONS)

test-faults: $(INSTALLED_DEVELOPMENT)  ## Kills, full disks, damaged files; prints how many of each and what was lost.
	$(ACTIVATE) && python -m pytest tests/faults --fail-on-skip $(PYTEST_OPTIONS)

test-hostile: $(INSTALLED_DEVELOPMENT)  ## The whole workflow on names that are traps; minutes.
	$(ACTIVATE) && python -m pytest tests/hostile --fail-on-skip $(PYTEST_OPTIONS)

mutants: $(INSTALLED_DEVELOPMENT)  ## Faults of tests/mutants/faults.toml, one at a time in a copy; prints those that no test catches.
	$(ACTIVATE) && python -m tests.mutants.run $(FAULTS)

mutants-sample: $(INSTALLED_DEVELOPMENT)  ## Random faults (SEED=1 FAULTS=60), and how many of them tests catch; first all unit tests, once.
	$(ACTIVATE) && python -m tests.mutants.sample --seed $(or $(SEED),1) --faults $(or $(FAULTS),60)

test-learning: $(INSTALLED_DEVELOPMENT)  ## Every system (LEARN=turn: three, by the day) learns twenty documents by heart; minutes.
	$(ACTIVATE) && python -m pytest tests/learning --learn $(LEARN) --fail-on-skip $(PYTEST_OPTIONS)

fuzz: $(INSTALLED_DEVELOPMENT)  ## Many damaged files for every reader, texts for every language (INPUTS=... for each).
	$(ACTIVATE) && python -m pytest tests/fuzz --inputs $(INPUTS)

test-gpu: $(INSTALLED_DEVELOPMENT)  ## Tests that need a GPU; no other target runs them.
	$(ACTIVATE) && python -m pytest tests/gpu --fail-on-skip

lint: $(INSTALLED_DEVELOPMENT)  ## Style, types and workflow lint.
	$(ACTIVATE) && ruff check . && ruff format --check . && mypy && snakefmt --check Snakefile rules && snakemake --lint

benchmark: $(INSTALLED_DEVELOPMENT)  ## Speed against references in one table; ROWS="waves-int8 --quick" chooses.
	$(ACTIVATE) && python -m benchmarks.table $(ROWS)

docs: $(INSTALLED)  ## The documentation as a site in docs/_build/html, with examples; warnings and dead links are errors.
	$(INSTALL) '.[workflow,docs]'
	$(ENVIRONMENT)/bin/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "examples: a report and analyses; without results of a demo, a small run makes the report"
	$(ACTIVATE) && python -m docs.examples.build docs/_build/html/examples

lock:  ## envs/requirements.lock anew, with the newest versions that the ranges of pyproject.toml allow.
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check '.[cloud,cluster,data,development,development-cloud,docs,htcondor,rjieba,serve,storage,workflow]'
	{ sed -n '/^#/p' envs/requirements.lock && .venv-lock/bin/python -m pip freeze --exclude discourse-nmt | sed 's/+cpu$$//'; } \
		> envs/requirements.lock.new && mv envs/requirements.lock.new envs/requirements.lock && rm -rf .venv-lock

clean:  ## Remove the demo's results (never a corpus or the environment).
	rm -rf results/demo work/demo

$(INSTALLED): pyproject.toml envs/requirements.lock
	$(PYTHON) -m venv $(ENVIRONMENT)
	@echo "installing packages: 1.7 GB on disk, 5.8 GB with CUDA, some minutes"
	@echo "without CUDA: export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu"
	$(ENVIRONMENT)/bin/python -m pip install $(PIP_OPTIONS) '.[serve,workflow]'
	touch $@

$(INSTALLED_DEVELOPMENT): $(INSTALLED)
	$(INSTALL) '.[workflow,development]'
	touch $@

$(INSTALLED_CLUSTERS): $(INSTALLED_DEVELOPMENT)
	$(INSTALL) '.[cloud,cluster,htcondor,storage,workflow,development,development-cloud]'
	touch $@
