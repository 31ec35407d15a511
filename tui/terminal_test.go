package tui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/leftover"
	"github.com/accscope/accscope/tui"
)

// The tests here run the real command in a real terminal (tmux): keys are sent,
// and what stands on the screen is waited for.

var accscope, scene, libraries string

func TestMain(m *testing.M) {
	if os.Getenv("ACCSCOPE_TUI_PANIC") != "" {
		showPanic()
	}
	var err error
	// Whoever runs the tests may have it set; those of what it does set it themselves.
	if err = os.Unsetenv("NO_COLOR"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if folder, err = os.MkdirTemp("", "accscope-tui"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := leftover.Main(m)
	os.RemoveAll(folder)
	os.Exit(status)
}

var folder string // of what is built for the tests

// build makes, once, the command and the program that it shows.
func build(t *testing.T) {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
}

var built = sync.OnceValue(func() (err error) {
	if libraries, err = filepath.Abs("../lib"); err != nil {
		return err
	}
	for _, need := range []string{"libopenacc.so", "libopenacc-engine.so", "libaccprof.so"} {
		if _, err := os.Stat(filepath.Join(libraries, need)); err != nil {
			return fmt.Errorf("%w: run make first", err)
		}
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		return fmt.Errorf("%w: install tmux", err)
	}
	accscope, scene = filepath.Join(folder, "accscope"), filepath.Join(folder, "scene")
	if err := compilers.Accscope(accscope); err != nil {
		return err
	}
	for _, program := range []string{"scene", "chain"} {
		if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", filepath.Join(folder, program), "testdata/"+program+".c").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, output)
		}
	}
	for name, value := range map[string]string{"ACCSCOPE_LIBRARY_PATH": libraries, "LC_ALL": "C.UTF-8", "ACCSCOPE_SIM_MODEL": "on",
		"ACCSCOPE_SIM_H2D_BANDWIDTH": "50MB/s", "ACCSCOPE_SIM_D2H_BANDWIDTH": "50MB/s"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
})

// patience is how long a test waits for what must come; it is far more than is
// needed.
const patience = time.Minute

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

// terminal is a shell in a tmux of the test's own.
type terminal struct {
	t      *testing.T
	socket string
}

func newTerminal(t *testing.T, width, height int) *terminal {
	t.Helper()
	build(t)
	term := &terminal{t, filepath.Join(t.TempDir(), "tmux")}
	term.tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "env PS1='ready> ' bash --norc --noprofile")
	t.Cleanup(func() { exec.Command("tmux", "-S", term.socket, "kill-server").Run() }) //nolint:errcheck // it may have ended
	term.shows("ready>")
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	output, err := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// command types a line.
func (term *terminal) command(line string) {
	term.t.Helper()
	term.tmux("send-keys", "-l", line)
	term.tmux("send-keys", "Enter")
}

func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, keys...)...)
}

func (term *terminal) screen() string {
	term.t.Helper()
	return term.tmux("capture-pane", "-p")
}

// shows waits until all texts stand on the screen, and gives it.
func (term *terminal) shows(texts ...string) string {
	term.t.Helper()
	last := ""
	defer func() {
		if term.t.Failed() {
			term.t.Logf("the screen:\n%s", last)
		}
	}()
	until(term.t, strings.Join(texts, ", "), func() bool {
		last = term.screen()
		for _, text := range texts {
			if !strings.Contains(last, text) {
				return false
			}
		}
		return true
	})
	return last
}

// program is the scene under capture, until it is told to end.
type program struct {
	t       *testing.T
	command *exec.Cmd
	input   *os.File
	output  *os.File // a file: a pipe would keep us until the last who holds it ends
	trace   string
	pid     int
}

func start(t *testing.T) *program {
	t.Helper()
	build(t)
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	p := &program{t: t, trace: filepath.Join(folder, "trace.db")}
	p.run(folder, accscope, "run", "--device", "sim", "--no-summary", "-o", p.trace, "--", scene)
	until(t, "the session", func() bool {
		list, err := session.List()
		if err == nil && len(list) == 1 && len(list[0].Processes) == 1 && list[0].Owner != 0 {
			p.pid = list[0].Processes[0].PID
		}
		return p.pid != 0
	})
	return p
}

func (p *program) run(folder string, name string, args ...string) {
	p.t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.input = write
	p.command = exec.Command(name, args...)
	p.command.Dir, p.command.Stdin = folder, read
	if p.output, err = os.Create(filepath.Join(folder, "output")); err != nil {
		p.t.Fatal(err)
	}
	p.command.Stdout, p.command.Stderr = p.output, p.output
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	read.Close()
	p.t.Cleanup(func() { p.input.Close(); p.output.Close() })
}

// end tells the program to end and waits for it.
func (p *program) end() {
	p.t.Helper()
	p.input.Close()
	err := p.command.Wait()
	output, readErr := os.ReadFile(p.output.Name())
	if err != nil || readErr != nil || !strings.Contains(string(output), "done") {
		p.t.Fatalf("the program: %v, %v\n%s", err, readErr, output)
	}
}

// whole checks that a trace lacks no event: each thread's sequence numbers have
// no gap.
func whole(t *testing.T, path string) {
	t.Helper()
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	if !meta.Complete || meta.Lost != 0 || meta.Events == 0 {
		t.Errorf("the trace: complete %v, %d events, %d lost", meta.Complete, meta.Events, meta.Lost)
	}
	next := map[model.ThreadID]uint64{}
	count := map[model.ThreadID]uint64{}
	for _, e := range tracetest.Events(t, trace, model.NewNames()) {
		next[e.Thread] = max(next[e.Thread], e.Sequence+1)
		count[e.Thread]++
	}
	for thread, want := range next {
		if count[thread] != want {
			t.Errorf("thread %d: %d events of %d", thread, count[thread], want)
		}
	}
}

func TestLiveSession(t *testing.T) {
	p := start(t)
	term := newTerminal(t, 120, 36)
	term.command(accscope + " top; echo left with $?")
	term.shows("1 Overview", "queue 4", "sim 0", "scene.c:41", "total", fmt.Sprintf("pid %d", p.pid), "cpu", "live")
	term.keys("2")
	term.shows("2 Queues", "sync", "queue 1", "queue 4", "sim 0  memory", "live", "━", "█upload")
	term.keys("3")
	term.shows("Mappings", "field", "1 MiB", "scene.c:34", "grows", "uploads")
	term.keys("Enter")
	term.shows("mapping ", "#pragma acc enter data", "▸")
	term.keys("Space", "4")
	term.shows("scene.c:41 parallel loop in main", "main._omp_fn.0", "Transfers", "download", "Host time by source", "wait")
	term.keys("5")
	term.shows("Events", "enqueue_launch_", "update_")
	term.keys("/")
	term.shows("filter events:")
	term.keys("download")
	term.shows("filter download", "enqueue_download_end")
	term.keys("Enter", "6")
	term.shows("Processes 1", fmt.Sprintf("%d runs", p.pid), "Threads")
	term.keys("Space")
	term.shows("paused")
	term.keys("Space", "?")
	term.shows("Help", "S-Tab")
	term.keys("x", "2", "-", "-")
	term.shows("scale 50 s")
	term.keys("q")
	term.shows("left with 0")

	// Again, and killed this time: the program does not notice.
	term.command("clear; bash -c 'echo $$ > " + p.trace + ".pid; exec " + accscope + fmt.Sprintf(" top %d'", p.pid))
	term.shows("queue 4", "live")
	if err := syscall.Kill(pidIn(t, p.trace+".pid"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.end()
	whole(t, p.trace)
}

func TestCollectorKilled(t *testing.T) {
	p := start(t)
	term := newTerminal(t, 100, 30)
	term.command(accscope + " top; echo left with $?")
	term.shows("queue 4", "live")
	owner := p.command.Process.Pid
	if err := syscall.Kill(owner, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.command.Wait() //nolint:errcheck // it was killed
	term.shows("queue 4", "collecting here")

	// A second one is a client of the first, and takes over when that leaves.
	second := newTerminal(t, 100, 30)
	second.command(accscope + " top; echo left with $?")
	second.shows("queue 4", "live")
	term.keys("q")
	term.shows("left with 0")
	second.shows("queue 4", "collecting here")
	second.keys("q")
	second.shows("left with 0")

	p.input.Close()
	until(t, "the end of the program", func() bool { return syscall.Kill(p.pid, 0) != nil })
	list, err := session.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d sessions", err, len(list))
	}
	if output, err := exec.Command(accscope, "import", list[0].Folder).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, output)
	}
	whole(t, p.trace)
}

func TestCaptureWithoutSession(t *testing.T) {
	build(t)
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	p := &program{t: t}
	p.run(folder, "env", "LD_PRELOAD="+filepath.Join(libraries, "libopenacc.so"), "ACC_DEVICE_TYPE=sim",
		"ACC_PROFLIB="+filepath.Join(libraries, "libaccprof.so"), scene)
	var capture string
	until(t, "the capture", func() bool {
		found, err := filepath.Glob(filepath.Join(folder, "accscope-scene-*"))
		if err != nil || len(found) != 1 {
			return false
		}
		capture = found[0]
		_, err = os.Stat(filepath.Join(capture, "process"))
		return err == nil
	})
	term := newTerminal(t, 100, 30)
	term.command(fmt.Sprintf("%s top %d; echo left with $?", accscope, p.command.Process.Pid))
	term.shows("queue 4", "live", "nobody keeps a trace")
	term.keys("q")
	term.shows("left with 0")
	p.end()
}

func pidIn(t *testing.T, path string) int {
	t.Helper()
	var pid int
	data, err := os.ReadFile(path)
	if err == nil {
		_, err = fmt.Sscan(string(data), &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// record makes a trace of some rounds of the scene.
func record(t *testing.T, rounds int, environment ...string) string {
	t.Helper()
	build(t)
	return recordProgram(t, []string{scene, fmt.Sprint(rounds)}, environment...)
}

func recordProgram(t *testing.T, program []string, environment ...string) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	path := filepath.Join(folder, "trace.db")
	command := exec.Command(accscope, append([]string{"run", "-q", "--device", "sim", "-o", path, "--"}, program...)...)
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	if err != nil && len(environment) == 0 {
		t.Fatalf("%v\n%s", err, output)
	}
	return path
}

func TestReplay(t *testing.T) {
	path := record(t, 40)
	term := newTerminal(t, 120, 36)
	term.command(accscope + " top " + path + "; echo left with $?")
	term.shows("trace.db", "playing", "? help")
	term.keys("$")
	term.shows("ended", "queue 4")
	term.keys("g", "50%", "Enter", "Space")
	term.shows("paused", "queue 1", "queue 4")
	before := term.screen()
	term.keys(">")
	until(t, "another speed", func() bool { return term.screen() != before })
	for i, texts := range [][]string{{"Machine"}, {"sync"}, {"field", "scene.c:34"}, {"main._omp_fn.0", "Transfers"}, {"Events", "enqueue_"}, {"Threads"}} {
		term.keys(fmt.Sprint(i + 1))
		term.shows(texts...)
	}
	// The findings are those of accscope advise, in its order.
	output, err := exec.Command(accscope, "advise", "--format", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var findings []struct{ Rule, What string }
	if err := json.Unmarshal(output, &findings); err != nil || len(findings) == 0 {
		t.Fatalf("%v\n%s", err, output)
	}
	term.keys("7")
	term.shows(fmt.Sprintf("Findings %d", len(findings)), " 1 "+findings[0].Rule)
	kept := slices.IndexFunc(findings, func(f struct{ Rule, What string }) bool { return f.Rule == "never-deleted" })
	term.keys("/")
	term.keys("-l", "never-deleted")
	term.keys("Enter")
	term.shows(fmt.Sprintf(" %d never-deleted", kept+1), "scene.c:50", "exit data delete(kept[0:1024])")
	term.keys("3", "$")
	term.tmux("resize-window", "-x", "80", "-y", "24")
	term.shows("leaked", "? help")
	term.keys("q")
	term.shows("left with 0")
}

// A wait of one queue for another one is told by the runtime and shown: by a
// clause, a directive and a routine.
func TestDependencyOfQueues(t *testing.T) {
	build(t)
	path := recordProgram(t, []string{filepath.Join(folder, "chain")})
	output, err := exec.Command(accscope, "top", "--json", "--once", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var end tui.Reading
	if err := json.Unmarshal(output, &end); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	places := map[string]bool{}
	for _, d := range end.Devices {
		for _, q := range d.Queues {
			for _, x := range q.Dependencies {
				if x.To < x.From || x.From < x.Time || !strings.HasSuffix(x.Source.File, "chain.c") {
					t.Errorf("queue %d: %+v", q.Number, x)
				}
				places[fmt.Sprintf("%d for %d, line %d", q.Number, x.Queue, x.Source.Line)] = true
			}
		}
	}
	for _, want := range []string{"2 for 1, line 15", "2 for 1, line 19", "1 for 2, line 21"} {
		if !places[want] {
			t.Errorf("no wait of %s; there are %v", want, places)
		}
	}
	term := newTerminal(t, 160, 40)
	term.command(accscope + " top " + path)
	term.shows("1 Overview")
	term.keys("2", "g", "60%", "Enter", "Space")
	term.shows("paused", "waits for queue 1:", "┄")
}

func TestFaultShows(t *testing.T) {
	path := record(t, 40, "ACCSCOPE_SIM_FAULT=kernel=30")
	term := newTerminal(t, 120, 36)
	term.command(accscope + " top " + path)
	term.shows("1 Overview")
	term.keys("$", "5")
	term.shows("Errors 1", "1 error;")
}

// The terminal is as before, however the view ends.
func TestTerminalIsRestored(t *testing.T) {
	path := record(t, 5)
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]struct {
		command string
		leave   func(*terminal)
	}{
		"quit":   {accscope + " top " + path, func(term *terminal) { term.shows("1 Overview"); term.keys("q") }},
		"ctrl-c": {accscope + " top " + path, func(term *terminal) { term.shows("1 Overview"); term.keys("C-c") }},
		"SIGTERM": {"bash -c 'echo $$ > " + path + ".pid; exec " + accscope + " top " + path + "'", func(term *terminal) {
			term.shows("1 Overview")
			if err := syscall.Kill(pidIn(t, path+".pid"), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}},
		"panic":   {"ACCSCOPE_TUI_PANIC=source " + test, func(*terminal) {}},
		"drawing": {"ACCSCOPE_TUI_PANIC=draw " + test, func(*terminal) {}},
	} {
		t.Run(name, func(t *testing.T) {
			term := newTerminal(t, 100, 30)
			term.command("clear; a=$(stty -g); " + end.command + "; test \"$a\" = \"$(stty -g)\" && echo the same $((40+2))")
			end.leave(term)
			term.shows("the same 42")
			if mode := term.tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{cursor_flag}"); strings.TrimSpace(mode) != "0 0 1" {
				t.Errorf("alternate screen, mouse, cursor: %s", mode)
			}
		})
	}
}

// panicking is a source that fails as no source should.
type panicking struct{}

func (panicking) Title() string {
	if os.Getenv("ACCSCOPE_TUI_PANIC") == "draw" {
		panic("while drawing")
	}
	return "panicking"
}

func (panicking) Run(ctx context.Context, _ time.Duration, observe func(tui.Frame)) error {
	if os.Getenv("ACCSCOPE_TUI_PANIC") == "source" {
		panic("in the source")
	}
	<-ctx.Done()
	return nil
}

func showPanic() {
	_, err := tui.Run(context.Background(), panicking{}, tui.Options{})
	fmt.Fprintln(os.Stderr, "no panic:", err)
	os.Exit(0)
}

func TestMistakes(t *testing.T) {
	build(t)
	t.Setenv("ACCSCOPE_DIR", filepath.Join(t.TempDir(), "sessions"))
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"nothing-of-this-name"}, 1, "no trace, session or process id"},
		{[]string{"--interval", "1ms"}, 2, "at least 10ms"},
		{[]string{"--once"}, 2, "goes with --json"},
		{[]string{"testdata/scene.c"}, 1, "not an accscope trace"},
	} {
		output, err := exec.Command(accscope, append([]string{"top"}, c.args...)...).CombinedOutput()
		status := 0
		if exit, ok := err.(*exec.ExitError); ok {
			status = exit.ExitCode()
		}
		if status != c.status || !strings.Contains(string(output), c.want) {
			t.Errorf("top %v ends with %d: %s", c.args, status, output)
		}
	}
}
