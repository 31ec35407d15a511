# accscope: an OpenACC runtime and profiler. `make help` lists the targets.

PREFIX ?= /usr/local
# Compilers that are not given (make CC=gcc-14, or GCC=14 for all of a version)
# are the machine's own; make's built-in names count for nothing. `.ci/setup
# compilers` chooses.
given = $(if $(filter default undefined,$(origin $1)),,$($1))
COMPILERS := $(shell CC='$(call given,CC)' CXX='$(call given,CXX)' FC='$(call given,FC)' .ci/setup compilers)
ifdef GCC
COMPILERS := gcc-$(GCC) g++-$(GCC) gfortran-$(GCC)
endif
CC := $(word 1,$(COMPILERS))
CXX := $(word 2,$(COMPILERS))
FC := $(word 3,$(COMPILERS))
# cgo and the tests too.
export CC CXX FC
# What accscope cc, c++ and fc call, in tests too.
export ACCSCOPE_CC := $(CC)
export ACCSCOPE_CXX := $(CXX)
export ACCSCOPE_FC := $(FC)
export CGO_ENABLED := 1
# Go's build cache does not see headers outside of a package's folder, so their
# digest is part of how cgo compiles.
HEADERS := $(sort $(wildcard callbacks/*.h runtime/*/*.h collector/*/*.h))
export CGO_CFLAGS := -O2 -g -DACCSCOPE_HEADERS=0x$(shell cat $(HEADERS) | sha256sum | cut -c1-15)
# Where the engine's time goes, for the compiler, which lays the code out for that.
ENGINE_PROFILE := cmd/libopenacc/engine/engine.pgo
# Whatever is built, checked or tested is compiled as the engine is: so it is compiled once,
# for all folders that accscope lies in.
COMPILED := -trimpath -buildmode=pie '-pgo=$(CURDIR)/$(ENGINE_PROFILE)'
GIVEN := $(or $(GOFLAGS),$(shell go env GOFLAGS 2>/dev/null))
override GOFLAGS := $(GIVEN) $(if $(findstring $(COMPILED),$(GIVEN)),,$(COMPILED))
export GOFLAGS
GO = $(eval GO := $$(shell .ci/setup go))$(or $(GO),$(error no Go to build with: see above))
# The race detector watches our code: watching SQLite's engine takes fifty times
# as long and finds nothing. It is not for position independent code.
RACE_OURS := '-gcflags=modernc.org/...=-race=false -d=checkptr=0'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# How C is compiled; cgo packages state their own warnings.
CFLAGS_COMMON := -std=gnu11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror -fvisibility=hidden

# What was compiled by other compilers, or with other flags, is compiled again. Parts of the
# tests may look at the same time.
.build/compilers: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; { $(CC) --version; $(FC) --version; echo '$(CFLAGS_COMMON)'; } > $$new && \
	  { cmp -s $$new $@ || cp $$new $@; } && rm $$new
FORCE:

.PHONY: advice-check FORCE all help screens setup demo test test-all times check long benchmarks consumers sanitize race conformance sites gpucode control compiler distribution commands-a-l commands-m-z packages consumers-short conformance-sample roots aarch64 slurm bench bench-gpu bench-gather bench-archive engine-profile gpu-carry fuzz soak dist try-dist install uninstall clean print-cgo-cflags environment
.DEFAULT_GOAL := all

include runtime/entry/build.mk
include collector/proflib/build.mk
include collector/mpi/build.mk
include runtime/hostaccess/build.mk
include web/build.mk

all: setup bin/accscope lib/libopenacc.so lib/libopenacc-engine.so lib/libaccprof.so $(MPI_LIBRARIES) $(HOSTACCESS_LIBRARIES) $(OPENACC_INCLUDE) $(OPENACC_PKGCONFIG) ## build bin/, lib/ and include/

screens: all ## draw the pictures of README.md and docs/ anew, from runs of examples
	$(GO) run ./docs/pictures

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

# The first time Go compiles while packages are installed, where the machine can already: what it
# says then it says again when that is its turn.
FIRST = $(if $(wildcard bin/accscope),,$(shell command -v go >/dev/null && $(CC) -xc -fsyntax-only -include stdlib.h /dev/null 2>/dev/null && echo yes))
setup: ## install or name what the build needs (SETUP=no: nothing, for packagers)
	@$(if $(filter no,$(SETUP)),,$(if $(FIRST),$(COMPILE) 2>&1 & ).ci/setup $(if $(filter test,$(MAKECMDGOALS)),test,build); status=$$?; wait; exit $$status)

GO_FOLDERS := callbacks runtime collector export tui web cmd
# What //go:embed names is as much a source.
EMBEDDED := $(shell grep -r --include='*.go' --exclude='*_test.go' '^//go:embed' $(GO_FOLDERS) | awk '{ sub("/[^/]*:.*", "", $$1); for (i = 2; i <= NF; i++) print $$1 "/" $$i }' | xargs -I {} find {} -type f)
GO_SOURCES := go.mod go.sum changelog.go CHANGELOG.md $(EMBEDDED) $(shell find $(GO_FOLDERS) '(' -name '*.go' ! -name '*_test.go' ')' -o -name '*.[chsS]')

# The commit that `accscope version` tells, where git knows one, whatever GOFLAGS says.
STAMP = $(if $(shell git rev-parse --verify -q HEAD 2>/dev/null),-buildvcs=true)

# Compiled for the command and the engine together, so that both processors have work to the end.
COMPILE = $(GO) list -export ./cmd/accscope ./cmd/libopenacc/engine >/dev/null
bin/accscope: $(GO_SOURCES)
	$(COMPILE)
	$(GO) build $(STAMP) -o $@ ./cmd/accscope

# Go's own way to a c-shared library compiles the C of all packages again each time, for
# headers that they have not got: so it is for the linker alone that it becomes one.
lib/libopenacc-engine.so: $(GO_SOURCES) $(ENGINE_PROFILE) | bin/accscope
	@mkdir -p lib
	$(GO) build -ldflags='-buildid= -buildmode=c-shared' -o $@ ./cmd/libopenacc/engine

demo: all ## compile an example with gcc -fopenacc, profile it on the sim device, print the report
	@mkdir -p .build/demo
	$(CC) -fopenacc -O2 -g -o .build/demo/jacobi examples/jacobi/jacobi.c -lm
	bin/accscope run --device sim --force -o .build/demo/jacobi.accscope.db -- .build/demo/jacobi

# What make test is made of, two at once, as many tests wait for programs that they have
# started; those that take longest first. The tests of the command are two halves.
GATE := packages commands-m-z commands-a-l check consumers-short conformance-sample check-page
SHORT = ACCSCOPE_BROWSER=1 ACCSCOPE_CONSUMERS=1 $(GO) test -short -timeout 40m $(COUNT)

test: all ## everything that gates a change (a fixed sample of the long suites): every part, then a line for each
	@.ci/setup test
	$(MAKE) --no-print-directory all # also for the MPIs that are here now
	+MAKE='$(MAKE)' exec .ci/parts -j 2 $(GATE)

commands-a-l: all
	$(SHORT) -run '^Test[A-L]' ./cmd/accscope

commands-m-z: all
	$(SHORT) -skip '^Test[A-L]' ./cmd/accscope

packages: all # those that wait for browsers and terminals first
	packages=$$($(GO) list ./...) && $(SHORT) ./web ./tui $$(echo "$$packages" | grep -v '/cmd/accscope$$')

consumers-short: all
	cd export/consumers && $(GO) test -short -timeout 40m $(COUNT) ./...

conformance-sample: all
	$(MAKE) conformance CONFORMANCE_FLAGS=--sample
	$(GO) run ./runtime/conformance --settings sim --sample --negative-control

distribution: all ## of the tests those that depend most on what a distribution's packages are: MPI, compilers, shells
	@.ci/setup test
	$(GO) test -short -timeout 40m -run 'MPI|Rank|TestExamples|TestOTF2|Outlives|KernelsOfOthers|TestNames|TestModulesOfOtherFiles|TestTerminal' \
	  ./cmd/accscope ./tui ./collector/ingest ./runtime/source ./export/otf2/...
	$(GO) test -short -timeout 40m ./collector/session ./runtime/entry/test

# What test-all is made of. Each can be made alone.
PARTS := times long benchmarks consumers sanitize race conformance sites gpucode control dist try-dist roots aarch64 slurm soak

test-all: all ## everything, the long suites whole: every part, then a line for each
	@.ci/setup test
	+MAKE='$(MAKE)' exec .ci/parts $(PARTS)

times: all ## make test, with nothing left out that passed before, held to .ci/budgets
	$(MAKE) test COUNT=-count=1
	.ci/times

long: all ## the tests of Go packages, whole
	ACCSCOPE_LONG=1 ACCSCOPE_BROWSER=1 ACCSCOPE_CONSUMERS=1 $(GO) test -skip Sanitizers -timeout 180m ./...

benchmarks: all ## every Go benchmark, once: that it still runs
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./...

consumers: all ## what reads our OTLP: Jaeger, the Collector, the SDK
	cd export/consumers && ACCSCOPE_LONG=1 $(GO) test -timeout 180m ./...

sanitize: all ## the C parts as programs use them, under AddressSanitizer, UBSan and ThreadSanitizer
	$(GO) test -count 1 -run Sanitizers -timeout 60m ./callbacks ./runtime/... ./collector/capture

race: all ## the Go parts under the race detector
	$(GO) test -race -buildmode=default $(RACE_OURS) -short -timeout 180m ./callbacks/... ./runtime/... ./collector/...

gpucode: all ## GCC's tests compiled for GPUs, on the simulated device, which executes their GPU code (after conformance)
	runtime/cuda/gputest/simulated.sh .build/conformance/suite/gcc-12.2.0-dfsg

control: all ## show that the conformance runner finds a runtime that does nothing
	$(GO) run ./runtime/conformance --settings host --negative-control
	$(GO) run ./runtime/conformance --settings sim --negative-control

sites: all ## GCC's sample where no call knows what one before has found out about its place in the program
	$(GO) run ./runtime/conformance --settings sim --sample --environment ACCSCOPE_SITES=0

soak: all ## load for ten minutes and with 10^8 events (SOAKTIME, SOAKEVENTS)
	$(GO) run ./collector/soak -duration $(or $(SOAKTIME),10m) -events $(or $(SOAKEVENTS),100000000)

print-cgo-cflags: # what a plain `go build` outside of make needs in CGO_CFLAGS
	@echo '$(CGO_CFLAGS)'

environment: # for a shell: what a go command outside of make needs to find compiled what make has compiled
	@: $(info export CC="$(CC)" CXX="$(CXX)" FC="$(FC)" ACCSCOPE_CC="$(CC)" ACCSCOPE_CXX="$(CXX)" ACCSCOPE_FC="$(FC)" CGO_ENABLED=1 CGO_CFLAGS="$(CGO_CFLAGS)" GOFLAGS="$(GOFLAGS)")

# vet's cgocall reads sources by the paths that they had where they were compiled: with one cache
# for all folders, in one that may be gone.
check: all ## formatting, vet, staticcheck, the rules of docs/architecture.md
	@unformatted=$$(gofmt -l callbacks runtime collector export tui web cmd docs); \
	  test -z "$$unformatted" || { echo "not gofmt-clean: $$unformatted"; exit 1; }
	$(GO) vet -cgocall=false ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) test ./docs
	cd export/consumers && $(GO) list -deps -test ./... >/dev/null # its go.mod follows this one's

conformance: all ## GCC's OpenACC run-time tests on our runtime, as host and as sim device
	$(GO) run ./runtime/conformance --settings host $(CONFORMANCE_FLAGS)
	$(GO) run ./runtime/conformance --settings sim $(CONFORMANCE_FLAGS)

compiler: all ## what holds for each version of GCC: make compiler GCC=14
	@.ci/setup suite
	+@GO='$(GO)' MAKE='$(MAKE)' .ci/compiler

aarch64: ## build for aarch64 by cross compilers and try it under qemu-user, where the machine allows it
	.ci/aarch64

slurm: all ## the pages' jobs under Slurm itself, where the machine allows it
	@.ci/setup slurm
	ACCSCOPE_SLURM=1 $(GO) test -count 1 -v -run TestSlurm -parallel 3 -timeout 30m ./cmd/accscope

roots: ## GCC 13 to 16 in root folders of Debian 13 and forky, where the machine allows it
	@.ci/setup roots
	.ci/roots

bench: all ## the figures of docs/benchmarks.md, side by side with libgomp and others
	.ci/bench

engine-profile: all ## measure anew where the engine's time goes, for the compiler (after changes to the way of a call)
	$(GO) run ./runtime/bench/profile -o $(ENGINE_PROFILE)

advice-check: all ## what advise says of the programs in collector/advice/testdata/corpus, its patches applied: figures for each rule
	ACCSCOPE_ADVICE_CHECK=1 $(GO) test ./cmd/accscope -run TestAdviceCorpus -count=1 -timeout 30m

bench-gather: all ## jobs: 64 processes into one result, 1,000 agents into three servers, what an agent takes
	$(GO) run ./collector/gather/bench $(BENCH_FLAGS)

bench-archive: all ## archives: 10^9 spans captured into one of 20 GB below TMPDIR, opened, drawn, summed (fewer: BENCH_FLAGS="-spans 100_000_000")
	$(GO) run ./collector/store/archive/bench -spans 1_000_000_000 $(BENCH_FLAGS)

bench-gpu: all ## measure on an NVIDIA GPU, beside GCC's runtime and CUDA by hand, and write docs/benchmarks.md's table (TURNS)
	runtime/cuda/gpubench/compile.sh .build/gpubench
	$(GO) run ./runtime/cuda/gpubench -turns $(or $(TURNS),7) -write docs/benchmarks.md

gpu-carry: all ## gather in .carry/ what the GPU tests need on a machine without compilers (OTHERS=no: from this GCC alone)
	runtime/cuda/gputest/carry.sh .carry .build/conformance/suite/gcc-12.2.0-dfsg
	$(if $(filter no,$(OTHERS)),,runtime/cuda/gputest/others.sh .carry)

fuzz: all ## every fuzz target for FUZZTIME each
	.ci/fuzz $(or $(FUZZTIME),60s)

# What a shell and man show: the completions and manual pages of the command.
.build/share: bin/accscope
	@rm -rf $@ && mkdir -p $@/man/man1 $@/bash-completion/completions $@/zsh/site-functions $@/fish/vendor_completions.d
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)} bin/accscope docs $@/man/man1
	gzip -n -9 $@/man/man1/*
	bin/accscope completion bash > $@/bash-completion/completions/accscope
	bin/accscope completion zsh > $@/zsh/site-functions/_accscope
	bin/accscope completion fish > $@/fish/vendor_completions.d/accscope.fish
	@touch $@

dist: setup ## a tarball, a Debian package and an RPM in dist/
	.ci/dist/build

try-dist: ## the packages of dist/ as a user gets them: apt in a bare root folder, rpm in a folder
	@.ci/setup roots
	.ci/dist/try

# The names by which accscope is a compiler, or GCC's binary tool beside it: those of GCC's behind acc-.
COMPILER_NAMES := acc-gcc acc-g++ acc-gfortran acc-gcc-ar acc-gcc-nm acc-gcc-ranlib

install: all .build/share ## install under PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include/accscope
	install bin/accscope $(DESTDIR)$(PREFIX)/bin/
	for name in $(COMPILER_NAMES); do ln -sf accscope $(DESTDIR)$(PREFIX)/bin/$$name; done
	install lib/libopenacc.so lib/libopenacc-engine.so lib/libaccprof.so $(MPI_LIBRARIES) $(DESTDIR)$(PREFIX)/lib/
	install -D -t $(DESTDIR)$(PREFIX)/lib/accscope $(HOSTACCESS_LIBRARIES)
	install -m 644 include/* $(DESTDIR)$(PREFIX)/include/accscope/
	cd .build/share && find . -type f -print0 | xargs -0 -I {} install -D -m 644 {} $(abspath $(DESTDIR)$(PREFIX))/share/{}
	sed 's|^prefix=.*|prefix=$(PREFIX)|; s|^includedir=.*|includedir=$${prefix}/include/accscope|' lib/pkgconfig/openacc.pc > $(DESTDIR)$(PREFIX)/lib/pkgconfig/openacc.pc

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,$(COMPILER_NAMES))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/accscope lib/libopenacc.so lib/libopenacc-engine.so lib/libaccprof.so $(MPI_EVERY_LIBRARY) lib/pkgconfig/openacc.pc)
	rm -rf $(DESTDIR)$(PREFIX)/include/accscope $(DESTDIR)$(PREFIX)/lib/accscope
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/accscope.1.gz $(DESTDIR)$(PREFIX)/share/man/man1/accscope-*.1.gz
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,bash-completion/completions/accscope zsh/site-functions/_accscope fish/vendor_completions.d/accscope.fish)

clean: ## remove what the build made
	rm -rf bin lib include dist .build/demo .build/share
