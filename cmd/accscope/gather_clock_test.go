package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	clocks "github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/gathertest"
	"github.com/accscope/accscope/collector/store"
)

// machine is this one as another: with a name, a boot and a CLOCK_MONOTONIC of its own, by
// namespaces of the kernel.
type machine struct {
	name  string
	ahead time.Duration // of this one's clock
	boot  string        // a file
}

// command is what runs a command on the machine.
func (m *machine) command(words ...string) []string {
	if m == nil {
		return words
	}
	return append([]string{"unshare", "--mount", "--uts", "--time", "--fork", "--kill-child", "--monotonic", fmt.Sprint(int(m.ahead.Seconds())),
		"sh", "-c", "hostname " + m.name + " && mount --bind " + m.boot + ` /proc/sys/kernel/random/boot_id && exec "$@"`, "sh"}, words...)
}

// machines are several; without root there are none.
func machines(t *testing.T, names ...string) (all []*machine) {
	t.Helper()
	for i, name := range names {
		m := &machine{name, time.Duration(i*i+1) * 1000 * time.Second, filepath.Join(t.TempDir(), "boot")}
		if err := os.WriteFile(m.boot, fmt.Appendf(nil, "00000000-0000-0000-0000-%012d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	words := all[0].command("true")
	if output, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Skipf("another clock needs root: %v %s", err, output)
	}
	return all
}

// Three collectors and three nodes, each a machine of its own whose clock is thousands of
// seconds off. What import makes of the collectors' results is on the first one's clock, within
// bounds that are known.
func TestGatherClocks(t *testing.T) {
	program := build(t, "jacobi")
	all := machines(t, "head", "west", "east", "node-a", "node-b", "node-c")
	var peers []*gathertest.Proxy
	var names []string
	for range 3 {
		p := gathertest.New(t)
		peers, names = append(peers, p), append(names, p.Address())
	}
	var gathers []*gathering
	for i, p := range peers {
		g := &gathering{t: t, folder: filepath.Join(t.TempDir(), "result"), proxy: gathertest.New(t), on: all[i],
			flags: []string{"--ranks", "3", "--peer-listen", "127.0.0.1:0", "--peer-name", names[i], "--peers", strings.Join(names, ",")}}
		if i == 1 {
			g.trace = "archive"
			g.flags = append(g.flags, "--archive")
		}
		t.Cleanup(g.kill)
		g.start()
		p.To(g.manifest().Peer)
		gathers = append(gathers, g)
	}
	for _, g := range gathers {
		g.until("round trips of collectors", func() bool {
			asked, _ := filepath.Glob(filepath.Join(g.folder, "clocks", "gather-*"))
			return len(asked) == 2
		})
	}
	monotonic := func() int64 {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			t.Fatal(err)
		}
		return now.Nano()
	}
	before := monotonic()
	var nodes sync.WaitGroup
	for i, on := range all[3:] {
		environment, _ := sessions(t)
		words := on.command(accscope, "run", "-q", "--device", "sim", "--to", gathers[i].to(), "--to-wait", patience.String(), "--", program, "32", "30")
		nodes.Go(func() { execute(t, t.TempDir(), environment, words[0], words[1:]...).must(t) })
	}
	nodes.Wait()
	after := monotonic()
	arguments := []string{"import", "-o", "job.db"}
	for i, g := range gathers {
		g.wait()
		if m := g.manifest(); m.Agents != 1 {
			t.Fatalf("collector %d has %d agents, want 1: %s", i, m.Agents, g.output)
		}
		arguments = append(arguments, filepath.Join(g.folder, g.result()))
	}
	folder := t.TempDir()
	said := invoke(t, folder, arguments...).must(t).stderr
	trace, err := store.Open(filepath.Join(folder, "job.db"), store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	hosts, err := trace.Hosts()
	if err != nil {
		t.Fatal(err)
	}
	called, most := map[int64]*machine{}, map[string]int64{}
	for _, h := range hosts {
		for _, m := range all {
			if m.name == h.Name {
				called[h.ID], most[h.Name] = m, h.Uncertainty
			}
		}
		if h.Name != "head" && (h.Uncertainty <= 0 || !strings.Contains(said, h.Name)) && strings.HasPrefix(h.Name, "node") {
			t.Errorf("%s: a bound of %d ns: %s", h.Name, h.Uncertainty, said)
		}
	}
	if len(hosts) != len(all) || len(called) != len(all) {
		t.Errorf("hosts %+v, want each machine once", hosts)
	}
	rows := map[string]int{}
	if err := trace.Clocks(func(c store.Clock) {
		m := called[c.Host]
		rows[m.name]++
		want := int64(all[0].ahead - m.ahead)
		if off := max(c.Offset-want, want-c.Offset); c.Uncertainty <= 0 || off > c.Uncertainty {
			t.Errorf("%s at %d: offset %d ± %d, want %d", m.name, c.Time, c.Offset, c.Uncertainty, want)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, m := range all[1:] {
		if rows[m.name] < 2 {
			t.Errorf("%d rows of the clock of %s", rows[m.name], m.name)
		}
	}
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	off := cmp.Or(max(most["node-a"], most["node-b"], most["node-c"]), 0)
	first, last := meta.First+meta.Origin-int64(all[0].ahead), meta.Last+meta.Origin-int64(all[0].ahead)
	if first < before-off || last > after+off {
		t.Errorf("events from %d to %d ± %d, want them between %d and %d", first, last, off, before, after)
	}
	if processes, err := trace.Processes(); err != nil || len(processes) != 3 {
		t.Errorf("%d processes, %v", len(processes), err)
	}
}

// Two ranks of an MPI job, one on the collector's machine. While the job runs barriers narrow
// what messages leave possible of the other's clock.
func TestGatherBarriers(t *testing.T) {
	m := withOpenMPI(t)
	folder := t.TempDir()
	source := filepath.Join(folder, "barriers.c")
	if err := os.WriteFile(source, []byte(`#include <mpi.h>
#include <unistd.h>
int main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  for (int i = 0; i < 300; i++)
    {
      usleep (30000);
      MPI_Barrier (MPI_COMM_WORLD);
    }
  MPI_Finalize ();
  return 0;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "barriers")
	execute(t, folder, m.environment, m.command(mpicc), "-o", program, source).must(t)
	all := machines(t, "head", "node")
	g := &gathering{t: t, folder: filepath.Join(t.TempDir(), "result"), proxy: gathertest.New(t), on: all[0], trace: "archive",
		flags: []string{"--ranks", "2", "--keep", "--archive"}}
	t.Cleanup(g.kill)
	g.start()
	words := []string{m.launcher(t)}
	for i, on := range all {
		environment, _ := sessions(t)
		if i > 0 {
			words = append(words, ":")
		}
		words = append(append(words, "-n", "1", "env"), environment...)
		words = append(words, on.command(accscope, "run", "-q", "--device", "sim", "--to", g.to(), "--to-wait", patience.String(), "--", program)...)
	}
	execute(t, folder, m.environment, words[0], words[1:]...).must(t)
	g.wait()
	if strings.Contains(g.output.String(), "contradict") {
		t.Error(g.output)
	}
	var messages clocks.Track
	files, err := filepath.Glob(filepath.Join(g.folder, "clocks", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var of struct{ Clock []clocks.Sample }
			if strings.TrimSpace(line) != "" && json.Unmarshal([]byte(line), &of) == nil {
				for _, sample := range of.Clock {
					messages.Add(sample)
				}
			}
		}
	}
	trace, err := store.Open(filepath.Join(g.folder, "archive"), store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	rows, narrower, best := 0, 0, 1.0
	if err := trace.Clocks(func(c store.Clock) {
		rows++
		want := int64(all[0].ahead - all[1].ahead)
		if off := max(c.Offset-want, want-c.Offset); c.Uncertainty <= 0 || off > c.Uncertainty {
			t.Errorf("at %d: offset %d ± %d, want %d", c.Time, c.Offset, c.Uncertainty, want)
		}
		by, _ := messages.At(c.Time + meta.Origin - c.Offset)
		if c.Uncertainty < by.Error {
			narrower++
		}
		best = min(best, float64(c.Uncertainty)/float64(by.Error))
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d samples, %d of %d rows narrower than messages alone make them, at best %.3f of that", messages.Samples(), narrower, rows, best)
	if rows < 5 || narrower == 0 {
		t.Errorf("%d rows of the node's clock, of which barriers narrowed %d", rows, narrower)
	}
}
