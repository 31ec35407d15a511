package source

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// A snapshot keeps variables, and no tables that point to code: each unit of a program
// has one of its kernels, each class of its virtual functions.
func TestStaticVariables(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "tables.cc"), []byte(`
struct shape { virtual int sides (); virtual ~shape (); };
int shape::sides () { return 0; }
shape::~shape () {}
static double *field;
static double *const other = field;
shape *drawn;
int main (int argc, char **)
{
  field = new double[argc];
  drawn = new shape;
#pragma acc parallel loop copy(field[0:argc])
  for (int i = 0; i < argc; i++)
    field[i] = i;
  return drawn->sides () + (other != nullptr);
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "tables")
	command(t, folder, compilers.CXX(), "-fopenacc", "-foffload=disable", "-O1", "-o", program, "tables.cc")
	ranges := open(t, program).static()
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]bool{"_ZL5field": true, "drawn": true, "_ZTV5shape": false, ".offload_func_table": false}
	if !compilers.Offloads() {
		delete(expected, ".offload_func_table")
	}
	for _, s := range symbols {
		kept, ok := expected[s.Name]
		if !ok || elf.ST_TYPE(s.Info) != elf.STT_OBJECT {
			continue
		}
		delete(expected, s.Name)
		if slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= s.Value && s.Value+s.Size <= r[1] }) != kept {
			t.Errorf("%s at %#x: expected kept %v; the ranges are %#x", s.Name, s.Value, kept, ranges)
		}
	}
	for name := range expected {
		t.Errorf("the program has no %s", name)
	}
}
