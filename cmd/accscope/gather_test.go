package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/gather/gathertest"
)

// gathering is a collector, as a process, that is reached through a network of the
// test's.
type gathering struct {
	t      *testing.T
	folder string
	flags  []string
	proxy  *gathertest.Proxy
	trace  string   // in the folder, "": trace.db
	on     *machine // nil: this one

	command *exec.Cmd
	output  *bytes.Buffer
	ended   chan error
}

// gatherIn starts a collector of a folder that is new.
func gatherIn(t *testing.T, flags ...string) *gathering {
	t.Helper()
	g := &gathering{t: t, folder: filepath.Join(t.TempDir(), "result"), flags: flags, proxy: gathertest.New(t)}
	g.start()
	t.Cleanup(g.kill)
	return g
}

// start starts the collector, which takes any port that is free.
func (g *gathering) start() {
	g.t.Helper()
	g.output = &bytes.Buffer{}
	words := g.on.command(append([]string{accscope, "gather", "--listen", "127.0.0.1:0", "-o", g.folder}, g.flags...)...)
	g.command = exec.Command(words[0], words[1:]...)
	g.command.Stderr = g.output
	before := g.manifest().Address
	if err := g.command.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.ended = make(chan error, 1)
	go func(command *exec.Cmd, ended chan error) { ended <- command.Wait() }(g.command, g.ended)
	g.until("the collector's address", func() bool { return g.manifest().Address != before })
	address := g.manifest().Address
	address, _, _ = strings.Cut(address[strings.Index(address, "://")+3:], "/")
	g.proxy.To(address)
}

// to is what agents are told.
func (g *gathering) to() string { return "nats://" + g.proxy.Address() + "/" + g.manifest().Job }

// kill ends the collector by SIGKILL.
func (g *gathering) kill() {
	if g.command.Process != nil && g.ended != nil {
		g.command.Process.Kill() //nolint:errcheck // it may have ended
		<-g.ended
		g.ended = nil
	}
}

// wait waits until the collector has ended by itself.
func (g *gathering) wait() {
	g.t.Helper()
	select {
	case err := <-g.ended:
		if g.ended = nil; err != nil {
			files, _ := filepath.Glob(filepath.Join(g.folder, "*", "*", "*"))
			g.t.Fatalf("%v: %s\n%v", err, g.output, files)
		}
	case <-time.After(patience):
		g.t.Fatalf("the collector does not end: %s", g.output)
	}
}

// patience is how long anything may take on a machine that is busy.
const patience = 5 * time.Minute

func (g *gathering) until(what string, there func() bool) {
	g.t.Helper()
	for end := time.Now().Add(patience); !there(); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-g.ended:
			g.ended = nil
			g.t.Fatalf("the collector ended while the test waits for %s: %v, %s", what, err, g.output)
		default:
		}
		if time.Now().After(end) {
			g.t.Fatalf("the test waits in vain for %s: %s", what, g.output)
		}
	}
}

// gathered is what a manifest says.
type gatheredManifest struct {
	Address, Peer, Job                    string
	Complete                              bool
	Agents, Ended, Ranks, Batches, Events int
	Repeated, Lost                        int
	EndedBy                               string `json:"ended_by"`
}

func (g *gathering) manifest() (m gatheredManifest) {
	g.t.Helper()
	text, err := os.ReadFile(filepath.Join(g.folder, "manifest.json"))
	if err != nil {
		return m
	}
	if err := json.Unmarshal(text, &m); err != nil {
		g.t.Fatal(err)
	}
	return m
}

// came waits until so many batches have come.
func (g *gathering) came(batches int) {
	g.t.Helper()
	g.until(fmt.Sprint(batches, " batches"), func() bool {
		n := 0
		files, _ := filepath.Glob(filepath.Join(g.folder, "agents", "*"))
		for _, file := range files {
			var entry struct{ Batches int }
			if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &entry) == nil {
				n += entry.Batches
			}
		}
		return n >= batches
	})
}

// result is the name of the trace or archive in the folder.
func (g *gathering) result() string {
	if g.trace == "" {
		return "trace.db"
	}
	return g.trace
}

// window waits until files of the archive are closed, where the result is one.
func (g *gathering) window() {
	g.t.Helper()
	if g.trace != "" {
		g.until("a window of the archive", func() bool {
			_, err := os.Stat(filepath.Join(g.folder, g.trace, "archive.json"))
			return err == nil
		})
	}
}

// holds checks that the result is complete and holds each event of so many processes once.
func (g *gathering) holds(processes, events int) {
	g.t.Helper()
	m := g.manifest()
	if !m.Complete || m.Events != processes*events || m.Lost != 0 {
		g.t.Errorf("%+v, want %d events: %s", m, processes*events, g.output)
	}
	invoke(g.t, g.folder, "info", "--check", g.result()).must(g.t)
	rows := invoke(g.t, g.folder, "query", "--format", "csv", g.result(), `SELECT count(*), min(n), max(n), min(whole)
		FROM (SELECT process, sum(n) AS n, min(whole) AS whole
			FROM (SELECT process, thread, count(*) AS n, count(*) = max(sequence) + 1 AND count(*) = count(DISTINCT sequence) AS whole
				FROM events GROUP BY process, thread)
			GROUP BY process)`).must(g.t).stdout
	if want := fmt.Sprintf("%d,%d,%d,1", processes, events, events); !strings.Contains(rows, want) {
		g.t.Errorf("%s, want %s", rows, want)
	}
}

// eventsOf is how many events a program raises, each time the same.
func eventsOf(t *testing.T, program ...string) int {
	t.Helper()
	folder := t.TempDir()
	environment, _ := sessions(t)
	execute(t, folder, environment, accscope, append([]string{"run", "-q", "--device", "sim", "-o", "t.db", "--"}, program...)...).must(t)
	lines := strings.Fields(countEvents(t, folder, "t.db"))
	n, err := strconv.Atoi(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Nodes send while their programs run; the collector ends when they have, with one trace
// of all, and the captures as they were.
func TestGather(t *testing.T) {
	program := build(t, "jacobi")
	want := eventsOf(t, program, "32", "40")
	ranks := 3
	if os.Getenv("ACCSCOPE_LONG") != "" {
		ranks = 64
	}
	g := gatherIn(t, "--keep", "--ranks", strconv.Itoa(ranks))
	var nodes sync.WaitGroup
	for rank := range ranks {
		environment, left := sessions(t)
		environment = append(environment, "ACCSCOPE_TO="+g.to(), "PMI_RANK="+strconv.Itoa(rank))
		nodes.Go(func() {
			execute(t, t.TempDir(), environment, accscope, "run", "-q", "--device", "sim", "--", program, "32", "40").must(t)
			if folders := left(); len(folders) > 0 {
				t.Errorf("sessions %v are left", folders)
			}
		})
	}
	nodes.Wait()
	g.wait()
	g.holds(ranks, want)
	if m := g.manifest(); m.Ranks != ranks || m.Agents != ranks || m.Ended != ranks {
		t.Errorf("%+v", m)
	}
	rows := invoke(t, g.folder, "query", "--format", "csv", "trace.db", "SELECT count(DISTINCT rank), min(rank), max(rank), group_concat(DISTINCT ended) FROM processes").must(t).stdout
	if !strings.Contains(rows, fmt.Sprintf("%d,0,%d,exited", ranks, ranks-1)) {
		t.Errorf("processes %s", rows)
	}
	captures, err := filepath.Glob(filepath.Join(g.folder, "session", "*.*"))
	if err != nil || len(captures) != ranks {
		t.Fatalf("captures %v, %v", captures, err)
	}
	invoke(t, g.folder, append([]string{"import", "-o", "again.db"}, captures...)...).must(t)
	for _, table := range []string{"kernels", "transfers", "sources", "variables"} {
		count := "SELECT count(*), count(DISTINCT process) FROM " + table
		if table == "sources" || table == "variables" {
			count = "SELECT count(*), count(DISTINCT source_file) FROM sources"
		}
		got := invoke(t, g.folder, "query", "trace.db", count).must(t).stdout
		if again := invoke(t, g.folder, "query", "again.db", count).must(t).stdout; got != again {
			t.Errorf("%s: %s of the collector, %s of its captures", table, got, again)
		}
	}
}

// The archive of a job of three nodes, each a machine of its own, says what its trace says.
func TestGatherArchiveOfNodes(t *testing.T) {
	program := build(t, "jacobi")
	nodes := machines(t, "node-a", "node-b", "node-c")
	g := gatherIn(t, "--archive", "--archive-rows", "500", "--keep", "--ranks", strconv.Itoa(len(nodes)))
	var running sync.WaitGroup
	for rank, on := range nodes {
		environment, _ := sessions(t)
		environment = append(environment, "ACCSCOPE_TO="+g.to(), "PMI_RANK="+strconv.Itoa(rank))
		words := on.command(accscope, "run", "-q", "--device", "sim", "--", program, "32", "40")
		running.Go(func() { execute(t, t.TempDir(), environment, words[0], words[1:]...).must(t) })
	}
	running.Wait()
	g.wait()
	traces, archives := t.TempDir(), t.TempDir()
	for folder, result := range map[string]string{traces: "trace.db", archives: "archive"} {
		if err := os.Rename(filepath.Join(g.folder, result), filepath.Join(folder, "job")); err != nil {
			t.Fatal(err)
		}
	}
	hosts := invoke(t, archives, "query", "--format", "csv", "job", "SELECT host, count(*) FROM events JOIN processes USING (process) GROUP BY 1 ORDER BY 1").must(t).stdout
	if rows := strings.Fields(hosts); len(rows) != 1+len(nodes) || !strings.HasPrefix(rows[1], "node-a,") || !strings.HasPrefix(rows[3], "node-c,") {
		t.Errorf("events by host: %s", hosts)
	}
	toldAlike(t, traces, archives, "job")
}

// An agent and the collector are killed, and the network is cut, in the long suite for a
// minute, while a program runs: nothing is lost, and nothing is there twice.
func TestGatherSurvives(t *testing.T) {
	program := build(t, "jacobi")
	want := eventsOf(t, "sh", "-c", program+" 32 30; "+program+" 32 30") / 2
	results := []string{""}
	if os.Getenv("ACCSCOPE_LONG") != "" {
		results = append(results, "archive")
	}
	for _, trace := range results {
		t.Run(cmp.Or(trace, "trace"), func(t *testing.T) { survives(t, program, want, trace) })
	}
}

func survives(t *testing.T, program string, want int, trace string) {
	var flags []string
	if trace != "" {
		flags = []string{"--archive", "--archive-rows", "100"}
	}
	g := gatherIn(t, flags...)
	g.trace = trace
	environment, left := sessions(t)
	folder := t.TempDir()
	run := ""
	for i := range 4 {
		run += fmt.Sprintf("%s 32 30; cat gate-%d; ", program, i)
		if err := syscall.Mkfifo(filepath.Join(folder, fmt.Sprint("gate-", i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	steps := 0
	step := func() {
		t.Helper()
		// It opens once the program has come there.
		file, err := os.OpenFile(filepath.Join(folder, fmt.Sprint("gate-", steps)), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		steps++
	}
	command := exec.Command(accscope, "run", "-q", "--device", "sim", "--to", g.to(), "--", "sh", "-c", run)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	g.came(1)
	g.window()
	g.kill()
	step() // the second is captured while there is no collector
	g.start()
	g.came(2)
	g.proxy.Cut()
	step() // the third while there is no network
	if os.Getenv("ACCSCOPE_LONG") != "" {
		time.Sleep(time.Minute) // which is how long it is gone, with an agent that tries
	}
	step()
	if err := command.Process.Kill(); err != nil { // the agent: the program goes on
		t.Fatal(err)
	}
	command.Wait() //nolint:errcheck // it was killed
	step()
	g.proxy.Mend()
	all := left()
	if len(all) != 1 {
		t.Fatalf("sessions %v, want one", all)
	}
	sent := result{status: 1}
	for end := time.Now().Add(patience); sent.status != 0 && time.Now().Before(end); {
		sent = execute(t, folder, environment, accscope, "import", "--to", g.to(), all[0])
		if sent.status != 0 && !strings.Contains(sent.stderr, "still run") {
			break
		}
	}
	sent.must(t)
	if all := left(); len(all) > 0 {
		t.Errorf("sessions %v are left", all)
	}
	g.wait()
	g.holds(4, want)
}

// While no collector is there the program runs as it would, what its capture has no space
// for is counted, and what was captured comes later.
func TestGatherLater(t *testing.T) {
	program := build(t, "jacobi")
	proxy := gathertest.New(t)
	environment, left := sessions(t)
	to := "nats://" + proxy.Address() + "/later"
	r := execute(t, t.TempDir(), environment, accscope, "run", "--device", "sim", "--limit", "64KiB", "--to", to, "--to-wait", "10ms", "--", "sh", "-c", program+" 32 4000; exit 3")
	if r.status != 3 || !strings.Contains(r.stderr, "import --to "+to) {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	all := left()
	if len(all) != 1 {
		t.Fatalf("sessions %v, want one", all)
	}
	g := gatherIn(t)
	execute(t, t.TempDir(), environment, accscope, "import", "--to", g.to(), all[0]).must(t)
	g.wait()
	m := g.manifest()
	if m.Lost == 0 || m.Events == 0 || !m.Complete {
		t.Errorf("%+v: %s", m, g.output)
	}
	if !strings.Contains(g.output.String(), fmt.Sprintf("%d LOST", m.Lost)) {
		t.Errorf("the collector says %s", g.output)
	}
}

// What a collector that was killed has becomes a trace by import: here all, since the agent
// had ended.
func TestGatherImport(t *testing.T) {
	program := build(t, "jacobi")
	want := eventsOf(t, program, "32", "30")
	g := gatherIn(t, "--ranks", "2") // one more than there is: it does not end
	environment, _ := sessions(t)
	execute(t, t.TempDir(), append(environment, "ACCSCOPE_TO="+g.to(), "PMI_RANK=0"), accscope, "run", "-q", "--device", "sim", "--", program, "32", "30").must(t)
	g.until("the agent's end", func() bool {
		files, _ := filepath.Glob(filepath.Join(g.folder, "agents", "*"))
		for _, file := range files {
			var entry struct{ Ended bool }
			if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &entry) == nil && entry.Ended {
				return true
			}
		}
		return false
	})
	g.kill()
	invoke(t, filepath.Dir(g.folder), "import", g.folder).must(t)
	count := invoke(t, g.folder, "query", "--format", "csv", "trace.db", "SELECT count(*), (SELECT value FROM meta WHERE key = 'complete') FROM events").must(t).stdout
	if !strings.Contains(count, fmt.Sprintf("%d,1", want)) {
		t.Errorf("%s, want %d events, complete", count, want)
	}
}

func TestGatherUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"gather", "-o which folder"},
		{"gather -o x --ranks 2 --idle 1s", "two ways"},
		{"gather -o x --cluster nats://a --listen :0", "--cluster goes through other servers"},
		{"gather -o x --peers a:1", "go together"},
		{"gather -o x --job a.b", "--job"},
		{"gather -o x --store 1", "--store"},
		{"run --to nats://a -o t.db -- true", "-o goes with a trace"},
		{"run --to nats://a --last 3s -- true", "--last"},
		{"run --to http://a -- true", "no address of a job's collector"},
		{"run --to nats://u:p@a -- true", "password"},
		{"import --to nats://a -o t.db x", "-o and --force"},
	} {
		if r := invoke(t, t.TempDir(), strings.Fields(c.args)...); r.status != exitUsage || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: status %d, %s, want %q", c.args, r.status, r.stderr, c.want)
		}
	}
}

// Three collectors are one cluster, each with a share of the agents. One is killed while
// programs run, and comes back: all three results together hold each event once.
func TestGatherPeers(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("a minute: part of make long")
	}
	program := build(t, "jacobi")
	want := eventsOf(t, program, "32", "30")
	for _, trace := range []string{"", "archive"} {
		t.Run(cmp.Or(trace, "trace"), func(t *testing.T) { peersOf(t, program, want, trace) })
	}
}

func peersOf(t *testing.T, program string, want int, trace string) {
	const agents = 6
	var peers []*gathertest.Proxy
	var names []string
	for range 3 {
		p := gathertest.New(t)
		peers, names = append(peers, p), append(names, p.Address())
	}
	var gathers []*gathering
	start := func(i int) {
		t.Helper()
		gathers[i].start()
		peers[i].To(gathers[i].manifest().Peer)
	}
	to := ""
	for i := range peers {
		g := &gathering{t: t, folder: filepath.Join(t.TempDir(), "result"), proxy: gathertest.New(t), trace: trace,
			flags: []string{"--ranks", strconv.Itoa(agents), "--peer-listen", "127.0.0.1:0", "--peer-name", names[i], "--peers", strings.Join(names, ",")}}
		if trace != "" {
			g.flags = append(g.flags, "--archive", "--archive-rows", "100")
		}
		t.Cleanup(g.kill)
		gathers = append(gathers, g)
		start(i)
		to += strings.Repeat(",", min(i, 1)) + "nats://" + g.proxy.Address()
	}
	var nodes sync.WaitGroup
	for range agents {
		environment, _ := sessions(t)
		nodes.Go(func() {
			execute(t, t.TempDir(), environment, accscope, "run", "-q", "--device", "sim", "--to", to, "--to-wait", patience.String(), "--", program, "32", "30").must(t)
		})
	}
	first := gathers[0]
	first.until("agents", func() bool {
		agents := 0
		for _, g := range gathers {
			files, _ := filepath.Glob(filepath.Join(g.folder, "agents", "*"))
			agents += len(files)
		}
		return agents > 0
	})
	first.kill()
	start(0)
	nodes.Wait()
	events, came := 0, 0
	for _, g := range gathers {
		g.wait()
		m := g.manifest()
		if !m.Complete || m.Ended != m.Agents {
			t.Errorf("%+v: %s", m, g.output)
		}
		events, came = events+m.Events, came+m.Agents
		if m.Events > 0 {
			g.holds(m.Agents, want)
		}
	}
	if events != agents*want || came != agents {
		t.Errorf("%d events of %d agents, want %d of %d", events, came, agents*want, agents)
	}
}
