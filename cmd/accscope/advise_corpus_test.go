package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/runtime/compilers"
)

// corpus has programs with a mistake that a rule is to find, and such that look alike: the first
// line says which.
const corpus = "../../collector/advice/testdata/corpus"

var planted = regexp.MustCompile(`planted: ([\w-]+)`)

// inShort are the programs of the corpus that each run of the tests takes.
var inShort = []string{"mapped-called.c", "mapped-host.c", "mapped-fixed.f", "row-free.f90"}

// tally is what came of a rule.
type tally struct{ planted, found, alike, told, given, right, wrong int }

// TestAdviceCorpus: each mistake that is planted is found, and each patch that is given compiles,
// gives the same result, and mends what it is about. With ACCSCOPE_ADVICE_CHECK=1 (make
// advice-check) of all programs, with the figures of each rule.
func TestAdviceCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	check := os.Getenv("ACCSCOPE_ADVICE_CHECK") // a part of the names of those to take, 3/8 for the third of eight parts, or 1 for all
	whole := check != ""
	part, parts := 1, 1
	if first, of, is := strings.Cut(check, "/"); is {
		if _, err := fmt.Sscan(first+" "+of, &part, &parts); err != nil || part < 1 || part > parts {
			t.Fatalf("ACCSCOPE_ADVICE_CHECK=%s is no part of several", check)
		}
		check = "1"
	}
	tallies := map[string]*tally{}
	of := func(rule string) *tally {
		if tallies[rule] == nil {
			tallies[rule] = &tally{}
		}
		return tallies[rule]
	}
	programs := slices.Concat(generated(), planned())
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := generatedProgram{name: filepath.Base(file), text: string(text)}
		if m := planted.FindStringSubmatch(p.text); m != nil {
			p.plants = m[1]
		}
		p.hash = strings.Contains(p.text, "recorded: with hashes")
		programs = append(programs, p)
	}
	for i, p := range programs {
		name, text := p.name, p.text
		if i%parts != part-1 {
			continue
		}
		if !whole && !slices.Contains(inShort, name) || whole && check != "1" && !strings.Contains(name, check) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			want := built(t, folder, p, text, "before")
			findings := findingsOf(t, folder, "before.db")
			if p.right != "" {
				want = built(t, folder, p, p.right, "right")
			}
			if p.plants != "" {
				of(p.plants).planted++
				if slices.ContainsFunc(findings, func(f advice.Finding) bool { return f.Rule == p.plants }) {
					of(p.plants).found++
				} else if !p.missed {
					t.Errorf("%s is not found", p.plants)
				}
			}
			if p.silent != "" {
				of(p.silent).alike++
				if at := slices.IndexFunc(findings, func(f advice.Finding) bool { return f.Rule == p.silent }); at >= 0 {
					of(p.silent).told++
					t.Errorf("%s is told of what is well: %s", p.silent, findings[at].What)
				}
			}
			for i := range findings {
				f := &findings[i]
				if len(f.Edits) == 0 {
					t.Logf("%s has no patch: %s", f.Rule, f.NoPatch)
					continue
				}
				of(f.Rule).given++
				after, err := patch.Apply(text, f.Edits)
				if err != nil {
					t.Fatal(err)
				}
				if got := built(t, folder, p, after, fmt.Sprintf("after%d", i)); got != want {
					of(f.Rule).wrong++
					t.Errorf("with %s: printed %q, before %q\n%s", f.Rule, got, want, f.Instead)
					continue
				}
				if again := findingsOf(t, folder, fmt.Sprintf("after%d.db", i)); slices.ContainsFunc(again, func(g advice.Finding) bool {
					return g.Rule == f.Rule && g.Subject == f.Subject && g.Function == f.Function && 2*g.Gain > f.Gain && 2*g.Count > f.Count
				}) {
					t.Errorf("%s is found again with its patch\n%s", f.Rule, f.Instead)
					continue
				}
				of(f.Rule).right++
			}
		})
	}
	if whole {
		fmt.Printf("%-24s %8s %6s %6s %6s %6s %6s %6s\n", "rule", "planted", "found", "alike", "told", "given", "right", "wrong")
		for _, rule := range slices.SortedFunc(maps.Keys(tallies), cmp.Compare[string]) {
			n := tallies[rule]
			fmt.Printf("%-24s %8d %6d %6d %6d %6d %6d %6d\n", rule, n.planted, n.found, n.alike, n.told, n.given, n.right, n.wrong)
		}
	}
}

// built compiles a program's text, records it, and gives what it printed.
func built(t *testing.T, folder string, p generatedProgram, text, as string) string {
	t.Helper()
	name := p.name
	compiler := compilers.C()
	switch filepath.Ext(name) {
	case ".cpp":
		compiler = compilers.CXX()
	case ".f", ".f90":
		compiler = compilers.Fortran()
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags, environment, optimised := []string{"-foffload=disable"}, []string(nil), "-O2"
	if p.needs == counters || p.needs == gpuModel {
		path, offload, err := compilers.Offload()
		if err != nil {
			t.Skipf("what runs GPU code is not tried: %v", err)
		}
		compiler = map[string]string{".c": "gcc-12", ".cpp": "g++-12"}[filepath.Ext(name)]
		compiler, flags, environment, optimised = cmp.Or(compiler, "gfortran-12"), offload, []string{"PATH=" + path}, "-O1"
	}
	execute(t, folder, environment, compiler, append(flags, "-fopenacc", optimised, "-w", "-g", "-o", as, name)...).must(t)
	words, latency := []string{"run", "-q", "--no-summary", "--device", "sim", "-o", as + ".db"}, "50us"
	program := []string{"./" + as}
	switch {
	case p.hash:
		words = append(words, "--hash")
	case p.needs == counters:
		words = append(words, "--counters")
	case p.needs == gpuModel:
		words = append(words, "--model=h200")
	case p.needs == lasting:
		latency = "20ms"
	case p.needs == brief:
		latency = "5us"
	case p.needs == samples:
		requireSamples(t)
		words = append(words, "--sample=1000")
	case p.needs == ranks: // without MPI; what takes time is the launches
		program = []string{"sh", "-c", "for rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./" + as + "; done"}
		latency = "20ms"
	}
	environment = append(slices.Clone(modelled), "ACCSCOPE_SIM_LAUNCH_LATENCY="+latency)
	if strings.HasPrefix(as, "after") {
		environment = append(environment, "ACCSCOPE_SIM_POISON=on") // what a patch leaves without values is not what it was before
	}
	run := execute(t, folder, environment, accscope, append(append(words, "--"), program...)...)
	if !p.fails {
		run.must(t)
	}
	return run.stdout
}
