# `make help` lists the targets. Requirements: rustup, a C compiler, Python 3.11 or later.

CARGO ?= cargo
PYTHON ?= python3

# The program that `run`, `queries` and `documents` execute.
PROGRAM = target/release/robots-scan

# Spark is tested on Linux.
HAS_SPARK = $(if $(filter Linux,$(shell uname)),java)

comma = ,

# Where the dataset of the samples is written, for `run` and `test`.
DATASET = target/samples.parquet
QUERIES = ROBOTS_SCAN_DATASET=$(DATASET) .venv-test/bin/python tests/python/test_queries.py

# How long `fuzz` runs each of its targets.
SECONDS = 60
TARGETS = parser dialects automaton verdicts
SCAN_TARGETS = members records http archive

.PHONY: duckdb-extension extension-test build dist dist-pgo doc crate sbom release-packages release-check help readme check test test-all compile compile-tests compile-others faults servers answers histories lint-all rust-test campaign contributing run queries independent hosts readers documents recipes requirements wheel wheel-pgo venv dev-wheel report-test report-errors describe-test site-libraries site-test browser python pages network sources java $(if $(HAS_SPARK),spark) deny schemas question-list golden bench benches bench-corpus profile fuzz fuzz-unpack fuzz-corpus clean
.NOTPARALLEL:

# Installs system packages if a check fails: as root, or by a sudo that asks for no password, or not at all.
# Arguments: the check, the packages, and what is missing without them.
define INSTALL
@$(1) || { \
  if [ "$$(id -u)" = 0 ]; then as_root=; else as_root='sudo -n'; fi; \
  if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
    echo "installing system packages: $$as_root apt-get install -q -y --no-install-recommends $(2)"; \
    $$as_root apt-get update -q && $$as_root apt-get install -q -y --no-install-recommends $(2); fi; \
  $(1) || { \
    echo 'error: $(3) is not installed' >&2; \
    echo 'hint: install it, then run make again; on Debian and Ubuntu: sudo apt-get install $(2)' >&2; exit 1; }; }
endef

build: ## builds the program, target/release/robots-scan (the default)
	$(CARGO) build --release --locked

target/release/robots-scan: build

# With xtask, which is built beside it.
target/debug/robots-scan:
	$(CARGO) build --locked

# The platform that `dist` builds for.
TARGET ?= $(shell rustc -vV | sed -n 's/^host: //p')
DIST_BYTES_MAX = 20000000
BUILT = target/$(TARGET)/dist

dist: ## packs the program as it is released, with the extension of DuckDB, pages, completions and its checksum, into target/dist-archives
	$(CARGO) build --profile dist --locked --target $(TARGET) --package robots-scan
	@bytes=$$(wc -c < $(BUILT)/robots-scan); test $$bytes -le $(DIST_BYTES_MAX) || { \
	  echo "error: the program has $$bytes bytes, more than $(DIST_BYTES_MAX)" >&2; exit 1; }
	$(MAKE) duckdb-extension EXTENSION=$(BUILT)/$(notdir $(EXTENSION)) EXTENSION_TARGET=$(TARGET)
	rm -rf target/dist-archives && mkdir -p target/dist-archives
	$(PYTHON) xtask/release.py pack $(BUILT)/robots-scan $(BUILT)/$(notdir $(EXTENSION)) target/dist-archives

# What `dist-pgo` writes: archives, the counters of the instrumented program, and the profile made of them.
PGO = target/pgo
PGO_BYTES = 16000000
PGO_PROGRAM = $(PGO)/build/$(TARGET)/dist/robots-scan
PROFDATA = $(shell rustc --print target-libdir)/../bin/llvm-profdata

dist-pgo: ## as `dist`, but optimized by a profile of runs over generated archives; needs llvm-tools
	@test -x $(PROFDATA) || { echo 'error: llvm-profdata is missing' >&2; echo 'hint: rustup component add llvm-tools' >&2; exit 1; }
	rm -rf $(PGO)
	$(CARGO) run --release --locked --package xtask -- bench-corpus crawl $(PGO)/crawl $(PGO_BYTES)
	$(CARGO) run --release --locked --package xtask -- bench-corpus stress $(PGO)/stress $(PGO_BYTES)
	RUSTFLAGS='-Cprofile-generate=$(CURDIR)/$(PGO)/counters' $(CARGO) build --profile dist --locked --target $(TARGET) --target-dir $(PGO)/build
	$(PGO_PROGRAM) $(PGO)/crawl/*.warc.gz -o $(PGO)/crawl.parquet --quiet
	$(PGO_PROGRAM) $(PGO)/stress/*.warc.gz -o $(PGO)/stress.parquet --quiet
	$(PGO_PROGRAM) match $(PGO)/crawl.parquet --urls $(PGO)/crawl.parquet/robots_files --agent GPTBot,Googlebot -o $(PGO)/answers.parquet --quiet
	$(PROFDATA) merge -o $(PGO)/profile $(PGO)/counters
	RUSTFLAGS='-Cprofile-use=$(CURDIR)/$(PGO)/profile' $(MAKE) dist

doc: ## builds the documentation of the libraries; a warning is an error
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --locked

WASM = wasm32-unknown-unknown

crate: ## packs the crate of the language and builds it alone, also for WebAssembly if that target is installed
	$(CARGO) package --locked --package robotstxt-dialects
	@if [ -d "$$(rustc --print target-libdir --target $(WASM))" ]; then $(CARGO) check --locked --package robotstxt-dialects --target $(WASM); \
	else echo '$(WASM) is not installed: the crate is not checked for it (rustup target add $(WASM))'; fi

sbom: ## lists what the program is made of, in target/dist-archives, if cargo-cyclonedx is installed
	@if ! $(CARGO) cyclonedx --version >/dev/null 2>&1; then echo 'cargo-cyclonedx is not installed: there is no list of components (cargo install cargo-cyclonedx)'; exit; fi; \
	$(CARGO) cyclonedx --format json --target $(TARGET) --override-filename release --no-build-deps && mkdir -p target/dist-archives && \
	mv release.json target/dist-archives/robots-scan-$(TARGET).cdx.json && find . -name release.json -not -path './target/*' -delete

# Everything that the workflow of a release does, but for the uploads. With CARGO_NET_OFFLINE=true, it needs no network after a first run.
release-check: doc crate dist sbom ## builds and checks what will be published (docs/developers/releasing.md)
	$(MAKE) wheel WHEEL_PROFILE=dist TARGET=$(TARGET)
	$(MAKE) release-packages

release-packages: .venv-test/all-ready .venv-test/release-ready ## checks the archive and the wheel that are built
	.venv-test/bin/python xtask/release.py check target/dist-archives target/wheels .venv-test/bin/uv .venv-test/bin/duckdb

help: ## lists the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 12

# Steps execute the program that the tests have built: another build would take longer than all of them.
STEP = $(MAKE) PROGRAM=target/debug/robots-scan
STEPS = @$(PYTHON) tests/python/steps.py

# The tests in Rust are compiled and run by areas: `make test AREA=language`. `faults` is of `test-all`.
# The area `core` is the core alone, without histories, servers, and commands that answer questions.
AREAS = language archives tables program
AREA = $(AREAS)
CORE = urls escapes warc errors process disk sort parquet-limits columns remote capture crawlers tables dataset hosts sources scan keep
CORE_PACKAGES = --no-default-features --package robots-scan --package robotstxt-dialects $(addprefix --package robots-scan-,$(CORE))
RUST_TESTS = --lib --bins $(if $(filter core,$(AREA)),$(CORE_PACKAGES) --test language --test tables,$(addprefix --test ,$(AREA)))

# A folder of `src`, or the name of a package.
PACKAGE =
PACKAGES = $(if $(wildcard src/$(PACKAGE)/Cargo.toml),--manifest-path src/$(PACKAGE)/Cargo.toml,$(PACKAGE:%=--package %))

check: ## while one works: format, clippy and unit tests; of one package: PACKAGE=robots
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked $(PACKAGES) -- -D warnings
	$(CARGO) test --locked $(PACKAGES) --lib

test: ## all tests of Rust, and one Python environment; one area in Rust: AREA=tables; the core alone: AREA=core
	$(STEPS) 2 $(STEP) AREA='$(AREA)' -- $(if $(filter core,$(AREA)),,compile$(comma))compile-tests \
	  $(if $(filter-out $(AREA),$(AREAS)),,.venv-test/ready)
	$(STEPS) 2 $(STEP) AREA='$(AREA)' -- rust-test \
	  $(if $(filter-out $(AREA),$(AREAS)),,readme$(comma)run$(comma)queries$(comma)hosts$(comma)formats$(comma)independent$(comma)documents)

# Targets that several steps need are made first. Others wait often: for servers, browsers and downloads.
SHARED = run dev-wheel browser site-libraries java
test-all: ## all other tests: clippy, damage, servers, histories, Spark, the browser, Python beside other libraries
	$(STEPS) 2 $(STEP) -- lint-all,compile-others .venv-test/all-ready,site-libraries,dev-wheel,run,browser,java
	$(STEPS) 5 $(STEP) $(addprefix -o ,$(SHARED)) -- report-test,pages $(if $(HAS_SPARK),spark) python readers$(comma)extension-test faults \
	  sources servers,deny histories site-test answers describe-test network report-errors recipes

compile:
	$(CARGO) build --locked --bins

compile-tests:
	$(CARGO) test --locked --no-run $(RUST_TESTS)

compile-others:
	$(CARGO) test --locked --no-run --test faults

faults: ## injects faults: damage, kills, full disks, hostile input
	$(CARGO) test --locked --test faults

servers: $(PROGRAM) .venv-test/all-ready ## reads from servers on this machine, which fail as a script says
	.venv-test/bin/python tests/python/test_servers.py $(PROGRAM)

# `.ci/run` compiles with the driver of clippy and sets CLIPPY_ARGS: a build then checks the lints, except those of the benches.
lint-all: ## checks the format, and the warnings of clippy about everything
	$(CARGO) fmt --all --check
	$(if $(CLIPPY_ARGS),$(CARGO) build --all-targets --locked,$(CARGO) clippy --workspace --all-targets --locked -- -D warnings)

rust-test: ## runs the tests in Rust that belong to `test`, with the examples in doc comments
	$(CARGO) test --locked $(RUST_TESTS)
	$(CARGO) test --locked --doc $(if $(filter core,$(AREA)),$(CORE_PACKAGES))

SEED ?= 1

campaign: .venv-test/ready ## all long series, whole, and recipes: hours; the kinds of fault print a table; tests by a part of their names: ONLY=a_disk
	CAMPAIGN_SEED=$(SEED) $(CARGO) test --locked --test language --test tables --test faults -- --nocapture --test-threads=1 $(ONLY)
	$(if $(ONLY),,$(STEP) lint-all report-test pages WRITE=--campaign)
	$(if $(ONLY),,.venv-test/bin/python tests/python/test_hosts.py target/debug/robots-scan --datasets 200)
	$(if $(ONLY),,.venv-test/bin/python tests/python/test_history.py target/debug/robots-scan target/debug/xtask --campaign)
	$(if $(ONLY),,.venv-test/bin/python tests/python/test_sources.py target/debug/robots-scan --campaign)
	$(if $(ONLY),,.venv-test/bin/python tests/python/test_hostile_values.py target/debug/robots-scan target/debug/xtask --campaign --seed $(SEED))
	$(if $(ONLY),,$(STEP) contributing recipes ALL=--all)
	$(if $(ONLY),,$(STEP) extension-test ALL=--campaign)

readme: $(PROGRAM) ## types the quick start of the README, with the program that is built
	set -e; for i in 1 2; do $(PROGRAM) $$(sed -n 's/^\$$ cargo run -- //p' README.md); done

# Some samples are damaged on purpose, so the run must end with exit code 1, "done with faults".
run: $(PROGRAM) ## runs the main job over all samples, into target/samples.parquet
	rm -rf $(DATASET)
	$(PROGRAM) 'data-samples/warc/*.warc.gz' -o $(DATASET); test $$? -eq 1

# Views are also compared on real archives, if they are available.
REAL_ARCHIVES = $(wildcard ../shared/data/real/REAL-ODD* ../shared/data/real/REAL-2017* ../shared/data/crawl-shaped/*.gz)
REAL_DATASET = target/real.parquet

# The resolved tables are compared with their oracle on all of them.
ALL_REAL = $(wildcard ../shared/data/real ../shared/data/warc)
ALL_REAL_DATASET = target/all-real.parquet

queries: $(PROGRAM) .venv-test/ready ## tests views, macros and research questions over the dataset of `run`
	rm -rf $(REAL_DATASET)
	@if test -z '$(REAL_ARCHIVES)'; then echo 'skipped: views of real archives, which are not available'; else \
	  $(PROGRAM) $(REAL_ARCHIVES) -q -o $(REAL_DATASET) --crawl REAL --subset robotstxt; test $$? -le 1; fi
	.venv-test/bin/python tests/python/test_views.py $(DATASET) $(if $(REAL_ARCHIVES),$(REAL_DATASET))
	$(QUERIES)

independent: $(PROGRAM) .venv-test/ready ## compares research questions with plain Python, and cut responses with what is known of them
	.venv-test/bin/python tests/python/test_independent.py $(PROGRAM) $(DATASET)
	.venv-test/bin/python tests/python/test_cut_responses.py $(PROGRAM) $(REAL_ARCHIVES)

define SCAN_ALL_REAL
rm -rf $(ALL_REAL_DATASET)
@if test -z '$(ALL_REAL)'; then echo 'skipped: real archives, which are not available'; else \
  $(PROGRAM) $(ALL_REAL) --relative-to ../shared/data -q -o $(ALL_REAL_DATASET) 2>/dev/null; test $$? -le 1; fi
endef

hosts: $(PROGRAM) .venv-test/ready ## compares the resolved tables with their oracles
	$(SCAN_ALL_REAL)
	.venv-test/bin/python tests/python/test_hosts.py $(PROGRAM) $(DATASET) $(if $(ALL_REAL),$(ALL_REAL_DATASET))

answers: run .venv-test/ready ## compares answers with each other and over real archives; tests the table for cc-host-index
	$(SCAN_ALL_REAL)
	.venv-test/bin/python tests/python/test_preferences.py $(PROGRAM)
	.venv-test/bin/python benches/measure/test_study_mistakes.py $(PROGRAM)
	.venv-test/bin/python tests/python/test_equal_answers.py $(if $(ALL_REAL),$(ALL_REAL_DATASET),$(DATASET))
	.venv-test/bin/python tests/python/test_keys.py $(PROGRAM) $(DATASET) $(if $(ALL_REAL),$(ALL_REAL_DATASET))
	.venv-test/bin/python tests/python/test_annotation.py $(PROGRAM) $(DATASET)

formats: $(PROGRAM) .venv-test/ready ## reads the datasets that releases have written; before a release, WRITE=--write makes those of its format
	.venv-test/bin/python tests/python/test_formats.py $(PROGRAM) $(WRITE)

histories: $(PROGRAM) .venv-test/all-ready ## tests histories of many crawls, and hostile values in all tables
	.venv-test/bin/python tests/python/test_history.py $(PROGRAM) target/debug/xtask
	.venv-test/bin/python tests/python/test_history_questions.py $(PROGRAM) target/debug/xtask
	.venv-test/bin/python tests/python/test_history_damage.py $(PROGRAM) target/debug/xtask
	.venv-test/bin/python tests/python/test_hostile_values.py $(PROGRAM) target/debug/xtask

readers: run .venv-test/ready java ## reads every table with old and new readers; READERS=polars
	.venv-test/bin/python tests/python/test_readers.py $(PROGRAM) .venv-test/bin/uv .venv-readers $(DATASET) $(READERS)

documents: $(PROGRAM) .venv-test/ready ## executes the commands in the documentation; WRITE=--write updates their outputs
	.venv-test/bin/python tests/python/test_documents.py $(PROGRAM) $(WRITE)

contributing: target/debug/robots-scan .venv-test/ready ## tries four recipes of CONTRIBUTING.md in a copy
	.venv-test/bin/python tests/python/test_contributing.py

# Elsewhere than on Linux, recipes in R are skipped without R.
HAS_R = { command -v Rscript || test "$$(uname)" != Linux; } >/dev/null

recipes: $(PROGRAM) dev-wheel $(if $(ALL),.venv-test/campaign-ready) $(HAS_SPARK) ## executes the recipes in docs/recipes.md, docs/python.md and docs/functions.md; ALL=--all: also in R and Jupyter
	$(if $(ALL),$(call INSTALL,$(HAS_R),r-base-core,R))
	.venv-test/bin/python tests/python/test_recipes.py $(PROGRAM) $(WRITE) $(ALL) $(if $(HAS_SPARK),,--without Spark)
	.venv-test/bin/python tests/python/test_list_of_sites.py $(PROGRAM)
	.venv-test/bin/python tests/python/test_study.py $(PROGRAM) $(WRITE)

# Where cargo writes the library, and the profile that it is built with.
EXTENSION = target/duckdb/robots_scan.duckdb_extension
EXTENSION_PROFILE = dist

duckdb-extension: ## builds the extension of DuckDB, and prints how to load it (docs/functions.md)
	$(CARGO) build --locked --package robots-scan-duckdb --profile $(EXTENSION_PROFILE) $(EXTENSION_TARGET:%=--target %)
	@$(PYTHON) src/duckdb/footer.py $(or $(CARGO_TARGET_DIR),target)/$(EXTENSION_TARGET:%=%/)$(EXTENSION_PROFILE:dev=debug)/$(if $(filter Darwin,$(shell uname)),libduckdb.dylib,libduckdb.so) $(EXTENSION) $(EXTENSION_TARGET)
	@echo "duckdb -unsigned"
	@echo "LOAD '$(abspath $(EXTENSION))';"

extension-test: $(PROGRAM) .venv-test/ready ## tests the extension of DuckDB, also in the versions that `readers` has installed
	$(MAKE) duckdb-extension EXTENSION_PROFILE=dev
	.venv-test/bin/python tests/python/test_duckdb_extension.py $(PROGRAM) $(EXTENSION) .venv-readers $(ALL)

MATURIN = .venv-test/bin/maturin

HAS_NPM = command -v npm >/dev/null

# The libraries of `robots-scan site`, which are not committed. A package for others is not built without them.
site-libraries: ## fetches the JavaScript libraries of the site with npm, by checksums
	$(call INSTALL,$(HAS_NPM),npm,npm)
	$(PYTHON) src/python/fetch_libraries.py

OPTIONAL_LIBRARIES = @$(PYTHON) src/python/fetch_libraries.py || echo 'the package is built without `robots-scan site`'

WHEEL_PROFILE = release

# With MANYLINUX=manylinux2014, the wheel runs on systems older than the one it is built on: Zig links it, and has their symbols.
wheel: .venv-test/build-ready $(if $(MANYLINUX),.venv-test/release-ready) site-libraries ## builds the Python package into target/wheels
	rm -rf target/wheels
	PATH="$(CURDIR)/.venv-test/bin:$$PATH" $(MATURIN) build --profile $(WHEEL_PROFILE) --locked $(if $(MANYLINUX),--zig --compatibility $(MANYLINUX)) \
	  $(if $(filter command,$(origin TARGET)),--target $(TARGET)) -m src/python/Cargo.toml --out target/wheels

# The profile has mangled names of functions, which depend on whether a target is given: `dist-pgo` gives one.
wheel-pgo: ## as `wheel`, but optimized as the program of `dist-pgo`, whose profile it uses
	@test -f $(PGO)/profile || { echo 'error: $(PGO)/profile is missing' >&2; echo 'hint: make dist-pgo' >&2; exit 1; }
	RUSTFLAGS='-Cprofile-use=$(CURDIR)/$(PGO)/profile' $(MAKE) wheel WHEEL_PROFILE=dist TARGET=$(TARGET)

# The build of the tests, which takes seconds after them; or `release`.
BUILD = dev

# An environment that exists keeps its other packages. Pip would keep a package of the same version, too.
venv: .venv-test/build-ready ## installs the Python package with the report into .venv; optimized: BUILD=release
	$(OPTIONAL_LIBRARIES)
	rm -rf target/wheels-venv
	$(MATURIN) build --locked --profile $(BUILD) -m src/python/Cargo.toml --out target/wheels-venv
	test -x .venv/bin/pip || $(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels-venv/*.whl
	$(UV) install --quiet --python .venv/bin/python --constraints $(LOCKED) "$$(echo target/wheels-venv/*.whl)[report]"

# The package that the tests use, always built again: a build without changes takes seconds.
dev-wheel: .venv-test/all-ready
	$(OPTIONAL_LIBRARIES)
	rm -rf target/wheels-dev
	$(MATURIN) build --locked --profile dev -m src/python/Cargo.toml --out target/wheels-dev
	$(UV) install --quiet --python .venv-test/bin/python --no-deps --reinstall target/wheels-dev/*.whl

report-test: $(PROGRAM) dev-wheel ## tests the report over several datasets, whose pages it writes into target/report; WRITE=--write draws the chart of the README
	.venv-test/bin/python tests/python/test_report.py $(PROGRAM) target/debug/xtask target/report $(WRITE)

report-errors: $(PROGRAM) dev-wheel ## tests the errors and the command line of the report
	.venv-test/bin/python tests/python/test_report_errors.py $(PROGRAM)

describe-test: $(PROGRAM) dev-wheel ## tests the description of datasets with mlcroissant
	.venv-test/bin/python tests/python/test_describe.py $(PROGRAM)

# Sets of libraries that the Python package is tested beside. That with Spark needs Java.
ENVIRONMENTS = none types pyarrow polars pandas duckdb duckdb-pyarrow $(if $(HAS_SPARK),spark)

python: run dev-wheel $(if $(filter spark,$(ENVIRONMENTS)),java) ## tests the Python package beside other libraries; ENVIRONMENTS=polars
	$(if $(filter none,$(ENVIRONMENTS)),.venv-test/bin/uv venv --quiet --clear --python .venv-test/bin/python .venv-empty)
	$(if $(filter none,$(ENVIRONMENTS)),$(UV) install --quiet --python .venv-empty/bin/python --no-deps target/wheels-dev/*.whl)
	ROBOTS_SCAN_PROGRAM=$(abspath $(PROGRAM)) .venv-test/bin/python src/python/tests/environments.py .venv-empty/bin/python $(ENVIRONMENTS)
	$(if $(filter duckdb,$(ENVIRONMENTS)),.venv-test/bin/python tests/python/test_streams.py $(DATASET) 'data-samples/warc/*.warc.gz')

# Those that tests/python/test_pages.py finds.
HAS_BROWSER = { command -v chromium || command -v google-chrome || command -v chromium-browser; } >/dev/null

# Without fonts, the browser draws no text.
BROWSER = chromium fonts-dejavu-core fonts-liberation

browser:
	$(call INSTALL,$(HAS_BROWSER),$(BROWSER),Chromium)

pages: .venv-test/all-ready browser ## checks the pages in target/report in Chromium, after a self-test; pictures in target/report/screenshots
	@set -- target/report/*.html; test -e "$$1" || { echo 'error: there are no pages in target/report' >&2; exit 1; }
	.venv-test/bin/python tests/python/test_pages.py --self-test target/report/*.html --max-words 1200 --screenshots target/report/screenshots $(WRITE)

site-test: $(PROGRAM) site-libraries dev-wheel browser ## tests the site in Chromium, with a server on this machine; pictures in target/site
	.venv-test/bin/python tests/python/test_site.py $(PROGRAM) target/debug/xtask target/site

# Spark needs Java.
HAS_JAVA = "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | grep -Eq 'version "(1[7-9]|[2-9][0-9])'

network: $(PROGRAM) .venv-test/all-ready ## tests reading over https and from S3 with servers on this machine
	.venv-test/bin/python tests/python/test_network.py $(PROGRAM)
	.venv-test/bin/python tests/python/test_s3.py $(PROGRAM)

sources: $(PROGRAM) .venv-test/all-ready ## tests records by address and tables of bodies, with servers on this machine
	.venv-test/bin/python tests/python/test_sources.py $(PROGRAM)

java:
	$(call INSTALL,$(HAS_JAVA),openjdk-17-jre-headless,Java 17 or later)

spark: $(PROGRAM) .venv-test/all-ready java ## compares the Spark jobs with one local run, on a cluster on this machine; needs Linux and Java 17
	.venv-test/bin/python tests/python/s3_server.py .venv-test/bin/python tests/python/test_spark_jobs.py $(PROGRAM)

# Advisories are not checked here: they need the network and change at any time.
deny: ## checks licences and sources of the dependencies, if cargo-deny is installed
	@if $(CARGO) deny --version >/dev/null 2>&1; \
	then $(CARGO) deny check --hide-inclusion-graph bans licenses sources; \
	else echo 'cargo-deny is not installed: licences and sources are not checked (cargo install cargo-deny)'; fi

schemas: ## writes schemas/ from the code
	$(CARGO) run --locked -- schema --write schemas

question-list: .venv-test/ready ## writes the list of questions in docs/queries.md
	.venv-test/bin/python tests/python/test_queries.py --write

golden: ## writes the digests of all outputs, and a few values of each column, into tests/golden/; review the diff, it is the only check
	GOLDEN_WRITE=1 $(CARGO) test --locked --test tables golden::

benches: ## runs the benches of single layers
	$(CARGO) bench --locked --package robots-scan-benches

# The inputs of `bench`: archives in the proportions of a crawl, with ordinary real bodies, if they are available, with generated ones,
# and with all real ones; and archives of large files, from real ones if they are available.
CORPUS = target/bench/corpus
CORPUS_BYTES ?= 64000000
CORPUS_FROM = $(wildcard ../shared/data/real/*.warc.gz)
# Without the bodies that were picked because they are odd.
ORDINARY_FROM = $(filter-out %/REAL-ODD-00000.warc.gz,$(CORPUS_FROM))
CORPORA = $(if $(CORPUS_FROM),$(CORPUS)/ordinary-bodies) $(CORPUS)/crawl $(if $(CORPUS_FROM),$(CORPUS)/real-bodies) $(CORPUS)/stress

bench-corpus: ## writes the inputs of `bench`, CORPUS_BYTES of each, into folders in target/bench/corpus
	rm -rf $(CORPUS)
	$(if $(CORPUS_FROM),$(CARGO) run --release --locked --package xtask -- bench-corpus real-bodies $(CORPUS)/ordinary-bodies $(CORPUS_BYTES) $(ORDINARY_FROM))
	$(CARGO) run --release --locked --package xtask -- bench-corpus crawl $(CORPUS)/crawl $(CORPUS_BYTES)
	$(if $(CORPUS_FROM),$(CARGO) run --release --locked --package xtask -- bench-corpus real-bodies $(CORPUS)/real-bodies $(CORPUS_BYTES) $(CORPUS_FROM))
	$(CARGO) run --release --locked --package xtask -- bench-corpus stress $(CORPUS)/stress $(CORPUS_BYTES) $(CORPUS_FROM)

ROUNDS ?= 5

bench: build .venv-bench/ready ## measures the whole job on the corpora beside lower bounds and other programs, and prints ratios
	$(CARGO) build --release --locked --package robots-scan-benches --example floors
	@for corpus in $(CORPORA); do test -d $$corpus || { $(MAKE) bench-corpus; break; }; done
	.venv-bench/bin/python benches/measure/measure.py target/release/robots-scan target/release/examples/floors \
	  target/bench/scratch $(CORPORA) --rounds $(ROUNDS)

# A fixed input, generated from a seed: its counts are comparable with those in docs/developers/performance.md.
PROFILE = target/bench/profile/crawl
PROFILE_BYTES = 4000000
ARCHIVES = $(PROFILE)/*.warc.gz

profile: ## counts the instructions of the whole job by stage; needs valgrind
	$(CARGO) build --profile profiling --locked
	@test -d $(PROFILE) || $(CARGO) run --profile profiling --locked --package xtask -- bench-corpus crawl $(PROFILE) $(PROFILE_BYTES)
	$(PYTHON) benches/measure/profile.py target/profiling/robots-scan $(ARCHIVES)

# Comparisons are not traced: most of them would be those of the slow reference implementations.
FUZZ = $(CARGO) fuzz run -s none --no-trace-compares

fuzz: fuzz-unpack ## runs the fuzzers, SECONDS=60 each; needs cargo-fuzz (docs/developers/testing.md)
	for target in $(TARGETS); do \
	  $(FUZZ) $$target fuzz/grown/$$target fuzz/regressions/$$target -- \
	    -dict=fuzz/robots.dict -len_control=20 -max_len=1024 -max_total_time=$(SECONDS) || exit; \
	done
	for target in $(SCAN_TARGETS); do \
	  $(FUZZ) --features scan $$target fuzz/grown/$$target fuzz/regressions/$$target -- \
	    -dict=fuzz/warc.dict -len_control=20 -max_len=4096 -timeout=60 -max_total_time=$(SECONDS) || exit; \
	done

# Fuzzers add what they find to fuzz/grown.
fuzz-unpack:
	for target in $(TARGETS) $(SCAN_TARGETS); do \
	  mkdir -p fuzz/grown/$$target fuzz/regressions/$$target; \
	  tar -xzf fuzz/corpus/$$target.tar.gz -C fuzz/grown/$$target || exit; \
	done

# GNU tar: the same inputs give the same bytes.
PACK = tar --format=ustar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 --transform='s|.*/||' --no-recursion

fuzz-corpus: fuzz-unpack ## packs the smallest inputs with the coverage of fuzz/grown into fuzz/corpus
	rm -rf fuzz/minimized
	for target in $(TARGETS); do \
	  mkdir -p fuzz/minimized/$$target; \
	  $(FUZZ) $$target fuzz/minimized/$$target fuzz/grown/$$target -- \
	    -merge=1 -use_counters=0 -max_len=1024 || exit; \
	done
	for target in $(SCAN_TARGETS); do \
	  mkdir -p fuzz/minimized/$$target; \
	  $(FUZZ) --features scan $$target fuzz/minimized/$$target fuzz/grown/$$target -- \
	    -set_cover_merge=1 -max_len=4096 || exit; \
	done
	for target in $(TARGETS) $(SCAN_TARGETS); do \
	  $(PACK) -cf - fuzz/minimized/$$target/* | gzip -9n > fuzz/corpus/$$target.tar.gz || exit; \
	done
	rm -r fuzz/minimized

clean: ## removes target/ and the virtual environments of the tests and benches
	$(CARGO) clean
	rm -rf .venv-test .venv-empty .venv-bench .venv-readers $(DATASET) fuzz/target

# The packages of the tests, with hashes: those of a group of REQUIREMENTS, in the versions of LOCKED.
REQUIREMENTS = tests/python/requirements/pyproject.toml
LOCKED = tests/python/requirements/locked.txt
UV = .venv-test/bin/uv pip
# The certificates of the system, as pip and browsers use them.
export UV_SYSTEM_CERTS = 1
# In the folder that `clean` removes: each clone unpacks and builds Spark, which takes 3 GB that a cache of all clones would keep.
export UV_CACHE_DIR = $(CURDIR)/.venv-test/cache
LOCK = $(UV) compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate

requirements: .venv-test/ready ## writes the versions and hashes of tests/python/requirements again; OPTIONS=--upgrade
	cd tests/python/requirements && $(CURDIR)/$(LOCK) $(OPTIONS) --group uv -o uv.txt
	cd tests/python/requirements && $(CURDIR)/$(LOCK) $(OPTIONS) --group campaign --group release --group bench -o locked.txt
	.venv-test/bin/python tests/python/test_readers.py --lock $(CURDIR)/.venv-test/bin/uv

# Debian packages Python without `venv`.
HAS_VENV = $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null

# The one environment of the tests. `make test`, `test-all` and `campaign` each add packages to it.
.venv-test/uv-ready: tests/python/requirements/uv.txt $(REQUIREMENTS) $(LOCKED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'error: $(PYTHON) is not Python 3.11 or later' >&2; \
	  echo 'hint: name another one: make PYTHON=python3.11' >&2; exit 1; }
	$(call INSTALL,$(HAS_VENV),python3-venv,the module venv of $(PYTHON))
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.venv-test/build-ready: GROUP = build
.venv-test/ready: GROUP = core
.venv-test/all-ready: GROUP = all
.venv-test/campaign-ready: GROUP = campaign
.venv-test/release-ready: GROUP = release
.venv-bench/ready: GROUP = bench

.venv-test/build-ready .venv-test/ready .venv-test/all-ready .venv-test/campaign-ready .venv-test/release-ready .venv-bench/ready: .venv-test/uv-ready
	@echo 'installing the packages $(GROUP) of $(REQUIREMENTS) into $(@D)'
	test -x $(@D)/bin/python || .venv-test/bin/uv venv --quiet --python .venv-test/bin/python $(@D)
	$(UV) install --quiet --python $(@D)/bin/python --require-hashes --constraints $(LOCKED) --build-constraints $(LOCKED) --group $(REQUIREMENTS):$(GROUP)
	@touch $@
