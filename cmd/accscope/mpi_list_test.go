package main

import (
	"debug/elf"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every call that an MPI declares is taken, or stands with its reason in the table of
// docs/mpi.md, in which nothing is that no MPI has.
func TestMPICallsThatAreNotTaken(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(project, "docs/mpi.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| Not taken | Why |")
	table, _, _ = strings.Cut(table, "\n\n")
	var patterns []string
	for _, row := range strings.Split(table, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`(MPI_[^`]*)`").FindAllStringSubmatch(cells[1], -1) {
				patterns = append(patterns, name[1])
			}
		}
	}
	if !found || len(patterns) < 20 {
		t.Fatalf("the table has %d calls", len(patterns))
	}
	used := map[string]bool{}
	tested := 0
	for _, m := range mpis() {
		if why := m.missing(); why != "" {
			t.Logf("without %s: %s", m.name, why)
			continue
		}
		tested++
		taken := exportedCalls(t, filepath.Join(project, "lib", m.library))
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "all.c"), []byte("#include <mpi.h>\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		declared := execute(t, folder, m.environment, m.command(mpicc), "-E", "-P", "all.c").must(t).stdout
		names := regexp.MustCompile(`\b(MPI_[A-Z]\w*)\(`).FindAllStringSubmatch(declared, -1)
		if len(names) < 300 {
			t.Fatalf("%s declares %d calls", m.name, len(names))
		}
		for _, name := range names {
			if slices.Contains(taken, name[1]) {
				continue
			}
			known := false
			for _, pattern := range patterns {
				if matches, err := path.Match(pattern, name[1]); err == nil && matches {
					used[pattern], known = true, true
				}
			}
			if !known {
				t.Errorf("%s has %s, which is neither taken nor in the table", m.name, name[1])
			}
		}
	}
	for _, pattern := range patterns {
		if tested == len(mpis()) && !used[pattern] {
			t.Errorf("no MPI has a call %s that is not taken", pattern)
		}
	}
}

// exportedCalls are the functions of MPI that a library stands before.
func exportedCalls(t *testing.T, library string) (names []string) {
	t.Helper()
	file, err := elf.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, "MPI_") {
			names = append(names, s.Name)
		}
	}
	return names
}
