package attribution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/callbacks"
)

// levels are those of optimisation, formats the ways to store debug information.
var (
	levels  = []string{"-O0", "-O1", "-O2", "-O3"}
	formats = []string{"-gdwarf-4", "-gdwarf-5", "-gz", "-flto", "-gsplit-dwarf", "-gsplit-dwarf -gdwarf-4"}
)

// TestFormats compiles each program at each level of optimisation with debug
// information in each format, by the compilers of this run, whatever their version.
// No file, line, function or variable is another than with GCC 12 without optimisation,
// and of the mappings of each program and cell no more lack a name than with GCC 12 at
// -O2, and five in a hundred. What a program has in split files is looked at with and
// without these. Without ACCSCOPE_LONG each program has each level and each
// format once. What was found of all is written to $ACCSCOPE_NAMES, a line a cell.
func TestFormats(t *testing.T) {
	library, recorder := prepare(t, t.TempDir())
	cells := map[string]*mappings{}
	var mu sync.Mutex
	t.Run("cells", func(t *testing.T) { // ends when all have
		for n, p := range programs {
			if !p.here() {
				continue
			}
			known := recall(t, p)
			for i, format := range formats {
				for j, level := range levels {
					if os.Getenv("ACCSCOPE_LONG") == "" && (n+i)%len(levels) != j {
						continue
					}
					t.Run(p.name+level+format, func(t *testing.T) {
						t.Parallel()
						m := tryFormat(t, p, known, level+" "+format, library, recorder)
						mu.Lock()
						defer mu.Unlock()
						sum := cells[level+" "+format]
						if sum == nil {
							sum = &mappings{}
							cells[level+" "+format] = sum
						}
						sum.all += m.all
						sum.named += m.named
					})
				}
			}
		}
	})
	var table strings.Builder
	for _, format := range formats {
		line := fmt.Sprintf("%-14s", format)
		for _, level := range levels {
			m := cells[level+" "+format]
			if m == nil {
				continue
			}
			line += fmt.Sprintf("  %s %d of %d", level, m.named, m.all)
			fmt.Fprintf(&table, "named %d of %d at %s %s\n", m.named, m.all, level, format)
		}
		t.Log(line)
	}
	if path := os.Getenv("ACCSCOPE_NAMES"); path != "" {
		if err := os.WriteFile(path, []byte(table.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// tryFormat compiles a program with the flags of a cell and holds what it says to what is
// known.
func tryFormat(t *testing.T, p program, known known, cell, library, recorder string) *mappings {
	t.Helper()
	binary := build(t, t.TempDir(), &p, cell)
	m := &mappings{}
	known.compare(t, binary.execute(t, p, library, recorder), false, m)
	if strings.Contains(cell, "split") {
		remove(t, string(binary)+"*.dwo")
		known.compare(t, binary.execute(t, p, library, recorder), true, &mappings{})
	}
	lacks := float64(m.all-m.named) / float64(m.all)
	if m.all > 0 && lacks > known.unnamed+0.05 {
		t.Errorf("%d of %d mappings have a name; at most %.0f in a hundred may lack one; without: %q",
			m.named, m.all, 100*(known.unnamed+0.05), m.unnamed)
	}
	return m
}

// TestSplitFiles tries a program without the file that has most of its debug
// information, with one that is damaged and with that of another program: lines are
// there, and no name is wrong.
func TestSplitFiles(t *testing.T) {
	folder := t.TempDir()
	library, recorder := prepare(t, folder)
	p, other := programs[0], programs[1]
	for _, c := range []struct {
		name, flags string
		content     func(whole, foreign []byte) []byte // nil: no file
	}{
		{"none", "", nil},
		{"empty", "", func([]byte, []byte) []byte { return nil }},
		{"cut", "", func(whole, _ []byte) []byte { return whole[:len(whole)/2] }},
		{"of another program", "", func(_, foreign []byte) []byte { return foreign }},
		{"DWARF 4, none", " -gdwarf-4", nil},
		{"DWARF 4, of another program", " -gdwarf-4", func(_, foreign []byte) []byte { return foreign }},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			program, another := p, other
			build(t, folder, &another, "-O2 -gsplit-dwarf"+c.flags)
			foreign, err := os.ReadFile(splitFile(t, folder, other.name))
			if err != nil {
				t.Fatal(err)
			}
			binary := build(t, folder, &program, "-O2 -gsplit-dwarf"+c.flags)
			file := splitFile(t, folder, p.name)
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if c.content != nil {
				if err := os.WriteFile(file, c.content(whole, foreign), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := &mappings{}
			recall(t, p).compare(t, binary.execute(t, program, library, recorder), true, m)
			if m.named != 0 {
				t.Errorf("%d of %d mappings have a name without the file", m.named, m.all)
			}
		})
	}
}

// remove takes away the files of a pattern, of which there must be some.
func remove(t *testing.T, pattern string) {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("no file %s (%v)", pattern, err)
	}
	for _, file := range found {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// splitFile is the one of a program in a folder.
func splitFile(t *testing.T, folder, program string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, program+"*.dwo"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d files %s*.dwo, want one (%v)", len(found), program, err)
	}
	return found[0]
}

// mappings counts what a device got memory for, and what of it had a name.
type mappings struct {
	all, named int
	unnamed    []string
}

// known is what a program's events say without optimisation, as golden tables have it.
type known struct {
	unnamed float64            // the share of mappings without a name at -O2
	lines   map[string]bool    // file with the first line
	places  map[[2]string]bool // file with lines, function
	data    map[[4]string]bool // event, file with the first line, variable, bytes
	listed  map[string]bool    // words of the source's directives
}

var (
	directives = regexp.MustCompile(`(?:#pragma acc|!\$acc) .*`)
	words      = regexp.MustCompile(`\w+`)
)

// beginning is a place's file with the first of its lines.
func beginning(place string) string {
	first, _, _ := strings.Cut(place, "-")
	return first
}

func recall(t *testing.T, p program) known {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", p.name+p.builds[0]+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, file := range p.sources() {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, content...)
	}
	k := known{unnamed: unnamed(t, p.name+"-O2"), lines: map[string]bool{}, places: map[[2]string]bool{}, data: map[[4]string]bool{}, listed: map[string]bool{}}
	for _, found := range directives.FindAllString(string(text), -1) {
		for _, word := range words.FindAllString(found, -1) {
			k.listed[word] = true
		}
	}
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		k.lines[beginning(f[1])] = true
		k.places[[2]string{f[1], f[2]}] = true
		k.data[[4]string{f[0], beginning(f[1]), f[5], f[6]}] = true
		if f[0] != "acc_ev_create" && f[0] != "acc_ev_delete" {
			continue
		}
		// Its transfer is one of its own where an earlier operation of the queue has still to write
		// what others go with, and with later compilers than GCC 12 also that of the pointer by
		// which a component of a Fortran type is detached.
		for _, way := range []string{"upload", "download"} {
			for _, edge := range []string{"start", "end"} {
				event := "acc_ev_enqueue_" + way + "_" + edge
				k.data[[4]string{event, beginning(f[1]), f[5], f[6]}] = true
				if way == "upload" && strings.Contains(f[5], "%") {
					k.data[[4]string{event, beginning(f[1]), f[5], "8"}] = true
				}
			}
		}
	}
	return k
}

// unnamed is the share of the mappings of a golden table without a name.
func unnamed(t *testing.T, build string) float64 {
	t.Helper()
	table, err := os.ReadFile(filepath.Join("testdata", build+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	all, without := 0, 0
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); f[0] == callbacks.Create.String() {
			all++
			if f[5] == "(none)" {
				without++
			}
		}
	}
	return float64(without) / float64(max(all, 1))
}

// kept tells whether data ends under a name that another directive calls it by: data
// that begins without a name keeps the first that is found.
func (k known) kept(r row) bool {
	return (r.event == callbacks.Delete || r.event == callbacks.Free) && k.listed[r.variable]
}

// outermost tells whether the name is the linker's of a static variable, in its namespace,
// which is the one that a known name begins with: without types it has no components.
func (k known) outermost(event, line string, r row) bool {
	name := r.variable[strings.LastIndex(r.variable, ":")+1:]
	for d := range k.data {
		if d[0] == event && d[1] == line && d[3] == r.bytes {
			if rest, ok := strings.CutPrefix(d[2], name); ok && (rest == "" || strings.ContainsAny(rest[:1], "%.-[(")) {
				return true
			}
		}
	}
	return false
}

// compare holds rows against what is known. Where debug information lies apart, the
// line is there, the linker's name of the function, and static variables.
func (k known) compare(t *testing.T, rows []row, apart bool, m *mappings) {
	t.Helper()
	for _, r := range rows {
		f := strings.Fields(r.String())
		place, function, line := f[1], f[2], beginning(f[1])
		switch {
		case !apart && !r.placed():
			t.Errorf("no place: %s", r)
		case !apart && !k.places[[2]string{place, function}], !k.lines[line]:
			t.Errorf("another place than without optimisation: %s", r)
		case apart && r.line > 0 && function == "-":
			t.Errorf("no function: %s", r)
		}
		right := k.data[[4]string{f[0], line, r.variable, r.bytes}] || k.kept(r) || apart && k.outermost(f[0], line, r)
		if r.bytes != "-" && r.variable != "(none)" && !right {
			t.Errorf("another name than without optimisation: %s", r)
		}
		if r.event == callbacks.Create {
			m.all++
			if r.variable == "(none)" {
				m.unnamed = append(m.unnamed, strings.Join(f, " "))
			} else {
				m.named++
			}
		}
	}
}
