#!/usr/bin/env bash
# Software: Go 1.26.8, go build of a program whose packages hold C (cgo), gcc.
# Belief: go build keeps what a package's C was compiled to: when only main changes, the C of
#   other packages is not compiled again, whatever is built.
# Behaviour: with -buildmode=c-shared (and c-archive) all C of all packages is compiled again
#   each time that the library is linked, though nothing of it has changed: a header is asked
#   for of every package with C, and the package's objects in the cache do not have one. With
#   -buildmode=pie it is not; a library that exports by main alone can be had from those objects
#   by -ldflags=-buildmode=c-shared.
# Output seen: "compiled again: pie 0, c-shared 1, pie linked as c-shared 0".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "changed: $*" >&2; exit 1; }
for command in go gcc; do
  command -v $command >/dev/null || { echo "needs $command" >&2; exit 1; }
done
case $(go env GOVERSION) in
go1.26.*) ;;
*) echo "needs Go 1.26, this is $(go env GOVERSION)" >&2; exit 1 ;;
esac
cd "$folder"
mkdir slow
cat >go.mod <<'MOD'
module example.org/finding

go 1.25
MOD
cat >slow/slow.go <<'GO'
package slow

// int slow_answer (void);
import "C"

func Answer() int { return int(C.slow_answer()) }
GO
echo 'int slow_answer (void) { return 42; }' >slow/answer.c
main() { # N
  cat >main.go <<GO
package main

import "C"

import "example.org/finding/slow"

//export Answer
func Answer() C.int { return C.int(slow.Answer() + $1) }

func main() { Answer() }
GO
}
export GOCACHE=$folder/cache CGO_ENABLED=1 GOFLAGS=
again() { # FLAGS...: how often answer.c is compiled when only main has changed
  main 1
  go build "$@" -o made . || fail "it is not built with $*"
  main 2
  go build -x "$@" -o made . 2>commands || fail "it is not built with $*"
  grep -cE '(gcc|\$CC|cc).* -c .*answer\.c' commands || true
}
seen="compiled again: pie $(again -buildmode=pie), c-shared $(again -buildmode=c-shared), pie linked as c-shared $(again -buildmode=pie -ldflags=-buildmode=c-shared)"
echo "$seen"
[ "$seen" = "compiled again: pie 0, c-shared 1, pie linked as c-shared 0" ] || fail "$seen"
