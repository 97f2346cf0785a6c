# The two commands a newcomer needs are `make start` and `make check`; meson and ninja do the work.
# Plain `meson setup build && ninja -C build` builds the same, once `make deps` has been run.

TRACE    ?= examples/page-load.json.gz
BUILD    ?= build
SANITIZE ?= build-asan
THREADS  ?= build-tsan
FUZZ     ?= build-fuzz
COVERAGE ?= build-coverage
SECONDS  ?= 60

.DEFAULT_GOAL := help
.PHONY: help start check check-portable check-musl check-browsers check-deps check-build run-tests fuzz coverage bench-check fleet-check deb check-deb deps build clean

help:
	@echo 'make start [TRACE=path]  install what is missing, build, open a trace in the viewer'
	@echo 'make check               install what is missing, build, run every test'
	@echo 'make check-browsers      run the core of the browser tests in Firefox and WebKitGTK'
	@echo 'make check-portable      run the tests of the engine for s390x (big-endian) and armhf (32-bit) with qemu-user'
	@echo 'make check-musl          build a static command with musl, and run the tests of the engine'
	@echo 'make deps                install what is missing'
	@echo 'make build               build $(BUILD)/varve and the static page in $(BUILD)/web/site'
	@echo 'make fuzz SECONDS=N      run every fuzz target for N seconds, add new inputs to fuzz/corpus'
	@echo 'make coverage            run the C tests, list the functions that no test called'
	@echo 'make bench-check         compare the instructions of ten loads with bench/instructions.txt; UPDATE=1 writes them'
	@echo 'make fleet-check         check docs/fleet.md with 1,000 traces, DuckDB and Spark'
	@echo 'make deb                 make the Debian packages of the last commit in $(BUILD)/deb'
	@echo 'make check-deb           make them twice, compare; install, use and remove them in a fresh Debian (root)'
	@echo 'make clean               remove what was built'

start: build
	$(BUILD)/varve open $(ARGS) '$(TRACE)'

deps:
	@tools/deps.sh build

check-deps: deps
	@tools/deps.sh tests

build: deps $(BUILD)/build.ninja
	meson compile -C $(BUILD)

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD) -Dweb=enabled

# The second build: the other compiler, with every assertion and both sanitizers, C only. lld takes a third of the time of ld for a program
# with a sanitizer.
$(SANITIZE)/build.ninja: | check-deps
	CC=clang-19 CC_LD=lld-19 meson setup $(SANITIZE) --buildtype=debugoptimized -Dweb=disabled \
	    -Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all

# The third build: ThreadSanitizer, for the tests in which several threads run. Only their programs are built.
$(THREADS)/build.ninja: | check-deps
	CC=clang-19 CC_LD=lld-19 meson setup $(THREADS) --buildtype=debugoptimized -Dweb=disabled -Db_sanitize=thread -Db_lundef=false

check-build: check-deps build $(SANITIZE)/build.ninja $(THREADS)/build.ninja
	meson compile -C $(SANITIZE)

run-tests:
	@tools/run-tests.sh $(BUILD) $(SANITIZE) $(THREADS):threads

check: check-build
	@$(MAKE) --no-print-directory run-tests

check-browsers: build
	@tools/deps.sh browsers
	@tools/check-browsers.sh $(BUILD)

# Builds for a big-endian and a 32-bit machine.
check-portable:
	@tools/deps.sh portable
	@tools/check-portable.sh $(BUILD)-portable

# A static command, with a compiler from PyPI and libraries from source packages.
check-musl: check-deps
	@tools/check-musl.sh $(BUILD)-musl

# The fourth build: libFuzzer, for `make fuzz`.
# Recording the operands of each comparison would take half of the time of an execution.
$(FUZZ)/build.ninja: | check-deps
	CC=clang-19 meson setup $(FUZZ) --buildtype=debugoptimized -Dweb=disabled -Dlibfuzzer=true \
	    -Db_sanitize=address,undefined -Db_lundef=false -Dc_args='-fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp'

fuzz: check-deps $(FUZZ)/build.ninja
	meson compile -C $(FUZZ)
	@tools/fuzz.sh $(FUZZ) $(SECONDS) $(TARGETS)

# The fifth build: gcc counts which lines run. Tests of the browser and of instruction counts add nothing to that.
# A failed test does not prevent the counts.
$(COVERAGE)/build.ninja: | check-deps
	@tools/deps.sh coverage
	CC=gcc meson setup $(COVERAGE) --buildtype=debugoptimized -Dweb=disabled -Db_coverage=true

coverage: check-deps $(COVERAGE)/build.ninja
	meson compile -C $(COVERAGE)
	find $(COVERAGE) -name '*.gcda' -delete
	meson test -C $(COVERAGE) --no-suite house --no-suite bench --no-suite instructions --timeout-multiplier 3 || true
	@tools/coverage.py $(COVERAGE)

bench-check: check-deps build
	$(if $(UPDATE),UPDATE_FIGURES=1) meson test -C $(BUILD) bench_check --print-errorlogs

# DuckDB and Spark for Python come from PyPI into an environment of their own.
$(BUILD)/fleet/ready: tools/fleet-requirements.txt | deps
	@tools/deps.sh fleet
	python3 -m venv $(BUILD)/fleet/venv
	$(BUILD)/fleet/venv/bin/pip install --quiet --requirement tools/fleet-requirements.txt
	touch $@

fleet-check: build $(BUILD)/fleet/ready
	$(BUILD)/fleet/venv/bin/python tools/fleet-check.py $(BUILD)/varve docs/fleet.md $(BUILD)/fleet/work

deb: deps
	@tools/deps.sh deb
	@rm -rf $(BUILD)/deb
	packaging/deb.sh $(BUILD)/deb

# The second build has another temporary folder.
check-deb: deb
	@tools/deps.sh check-deb
	@rm -rf $(BUILD)/deb-again
	packaging/deb.sh $(BUILD)/deb-again
	cd $(BUILD)/deb && for package in *.deb; do cmp $$package ../deb-again/$$package || exit 1; done
	packaging/check-deb.sh $(BUILD)/deb examples/record/sort.spall

clean:
	rm -rf $(BUILD) $(SANITIZE) $(THREADS) $(FUZZ) $(COVERAGE)
