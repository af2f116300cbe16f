#!/usr/bin/env bash
# Succeeds if CMake can find nvcc: the program in CUDACXX, or else the one on PATH.
command -v "${CUDACXX:-nvcc}" >/dev/null
