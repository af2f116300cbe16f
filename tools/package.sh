#!/usr/bin/env bash
# Makes virnucpro-X.Y.Z-linux-x64.tar.gz in dist/ or a given folder: the installed files, all needed
# libraries, glibc's among them, their licences, and how to begin. bin/virnucpro is the launcher
# (program/launcher/main.cpp), which starts libexec/virnucpro with the host's glibc or this one. Runs
# on any x86-64 Linux; on GPUs, if nvcc is found here, with only the driver. Packing one build twice
# gives the same bytes: all times in the package are SOURCE_DATE_EPOCH, or the time of the commit.
set -euo pipefail
shopt -s inherit_errexit
# Every user gets the same order of files and the same words of ldd, which this script reads.
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
# shellcheck source=tools/packing.sh
source tools/packing.sh
output=${1:-dist}
build=build/package

# glibc's loader and libraries: what the program or one of its libraries needs, and what a driver of
# the GPU may need, which is made for an older glibc. DNS and files of names are in libc itself.
glibc=(ld-linux-x86-64.so.2 libc.so.6 libm.so.6 libmvec.so.1 libresolv.so.2
  libpthread.so.0 libdl.so.2 librt.so.1 libutil.so.1)

most_bytes=$((60 << 20))  # of the tarball

fail() {
  printf 'package: %s\n' "$@" >&2
  exit 1
}

# Prints the libraries that this system's loader would take for the given files.
libraries_of() {
  local listing
  listing=$(ldd "$@")
  ! grep 'not found' <<<"$listing" >&2 || fail "a library is missing"
  awk '$2 == "=>" && $3 ~ /^\// {print $3}' <<<"$listing" | sort -u
}

# libcurl is opened at run time, by `download` alone.
add_libraries() {
  local libraries library package curl
  curl=$(ldconfig -p | awk '$1 == "libcurl-gnutls.so.4" && !found++ {print $NF}')
  [ -n "$curl" ] || fail "libcurl-gnutls.so.4 is not there (Debian: libcurl3-gnutls)"
  libraries=$(printf '%s\n' "$curl" && libraries_of "$stage/libexec/virnucpro" "$stage/lib/libvirnucpro.so" "$curl")
  ! grep '/libhdf5' <<<"$libraries" >&2 ||
    fail "HDF5 was linked from a shared library: its archive (or that of libsz or libz) was not found"
  ! grep -E '/lib(cu(da|blas|fft|rand|solver|sparse|pti)|nv)' <<<"$libraries" >&2 ||
    fail "a library of CUDA was linked as a shared one; only the driver, which is opened at run time, may be"
  mkdir -p "$stage/lib/virnucpro"
  while read -r library; do
    package=$(package_of "$library")
    if [ "$package" = libc6 ]; then
      [[ " ${glibc[*]} " = *" ${library##*/} "* ]] || fail "$library is needed, and not in the list of glibc's"
      continue
    fi
    install -m 644 "$library" "$stage/lib/virnucpro/"
    add_licence "$package"
    printf '%s\t%s\n' "$(basename "$library")" "$(names_and_versions "$package")"
  done < <(sort -u <<<"$libraries")
  add_glibc
  add_compiled_in
}

# Puts glibc in its own folder, where the host's loader does not look for libraries of the program.
add_glibc() {
  local folder archive package
  folder=$(dirname "$(realpath /lib64/ld-linux-x86-64.so.2)")
  mkdir "$stage/lib/virnucpro/glibc"
  install -m 644 "${glibc[@]/#/$folder/}" "$stage/lib/virnucpro/glibc/"
  chmod 755 "$stage/lib/virnucpro/glibc/ld-linux-x86-64.so.2"
  printf "glibc/%s\t$(names_and_versions libc6)\n" "${glibc[@]}"
  add_licence libc6
  # The launcher is linked with these.
  for archive in libc.a libstdc++.a libgcc.a; do
    package=$(package_of "$(realpath "$("${CXX:-g++}" -print-file-name=$archive)")")
    add_licence "$package"
    printf '(compiled in)\t%s\n' "$(names_and_versions "$package")"
  done
}

newest_glibc() {
  find "$stage/libexec" "$stage/lib" -path "*/glibc/*" -prune -o -type f -exec objdump -T {} + 2>/dev/null |
    grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -n 1
}

write_readme() {
  cat >"$stage/README" <<END
Run bin/virnucpro --help; put this folder anywhere, as a whole. share/doc/virnucpro/README.md says more.
Needs Linux on x86-64 and a processor with AVX2; nothing else. Where glibc is older than $(newest_glibc)
(ldd --version) it runs with the one in lib/virnucpro/glibc; for programs that link lib/libvirnucpro.so
there is no such way. share/doc/virnucpro/docs/use/install.md says how to upgrade and remove it.
END
  if [ -z "$cuda" ]; then
    echo "It computes on the processor; it was built without CUDA." >>"$stage/README"
    return
  fi
  cat >>"$stage/README" <<END
An NVIDIA GPU of compute capability 8.0 or newer (A100, RTX 30 and later) needs ${cuda#*, for }
(nvidia-smi says which there is), and no CUDA besides. Without a GPU it computes on the processor.
bin/virnucpro utils list-devices says what it can use; share/doc/virnucpro/docs/use/gpu.md says more.
END
}

write_licence_list() {
  cat >"$licences/README" <<END
The libraries that come with this program, unchanged, from Debian 12: file, source package and its
version, package and its version.
NAME.txt is the licence of package NAME; it refers to common-licenses/ as /usr/share/common-licenses.
Their sources: https://snapshot.debian.org/package/SOURCE/VERSION/, or apt-get source SOURCE=VERSION.
A library of lib/virnucpro may be replaced by another build of it (those of glibc/ only together).
END
  [ -z "$cuda" ] || cat >>"$licences/README" <<END
From NVIDIA: CUTLASS, whose sources are at https://github.com/NVIDIA/cutlass, and the CUDA runtime,
which comes without.
END
  echo >>"$licences/README"
  sort -k 1b,1 >>"$licences/README"
}

pack() {
  archive "$stage" >"$tarball.partial"
  local bytes
  bytes=$(stat -c %s "$tarball.partial")
  [ "$bytes" -le "$most_bytes" ] ||
    fail "$tarball.partial has $bytes bytes, more than the $most_bytes that are allowed (gzip -l, tar -tvz show why)"
  mv "$tarball.partial" "$tarball"
  (cd "$(dirname "$tarball")" && sha256sum "$(basename "$tarball")")
  printf 'package: %s, %s bytes, %s unpacked\n' "$tarball" "$bytes" \
    "$(du -sh --apparent-size "$stage" | cut -f 1)"
  if [ -n "$cuda" ]; then
    printf 'package: with CUDA %s\n' "$cuda"
  else
    printf 'package: for the CPU only: nvcc was not found on PATH, nor in CUDACXX\n'
  fi
}

command -v dpkg-query >/dev/null || fail "packages are made on Debian, whose licence files they carry"
tools/setup.sh release
# In its own folder: otherwise CMAKE_INSTALL_LIBDIR would remain set for `make install`.
cmake --preset release -B "$build" -DCMAKE_INSTALL_LIBDIR=lib
cmake --build "$build" --target all virnucpro_launcher
version=$(tools/version.sh)
cuda=$(cuda_of_build)
stage=$build/stage/virnucpro-$version-linux-x64
licences=$stage/share/doc/virnucpro/third-party
tarball=$output/virnucpro-$version-linux-x64.tar.gz
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)}

rm -rf "$build/stage"
mkdir -p "$output" "$licences"
env -u DESTDIR cmake --install "$build" --prefix "$stage" --strip >/dev/null
mkdir "$stage/libexec"
mv "$stage/bin/virnucpro" "$stage/libexec/"
install -m 755 --strip "$build/launcher/virnucpro" "$stage/bin/"
libraries=$(add_libraries)
write_licence_list <<<"$libraries"
/usr/bin/python3 tools/make_sbom.py "$version" "$stage"
install -m 644 LICENSE "$stage/"
write_readme
pack
