#!/usr/bin/env bash
# Compiles GCC's OpenACC run-time tests for NVIDIA GPUs into CARRY/tests, with a
# list of how to run each. Usage: tests.sh SUITE CARRY [SAMPLE], where SUITE is a folder
# with libgomp/testsuite (`make conformance` unpacks it), and SAMPLE a file that
# names the tests to take.
set -euo pipefail
sample=${3:+$(realpath "$3")}
suite=$(realpath "$1")/libgomp/testsuite
carry=$(realpath -m "$2")/tests
include=$(realpath "$(dirname "$0")/../../conformance/include")
mkdir -p "$carry"
. "$(dirname "$0")/toolchain.sh"
offload+=(-w -DACC_DEVICE_TYPE_nvidia=1 -DACC_MEM_SHARED=0)

# directive NAME FILE: the arguments of dg-NAME directives, without the quotes
# and the conditions.
directive() {
  sed -n "s/.*{ *dg-$1 *\"\([^\"]*\)\".*/\1/p" "$2" | tr '\n' ' '
}

removed=$(realpath "$(dirname "$0")/../../conformance/removed-assertions.txt")
prepared=$(mktemp -d)
trap 'rm -rf "$prepared"' EXIT

# prepare FILE: a copy without the assertions that removed-assertions.txt takes
# out, and without those that the device's handles are null (OpenACC 3.3 §5.2.3:
# they are CUDA's), with the same line numbers; the file itself if it takes none.
prepare() {
  local name
  name=$(basename "$1")
  grep -q "^test .*\<$name\>" "$removed" || { echo "$1"; return; }
  awk -v name="$name" -v place=- '
    FNR == NR {
      if ($1 == "test") { mine = 0; for (i = 2; i <= NF; i++) mine += $i == name }
      else if ($1 == "reason") places = ""
      else if ($1 == "in") places = $0 " "
      else if (mine && $1 == "assert") out[$0] = places
      next
    }
    /^[A-Za-z_].*\)$/ { place = $0; sub (/ ?\(.*/, "", place); sub (/.* /, " ", place) }
    { line = $0; gsub (/^[ \t]+|[ \t]+$/, "", line); print (line in out && (out[line] == "" || index (out[line], place " "))) || line ~ /^assert \(api_info->(device|context|async)_handle == NULL\);$/ ? "" : $0 }
  ' "$removed" "$1" >"$prepared/$name"
  echo "$prepared/$name"
}

build() {
  local source=$1 name language compiler extra file
  local -a sources
  sources=("$(prepare "$source")")
  file=$(basename "$source")
  case $source in
    *.f90 | *.f | *.F90 | *.f95) language=fortran compiler=gfortran-$GCC ;;
    *.C) language=c++ compiler=g++-$GCC ;;
    *) language=c compiler=gcc-$GCC ;;
  esac
  [ -z "$sample" ] || grep -q "^[^#]*/$file\$" "$sample" || return 0
  grep -q 'dg-do  *\(link\|compile\)' "$source" && return 0
  name=$language-$file
  extra="$(directive 'additional-options' "$source") $(directive 'options' "$source")"
  for other in $(directive 'additional-sources' "$source"); do
    sources+=("$(dirname "$source")/$other")
  done
  case $extra in
    *-foffload=disable* | *-lcuda* | *-lcublas* | *-lcudart*) return 0 ;;
  esac
  # shellcheck disable=SC2086 # the options are words
  if [ "$carry/$name" -nt "$source" ] || (cd "$(dirname "$source")" && $compiler -I. $extra "${offload[@]}" \
      -I"$include" -I"$suite/libgomp.oacc-c-c++-common" "${sources[@]}" -o "$carry/$name" -lm -s) 2>"$carry/$name.log"; then
    printf '%s\t%s\n' "$name" "$(sed -n 's/.*{ *dg-set-target-env-var *"*\([A-Za-z_]*\)"* *"\([^"]*\)".*/\1=\2/p' "$source" | tr '\n' ' ')" >>"$carry/list"
    rm -f "$carry/$name.log"
  fi
}
: >"$carry/list"
# Every test as C or Fortran; those of C++ only.
find "$suite"/libgomp.oacc-c-c++-common "$suite"/libgomp.oacc-c "$suite"/libgomp.oacc-c++ "$suite"/libgomp.oacc-fortran \
  -maxdepth 1 \( -name '*.c' -o -name '*.C' -o -name '*.f90' -o -name '*.f' -o -name '*.F90' -o -name '*.f95' \) | sort |
  while read -r source; do build "$source"; done
echo "$(wc -l <"$carry/list") tests compiled into $carry, $(find "$carry" -name '*.log' | wc -l) not"
