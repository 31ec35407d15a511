package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// manifestOf reads the description of a collector's result.
func manifestOf(t *testing.T, folder string) (m gatheredManifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Two jobs whose collectors were given one port have a result each, of their own ranks; so
// have ranks that are told that port alone.
func TestJobsOfOnePort(t *testing.T) {
	program := build(t, "jacobi")
	want := eventsOf(t, program, "32", "10")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	folder := t.TempDir()
	var ends []func() error
	for _, job := range []string{"71", "72"} {
		command := exec.Command(accscope, "gather", "-q", "--listen", address, "--ranks", "2", "-o", "job-"+job)
		command.Dir, command.Env = folder, append(os.Environ(), "SLURM_JOB_ID="+job)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { command.Process.Kill() }) //nolint:errcheck // mostly it has ended
		ends = append(ends, command.Wait)
		g := &gathering{t: t, folder: filepath.Join(folder, "job-"+job), output: nil}
		g.until("the collector's address", func() bool { return g.manifest().Address != "" })
	}
	var ranks sync.WaitGroup
	for _, job := range []string{"72", "71"} {
		own, _ := sessions(t)
		for rank := range 2 {
			environment := append(own, "SLURM_JOB_ID="+job, "SLURM_STEP_ID=0", "SLURM_NTASKS=2", "SLURM_PROCID="+strconv.Itoa(rank), "ACCSCOPE_TO=nats://"+address)
			ranks.Go(func() {
				execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "--", program, "32", "10").must(t)
			})
		}
	}
	ranks.Wait()
	for i, job := range []string{"71", "72"} {
		if err := ends[i](); err != nil {
			t.Error(err)
		}
		m := manifestOf(t, filepath.Join(folder, "job-"+job))
		if !m.Complete || m.Ranks != 2 || m.Events != 2*want || m.Job != "slurm-"+job {
			t.Errorf("job %s: %+v, want %d events", job, m, 2*want)
		}
	}
}

// A shell starts a collector by eval, whose folder may be taken; ranks whose program is not
// there, and those that come when others have ended, are in its count; it ends by kill.
func TestGatherStart(t *testing.T) {
	program, folder := build(t, "jacobi"), t.TempDir()
	own, left := sessions(t)
	if err := os.Mkdir(filepath.Join(folder, "the job"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "the job", "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script := `set -eu
eval "$("$0" gather --start -q --listen 127.0.0.1:0 -o 'the job')"
rank() { SLURM_JOB_ID=5 SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_PROCID="$1" "$TEST" run -q --device sim -- "$2" 16 3 >/dev/null; }
rank 0 ./typo || echo "rank 0: $?"
rank 1 "$1"
rank 2 "$1"
kill "$ACCSCOPE_GATHER"
wait "$ACCSCOPE_GATHER"
`
	r := execute(t, folder, append(own, "TEST="+accscope), "sh", "-c", script, accscope, program).must(t)
	if r.stdout != "rank 0: 127\n" || !strings.Contains(r.stderr, "the result is the job-2") {
		t.Errorf("%q, %q", r.stdout, r.stderr)
	}
	m := manifestOf(t, filepath.Join(folder, "the job-2"))
	if !m.Complete || m.Ranks != 3 || m.Ended != m.Agents || m.EndedBy != "a signal" {
		t.Errorf("%+v: %s", m, r.stderr)
	}
	if got := endsOf(t, folder, "the job-2/trace.db"); got != "1,exited,status 0; 2,exited,status 0" {
		t.Errorf("the trace has %s", got)
	}
	if all := left(); len(all) > 0 {
		t.Errorf("sessions %v are left", all)
	}
}

// Where all ranks fail before they are captured the collector ends, and an agent of another
// job is refused with what to do.
func TestRanksThatMissTheJob(t *testing.T) {
	g := gatherIn(t, "--ranks", "2")
	own, _ := sessions(t)
	stray, _, _ := strings.Cut(g.to()[len("nats://"):], "/")
	r := execute(t, t.TempDir(), append(own, "SLURM_JOB_ID=9"), accscope, "run", "-q", "--to", "nats://"+stray, "--", "true").must(t)
	if !strings.Contains(r.stderr, "it collects for job ") || !strings.Contains(r.stderr, "this agent is of job slurm-9") {
		t.Errorf("the agent of another job says %s", r.stderr)
	}
	for rank := range 2 {
		environment := append(own, "PMI_RANK="+strconv.Itoa(rank), "ACCSCOPE_TO="+g.to())
		if r := execute(t, t.TempDir(), environment, accscope, "run", "-q", "--", "./typo"); r.status != exitNotFound {
			t.Errorf("rank %d: status %d, %s", rank, r.status, r.stderr)
		}
	}
	g.wait()
	if m := g.manifest(); !m.Complete || m.Ranks != 2 || m.Ended != 2 {
		t.Errorf("%+v", m)
	}
}

// How the programs of a node's ranks ended is in the collector's trace, of those, too, whose
// accscope sends nothing.
func TestGatherKnowsHowRanksEnded(t *testing.T) {
	folder := exitProgram(t)
	g := gatherIn(t, "--ranks", "2")
	var ranks []*exec.Cmd
	for rank, status := range []string{"4", "9"} {
		command := exec.Command(accscope, "run", "-q", "--device", "sim", "--to", g.to(), "--", "./program", status, "2")
		command.Dir = folder
		command.Env = append(os.Environ(), "PMIX_NAMESPACE=exits", "OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK="+strconv.Itoa(rank))
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { command.Process.Kill() }) //nolint:errcheck // mostly it has ended
		ranks = append(ranks, command)
	}
	for _, command := range ranks {
		command.Wait() //nolint:errcheck // it ends as its program does
	}
	g.wait()
	if got := endsOf(t, g.folder, "trace.db"); got != "0,exited,status 4; 1,killed,signal 9 (killed)" {
		t.Errorf("the ranks ended so: %s", got)
	}
}
