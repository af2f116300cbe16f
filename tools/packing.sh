# shellcheck shell=bash
# Shared by the scripts that make packages, which source this and have a function `fail`: how a folder
# is packed, and the licences and list of what a build includes. The latter read $build, the folder of
# the build, and write to $licences.

# Compiled into the program, as headers or archives; the package includes their licences, too. Boost
# is not named here: libboost-dev only asks for the package of a version, which has its licence.
compiled_in=(libhdf5-dev libspdlog-dev libcli11-dev nlohmann-json3-dev)

# Packs a folder as a .tar.gz, whose bytes depend only on the files and SOURCE_DATE_EPOCH.
archive() {
  tar --create --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --mode=u=rwX,go=rX --directory="$(dirname "$1")" "$(basename "$1")" | gzip -9n
}

# Prints "13.0, for driver 580 or newer"; empty for a build without CUDA.
cuda_of_build() { "$build"/bin/virnucpro -v --version | sed -n 's/^CUDA: \([0-9].*\)/\1/p'; }

# Prints the Debian package of a file. The loader names files in /lib, which is /usr/lib.
package_of() {
  { dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "/usr$1" 2>/dev/null; } | sed 's/[:,].*//;q' |
    grep . || fail "$1 belongs to no Debian package: its licence is not known"
}

# Copies the licences of what is compiled into the program, and prints a row of the list for each.
add_compiled_in() {
  local boost package
  boost=$(package_of /usr/include/boost/version.hpp)
  for package in "${compiled_in[@]}" "$boost"; do
    add_licence "$package"
    printf '(compiled in)\t%s\n' "$(names_and_versions "$package")"
  done
  [ -z "$(cuda_of_build)" ] || add_cuda_licences
}

# cached NAME: a path that CMake found.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# add_first_licence NAME FILE ...: the first file that exists.
add_first_licence() {
  local name=$1 file
  shift
  for file in "$@"; do
    [ -f "$file" ] || continue
    install -m 644 "$file" "$licences/$name.txt"
    return
  done
  fail "the licence of $name must go with it, and is in none of these:" "$@"
}

# NVIDIA's parts in the program: CUTLASS's headers, and the CUDA runtime, whose licence permits this
# (attachment A: libcudart_static.a). The licences are where pip, NVIDIA's installer or a package
# put them: at the root of the toolkit (the runtime is in its lib or targets/x86_64-linux/lib), or
# among the package's documents.
add_cuda_licences() {
  local cutlass runtime version toolkit=()
  cutlass=$(cached CUTLASS_INCLUDE_DIR)
  add_first_licence cutlass "$cutlass"/../../../nvidia_cutlass-*.dist-info/licenses/LICENSE.txt \
    "$cutlass/../LICENSE.txt"
  version=$(cutlass_version "$cutlass/cutlass/version.h")
  printf '(compiled in)\tNVIDIA CUTLASS %s, cutlass %s\n' "$version" "$version"

  runtime=$(realpath "$(cached CUDA_cudart_static_LIBRARY)")
  mapfile -t toolkit < <(realpath -m "${runtime%/*}/.." "${runtime%/*}/../../..")
  add_first_licence cuda-runtime \
    "${toolkit[0]}"/{dist-info,../..}/nvidia_cuda_runtime*.dist-info/{licenses/,}License.txt \
    "${toolkit[@]/%//EULA.txt}" \
    "/usr/share/doc/$(package_of "$runtime" 2>/dev/null || true)/copyright"
  version=$("$(cached CMAKE_CUDA_COMPILER)" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
  printf '(compiled in)\tNVIDIA CUDA runtime %s, cuda-runtime %s\n' "$version" "$version"
}

cutlass_version() {
  awk '$2 ~ /^CUTLASS_(MAJOR|MINOR|PATCH)$/ {printf "%s%s", dot, $3; dot = "."}' "$1"
}

# shellcheck disable=SC2016
names_and_versions() { dpkg-query -W -f='${source:Package} ${source:Version}, ${Package} ${Version}\n' "$1"; }

# Adds a package's licence, with the common licences that it cites.
add_licence() {
  local from=/usr/share/doc/$1/copyright common
  [ -f "$from" ] || fail "$from is not there: the licence of $1 must go with it"
  install -m 644 "$from" "$licences/$1.txt"
  while read -r common; do
    [ ! -f "$common" ] || install -D -m 644 -t "$licences/common-licenses" "$common"
  done < <(grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$from" || true)
}
