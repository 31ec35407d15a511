package tui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/accscope/accscope/collector/session"
)

// runWithView types accscope run --tui for a program.
func runWithView(t *testing.T, command string) (term *terminal, trace string) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	trace = filepath.Join(folder, "trace.db")
	term = newTerminal(t, 120, 40)
	term.command("clear; " + accscope + " run --tui -q --no-summary --device sim -o " + trace + " -- " + command + "; echo left with $?")
	return term, trace
}

// A program's output goes to its pane and keys to the program while the pane has
// the focus; afterwards what it wrote stands on the terminal.
func TestRunWithPane(t *testing.T) {
	build(t)
	term, trace := runWithView(t, scene)
	term.shows("program: p, or a click", "round 0", "queue 4", "live")
	term.keys("p")
	term.shows("program has the keys")
	term.keys("h", "e", "y", "Enter")
	term.shows("got hey")
	term.keys("C-]")
	term.shows("program: p, or a click")
	term.keys("q")
	term.shows("The program runs.")
	term.keys("x", "4")
	term.shows("main._omp_fn.0")
	term.tmux("resize-window", "-x", "90", "-y", "30")
	term.shows("main._omp_fn.0", "program: p")
	term.keys("p", "q", "Enter")
	term.shows("program has ended", "done")
	term.keys("q")
	term.shows("left with 0", "got hey", "done")
	whole(t, trace)
}

// Left, the program goes on without the view.
func TestLeaveTheProgramRunning(t *testing.T) {
	build(t)
	term, trace := runWithView(t, scene+" 100")
	term.shows("round 0", "live")
	term.keys("q")
	term.shows("The program runs.")
	term.keys("l")
	term.shows("left with 0", "round 50", "done")
	whole(t, trace)
}

func TestEndTheProgramToo(t *testing.T) {
	build(t)
	term, trace := runWithView(t, scene)
	term.shows("round 0", "live")
	term.keys("q", "k")
	term.shows("left with 143", "round 0")
	if _, err := os.Stat(trace); err != nil {
		t.Error(err)
	}
}

// A program with a screen of its own has it in the pane, also before its first
// event, and its terminal's answers.
func TestFullScreenProgram(t *testing.T) {
	build(t)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(`#!/bin/bash
printf '\033[?1049h\033[2J\033[2;11Hin the middle\033[4;1H\033[6n'
IFS= read -rsd R place
printf '\033[1;1H%q\033[5;1H' "$place"
read -r line
printf '\033[3;3Hread %s' "$line"
read -r line
printf '\033[?1049l'
stty size
`), 0o755); err != nil {
		t.Fatal(err)
	}
	term, _ := runWithView(t, script)
	screen := term.shows("          in the middle", `$'\E[4;1'`, "Waiting for the first OpenACC event")
	if strings.Contains(screen, "?1049h") {
		t.Error("a control sequence shows")
	}
	term.keys("p", "a", "Enter")
	term.shows("  read a")
	term.keys("Enter")
	term.shows("program has ended")
	term.keys("C-]", "q")
	term.shows("left with 0")
	if strings.Contains(term.screen(), "in the middle") {
		t.Error("the program's alternate screen is left behind")
	}
}

// Killing what draws leaves the program alone, whose terminal it held, and no
// event is lost.
func TestViewKilledWithTheProgramsTerminal(t *testing.T) {
	build(t)
	output := filepath.Join(t.TempDir(), "output")
	script := filepath.Join(t.TempDir(), "script")
	// It goes on writing to the terminal, more than that holds.
	if err := os.WriteFile(script, []byte("#!/bin/bash\n"+scene+" 100 > "+output+"\nfor i in {1..20000}; do echo line $i; done\n"+scene+" 10 >> "+output+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	term, trace := runWithView(t, script)
	term.shows("queue 4", "live")
	list, err := session.List()
	if err != nil || len(list) != 1 || list[0].Owner == 0 {
		t.Fatalf("%v, %+v", err, list)
	}
	if err := syscall.Kill(list[0].Owner, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the program", func() bool {
		data, err := os.ReadFile(output)
		return err == nil && strings.Count(string(data), "done") == 2
	})
	until(t, "the end of the last process", func() bool {
		list, err = session.List()
		return err == nil && len(list) == 1 && list[0].Running == 0
	})
	if output, err := exec.Command(accscope, "import", list[0].Folder).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, output)
	}
	whole(t, trace)
}

// A terminal that is closed ends the view; the trace is finished with the program.
func TestTerminalIsClosed(t *testing.T) {
	build(t)
	term, trace := runWithView(t, scene+" 60")
	term.shows("round 0", "live")
	list, err := session.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %+v", err, list)
	}
	term.tmux("kill-server")
	until(t, "the end of the session", func() bool { _, err := os.Stat(list[0].Folder); return err != nil })
	if _, err := os.Stat(trace); err != nil {
		t.Error(err)
	}
}
