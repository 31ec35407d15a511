package advice

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What is found does not depend on how many processes are read at once, and no pass follows
// more of them: what advise holds does not grow with the ranks of a job.
func TestProcessesAtOnce(t *testing.T) {
	const ranks = 7
	defer func(before int) { processesAtOnce = before }(processesAtOnce)
	rulesWithFindings := map[string]bool{}
	for _, changes := range [][]string{nil, few, append(slices.Clone(few), hashes)} {
		path := filepath.Join(t.TempDir(), "job.db")
		if _, err := generate.Trace(path, generate.Options{Ranks: ranks, Spans: 12_000, Threads: 2, Activity: true, Own: changes == nil, Slow: 3, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		if changes != nil {
			tracetest.Change(t, path, changes...)
		}
		want := ""
		for _, atOnce := range []int{ranks, 1, 3} {
			processesAtOnce = atOnce
			findings, err := Find(tracetest.Open(t, path), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				rulesWithFindings[f.Rule] = true
			}
			var text bytes.Buffer
			if err := WriteJSON(&text, findings); err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = text.String()
			}
			if got := text.String(); got != want {
				t.Errorf("%d processes at once: found\n%s\nwant\n%s", atOnce, got, want)
			}
			seen, err := look(tracetest.Open(t, path))
			if err != nil {
				t.Fatal(err)
			}
			read := map[model.ProcessID]bool{}
			for p, err := range seen.passes() {
				if err != nil {
					t.Fatal(err)
				}
				followed := followedBy(t, p)
				for process := range followed {
					if read[process] {
						t.Errorf("%d processes at once: process %d is read twice", atOnce, process)
					}
					read[process] = true
				}
				if len(followed) == 0 || len(followed) > atOnce {
					t.Errorf("%d processes at once: a pass follows %d", atOnce, len(followed))
				}
			}
			if len(read) != ranks {
				t.Errorf("%d processes at once: %d of %d were read", atOnce, len(read), ranks)
			}
		}
	}
	if len(rulesWithFindings) < 8 {
		t.Errorf("findings of rules %v alone", rulesWithFindings)
	}
}

// followedBy are the processes that a pass has anything of.
func followedBy(t *testing.T, p *pass) map[model.ProcessID]bool {
	t.Helper()
	followed := map[model.ProcessID]bool{}
	for _, d := range p.history.list {
		followed[d.key.process] = true
	}
	for process := range p.waits.waits {
		followed[model.ProcessID(process)] = true
	}
	for of := range p.waits.tasks {
		followed[model.ProcessID(of.process)] = true
	}
	for _, found := range p.found {
		for _, g := range found.list {
			for _, o := range g.rows {
				followed[model.ProcessID(o.process)] = true
			}
		}
	}
	sites, err := p.of.Sites()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sites {
		followed[s.Process] = true
	}
	for _, spans := range p.around {
		for _, s := range spans {
			followed[s.site.Process] = true
		}
	}
	return followed
}
