package source

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

func thisFunction() uintptr {
	pc, _, _, _ := runtime.Caller(1)
	return pc - 1
}

// TestOpenedLibrary resolves constructs in a library that a program opens by
// dlopen while it runs.
func TestOpenedLibrary(t *testing.T) {
	dir := t.TempDir()
	source, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, compilers.C(), "-shared", "-fPIC", "-o", "libstub.so", "-O0", filepath.Join(source, "stub.c"))
	command(t, dir, compilers.C(), "-shared", "-fPIC", "-fopenacc", "-foffload=disable", "-w", "-g", "-O2", "-Dmain=run",
		"-o", "plugin.so", filepath.Join(source, "stencil.c"), "libstub.so", "-Wl,-rpath,"+dir)
	opener := filepath.Join(dir, "opener.c")
	if err := os.WriteFile(opener, []byte(`#include <dlfcn.h>
int main (void)
{
  void *h = dlopen ("./plugin.so", RTLD_NOW);
  int (*run) (int, char **) = h ? (int (*) (int, char **)) dlsym (h, "run") : 0;
  char *none = 0;
  return run ? run (1, &none) : 4;
}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, dir, compilers.C(), "-O2", "-o", "opener", opener, "-ldl", "-rdynamic")
	var lines []string
	follow(t, filepath.Join(dir, "opener"), func(c call, p *Process, memory snapshot.Memory) {
		l, err := p.LookupReturn(c.ret)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(l.File) != "stencil.c" || l.Line == 0 || l.Module != filepath.Join(dir, "plugin.so") {
			t.Errorf("%s: %+v", c.name, l)
		}
		if c.function != 0 {
			k, err := p.Kernel(c.function)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, k.Name)
		}
	})
	want := "sweep:27 scale:68 run:95 members:44 members:52 members:57 members:60"
	if got := strings.Join(lines, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
