package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// share has dwz move what units of a program have in common into partial units, and with
// options of multifile mode what it has in common with a second program of the same text
// into a file, whose path is given back.
func share(t testing.TB, program string, options ...string) string {
	t.Helper()
	if _, err := exec.LookPath("dwz"); err != nil {
		t.Skip("no dwz, which makes shared debug information: apt-get install dwz")
	}
	if len(options) == 0 {
		command(t, filepath.Dir(program), "dwz", program)
		return ""
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program+"2", content, 0o777); err != nil {
		t.Fatal(err)
	}
	common := filepath.Join(filepath.Dir(program), "common.debug")
	command(t, filepath.Dir(program), "dwz", append(options, "-m", common, program, program+"2")...)
	if _, err := os.Stat(common); err != nil {
		t.Fatal(err) // there was nothing in common
	}
	return common
}

// TestShared has the names of programs whose debug information dwz made smaller, by itself
// and together with that of another program.
func TestShared(t *testing.T) {
	for _, program := range []string{"stencil.c", "solver.cc", "callers.cc", "fields.f90", "tiles.f90"} {
		for level, version := range map[string]string{"-O0": "-gdwarf-4", "-O2": "-gdwarf-5"} {
			whole := compile(t, program, level, version)
			want := table(t, whole)
			for name, options := range map[string][]string{"alone": nil, "shared": {"-r"}, "supplementary": {"--dwarf-5"}} {
				t.Run(program+level+" "+name, func(t *testing.T) {
					t.Parallel()
					copied := filepath.Join(t.TempDir(), filepath.Base(whole))
					command(t, "", "cp", whole, copied)
					common := share(t, copied, options...)
					if got := table(t, copied); got != want {
						t.Errorf("differs:\n%s", difference(want, got))
					}
					im := open(t, copied)
					if d := im.DebugInfo(); d.SharedPath != common || (d.Shared == "") != (common == "") {
						t.Errorf("shared file %q, found as %q, want %q", d.Shared, d.SharedPath, common)
					}
				})
			}
		}
	}
}

// TestSharedDeclarations names variables that a header declares: dwz has their declarations
// in units that those of several files import.
func TestSharedDeclarations(t *testing.T) {
	dir := t.TempDir()
	link := []string{stub(t), "-fopenacc", "-foffload=disable", "-o", filepath.Join(dir, "declared")}
	for name, text := range map[string]string{
		"state.h": "struct state { double *velocity, inner[6]; int cells; };\n" +
			"extern double *pressure; extern struct state now; extern float table[12];\n" +
			"static inline void move (int n)\n{\n#pragma acc enter data copyin (pressure[2:n], now.velocity[0:n])\n}\n" +
			"void first (int n), second (int n);\n",
		"first.c": "#include \"state.h\"\nvoid first (int n)\n{\n#pragma acc enter data copyin (pressure[0:n], now.velocity[0:n], now.inner, table[2:4])\n" +
			"#pragma acc exit data delete (pressure[0:n])\n}\n",
		"second.c": "#include \"state.h\"\nvoid second (int n)\n{\n#pragma acc update self (pressure[0:n], table)\nmove (n);\n}\n",
		"main.c": "#include <stdlib.h>\n#include \"state.h\"\ndouble *pressure; struct state now; float table[12];\n" +
			"int main (void)\n{\npressure = malloc (80); now.velocity = malloc (80);\nfirst (8); second (8);\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"first", "second", "main"} {
		object := filepath.Join(dir, name+".o")
		command(t, dir, compilers.C(), "-fopenacc", "-foffload=disable", "-g", "-O1", "-c", name+".c", "-o", object)
		link = append(link, object)
	}
	command(t, dir, compilers.C(), link...)
	program := link[4]
	want := table(t, program)
	for _, name := range []string{"pressure", "now.velocity", "now.inner", "table"} {
		if !strings.Contains(want, " "+name+"\n") {
			t.Errorf("no %s in:\n%s", name, want)
		}
	}
	for _, options := range [][]string{nil, {"-r"}} {
		copied := program + "copy"
		command(t, dir, "cp", program, copied)
		share(t, copied, options...)
		if got := table(t, copied); got != want {
			t.Errorf("dwz %q differs:\n%s", options, difference(want, got))
		}
	}
}

// TestSharedPlaces finds the shared file where packages of distributions have it, and where
// it was moved with the program. One of another program is not believed, nor is one that is
// damaged: lines are there, no name is wrong, and what was sought is told.
func TestSharedPlaces(t *testing.T) {
	built := compile(t, "stencil.c", "-O2")
	want := kernelTable(t, open(t, built))
	for _, c := range []struct {
		name    string
		options []string
		move    func(t *testing.T, root, program, common string) // to where it is to be found
		found   bool
	}{
		{"by its path", []string{"-M", ""}, func(*testing.T, string, string, string) {}, true},
		{"beside the program", nil, func(t *testing.T, root, program, common string) {
			moveFile(t, common, filepath.Join(filepath.Dir(program), "common.debug"))
		}, true},
		{"folder of a package", []string{"-M", "/usr/lib/debug/.dwz/x86_64-linux-gnu/small.debug"}, func(t *testing.T, root, program, common string) {
			moveFile(t, common, filepath.Join(root, ".dwz/x86_64-linux-gnu/small.debug"))
		}, true},
		{"in the folder itself", nil, func(*testing.T, string, string, string) {}, true},
		{"by build-id", nil, func(t *testing.T, root, program, common string) {
			id := open(t, common).BuildID()
			moveFile(t, common, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
		}, true},
		{"relative to the debug file", []string{"-M", "../../.dwz/small"}, func(t *testing.T, root, program, common string) {
			id := open(t, program).BuildID()
			debug := filepath.Join(root, "x86", "bin", "program.debug")
			moveFile(t, common, filepath.Join(root, ".dwz", "small"))
			if err := os.MkdirAll(filepath.Dir(debug), 0o777); err != nil {
				t.Fatal(err)
			}
			command(t, root, compilers.Tool("objcopy"), "--only-keep-debug", program, debug)
			command(t, root, compilers.Tool("objcopy"), "--strip-debug", program)
			link := filepath.Join(root, ".build-id", id[:2], id[2:]+".debug")
			if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../../x86/bin/program.debug", link); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"compressed", nil, func(t *testing.T, root, program, common string) {
			command(t, root, compilers.Tool("objcopy"), "--compress-debug-sections", common, filepath.Join(filepath.Dir(program), "common.debug"))
		}, true},
		{"none", nil, func(t *testing.T, root, program, common string) { command(t, root, "rm", common) }, false},
		{"empty", nil, func(t *testing.T, root, program, common string) { command(t, root, "truncate", "-s", "0", common) }, false},
		{"cut", nil, func(t *testing.T, root, program, common string) { command(t, root, "truncate", "-s", "700", common) }, false},
		{"of another program", nil, func(t *testing.T, root, program, common string) {
			share(t, compile(t, "callers.cc", "-O2"), "-M", common)
			command(t, root, "cp", program, common)
		}, false},
		{"supplementary, of another program", []string{"--dwarf-5"}, func(t *testing.T, root, program, common string) {
			command(t, root, "cp", program, common)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			program := filepath.Join(t.TempDir(), "program")
			copied := filepath.Join(root, "built")
			command(t, "", "cp", built, copied)
			options := c.options
			switch {
			case options == nil:
				options = []string{"-r"}
			case options[len(options)-1] == "":
				options[len(options)-1] = filepath.Join(root, "common.debug")
			}
			common := share(t, copied, options...)
			moveFile(t, copied, program)
			c.move(t, root, program, common)
			t.Setenv("ACCSCOPE_DEBUG_PATH", ":/nowhere:"+root)
			im := open(t, program)
			d := im.DebugInfo()
			got := kernelTable(t, im)
			if c.found && got != want {
				t.Errorf("differs:\n%s", difference(want, got))
			}
			if d.Shared == "" || (d.SharedPath != "") != c.found || (len(d.SharedLooked) == 0) != c.found {
				t.Errorf("debug information %+v", d)
			}
			if !c.found && strings.Count(got, ":") != strings.Count(want, ":") {
				t.Errorf("kernels without the file:\n%s", got)
			}
		})
	}
}

func moveFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	command(t, "", "mv", from, to)
}
