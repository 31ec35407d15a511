package tui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/tui"
)

// ranks starts the scene on four MPI ranks, which work until the test ends.
func ranks(t *testing.T, folder string, launcher ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("mpirun"); err != nil {
		t.Skip("mpirun is not there: install openmpi-bin")
	}
	for name, value := range compilers.MPI() {
		t.Setenv(name, value)
	}
	command := exec.Command("mpirun", append(append([]string{"-n", "4"}, launcher...), scene, "1000000")...)
	command.Dir = folder
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM) //nolint:errcheck // it may have ended
		command.Wait()                          //nolint:errcheck // it was killed
	})
	return command
}

// alone is what starts a program with the profiler library and no collector.
func alone() []string {
	return []string{"env", "LD_PRELOAD=" + filepath.Join(libraries, "libopenacc.so"), "ACC_DEVICE_TYPE=sim",
		"ACC_PROFLIB=" + filepath.Join(libraries, "libaccprof.so")}
}

// aloneIn are the captures without a session in a folder: other tests have theirs.
func aloneIn(folder string) []session.Alone {
	var found []session.Alone
	all, err := session.ListAlone()
	for _, a := range all {
		if err == nil && a.In(folder) {
			found = append(found, a)
		}
	}
	return found
}

// showsRanks looks at the views of four ranks.
func showsRanks(t *testing.T, term *terminal) {
	t.Helper()
	term.shows("4 processes", "rank 0 sim 0")
	term.keys("2")
	term.shows("4 processes", "sync", "queue 1")
	// They stand in the order that they came in, which leaves any of them out of sight.
	for _, rank := range []string{"rank 0", "rank 3"} {
		term.keys("/")
		term.shows("filter queues:")
		term.keys("C-u", rank, "Enter")
		term.shows("filter "+rank+"  queues", rank+" sim 0", "queue 4")
	}
	term.keys("Escape", "3")
	term.shows("rank 0 sim 0", "Mappings", "field")
	term.keys("6")
	term.shows("Processes 4", "rank 0", "rank 1", "rank 2", "rank 3")
	term.keys("q")
	term.shows("left with 0")
}

func TestRanksOfOneSession(t *testing.T) {
	build(t)
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	ranks(t, folder, accscope, "run", "--device", "sim", "-q", "--no-summary", "-o", "trace.db", "--")
	until(t, "four ranks", func() bool {
		list, err := session.List()
		return err == nil && len(list) == 1 && list[0].Running == 4 && list[0].Owner != 0
	})
	term := newTerminal(t, 140, 50)
	term.command(accscope + " top; echo left with $?")
	showsRanks(t, term)
}

func TestRanksWithoutCollector(t *testing.T) {
	build(t)
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	ranks(t, folder, alone()...)
	var found []session.Alone
	until(t, "four captures", func() bool {
		found = aloneIn(folder)
		return len(found) == 1 && len(found[0].Processes) == 4
	})
	for i, p := range found[0].Processes {
		if p.Rank != i {
			t.Errorf("process %d has rank %d", i, p.Rank)
		}
	}
	term := newTerminal(t, 140, 50)
	term.command("cd " + folder + "; " + accscope + " top; echo left with $?")
	showsRanks(t, term)
	term.command("clear; " + accscope + " top " + folder + "; echo left with $?")
	showsRanks(t, term)
	term.command(fmt.Sprintf("clear; %s top %d %d; echo left with $?", accscope, found[0].Processes[1].PID, found[0].Processes[2].PID))
	term.shows("2 processes", "rank 1 sim 0")
	term.keys("q")
	term.shows("left with 0")
}

// Where several sessions run, the user picks one; a script is told what to say.
func TestSeveralSessions(t *testing.T) {
	first := start(t)
	folder := t.TempDir()
	second := &program{t: t}
	arguments := append(alone()[1:], scene)
	second.run(folder, "env", arguments...)
	pid := second.command.Process.Pid
	until(t, "the second capture", func() bool {
		return len(aloneIn(folder)) == 1
	})
	list, err := session.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d sessions", err, len(list))
	}
	name := list[0].Name

	command := exec.Command(accscope, "top", "--json", "--once")
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "2 sessions run; say which one:") ||
		!strings.Contains(string(output), "accscope top "+name) || !strings.Contains(string(output), fmt.Sprintf("accscope top %d ", pid)) {
		t.Errorf("without a terminal: %v, %s", err, output)
	}
	for _, argument := range []string{name, fmt.Sprint(pid)} {
		output, err := exec.Command(accscope, "top", "--json", "--once", argument).Output()
		var reading tui.Reading
		if err != nil || json.Unmarshal(output, &reading) != nil || reading.Events == 0 {
			t.Errorf("top --json %s: %v, %s", argument, err, output)
		}
	}

	term := newTerminal(t, 100, 30)
	term.command("cd " + folder + "; " + accscope + " top; echo left with $?")
	term.shows("2 sessions run; which one?", name, fmt.Sprintf("pid %d", pid), "no collector", "▸")
	term.keys("q")
	term.shows("left with 0")
	term.command("clear; " + accscope + " top; echo left with $?")
	term.shows("which one?")
	term.keys("Down", "Enter")
	term.shows("queue 4", "live", "nobody keeps a trace")
	term.keys("q")
	term.shows("left with 0")
	if err := syscall.Kill(pid, 0); err != nil {
		t.Error("the program has gone: ", err)
	}
	first.end()
	second.end()
	whole(t, first.trace)
	if _, err := os.Stat(filepath.Join(folder, "output")); err != nil {
		t.Error(err)
	}
}
