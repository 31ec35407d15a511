package source

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestModulesOfOtherFiles has the names of a program in one file, also where each of its
// modules is compiled from a file of its own, as in large programs: a unit that uses a
// module has no more of it than its name.
func TestModulesOfOtherFiles(t *testing.T) {
	content, err := os.ReadFile("testdata/tiles.f90")
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{"-O0", "-O2"} {
		want := table(t, compile(t, "tiles.f90", level))
		for name, use := range map[string]string{
			"all":            "use definitions\n",
			"one variable":   "use definitions, only: chunk\n",
			"through others": "\n", // driver uses it
		} {
			t.Run(name+level, func(t *testing.T) {
				t.Parallel()
				text, main, _ := strings.Cut(string(content), "program hydro\n")
				text += "program hydro\n" + strings.Replace(main, "use definitions\n", use, 1)
				program := compileApart(t, text, "end module\n", level)
				if got := table(t, program); got != want {
					t.Errorf("the table of one file differs:\n%s", difference(want, got))
				}
				share(t, program, "-r")
				if got := table(t, program); got != want {
					t.Errorf("with shared debug information the table of one file differs:\n%s", difference(want, got))
				}
			})
		}
	}
}

// compileApart makes a program of Fortran whose text is cut behind each mark, the pieces
// compiled from files of the same name with the same lines.
func compileApart(t *testing.T, text, mark string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "tiles")
	link := []string{stub(t), "-fopenacc", "-foffload=disable", "-o", program}
	above := 0
	for i, piece := range strings.SplitAfter(text, mark) {
		folder := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "tiles.f90")
		if err := os.WriteFile(file, []byte(strings.Repeat("\n", above)+piece), 0o666); err != nil {
			t.Fatal(err)
		}
		above += strings.Count(piece, "\n")
		object := filepath.Join(folder, "tiles.o")
		command(t, dir, compilers.Fortran(), append([]string{"-fopenacc", "-foffload=disable", "-g", "-w", "-c", file, "-o", object}, flags...)...)
		link = append(link, object)
	}
	command(t, dir, compilers.Fortran(), link...)
	return program
}
