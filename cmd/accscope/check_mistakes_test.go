package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/check/mistakes"
)

// wrong is a program of functions, each with one mistake or with none.
type wrong struct {
	lines []string
	made  []madeFunction
}

type madeFunction struct {
	mistakes.Mistake
	first, last int // lines, from 1
}

func (w *wrong) add(m mistakes.Mistake) {
	first := len(w.lines) + 1
	w.lines = append(w.lines, strings.Split(strings.TrimSuffix(strings.ReplaceAll(m.Text, mistakes.Placeholder, strconv.Itoa(len(w.made))), "\n"), "\n")...)
	w.made = append(w.made, madeFunction{m, first, len(w.lines)})
}

// mistaken makes a program of the functions of a file and of wanted mistakes in them, fewer where
// there are not so many; 0: all.
func mistaken(t *testing.T, file string, wanted int) (w wrong, text string) {
	t.Helper()
	program, err := os.ReadFile(filepath.Join("testdata/mistakes", file))
	if err != nil {
		t.Fatal(err)
	}
	language, begin, end, call := &mistakes.C, "#include <stdio.h>\n#include <stdlib.h>\nenum { N = 96, M = 8 };", "int main (void)\n{", "  printf (\"%%.17g\\n\", %s%d ());"
	last := "  return 0;\n}"
	switch filepath.Ext(file) {
	case ".cpp": // what its functions share, from one line to the next
		before, _, _ := strings.Cut(string(program), "\ndouble\n")
		begin, end = before, "int\nmain ()\n{"
	case ".f90":
		language, begin, end, call = &mistakes.Fortran, "module programs\n  implicit none\n  integer, parameter :: n = 96, m = 8\ncontains", "end module\nprogram main\n  use programs", "  print '(g0)', %s%d()"
		last = "end program"
	}
	w.lines = strings.Split(begin, "\n")
	random := rand.New(rand.NewPCG(1, 2))
	functions := language.Functions(string(program))
	for _, f := range functions {
		all := language.Of(f)
		if share := (wanted + len(functions) - 1) / len(functions); share > 0 && share < len(all) {
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			all = all[:share]
		}
		w.add(mistakes.Mistake{Function: all[0].Function, Text: f})
		for _, m := range all {
			w.add(m)
		}
	}
	text = strings.Join(w.lines, "\n") + "\n" + end + "\n"
	for n, m := range w.made {
		text += fmt.Sprintf(call, m.Function, n) + "\n"
	}
	return w, text + last + "\n"
}

// has says whether a side of a finding is within a function; tells, whether the line there, or the
// one below a directive, has the variable, too.
func (w *wrong) has(m *madeFunction, i *check.Instance) bool {
	return i != nil && i.Line >= int64(m.first) && i.Line <= int64(m.last)
}

func (w *wrong) tells(m *madeFunction, i *check.Instance, variable string) bool {
	return w.has(m, i) && strings.Contains(w.lines[i.Line-1]+w.lines[i.Line], variable)
}

// TestCheckFindsMistakes: of the mistakes that matter, by the result or by what they are, these
// shares are found, at a line with the variable, and nothing in the functions without one.
func TestCheckFindsMistakes(t *testing.T) {
	t.Parallel()
	wanted := 30
	if os.Getenv("ACCSCOPE_LONG") != "" {
		wanted = 0
	}
	var all int
	for _, test := range []struct {
		flags        []string
		device, host float64 // least shares: of what the host's reads alone show, and the others
	}{
		{[]string{"-fsanitize=thread"}, 0.97, 0.97},
		{nil, 0.97, 0.6},
	} {
		var device, host, deviceFound, hostFound int
		for _, file := range []string{"programs.c", "programs.cpp", "programs.f90"} {
			folder := t.TempDir()
			w, text := mistaken(t, file, wanted)
			source := filepath.Join(folder, "made"+filepath.Ext(file))
			if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			r := invoke(t, folder, "check", "--format", "json", "--", offloaded(t, folder, source, test.flags...))
			var told struct{ Findings []*check.Finding }
			if err := json.Unmarshal([]byte(r.stdout), &told); err != nil {
				t.Fatalf("%v in\n%s\n%s", err, r.stdout, r.stderr)
			}
			results := strings.Fields(r.stderr)
			if len(results) != len(w.made) {
				t.Fatalf("%d results of %d functions:\n%s", len(results), len(w.made), r.stderr)
			}
			right := ""
			for n := range w.made {
				m := &w.made[n]
				if m.What == "" {
					right = results[n]
					for _, f := range told.Findings {
						if !f.Unsure && (w.has(m, &f.Instance) || w.has(m, f.Other)) {
							t.Errorf("%s: nothing is wrong, and there is %s", m.Function, f.What)
						}
					}
					continue
				}
				if !m.Certain && results[n] == right {
					continue
				}
				found := slices.ContainsFunc(told.Findings, func(f *check.Finding) bool {
					return slices.Contains(m.Kinds, f.Kind) && (m.Variable == "" || f.Variable == m.Variable) &&
						(w.tells(m, &f.Instance, f.Variable) || w.tells(m, f.Other, f.Variable))
				})
				if !found {
					t.Logf("%v: %s, %s: not found", test.flags, m.Function, m.What)
				}
				switch {
				case m.Host:
					host++
					if found {
						hostFound++
					}
				default:
					device++
					if found {
						deviceFound++
					}
				}
			}
		}
		t.Logf("%v: of %d mistakes %d found, of %d that only the host's reads show %d", test.flags, device, deviceFound, host, hostFound)
		if all = device + host; float64(deviceFound) < test.device*float64(device) || float64(hostFound) < test.host*float64(host) {
			t.Errorf("%v: found are too few", test.flags)
		}
		if testing.Short() && wanted > 0 {
			break
		}
	}
	if wanted == 0 && all < 250 {
		t.Errorf("there are %d mistakes that matter", all)
	}
}
