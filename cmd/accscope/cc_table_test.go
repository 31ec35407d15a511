package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// The treatments of a cell of docs/directives.md.
const (
	cellAsItIs    = "as it is"
	cellRewritten = "rewritten"
	cellSilent    = "rewritten *" // GCC alone compiles it, with another meaning
	cellRefused   = "error"
	cellNone      = "–"
)

// cellLanguages are the columns, with the file that a program is written to.
var cellLanguages = []struct{ command, file string }{{"cc", "x.c"}, {"c++", "x.cpp"}, {"fc", "x.f90"}}

// cellsBegin and cellsEnd are around the table in docs/directives.md.
const (
	cellsBegin = "<!-- cells: made by go test ./cmd/accscope -run TestWrapperCells -update with ACCSCOPE_LONG=1 -->\n"
	cellsEnd   = "<!-- end of cells -->\n"
	// sampled is how many cells are between two that are tried where time is short.
	sampled = 29
)

// Every clause on every directive that may have it compiles in each language, and its program
// runs on shared memory and on a memory of its own, or it is refused; and the page says
// which. Without ACCSCOPE_LONG this is a sample.
func TestWrapperCells(t *testing.T) {
	page := filepath.Join(project, "docs/directives.md")
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(content), cellsBegin)
	table, after, ended := strings.Cut(rest, cellsEnd)
	if !begun || !ended {
		t.Fatalf("%s has no table of cells", page)
	}
	long := os.Getenv("ACCSCOPE_LONG") != ""
	major, err := compilers.Major()
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		directive *cellDirective
		clause    *cellClause
		cells     [3]string
	}
	var rows []*row
	for i := range cells {
		for k := range cells[i].clauses {
			rows = append(rows, &row{directive: &cells[i], clause: &cells[i].clauses[k]})
		}
	}
	line := func(r *row) string {
		clause := "no clause"
		if r.clause.name != "" {
			clause = "`" + r.clause.name + "`"
			if strings.Contains(r.clause.name, " ") {
				clause = r.clause.name
			}
		}
		return fmt.Sprintf("| `%s`%s | %s | %s |", r.directive.name, map[string]string{"in a function": " in a function"}[r.directive.form], clause, strings.Join(r.cells[:], " | "))
	}
	t.Run("cells", func(t *testing.T) {
		for i, r := range rows {
			if !long && i%sampled != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s %s %s", r.directive.name, r.directive.form, r.clause.name), func(t *testing.T) {
				t.Parallel()
				for at, language := range cellLanguages {
					r.cells[at] = tryCell(t, r.directive, r.clause, language.command, language.file)
				}
			})
		}
	})
	var made strings.Builder
	made.WriteString("| directive | clause | C | C++ | Fortran |\n| --- | --- | --- | --- | --- |\n")
	for i, r := range rows {
		text := line(r)
		made.WriteString(text + "\n")
		if (long || i%sampled == 0) && !*update && major == "12" && !strings.Contains(table, text+"\n") {
			t.Errorf("%s does not have %s", page, text)
		}
	}
	if *update && long {
		if err := os.WriteFile(page, []byte(before+cellsBegin+made.String()+cellsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tryCell compiles and runs the program of a cell, and gives its treatment.
func tryCell(t *testing.T, d *cellDirective, clause *cellClause, command, file string) string {
	t.Helper()
	text, source, compiler := clause.c, "", compilers.C()
	switch command {
	case "c++":
		compiler = compilers.CXX()
	case "fc":
		text, compiler = clause.fortran, compilers.Fortran()
	}
	if text == "" {
		return cellNone
	}
	if source = cellProgram(d, clause); command == "fc" {
		source = cellFortran(d, clause)
	}
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{file: source})
	environment := []string{"ACCSCOPE_CC=" + compilers.C(), "ACCSCOPE_CXX=" + compilers.CXX(), "ACCSCOPE_FC=" + compilers.Fortran()}
	r := execute(t, folder, environment, accscope, command, "--accscope-explain", "-w", "-foffload=disable", "-o", "x", file)
	if r.status != 0 {
		if !strings.Contains(r.stderr, "cannot be had") {
			t.Errorf("%s: exit status %d\n%s\n%s", command, r.status, r.stderr, source)
		}
		return cellRefused
	}
	for _, device := range []string{"host", "sim"} {
		if e := execute(t, folder, []string{"ACC_DEVICE_TYPE=" + device}, filepath.Join(folder, "x")); e.status != 0 {
			t.Errorf("%s on %s: exit status %d\n%s\n%s", command, device, e.status, e.stderr, source)
		}
	}
	if !strings.Contains(r.stderr, file+":") {
		return cellAsItIs
	}
	alone := exec.Command(compiler, "-fopenacc", "-foffload=disable", "-w", "-c", file)
	alone.Dir = folder
	if alone.Run() == nil {
		return cellSilent
	}
	return cellRewritten
}
