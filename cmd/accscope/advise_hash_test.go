package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestAdviceWithHashes: what is unchanged is found with hashes in the bad program, nothing
// in the others, and its evidence gives the rows that it counts.
func TestAdviceWithHashes(t *testing.T) {
	around := func(line, copied string) string {
		return "around the loop at line " + line + " in bad: #pragma acc data " + copied
	}
	for _, test := range []struct {
		program, rule, instead string
		without                bool // hashes
		count                  int64
		confidence             advice.Confidence
	}{
		{"repeated-transfer", "repeated-transfer", "leave field out of the directive, but where the host has changed it", false, 19, advice.Likely},
		{"repeated-transfer-mapped", "repeated-transfer", around("13", "copyin(field[0:N])"), false, 19, advice.Likely},
		{"round-trip", "round-trip", "leave the directive out", false, 20, advice.Likely},
		{"round-trip-mapped", "round-trip", around("10", "copy(field)"), false, 38, advice.Likely},
		{"round-trip-update", "round-trip", "leave the directive out", false, 20, advice.Likely},
		{"unused-transfer", "unused-transfer", "leave the directive out", false, 20, advice.Likely},
		{"unused-transfer-never", "unused-transfer", "#pragma acc data copyout(result)", true, 20, advice.Likely},
		{"unused-transfer-unchanged", "unused-transfer", "leave the directive out", false, 20, advice.Likely},
	} {
		name := test.program
		if test.without {
			name += " without"
		}
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join(adviceFolder, test.program+".c"))
			if err != nil {
				t.Fatal(err)
			}
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", source).must(t)
			for _, variant := range []string{"bad", "mended", "alike"} {
				command := []string{"run", "-q", "--device", "sim", "-o", variant + ".db"}
				if !test.without {
					command = append(command, "--hash")
				}
				execute(t, folder, modelled, accscope, append(command, "--", "./program", variant)...).must(t)
				var findings []advice.Finding
				said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", variant+".db").must(t).stdout
				if err := json.Unmarshal([]byte(said), &findings); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				found := slices.IndexFunc(findings, func(f advice.Finding) bool {
					return f.Rule == test.rule && (variant != "bad" || f.Instead == test.instead)
				})
				if variant != "bad" {
					if found >= 0 {
						t.Errorf("%s: found %+v", variant, findings[found])
					}
					continue
				}
				if found < 0 {
					t.Fatalf("nothing found:\n%s", said)
				}
				f := findings[found]
				if f.Subject != "field" || f.Count != test.count || f.Confidence != test.confidence {
					t.Errorf("%s, %d rows, %s: %s", f.Subject, f.Count, f.Confidence, f.What)
				}
				rows := invoke(t, folder, "query", "--format", "csv", "bad.db", f.SQL).must(t).stdout
				if list, err := csv.NewReader(strings.NewReader(rows)).ReadAll(); err != nil || int64(len(list)) != f.Count+1 {
					t.Errorf("%d rows were counted, SQL gives, with a line of names (%v),\n%s", f.Count, err, rows)
				}
			}
		})
	}
}
