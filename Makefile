# Front door. Every target sets itself up: missing Debian packages are installed, CMake does the rest.
#
#   make build      the program, at build/ireneo
#   make mpi        the program for clusters, at build-mpi/ireneo: mpirun -n K build-mpi/ireneo store ...
#   make page       the page in the browser, at build/page/index.html
#   make docs       the documentation as a site, at build/site/index.html
#   make demo       the main job on real data, with a picture and a table
#   make test       every test but the long ones
#   make test-long  the long ones too
#   make test-page  the page in a real browser, against the program; pictures of it in build/page-test
#   make test-docs  the documentation in a real browser, without the network; pictures of it in build/site-test
#   make bench      timings, as ratios taken in one run
#   make bench-table  the tables and the picture of docs/performance.md, with PyTorch and FAISS in the same run; goes on where it was stopped
#   make figures    every figure, quick settings, into out/
#   make fuzz       libFuzzer on every reader, the judge and the option parser: RUNS=N or SECONDS=N each
#   make attack     an hour: exact verdicts, forgeries, failing calls, kills, sanitizers; docs/reliability.md
#   make lint       clang-format, clang-tidy, cppcheck, warnings of a second compiler
#   make sanitize   the tests under the address and undefined-behaviour sanitizers
#   make format     rewrites the sources in the house style
#   make wheel      the Python package with all it needs, and its sources, into dist/
#   make test-python  the wheel and the sources in clean environments; ROOTS="trixie ..." in other systems too
#   make install    into PREFIX (default /usr/local), below DESTDIR if there is one
#   make uninstall  removes what `make install` installed
#   make deb        Debian packages, into build-deb; CHECK=1 runs the tests while they are made
#   make test-deb   installs and tries them in a new Debian; needs root

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

export JOBS
MAKEFLAGS += --no-print-directory

CTEST  := ctest --output-on-failure

.PHONY: deb test-deb wheel test-python build mpi page docs demo test test-long test-page test-docs bench bench-table figures lint format install uninstall clean sanitize fuzz attack
.DEFAULT_GOAL := build

build:
	@scripts/setup build
	@scripts/build . $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_TESTS=OFF -DIRENEO_BENCH=OFF

mpi:
	@scripts/setup build mpi
	@scripts/build . $(BUILD)-mpi -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_MPI=ON -DIRENEO_TESTS=OFF -DIRENEO_BENCH=OFF

page:
	@scripts/setup page
	@scripts/page $(BUILD)

docs:
	@scripts/setup docs
	@scripts/docs $(BUILD)

demo: build
	@scripts/setup figures
	@scripts/demo $(BUILD)/ireneo out/demo

test:
	@scripts/setup build test figures mpi
	@scripts/build . $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_TESTS=ON -DIRENEO_BENCH=OFF
	@cd $(BUILD) && $(CTEST) -j $(JOBS) -LE long
	@python3 tests/docs/play.py --sum $(BUILD)/docs-played

test-long: test
	@scripts/setup wheel processors hosts
	@cd $(BUILD) && $(CTEST) -L long
	@tests/processors/run $(BUILD)
	@python3 tests/docs/play.py --sum $(BUILD)/docs-played

test-page: build page
	@scripts/setup test-page
	@BUILD=$(abspath $(BUILD)) node web/tests/all.mjs

test-docs: docs
	@scripts/setup page test-page
	@[ -d web/node_modules/playwright-core ] || (cd web && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
	@python3 tests/docs/site_test.py
	@node tests/docs/look.mjs $(abspath $(BUILD))

bench:
	@scripts/setup build
	@scripts/build . $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_BENCH=ON -DIRENEO_TESTS=OFF
	@bench/run $(BUILD)

bench-table:
	@scripts/setup build bench
	@scripts/build . $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_BENCH=ON -DIRENEO_TESTS=OFF
	@bench/table $(BUILD) out/bench
	@bench/page out/bench

figures: build
	@scripts/setup figures
	@$(BUILD)/ireneo figure all --quick -o out/figures

sanitize:
	@scripts/setup build test figures
	@scripts/build . $(BUILD)-sanitize -DIRENEO_SANITIZE=ON -DIRENEO_TESTS=ON -DIRENEO_BENCH=OFF -DCMAKE_BUILD_TYPE=Debug
	@cd $(BUILD)-sanitize && $(CTEST) -j $(JOBS) -LE 'long|heavy'

fuzz:
	@scripts/setup build test attack
	@tests/fuzz/run $(BUILD)-fuzz $(RUNS) $(if $(SECONDS),$(SECONDS)s)

attack:
	@scripts/setup build test figures attack
	@scripts/build . $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DIRENEO_TESTS=ON -DIRENEO_BENCH=OFF
	@tests/attack/run $(BUILD)

lint:
	@scripts/setup build test lint mpi
	@scripts/lint

format:
	@scripts/setup lint
	@git ls-files '*.c' '*.h' | xargs clang-format -i

wheel:
	@scripts/setup build wheel
	@scripts/wheel dist

test-python: wheel
	@scripts/setup test test-python
	@scripts/try-wheel dist $(ROOTS)

install: build
	@cmake --install $(BUILD)
	@cp $(BUILD)/install_manifest.txt $(BUILD)/installed.txt && echo >>$(BUILD)/installed.txt

uninstall:
	@DESTDIR="$(DESTDIR)" scripts/uninstall $(BUILD)

deb:
	@scripts/setup build docs deb $(if $(CHECK),test figures)
	@packaging/deb/build

test-deb: deb
	@packaging/deb/try

clean:
	rm -rf $(BUILD) $(BUILD)-mpi $(BUILD)-sanitize $(BUILD)-aarch64 $(BUILD)-lint $(BUILD)-fuzz $(BUILD)-fuzz-coverage $(BUILD)-thread $(BUILD)-python $(BUILD)-wheel $(BUILD)-deb dist out web/node_modules
