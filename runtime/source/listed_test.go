package source

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// score counts the mappings of a family's programs by what they are called.
type score struct{ right, wrong, unknown int }

func (s score) String() string {
	all := s.right + s.wrong + s.unknown
	return fmt.Sprintf("%5d mappings: %5d right (%.1f %%), %d wrong, %d unknown", all, s.right, 100*float64(s.right)/float64(all), s.wrong, s.unknown)
}

// TestFamily names the mappings of generated programs whose names are known (member), as
// they are found at the call and from a snapshot of it. None may have another's name.
// ACCSCOPE_LONG=1 takes the whole family, -v says how each part fares, and ACCSCOPE_SEED=N
// takes another family.
func TestFamily(t *testing.T) {
	family := []member{
		{language: "c", place: "main", variables: 8, seed: 1}, {language: "c", place: "inlined", variables: 17, seed: 2},
		{language: "cc", place: "callee", variables: 8, seed: 4}, {language: "cc", place: "callee", variables: 8, seed: 9},
		{language: "c", place: "callee", variables: 40, seed: 10}, {language: "cc", place: "callee", variables: 40, seed: 8}, // large frames
		{language: "f90", place: "callee", variables: 17, seed: 5}, {language: "f90", place: "main", variables: 2, seed: 1},
		{language: "cc", place: "main", variables: 7, seed: 2, branches: true}, {language: "f90", place: "callee", variables: 9, seed: 3, branches: true},
		{language: "c", place: "main", variables: 8, seed: 6, routines: true}, {language: "cc", place: "inlined", variables: 8, seed: 7, routines: true},
		{language: "c", place: "main", variables: 5, seed: 100, routines: true},
		{language: "f90", place: "main", variables: 8, seed: 8, routines: true}, {language: "c", place: "main", variables: 5, seed: 1, routines: true, branches: true},
	}
	levels := []string{"-O2"}
	if os.Getenv("ACCSCOPE_LONG") != "" {
		levels = []string{"-O0", "-O1", "-O2", "-O3"}
		family = nil
		for _, language := range []string{"c", "cc", "f90"} {
			for _, place := range []string{"main", "callee", "inlined"} {
				for seed, variables := range []int{1, 2, 3, 5, 8, 13, 21, 30, 40, 8, 40} {
					family = append(family, member{language: language, place: place, variables: variables, seed: uint64(seed)})
				}
				for seed := range 3 {
					family = append(family, member{language: language, place: place, variables: 5 + 2*seed, seed: uint64(seed), branches: true},
						member{language: language, place: place, variables: 5 + 4*seed, seed: uint64(seed), routines: true},
						member{language: language, place: place, variables: 4 + 2*seed, seed: uint64(seed), routines: true, branches: true})
				}
			}
		}
	}
	if text := os.Getenv("ACCSCOPE_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("ACCSCOPE_SEED: %v", err)
		}
		for i := range family {
			family[i].seed += seed
		}
	}
	var mu sync.Mutex
	scores := map[string]score{}
	t.Run("", func(t *testing.T) {
		for i := range family {
			m := &family[i]
			text := m.write()
			levels := levels
			if m.routines && !slices.Contains(levels, "-O3") { // which shares more of their calls
				levels = append(slices.Clone(levels), "-O3")
			}
			for _, level := range levels {
				t.Run(m.String()+level, func(t *testing.T) {
					t.Parallel()
					m.run(t, text, level, func(call string, got score) {
						mu.Lock()
						defer mu.Unlock()
						for _, part := range []string{"all", m.language + " " + level, m.language + " in " + m.place, m.language + " " + call} {
							s := scores[part]
							scores[part] = score{s.right + got.right, s.wrong + got.wrong, s.unknown + got.unknown}
						}
					})
				})
			}
		}
	})
	for _, part := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%-18s %s", part, scores[part])
	}
	least := 98
	if runtime.GOARCH == "arm64" {
		least = 97 // whose code keeps fewer variables on the stack: 97.4 % of GCC 12's
	}
	if all := scores["all"]; all.right*100 < least*(all.right+all.wrong+all.unknown) {
		t.Errorf("fewer than %d %% have their names: %s", least, all)
	}
}

// run builds and runs a member and counts the names of each of its calls.
func (m *member) run(t *testing.T, text, level string, count func(call string, got score)) {
	dir := t.TempDir()
	file := filepath.Join(dir, m.file())
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	compiler := map[string]string{"c": compilers.C(), "cc": compilers.CXX(), "f90": compilers.Fortran()}[m.language]
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	program, inline := filepath.Join(dir, "member"), "-finline"
	if m.place == "callee" {
		inline = "-fno-inline"
	}
	build := exec.Command(compiler, "-fopenacc", "-foffload=disable", "-g", "-w", level, inline, file, stub(t), "-o", program)
	build.Dir = dir
	out, err := build.CombinedOutput()
	if strings.Contains(string(out), "internal compiler error") {
		t.Skipf("%s cannot compile it: %s", compiler, out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	held := map[uint64][]string{} // what the first call of a site names
	follow(t, program, func(c call, p *Process, memory snapshot.Memory) {
		at := snapshot.Call{ReturnAddress: c.ret, Function: c.function, Registers: c.registers, Entries: c.entries, Memory: memory}
		names := p.Names(at)
		if held[c.ret] == nil {
			held[c.ret] = p.SiteNames(at)
		}
		if kept := later(t, at, p); !slices.Equal(kept, names) {
			t.Errorf("%s: named %q at the call, %q from a snapshot of it", c.name, names, kept)
		}
		var got score
		for i, name := range names {
			want := m.name(c.entries[i], memory)
			if of := held[c.ret]; want != "" && c.entries[i].Role != snapshot.RoleUnknown && i < len(of) && of[i] != "" && of[i] != want {
				t.Errorf("%s: mapping %d was called %s in the first call from its place, and is %s; the program:\n%s", c.name, i, of[i], want, text)
			}
			switch {
			case want == "":
			case name == want:
				got.right++
			case name == "":
				got.unknown++
			default:
				got.wrong++
				place, _ := p.LookupReturn(c.ret)
				t.Errorf("%s at line %d: mapping %d is called %s, and is %s; the program:\n%s", c.name, place.Line, i, name, want, text)
			}
		}
		count(c.name, got)
	})
}

// TestOrderOfGCC14: GCC 14 puts together what is attached to components behind one pointer,
// this too, and releases the descriptor of a static array behind its data.
func TestOrderOfGCC14(t *testing.T) {
	l := listed{fortran: true, entries: []snapshot.Entry{
		{Address: 0x1000, Size: 64, Role: snapshot.Release}, // no descriptor
		{Address: 0x2000, Size: 800, Role: snapshot.From},
		{Address: 0x3000, Size: 64, Role: snapshot.Release},
		{Address: 0x3000, Role: snapshot.Pointer, Follows: true},
	}}
	if !l.group() || !slices.Equal(l.groups, []group{{0, 1, false}, {1, 4, false}}) {
		t.Errorf("groups %v", l.groups)
	}
	behind := func(name, pointer string) item { return item{plain: name, form: attached, behind: pointer} }
	items := []item{behind("a", "this"), behind("b", "p"), {plain: "c"}, behind("d", "this"), behind("e", "p")}
	for _, c := range []struct {
		behind bool
		want   string
	}{{false, "abcde"}, {true, "daebc"}} {
		got := ""
		for _, of := range l.together(items, c.behind) {
			got += of.plain
		}
		if got != c.want {
			t.Errorf("put together %v: %s, want %s", c.behind, got, c.want)
		}
	}
}
