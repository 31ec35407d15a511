package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The scripts of the pages, given to Slurm itself as they stand there: each start of each job
// has one result, of all its ranks, whatever becomes of the job.
func TestSlurm(t *testing.T) {
	if os.Getenv("ACCSCOPE_SLURM") == "" {
		t.Skip("part of make slurm")
	}
	s := startSlurm(t)
	t.Run("jobs", func(t *testing.T) {
		for name, test := range map[string]func(*slurmFolder){
			"top": slurmTop, "two jobs": slurmTwoJobs, "first lines": slurmFirstLines, "time limit": slurmTimeLimit,
			"time limit of import": slurmTimeLimitOfImport, "signal": slurmSignal, "killed step": slurmKilledStep,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(s.folder(t))
			})
		}
		for page := range s.scripts {
			for name, test := range map[string]func(*slurmFolder, string){
				"end": slurmEnd, "array": slurmArray, "requeue": slurmRequeue, "scancel": slurmCancel,
			} {
				t.Run(name+" of "+page, func(t *testing.T) {
					t.Parallel()
					test(s.folder(t), page)
				})
			}
		}
	})
	// Not beside other jobs, which have the node, too.
	for page := range s.scripts {
		t.Run("node down of "+page, func(t *testing.T) { slurmNodeDown(s.folder(t), page) })
	}
}

func slurmEnd(f *slurmFolder, page string) {
	job := f.give(f.scripts[page])
	f.began(0, 8)
	f.finish()
	f.completed(job)
	f.result(page, job, 0, "status 0")
}

// The command that shows a job's programs in a terminal, of one of its nodes.
func slurmTop(f *slurmFolder) {
	page, err := os.ReadFile("../../docs/recipes.md")
	if err != nil {
		f.t.Fatal(err)
	}
	command := string(regexp.MustCompile("`(srun [^`]* accscope top)`").FindSubmatch(page)[1])
	job := f.give(f.scripts["recipes.md"])
	f.began(0, 8)
	command = strings.NewReplacer("JOB", job, "NODE", "$(squeue -h -j "+job+" -o %N | sed 's/.*[[,-]\\([0-9]*\\)]/n\\1/')").Replace(command)
	screen := filepath.Join(f.path, "screen")
	shown := f.as(slurmUser, "script", "--quiet", "--flush", "--return", "--command", "stty rows 40 cols 120; exec "+command, screen)
	shown.Env = append(shown.Env, "TERM=xterm-256color")
	keys, err := shown.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := shown.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.until("a screen of accscope top", func() bool {
		text, err := os.ReadFile(screen)
		return err == nil && strings.Contains(string(text), "heat")
	})
	if _, err := keys.Write([]byte("q")); err != nil {
		f.t.Error(err)
	}
	if err := shown.Wait(); err != nil {
		text, _ := os.ReadFile(screen)
		f.t.Errorf("%s: %v: %q", command, err, text)
	}
	f.finish()
	f.completed(job)
	f.ranks("heat-"+job+"-0.db", "status 0")
}

// Jobs whose collectors, agents and programs share their nodes.
func slurmTwoJobs(f *slurmFolder) {
	jobs := []string{f.give(f.scripts["gather.md"], "--nodelist=n1,n2"), f.give(f.scripts["gather.md"], "--nodelist=n1,n2")}
	f.began(0, 16)
	f.finish()
	for _, job := range jobs {
		f.completed(job)
		f.gathered(job, 0, "status 0")
	}
}

// What gather's page begins with, in a script of its own; what is run behind it has its trace
// where it runs.
func slurmFirstLines(f *slurmFolder) {
	page, err := os.ReadFile("../../docs/gather.md")
	if err != nil {
		f.t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(page), "```\n")
	lines, _, _ = strings.Cut(lines, "```")
	job := f.give("#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=4\n" + strings.Replace(lines, "./program", "./heat", 1) + "TEST_MARKS=/nowhere accscope run -q -o next.db -- ./heat || true\n")
	f.began(0, 8)
	f.finish()
	f.completed(job)
	f.ranks("job/trace.db", "status 0")
	if said := f.said(); !strings.Contains(said, "parallel loop in main") {
		f.t.Errorf("no report in %s", said)
	}
	invoke(f.t, f.path, "info", "--check", "next.db").must(f.t)
}

func slurmArray(f *slurmFolder, page string) {
	array := f.give(f.scripts[page], "--array=1-3")
	f.began(0, 24)
	jobs := strings.Fields(f.must(f.t, "squeue", "--noheader", "--format=%A", "--jobs="+array))
	f.finish()
	f.completed(array)
	if len(jobs) != 3 {
		f.t.Errorf("the array has jobs %v, want 3", jobs)
	}
	for _, job := range jobs {
		f.result(page, job, 0, "status 0")
	}
}

func slurmRequeue(f *slurmFolder, page string) {
	job := f.give(f.scripts[page])
	f.began(0, 8)
	f.must(f.t, "scontrol", "requeue", job)
	f.began(1, 8)
	f.finish()
	f.completed(job)
	f.result(page, job, 0, "signal 15 (terminated)")
	f.result(page, job, 1, "status 0")
}

func slurmCancel(f *slurmFolder, page string) {
	job := f.give(f.scripts[page])
	f.began(0, 8)
	f.must(f.t, "scancel", job)
	f.ends(job, "CANCELLED")
	f.result(page, job, 0, "signal 15 (terminated)")
}

// A step that was killed leaves what it recorded in its nodes' session folders.
func slurmKilledStep(f *slurmFolder) {
	job := f.give(f.scripts["recipes.md"])
	f.began(0, 8)
	nodes := f.must(f.t, "squeue", "--noheader", "--format=%N", "--jobs="+job)
	f.must(f.t, "scancel", job+".0")
	f.over(job)
	after := f.give("#!/bin/bash\nsrun --ntasks-per-node=1 bash -c 'for session in $(accscope ls | grep -o \"^job-slurm-"+job+"[^ ]*\" | sort -u); do accscope import $session; done'\n"+
		"accscope import -o left.db heat-"+job+"-0-n*.db\n", "--nodelist="+nodes)
	f.completed(after)
	f.recorded("left.db") // who would have seen how they end was killed, too
}

func slurmTimeLimit(f *slurmFolder) {
	job := f.give(f.scripts["gather.md"], "--time=1")
	f.began(0, 8)
	f.ends(job, "TIMEOUT")
	f.gathered(job, 0, "signal 15 (terminated)")
}

// Slurm's signal comes before the limit: the script's import runs.
func slurmSignal(f *slurmFolder) {
	job := f.give(f.scripts["recipes.md"], "--time=3") // Slurm may send it a minute earlier
	f.began(0, 8)
	f.over(job)
	f.ranks("heat-"+job+"-0.db", "signal 15 (terminated)")
}

// Without the signal the script ends with the job. The traces of the nodes are finished, and
// another job puts them together.
func slurmTimeLimitOfImport(f *slurmFolder) {
	script := strings.Replace(f.scripts["recipes.md"], "#SBATCH --signal=TERM@60\n", "", 1)
	job := f.give(script, "--time=1")
	after := f.give("#!/bin/sh\naccscope import -o job.db heat-"+job+"-*.db\n", "--dependency=afterany:"+job)
	f.began(0, 8)
	f.ends(job, "TIMEOUT")
	f.completed(after)
	f.ranks("job.db", "signal 15 (terminated)")
}

// The job starts anew on the nodes that are left. The first result has the node that is down, too:
// its ranks are ended as the others.
func slurmNodeDown(f *slurmFolder, page string) {
	defer f.must(f.t, "scontrol", "update", "nodename=n2", "state=resume")
	job := f.give(f.scripts[page], "--nodelist=n1,n2")
	f.began(0, 8)
	f.must(f.t, "scontrol", "update", "nodename=n2", "state=down", "reason=test")
	f.must(f.t, "scontrol", "update", "job="+job, "reqnodelist=")
	f.began(1, 8)
	f.finish()
	f.completed(job)
	traces := []string{f.result(page, job, 0, "signal 15 (terminated)"), f.result(page, job, 1, "status 0")}
	for start, want := range []string{"n1 n2", "n1 n3"} {
		rows := invoke(f.t, f.path, "query", "--format", "csv", traces[start], "SELECT DISTINCT host FROM processes ORDER BY host").must(f.t).stdout
		if got := strings.Join(strings.Fields(rows)[1:], " "); got != want {
			f.t.Errorf("start %d is on %s, want %s", start, got, want)
		}
	}
}

// completed waits until a job has ended well.
func (f *slurmFolder) completed(job string) {
	f.t.Helper()
	f.ends(job, "COMPLETED")
}

func (f *slurmFolder) ends(job, want string) {
	f.t.Helper()
	if state := f.over(job); state != want {
		f.t.Errorf("job %s ends as %s, want %s: %s", job, state, want, f.said())
	}
}

// result checks what a start of a page's script left, of eight ranks that ended so, and names
// its trace. Where the script was ended before its import, that is run by hand.
func (f *slurmFolder) result(page, job string, start int, end string) (trace string) {
	f.t.Helper()
	if page == "gather.md" {
		return f.gathered(job, start, end)
	}
	trace = fmt.Sprintf("heat-%s-%d.db", job, start)
	if _, err := os.Stat(filepath.Join(f.path, trace)); err != nil {
		nodes := strings.TrimSuffix(trace, ".db") + "-*.db"
		f.until("the nodes' traces", func() bool {
			found, err := filepath.Glob(filepath.Join(f.path, nodes))
			return err == nil && len(found) == 2
		})
		f.must(f.t, "sh", "-c", "cd "+f.path+" && accscope import -o "+trace+" "+nodes)
	}
	f.ranks(trace, end)
	return trace
}

// gathered checks the result of a collector: complete, of eight ranks that ended so.
func (f *slurmFolder) gathered(job string, start int, end string) (trace string) {
	f.t.Helper()
	folder := fmt.Sprintf("heat-%s-%d", job, start)
	others, err := filepath.Glob(filepath.Join(f.path, folder+"*"))
	if err != nil || len(others) != 1 {
		f.t.Fatalf("results %v of job %s, want %s: %v %s", others, job, folder, err, f.said())
	}
	if m := manifestOf(f.t, filepath.Join(f.path, folder)); !m.Complete || m.Ranks != 8 || m.Lost != 0 || m.EndedBy != "a signal" {
		f.t.Errorf("%s: %+v, want it complete of 8 ranks: %s", folder, m, f.said())
	} else if end == "status 0" && m.Ended != m.Agents {
		f.t.Errorf("%s: %+v, want that all agents ended: %s", folder, m, f.said())
	}
	trace = filepath.Join(folder, "trace.db")
	f.ranks(trace, end)
	return trace
}

// ranks checks that a trace has eight ranks of two nodes, each once, which ended so.
func (f *slurmFolder) ranks(trace, end string) {
	f.t.Helper()
	f.recorded(trace)
	var want []string
	for rank := range 8 {
		want = append(want, fmt.Sprintf("%d,%s", rank, end))
	}
	exits := invoke(f.t, f.path, "query", "--format", "csv", trace, "SELECT rank, exit FROM processes ORDER BY rank").must(f.t).stdout
	if got := strings.Split(strings.TrimSpace(exits), "\n")[1:]; !slices.Equal(got, want) {
		f.t.Errorf("%s: ranks ended as %q, want all by %s: %s", trace, got, end, f.said())
	}
}

// recorded checks that a trace has what eight ranks of two nodes did, each once.
func (f *slurmFolder) recorded(trace string) {
	f.t.Helper()
	invoke(f.t, f.path, "info", "--check", trace).must(f.t)
	rows := invoke(f.t, f.path, "query", "--format", "csv", trace,
		"SELECT count(*), count(DISTINCT rank), count(DISTINCT host), min(n) > 5 FROM (SELECT p.host, p.rank, p.process, count(e.process) AS n FROM processes p LEFT JOIN events e ON e.process = p.process GROUP BY p.process)").must(f.t).stdout
	if !strings.HasSuffix(rows, "\n8,8,2,1\n") {
		f.t.Errorf("%s: processes, ranks, nodes, and whether all have events: %s, want 8,8,2,1: %s", trace, rows, f.said())
	}
}
