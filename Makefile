# The commands of a day's work; each explains itself. The build proper is CMake's (CMakePresets.json).
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup build install gpu-bundle package test-package release test-install test-rebuild demo check check-full check-long check-cluster soak fuzz bench bench-peers docs format lint clean

PREFIX ?= /usr/local
MINUTES ?= 30
SOURCES = git ls-files -z -- '*.cpp' '*.hpp' '*.cu' '*.cuh'

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | \
	  while IFS="$$(printf '\t')" read -r name what; do printf 'make %-12s %s\n' "$$name" "$$what"; done

setup:  ## install what building and testing need (asks apt only for what is missing)
	@tools/setup.sh check

build:  ## build the program and its tests in build/cpu
	cmake --preset cpu -DBUILD_TESTING=ON
	cmake --build --preset cpu

install:  ## build and install, under PREFIX (/usr/local), staged in DESTDIR; with CUDA where nvcc is
	@tools/setup.sh release
	cmake --preset release -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	cmake --build --preset release
	cmake --install build/release --strip

package:  ## the program with its libraries (CUDA as above), for other Linux systems: dist/*.tar.gz
	@tools/package.sh

test-package: package  ## test it here and in a bare Debian 12 (root; minutes)
	@tools/test_package.sh --bare-root

release:  ## every kind of package with one version, and their sums, of a clean commit: dist/
	@tools/release.sh

test-install:  ## make these of the files as they are, and try each in bare Debian 11 and 12 (root)
	@tools/package_all.sh
	@tools/test_install.sh

test-rebuild:  ## build the commit again in another folder, and compare the package byte for byte
	@tools/test_rebuild.sh

demo:  ## set up, build, and classify the phage lambda with small synthetic weights
	@tools/demo.sh

check:  ## set up, build, and run every kind of test that needs no GPU (15 minutes of 2 cores)
	@tools/check.sh

check-full:  ## every preset and test with long strides, package, device code; PARTS="cpu asan" for some
	@tools/check_full.sh $(PARTS)

check-long:  ## check, with the longest forms of the tests (hours)
	@VIRNUCPRO_TEST_LENGTH=long tools/check.sh

check-cluster:  ## samples in shards on a Slurm of this machine, by Snakemake and sbatch, while jobs fail (as root)
	@tools/check_full.sh cluster

soak:  ## kill and resume runs at random times for MINUTES (30), watching memory and descriptors
	@tools/soak.sh $(MINUTES)

fuzz:  ## build the fuzz targets and run each for 20 minutes of processor time
	@tools/fuzz.sh

bench:  ## measure speed and memory, against Debian's torch; bench/README.md
	@bench/run.sh

bench-peers:  ## the same comparisons with PyPI's torch, in .venv-peers (gigabytes)
	@bench/run.sh peers

gpu-bundle:  ## the program, GPU tests and benchmarks for a machine with a GPU: dist/virnucpro-gpu.tar.xz
	@tools/gpu_bundle.sh

docs:  ## write options.md, errors.md and configuration.md of docs/reference from the program's tables
	@tools/setup.sh demo
	cmake --preset cpu
	cmake --build --preset cpu --target write_documents
	build/cpu/tools/write_documents docs docs/reference

format:  ## lay out the sources as .clang-format says
	@$(SOURCES) | xargs -0 -r clang-format -i

lint:  ## clang-format and clang-tidy over everything; warnings are errors
	@tools/lint.sh

clean:  ## remove what was built; .venv-*, .trained-esm2, .axe, .cutlass, demo_out and dist too
	rm -rf build .venv-oracle .venv-peers .venv-conda .venv-cluster .trained-esm2 .axe .cutlass demo_out dist
