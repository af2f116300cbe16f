#!/usr/bin/env bash
# Succeeds where CMake finds nvcc: the program that CUDACXX names, or else the one on PATH.
command -v "${CUDACXX:-nvcc}" >/dev/null
