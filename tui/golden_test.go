package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// stage is an app on a simulated screen that has seen a script.
func stage(t *testing.T, s *script, width, height int, options Options) (*app, tcell.SimulationScreen) {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(screen.Fini)
	screen.SetSize(width, height)
	a := newApp(s, screen, options)
	a.window = 2e9
	for _, f := range s.frames {
		a.observe(f)
	}
	a.redraw()
	return a, screen
}

// press sends keys: characters, or names in angle brackets.
func press(a *app, keys ...string) {
	special := map[string]tcell.Key{"enter": tcell.KeyEnter, "esc": tcell.KeyEscape, "tab": tcell.KeyTab, "backtab": tcell.KeyBacktab, "down": tcell.KeyDown,
		"up": tcell.KeyUp, "home": tcell.KeyHome, "end": tcell.KeyEnd, "left": tcell.KeyLeft, "right": tcell.KeyRight, "ctrl-c": tcell.KeyCtrlC,
		"backspace": tcell.KeyBackspace2}
	for _, key := range keys {
		if k, ok := special[key]; ok {
			a.handle(tcell.NewEventKey(k, 0, 0))
			continue
		}
		for _, r := range key {
			a.handle(tcell.NewEventKey(tcell.KeyRune, r, 0))
		}
	}
	a.redraw()
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (-update rewrites it); got\n%s", path, got)
	}
}

// Every view at the usual sizes. Times are those of the script, so nothing is
// masked.
func TestGoldenScreens(t *testing.T) {
	s := pipeline(t)
	sampled(s)
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"200x60", 200, 60}} {
		a, screen := stage(t, s, size.width, size.height, Options{})
		for i := range a.views {
			press(a, string(rune('1'+i)))
			compare(t, ViewNames()[i]+"-"+size.name, pictureOf(screen).Text())
		}
	}
}

func TestGoldenVariants(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		keys    []string
	}{
		{"ascii", Options{ASCII: true}, []string{"2"}},
		{"ascii-memory", Options{ASCII: true}, []string{"3"}},
		{"ascii-overview", Options{ASCII: true}, nil},
		{"help", Options{}, []string{"2?"}},
		{"detail", Options{}, []string{"3", "down", "enter"}},
		{"queue-detail", Options{}, []string{"2", "down", "down", "enter"}},
		{"filter", Options{}, []string{"5", "/", "launch", "enter"}},
		{"zoomed", Options{}, []string{"2++"}},
		{"sort", Options{}, []string{"4", "sj"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, screen := stage(t, pipeline(t), 100, 30, c.options)
			press(a, c.keys...)
			compare(t, c.name, pictureOf(screen).Text())
		})
	}
}

// The help is whole on the terminal that everybody has.
func TestHelpFits(t *testing.T) {
	a, screen := stage(t, pipeline(t), 80, 24, Options{})
	press(a, "?")
	text := pictureOf(screen).Text()
	for _, sections := range [][]section{helpLeft, helpRight} {
		for _, s := range sections {
			for _, key := range s.keys {
				if !strings.Contains(text, key[0]) || !strings.Contains(text, key[1]) {
					t.Errorf("%v does not show", key)
				}
			}
		}
	}
	for _, l := range a.legend() {
		if !strings.Contains(text, l.text) {
			t.Errorf("%q does not show", l.text)
		}
	}
	compare(t, "help-80x24", text)
}

// What rows are filtered by is said in every view.
func TestFilterIsSaid(t *testing.T) {
	for _, view := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		if text := screenOf(t, pipeline(t), view, "/", "solver", "enter"); !strings.Contains(text, "filter solver") {
			t.Errorf("view %s does not say what it is filtered by:\n%s", view, text)
		}
	}
}

// What leaked alike is one row with a count, whose details give the sum.
func TestLeaksAreFolded(t *testing.T) {
	s := pipeline(t)
	s.span(model.DeviceShutdownStart, 3970*ms, 3980*ms, -2, "", 70, nil)
	s.exits(3985 * ms)
	s.frame(3990 * ms)
	a, screen := stage(t, s, 120, 40, Options{})
	press(a, "3/history", "enter")
	rows := a.views[2].table()
	if len(rows.visible) != 1 || rows.visible[0].cells[1] != "5" || rows.visible[0].cells[2] != "20 KiB" {
		t.Fatalf("five leaks of 4 KiB of one place are\n%s", pictureOf(screen).Text())
	}
	press(a, "enter")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "5, each 4 KiB (4096 bytes)") || !strings.Contains(text, "20 KiB (20480 bytes)") {
		t.Errorf("details:\n%s", text)
	}
}

// The status or signal of a program that has ended is in its line.
func TestExitStatusShows(t *testing.T) {
	for _, how := range []string{"status 3", "signal 11 (segmentation fault)"} {
		s := pipeline(t)
		f := &s.frames[len(s.frames)-1]
		f.View.Processes[0].Ended, f.View.Processes[0].Exit, f.View.Processes[0].End = "exited", how, f.Time
		if text := screenOf(t, s, "6"); !strings.Contains(text, how) {
			t.Errorf("no %q:\n%s", how, text)
		}
	}
}

// A window of details says what its row says in the newest frame.
func TestDetailFollows(t *testing.T) {
	s := newScript(t)
	s.operation(model.EnqueueLaunchStart, 0, 1, "solve", 10, 0)
	s.frame(10 * ms)
	a, screen := stage(t, s, 100, 30, Options{})
	press(a, "2")
	press(a, "enter")
	for _, enqueued := range []string{"1 operations, 0 done", "2 operations, 0 done"} {
		if text := pictureOf(screen).Text(); !strings.Contains(text, enqueued) {
			t.Errorf("no %q in\n%s", enqueued, text)
		}
		s.operation(model.EnqueueLaunchStart, 20*ms, 1, "solve", 10, 0)
		s.frame(30 * ms)
		a.observe(s.frames[len(s.frames)-1])
		a.redraw()
	}
}

// Whatever the terminal's size, drawing stays within it and does not panic.
func TestEverySize(t *testing.T) {
	s := pipeline(t)
	a, screen := stage(t, s, 80, 24, Options{})
	for width := 1; width <= 130; width += 9 {
		for height := 1; height <= 40; height += 4 {
			screen.SetSize(width, height)
			for i := range a.views {
				a.help, a.overlay = false, nil
				press(a, string(rune('1'+i)), "enter")
				press(a, "esc", "?")
			}
		}
	}
}

func screenOf(t *testing.T, s *script, keys ...string) string {
	t.Helper()
	a, screen := stage(t, s, 120, 40, Options{})
	press(a, keys...)
	return pictureOf(screen).Text()
}

func TestLeaksGrowthAndErrorsStandOut(t *testing.T) {
	s := pipeline(t)
	if text := screenOf(t, s, "3"); !strings.Contains(text, "grows") || strings.Contains(text, "leaked") {
		t.Errorf("history piles up and nothing has leaked yet:\n%s", text)
	}
	s.span(model.DeviceShutdownStart, 3970*ms, 3980*ms, -2, "", 70, nil)
	s.frame(3982 * ms)
	if text := screenOf(t, s, "3"); strings.Contains(text, "leaked") {
		t.Errorf("the program runs, and has leaked:\n%s", text)
	}
	s.exits(3985 * ms)
	s.frame(3990 * ms)
	if text := screenOf(t, s, "3"); !strings.Contains(text, "6 leaked") && !strings.Contains(text, "leaked, ") {
		t.Errorf("what lives when the program ends has leaked:\n%s", text)
	}
	s.event(model.Error, 3995*ms, 2, "the kernel failed", 32, func(e *capture.Event) { e.ErrorCode = 7 })
	s.frame(3999 * ms)
	for _, view := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		if text := screenOf(t, s, view); !strings.Contains(text, "1 error;") || !strings.Contains(text, "the kernel failed (code 7) at solver.c:32") {
			t.Errorf("view %s does not show the error:\n%s", view, text)
		}
	}
}

// Every view says by how much the collector is behind, once that is worth a line.
func TestBehindIsSaid(t *testing.T) {
	for behind, said := range map[time.Duration]bool{0: false, 300 * time.Millisecond: false, 3210 * time.Millisecond: true} {
		s := pipeline(t)
		s.did(s.writer.SetMeta(store.Behind, int64(behind)))
		s.frame(3990 * ms)
		for _, view := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			if text := screenOf(t, s, view); strings.Contains(text, "the collector is 3.21 s behind the program") != said {
				t.Errorf("view %s, %v behind, want it said: %v\n%s", view, behind, said, text)
			}
		}
	}
}

// Devices that there is no room for are counted.
func TestDevicesWithoutRoom(t *testing.T) {
	s := newScript(t)
	for n := range int32(8) {
		s.event(model.Alloc, int64(n+1)*ms, 1, "field", 10, func(e *capture.Event) { e.DeviceNumber, e.Bytes, e.Device = n, 1<<20, 1<<30 })
	}
	s.frame(20 * ms)
	a, screen := stage(t, s, 80, 18, Options{})
	press(a, "1")
	text := pictureOf(screen).Text()
	if n := strings.Count(text, " more"); n != 2 {
		t.Errorf("it is said %d times that there are more devices, want twice:\n%s", n, text)
	}
}

// GPUs of equal number on two hosts are told apart.
func TestGPUsOfSeveralHosts(t *testing.T) {
	s := pipeline(t)
	sampled(s)
	s.did(s.writer.SaveHost(store.Host{ID: 2, Name: "far"}))
	c := store.Counter{Host: 2, GPU: 0, GPUName: "NVIDIA H100 80GB HBM3", Name: "utilization", Unit: "%"}
	s.did(s.writer.SaveCounter(&c))
	s.did(s.writer.WriteCounter(c.ID, store.CounterValue{Time: origin + 3900*ms, Value: 50}))
	s.frame(3990 * ms)
	text := screenOf(t, s, "1")
	for _, want := range []string{"GPU 0 on node1 ", "GPU 0 on far "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestMeasuredAndBoundLookDifferent(t *testing.T) {
	text := screenOf(t, pipeline(t), "2")
	lanes := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		if _, lane, ok := strings.Cut(line, "│"); ok {
			for _, name := range []string{"queue 1", "queue 9"} {
				if strings.Contains(line, name) {
					lanes[name] = lane
				}
			}
		}
	}
	if !strings.ContainsAny(lanes["queue 1"], "▅▆▇█") || strings.Contains(lanes["queue 1"], "░") {
		t.Errorf("queue 1 is measured: %q", lanes["queue 1"])
	}
	if strings.ContainsAny(lanes["queue 9"], "▅▆▇█") || !strings.Contains(lanes["queue 9"], "░") {
		t.Errorf("queue 9 is only bounded: %q", lanes["queue 9"])
	}
	if !strings.Contains(text, "━━━") {
		t.Errorf("a wait is not shown:\n%s", text)
	}
}

// A queue that waits for another one stands still for so long as that runs what
// it held, and says for which one, and where.
func TestDependencyShows(t *testing.T) {
	s := newScript(t)
	s.operation(model.EnqueueUploadStart, 100*ms, 1, "field", 30, 1<<20)
	s.operation(model.EnqueueLaunchStart, 101*ms, 2, "first", 31, 0)
	s.depend(102*ms, 2, 1, 40)
	s.operation(model.EnqueueLaunchStart, 103*ms, 2, "second", 41, 0)
	s.ran(model.ActivityKernel, 300*ms, 2, 150*ms, 300*ms, 0)
	s.frame(600 * ms)
	if text := screenOf(t, s, "2"); !strings.Contains(text, "waits for queue 1:40") || !strings.Contains(text, "┄ queue 1 ┄") {
		t.Errorf("the wait goes on:\n%s", text)
	}
	s.ran(model.ActivityUpload, 1000*ms, 1, 200*ms, 1000*ms, 1<<20)
	s.ran(model.ActivityKernel, 1400*ms, 2, 1000*ms, 1400*ms, 0)
	s.frame(1500 * ms)
	a, screen := stage(t, s, 120, 30, Options{})
	press(a, "2")
	compare(t, "dependency", pictureOf(screen).Text())
	press(a, "down", "enter")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "1 times by other queues, 700 ms") ||
		!strings.Contains(text, "waits for queue 1 at solver.c:40, enqueued at 1.10 s: 700 ms") {
		t.Errorf("details:\n%s", text)
	}
	a, screen = stage(t, s, 120, 30, Options{ASCII: true})
	press(a, "2")
	if text := pictureOf(screen).Text(); !strings.Contains(text, ", waits for queue 1 ,") {
		t.Errorf("in ASCII:\n%s", text)
	}
}

func TestNamesCannotMoveTheCursor(t *testing.T) {
	s := newScript(t)
	s.operation(model.EnqueueLaunchStart, 10*ms, 1, "evil\x1b[2J\r\nname", 0, 0)
	s.frame(20 * ms)
	for _, view := range []string{"2", "4", "5"} {
		if text := screenOf(t, s, view); strings.ContainsAny(text, "\x1b\r") || !strings.Contains(text, "evil?[2J??name") {
			t.Errorf("view %s:\n%s", view, text)
		}
	}
}

// Terminals of 8 and 16 colours get their own; what activities look like differs.
func TestColoursFitTheTerminal(t *testing.T) {
	for _, colours := range []int{8, 16, 256, 1 << 24} {
		theme := newTheme(colours, false)
		seen := map[tcell.Color]activity{}
		for what, style := range theme.activities {
			ink, _, _ := style.Decompose()
			if colours <= 16 && (ink.IsRGB() || ink != tcell.ColorDefault && ink >= tcell.PaletteColor(16)) {
				t.Errorf("%d colours: activity %d has colour %v", colours, what, ink)
			}
			if other, ok := seen[ink]; ok && activity(what) <= mixed && other != idle {
				t.Errorf("%d colours: activities %d and %d look alike", colours, other, what)
			}
			seen[ink] = activity(what)
		}
	}
}

// Wide characters take two cells each, and a name of them is cut where it ends.
func TestWideCharacters(t *testing.T) {
	s := newScript(t)
	s.operation(model.EnqueueLaunchStart, 10*ms, 1, "速度場の更新と境界条件の適用を行う長い名前の核", 3, 0)
	s.ran(model.ActivityKernel, 15*ms, 1, 11*ms, 15*ms, 0)
	s.frame(20 * ms)
	a, screen := stage(t, s, 80, 24, Options{})
	for _, view := range []string{"2", "4", "5"} {
		press(a, view)
		for _, line := range strings.Split(pictureOf(screen).Text(), "\n") {
			if textWidth(line) > 80 {
				t.Errorf("view %s: a line of %d cells: %s", view, textWidth(line), line)
			}
		}
	}
	press(a, "4")
	if text := pictureOf(screen).Text(); !strings.Contains(text, "速度場の") {
		t.Errorf("the name does not show:\n%s", text)
	}
}

func TestNoColor(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	_, screen := stage(t, pipeline(t), 120, 40, Options{})
	for y := range 40 {
		for x := range 120 {
			_, style, _ := screen.Get(x, y)
			if foreground, background, _ := style.Decompose(); foreground != tcell.ColorDefault || background != tcell.ColorDefault {
				t.Fatalf("cell %d,%d is coloured", x, y)
			}
		}
	}
}
