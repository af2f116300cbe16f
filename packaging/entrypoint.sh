#!/bin/bash
# What the image is given: arguments of virnucpro, or a program of the image with its own, which is
# what pipelines give (bash -c "virnucpro predict ..."). No command of virnucpro is a program's name.
set -e
if [ $# -gt 0 ] && type -P -- "$1" >/dev/null; then
  exec "$@"
fi
exec virnucpro "$@"
