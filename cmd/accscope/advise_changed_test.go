package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestAdviceOfChangedSource: a source that was only touched is the one that ran; of one that was
// changed, even with its old time, the trace has the directives, and no patch is made.
func TestAdviceOfChangedSource(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "heat.c")
	text, err := os.ReadFile(filepath.Join(corpus, "mapped-c.c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", "heat", path).must(t)
	execute(t, folder, modelled, accscope, "run", "-q", "--no-summary", "--device", "sim", "-o", "heat.db", "--", "./heat").must(t)
	mapped := func() advice.Finding {
		findings := findingsOf(t, folder, "heat.db")
		at := slices.IndexFunc(findings, func(f advice.Finding) bool { return f.Rule == "mapped-in-loop" })
		if at < 0 {
			t.Fatalf("found %+v", findings)
		}
		return findings[at]
	}
	before := mapped()
	later, earlier := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if touched := mapped(); len(touched.Edits) == 0 || touched.Instead != before.Instead {
		t.Errorf("of a file that was touched: %+v", touched)
	}
	if err := os.WriteFile(path, append([]byte("/* changed */\n\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, earlier, earlier); err != nil {
		t.Fatal(err)
	}
	changed := mapped()
	if changed.Directive != before.Directive || changed.Line != before.Line || len(changed.Edits) > 0 || changed.NoPatch != "heat.c was changed after the program ran: record it again" {
		t.Errorf("of a file that was changed: %+v", changed)
	}
	said := execute(t, folder, nil, accscope, "advise", "heat.db").must(t).stdout
	if !strings.Contains(said, "the text of "+path+" (changed after the program ran)") {
		t.Error(said)
	}
}
