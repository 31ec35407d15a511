package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
)

func TestColumns(t *testing.T) {
	segments := []segment{{from: 0, to: 10, share: 1, what: kernel}, {from: 20, to: 25, share: 1, what: upload}, {from: 30, to: 40, share: 0.5, what: mixed}}
	cells := columns(segments, segment{from: 45, to: 60, share: 1, what: download, guess: true}, 0, 50, 5)
	for i, want := range []struct {
		share float64
		what  activity
	}{{1, kernel}, {0, idle}, {0.5, upload}, {0.5, mixed}, {0.5, download}} {
		if cells[i].share != want.share || cells[i].what != want.what {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want)
		}
	}
	if part, atMost := share(cells, 50); part != 0.5 || !atMost {
		t.Errorf("busy %g, at most %v", part, atMost)
	}
}

// The line of waits shows each cell's share of time: little of it as a low bar, all
// of it as a line, whose name needs room.
func TestWaitsAreProportional(t *testing.T) {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(20, 1)
	waits := []segment{{from: 0, to: 75, share: 5.6e-3 / 75, what: waiting}, {from: 80, to: 85, share: 1, what: waiting},
		{from: 100, to: 180, share: 1, what: waiting}}
	c := canvas{screen: screen, theme: newTheme(256, false), w: 20, h: 1}
	c.drawWaits(0, columns(waits, segment{}, 0, 200, 20))
	screen.Show()
	if got, want := strings.TrimRight(pictureOf(screen).Text(), "\n"), "▁▁▁▁▁▁▁▁▂ ━ wait ━"; strings.TrimRight(got, " ") != want {
		t.Errorf("drawn as %q, want %q", got, want)
	}
}

func TestRate(t *testing.T) {
	samples := []sample{{time: 0, up: 0}, {time: 1e9, up: 100}, {time: 3e9, up: 500}}
	for i, got := range rate(samples, upBytes, 0, 4e9, 4) {
		if want := []float64{100, 200, 200, 0}[i]; got != want {
			t.Errorf("second %d: %g, want %g", i, got, want)
		}
	}
}

// The source of a detail is shown with its neighbours; what is no file is not
// read: nothing might ever come of it.
func TestExcerpt(t *testing.T) {
	folder := t.TempDir()
	file, pipe := filepath.Join(folder, "a.c"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("one\n\ttwo\nthree\nfour\n"), 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	lines, err := excerpt(state.Source{File: file, Line: 2}, 1)
	if want := []codeLine{{1, "one"}, {2, "    two"}, {3, "three"}}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("%v, %v", lines, err)
	}
	for name, want := range map[string]string{pipe: "no regular file", "/dev/zero": "no regular file", folder: "no regular file", file + "x": "no such file"} {
		if _, err := excerpt(state.Source{File: name, Line: 2}, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParsePlace(t *testing.T) {
	for text, want := range map[string]int64{"0": 100, "50%": 600, "100%": 1100, "500ns": 600, " 1us ": 1100, "9h": 1100, "0.0000002": 300} {
		if got, err := parsePlace(text, 100, 1100); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "101%", "-3s", "%"} {
		if got, err := parsePlace(text, 100, 1100); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	for _, text := range []string{"50%", "1.5s", "12", "1e300", "NaN", "Inf%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := parsePlace(text, 100, 1100); err == nil && (got < 100 || got > 1100) {
			t.Errorf("%q is %d", text, got)
		}
	})
}

func TestOutput(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"lines", "one\r\ntwo\r\n", "one\ntwo\n"},
		{"a progress bar", "10%\r50%\r100%", "100%"},
		{"erased", "long text\r\x1b[Kshort", "short"},
		{"colours", "\x1b[1;31mred\x1b[0m", "red"},
		{"backspace", "ab\b\bx", "xb"},
		{"tabs", "a\tb", "a       b"},
		{"a title", "\x1b]0;title\x07text", "text"},
		{"wide", "Größe 場", "Größe 場"},
	} {
		var whole, bytewise output
		whole.write([]byte(c.in))
		for i := range len(c.in) {
			bytewise.write([]byte{c.in[i]})
		}
		if whole.String() != c.want || bytewise.String() != c.want {
			t.Errorf("%s: %q, byte by byte %q, want %q", c.name, whole.String(), bytewise.String(), c.want)
		}
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("a\x1b[99999C\x1b[2Jx\xff\x1b]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var o output
		o.write(data)
		for _, r := range o.String() {
			if r < ' ' && r != '\n' {
				t.Fatalf("%q lets %q through", data, r)
			}
		}
		if len(o.partial) > 256 {
			t.Fatalf("%d bytes are held back", len(o.partial))
		}
	})
}

func TestKeysAndMouse(t *testing.T) {
	a, screen := stage(t, pipeline(t), 120, 40, Options{})
	text := func() string { return pictureOf(screen).Text() }
	click := func(x, y int, buttons tcell.ButtonMask) {
		a.handle(tcell.NewEventMouse(x, y, buttons, 0))
		a.handle(tcell.NewEventMouse(x, y, tcell.ButtonNone, 0))
		a.redraw()
	}
	press(a, "tab")
	if a.current != 1 {
		t.Error("Tab does not go to the next view")
	}
	press(a, "backtab", "backtab")
	if a.current != len(a.views)-1 {
		t.Error("Shift-Tab does not go back")
	}
	click(a.tabs[2].x+1, 1, tcell.Button1)
	if a.current != 2 {
		t.Error("a click does not choose a view")
	}
	rows := a.views[2].table()
	press(a, "sj", "enter")
	if rows.sortBy != 3 || a.menu != nil {
		t.Errorf("the menu sorts by %d", rows.sortBy)
	}
	press(a, "s", "home", "down")
	click(a.menu.box.x+3, a.menu.box.y+2, tcell.Button1)
	if rows.sortBy != 1 || a.menu != nil {
		t.Errorf("a click in the menu sorts by %d", rows.sortBy)
	}
	press(a, "sS", "enter")
	if rows.sortBy != 1 || !rows.upwards {
		t.Error("Enter takes back what S has turned in the menu")
	}
	press(a, "s")
	click(a.menu.box.x+3, a.menu.box.y+2, tcell.Button1)
	if rows.sortBy != 1 || !rows.upwards {
		t.Error("a click in the menu takes back what S has turned")
	}
	press(a, "S", "s", "down", "esc")
	if rows.sortBy != 1 {
		t.Errorf("a menu that is left sorts by %d", rows.sortBy)
	}
	click(rows.area.x+rows.position[2]+1, rows.area.y, tcell.Button1)
	if rows.sortBy != 2 || rows.visible[0].cells[0] != "field" {
		t.Errorf("a click on the size sorts by %d", rows.sortBy)
	}
	press(a, "S")
	if rows.visible[0].cells[2] != "20 KiB" {
		t.Error("S does not turn the order")
	}
	click(rows.area.x+3, rows.area.y+2, tcell.Button1)
	if rows.at != 1 || a.overlay != nil {
		t.Error("a click does not choose the row")
	}
	click(rows.area.x+3, rows.area.y+2, tcell.Button1)
	if a.overlay == nil {
		t.Error("a second click does not open it")
	}
	press(a, "esc", "/fie")
	if len(rows.visible) != 1 {
		t.Errorf("the filter leaves %d rows", len(rows.visible))
	}
	press(a, "esc")
	if rows.filter != "" || len(rows.visible) != 3 {
		t.Error("Esc keeps the filter")
	}
	press(a, "1", " ")
	if !a.frozen || !strings.Contains(text(), "paused") {
		t.Error("space does not pause")
	}
	press(a, "left")
	if a.back != a.window/4 || strings.Contains(text(), "now") {
		t.Error("left does not go back in time")
	}
	press(a, "esc", "q")
	if !a.quit || a.result.Kill {
		t.Error("q does not leave")
	}
}

// The pane gives a program a terminal and its keys, keeps its output, and leaves
// redirected streams alone.
func TestPane(t *testing.T) {
	pane, err := NewPane()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.CreateTemp(t.TempDir(), "redirected")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, out, failures := pane.Streams(pane.slave, pane.slave, file)
	if in != pane.slave || out != pane.slave || failures != file {
		t.Fatal("the streams are not told apart")
	}
	command := exec.Command("sh", "-c", "test -t 0 && test -t 1 && ! test -t 2 && echo a terminal; echo redirected >&2; read line; echo got $line; exec cat")
	command.Stdin, command.Stdout, command.Stderr = in, out, failures
	command.SysProcAttr = pane.Attributes(in, out, failures)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := pane.Started(); err != nil {
		t.Fatal(err)
	}
	a, screen := stage(t, pipeline(t), 100, 30, Options{Program: pane})
	shows := func(text string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			a.redraw()
			if strings.Contains(pictureOf(screen).Text(), text) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("no %q in\n%s", text, pictureOf(screen).Text())
			}
		}
	}
	shows("a terminal")
	press(a, "p", "hello", "enter")
	shows("got hello")
	a.handle(tcell.NewEventKey(tcell.KeyCtrlRightSq, 0, 0))
	press(a, "q")
	if a.quit || !a.asking {
		t.Fatal("q leaves a running program without a question")
	}
	press(a, "x", "p", "ctrl-c")
	if err := command.Wait(); err == nil || !strings.Contains(err.Error(), "interrupt") {
		t.Errorf("Ctrl-C in the pane: %v", err)
	}
	pane.Ended("status 3")
	if err := pane.Close(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(file.Name()); err != nil || string(data) != "redirected\n" {
		t.Errorf("the redirected stream holds %q, %v", data, err)
	}
}

// busy is a source of a program that raises so many events between two frames.
type busy struct {
	script *script
	events int
	at     int64
}

func (b *busy) next() Frame {
	s := b.script
	for i := range b.events / 2 {
		b.at += 100_000_000 / int64(b.events) * 2
		s.span(model.EnqueueLaunchStart, b.at, b.at+10, int64(i%8), fmt.Sprint("kernel", i%40), 32, nil)
	}
	return s.now(origin + b.at)
}

// A frame costs the same however many events came since the one before.
func BenchmarkFrame(b *testing.B) {
	for _, rate := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("events=%d/s", rate), func(b *testing.B) {
			screen := tcell.NewSimulationScreen("UTF-8")
			if err := screen.Init(); err != nil {
				b.Fatal(err)
			}
			defer screen.Fini()
			screen.SetSize(200, 50)
			source := &busy{script: newScript(b), events: rate / 10}
			a := newApp(source.script, screen, Options{})
			for range 20 {
				a.observe(source.next())
			}
			for b.Loop() {
				b.StopTimer()
				for range min(source.events/2, 5000) {
					source.at += 20
					source.script.span(model.EnqueueLaunchStart, source.at, source.at+10, 1, "kernel", 32, nil)
				}
				b.StartTimer()
				a.observe(source.script.now(origin + source.at))
				a.redraw()
			}
		})
	}
}

// What a client's goroutines do when the stream ends in the middle.
func TestStreamStopsWithItsWriter(t *testing.T) {
	var calls atomic.Int64
	err := Stream(context.Background(), pipeline(t), time.Millisecond, false, writerFunc(func(p []byte) (int, error) {
		calls.Add(1)
		return 0, io.ErrClosedPipe
	}))
	if err != io.ErrClosedPipe || calls.Load() != 1 {
		t.Errorf("%v after %d writes", err, calls.Load())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// What a program that moves about its screen shows; the last lines of one that
// does not stay.
func TestProgramsThatMoveTheCursor(t *testing.T) {
	for _, c := range []struct {
		name, in, screen, left string
	}{
		{"two bars", "a 10%\r\nb 10%\r\x1b[1Aa 99%\r\x1b[1Bb 50%", "a 99%\nb 50%", ""},
		{"addressed", "\x1b[2J\x1b[3;5Hx\x1b[1;1Hy", "y\n\n    x", ""},
		{"full screen", "before\r\n\x1b[?1049h\x1b[2J\x1b[2;2Hinside", "\n inside", "before\n"},
		{"left again", "before\r\n\x1b[?1049h\x1b[2J\x1b[2;2Hinside\x1b[?1049l", "before", "before\n"},
		{"lines inserted", "\x1b[Hone\r\ntwo\x1b[1;1H\x1b[Lzero", "zero\none\ntwo", ""},
		{"wide", "\x1b[H場x", "場x", ""},
		{"a title is not shown", "\x1b[H\x1b]0;title\x07text", "text", ""},
		{"hostile", "\x1b[H\x1b[999999999;999999999H\x1b[99999999999999999@\x1b[1;1Hok\x1bP\x1b\\", "ok", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, step := range []int{len(c.in), 1} {
				pane := &Pane{replies: make(replies, 4)}
				pane.grid = newGrid(40, 6, pane.replies)
				for from := 0; from < len(c.in); from += step {
					pane.output.write([]byte(c.in[from : from+step]))
					pane.grid.write([]byte(c.in[from : from+step]))
				}
				screen := tcell.NewSimulationScreen("UTF-8")
				if err := screen.Init(); err != nil {
					t.Fatal(err)
				}
				defer screen.Fini()
				screen.SetSize(40, 6)
				pane.grid.draw(canvas{screen: screen, theme: newTheme(256, false), w: 40, h: 6})
				screen.Show()
				if got := strings.TrimRight(pictureOf(screen).Text(), " \n"); got != c.screen {
					t.Errorf("in steps of %d it shows\n%s\nwant\n%s", step, got, c.screen)
				}
				if pane.output.moves != (c.name != "left again") {
					t.Errorf("moves is %v", pane.output.moves)
				}
				if c.left != "" && pane.output.String() != c.left {
					t.Errorf("what is left: %q", pane.output.String())
				}
			}
		})
	}
}

// The program's colours are shown where ours are.
func TestProgramColours(t *testing.T) {
	for _, c := range []struct {
		in      string
		colours int
		want    tcell.Style
	}{
		{"\x1b[31mx", 256, tcell.StyleDefault.Foreground(tcell.ColorMaroon)},
		{"\x1b[38;5;200mx", 256, tcell.StyleDefault.Foreground(tcell.Color200)},
		{"\x1b[7mx", 256, tcell.StyleDefault.Reverse(true)},
		{"\x1b[1;4mx", 256, tcell.StyleDefault.Bold(true).Underline(true)},
		{"\x1b[31;7mx", 0, tcell.StyleDefault.Reverse(true)},
	} {
		g := newGrid(4, 1, io.Discard)
		g.write([]byte(c.in))
		if got := g.style(g.terminal.Cell(0, 0), newTheme(c.colours, false)); got != c.want {
			t.Errorf("%q with %d colours: %+v, want %+v", c.in, c.colours, got, c.want)
		}
	}
}

// Nothing that a program writes breaks the pane.
func FuzzPane(f *testing.F) {
	f.Add([]byte("one\r\n\x1b[2J\x1b[5;5Htwo\x1b[31m\x1b[?1049h\x1b[1;4r\x1b[10L\x1b[5M\x1b[100@\x1b[P\x1b]0;t\x07\xe5\xa0"), 20, 5)
	f.Fuzz(func(t *testing.T, data []byte, width, height int) {
		width, height = width&127+1, height&63+1
		screen := tcell.NewSimulationScreen("UTF-8")
		if err := screen.Init(); err != nil {
			t.Fatal(err)
		}
		defer screen.Fini()
		screen.SetSize(width, height)
		c := canvas{screen: screen, theme: newTheme(256, false), w: width, h: height}
		var lines output
		g := newGrid(width, height, replies(nil))
		for _, size := range [][2]int{{width, height}, {height, width}, {1, 1}} {
			g.resize(size[0], size[1])
			g.write(data)
			lines.write(data)
			g.draw(c)
		}
		for _, line := range append(lines.last(3), pictureOf(screen).Text()) {
			if strings.ContainsAny(line, "\x1b\x07\r") {
				t.Errorf("a control character comes through: %q", line)
			}
		}
	})
}

// Two hosts may have processes of one number: then its host is in the name.
func TestNamesOfProcesses(t *testing.T) {
	v := &state.State{}
	for i, host := range []string{"node1", "node2", "node2"} {
		v.Processes = append(v.Processes, model.ProcessInfo{ID: model.ProcessID(i + 1), Host: host, PID: 4711 + i/2, Rank: -1})
	}
	v.Processes = append(v.Processes, model.ProcessInfo{ID: 4, Host: "node1", PID: 4711, Rank: 3})
	for i, want := range []string{"pid 4711 on node1", "pid 4711 on node2", "pid 4712", "rank 3"} {
		if got := processName(v, model.ProcessID(i+1)); got != want {
			t.Errorf("process %d is called %q, want %q", i+1, got, want)
		}
	}
}
