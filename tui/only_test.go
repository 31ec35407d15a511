package tui

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// In a replay f asks for frames, and shows the time of those; what there is not is said.
func TestChoosingFramesInAReplay(t *testing.T) {
	replay, err := OpenReplay(tracetest.Annotated(t, 3000))
	if err != nil {
		t.Fatal(err)
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	a := newApp(replay, screen, Options{})
	choose := func(text string) {
		a.key(tcell.NewEventKey(tcell.KeyRune, 'f', tcell.ModNone))
		if a.prompt == nil {
			t.Fatal("f asks for nothing")
		}
		a.prompt.text = nil
		for _, r := range text {
			a.key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
		}
		a.key(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone))
	}
	choose("iteration 1")
	if a.only != "iteration 1" || a.message != "" || replay.only == nil || replay.base != replay.only.To || a.window > replay.only.To-replay.only.From {
		t.Errorf("limited to %q, at %d, scale %d: %s", a.only, replay.base, a.window, a.message)
	}
	choose("nothing")
	if a.only != "iteration 1" || !strings.Contains(a.message, `frame "iteration"`) {
		t.Errorf("limited to %q: %s", a.only, a.message)
	}
	a.message = ""
	choose("")
	if a.only != "" || replay.only != nil || replay.base != replay.last {
		t.Errorf("limited to %q, at %d of %d", a.only, replay.base, replay.last)
	}
}

// Limited to frames, graphs show nothing outside of them, and queues are as busy as the
// report says.
func TestGraphsOfFrames(t *testing.T) {
	path := tracetest.Annotated(t, 3000)
	trace := tracetest.Open(t, path)
	within, err := trace.Annotated("iteration 1")
	if err != nil {
		t.Fatal(err)
	}
	document, err := report.Build(trace, report.Options{Filter: report.Filter{From: within.From, To: within.To, Within: within}, Tables: []string{"queues"}})
	if err != nil {
		t.Fatal(err)
	}
	replay, err := OpenReplay(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := replay.Only("iteration 1"); err != nil {
		t.Fatal(err)
	}
	var frame Frame
	if err := replay.Step(t.Context(), time.Hour, func(f Frame) { frame = f }); err != nil {
		t.Fatal(err)
	}
	a := &app{frame: frame, window: 1e9}
	busy := map[string]string{}
	for i := range frame.View.Devices {
		d := &frame.View.Devices[i]
		for j := range d.Queues {
			q := &d.Queues[j]
			part, atMost := a.busyness(q, nil)
			if q.Busy > 0 && !atMost {
				busy[report.DeviceName(int64(d.Type), int64(d.Number))+" "+callbacks.AsyncName(q.Number)] = fmt.Sprintf("%.3f", part)
			}
			for _, s := range laneOf(q, a.counted(d), frame.Time-1e12, frame.Time, frame.Time).busy {
				if s.to <= within.From {
					t.Errorf("queue %d was busy from %d to %d, the frame begins at %d", q.Number, s.from, s.to, within.From)
				}
			}
		}
		first, last := replay.Extent()
		const n = 200
		for c, value := range a.usedIn(d.Process, d.Memory, first, last, n) {
			from, to := first+(last-first)*int64(c)/n, first+(last-first)*int64(c+1)/n
			if value >= 0 && !within.Reaches(d.Process, from, to) {
				t.Errorf("memory is drawn from %d to %d", from, to)
			}
		}
	}
	// The figures of the machine: a process's own, and a GPU's, which all processes use.
	first, last := replay.Extent()
	points := []store.MemoryPoint{{Time: first, End: last, High: 50, Last: 50}}
	for _, process := range []model.ProcessID{0, frame.View.Processes[0].ID} {
		const n = 200
		drawn := 0
		for c, value := range a.usedIn(process, points, first, last, n) {
			from, to := first+(last-first)*int64(c)/n, first+(last-first)*int64(c+1)/n
			if value < 0 {
				continue
			}
			if drawn++; within.Time(from, to) == 0 {
				t.Errorf("a figure of process %d is drawn from %d to %d", process, from, to)
			}
		}
		if process == 0 && drawn == 0 || drawn > n/2 {
			t.Errorf("%d of %d cells of a figure of process %d are drawn", drawn, n, process)
		}
	}
	want := map[string]string{}
	for _, row := range document.Tables[0].Rows {
		if part, known := row[7].(float64); known {
			want[fmt.Sprint(row[0], " ", row[1])] = fmt.Sprintf("%.3f", part)
		}
	}
	if len(want) == 0 || !reflect.DeepEqual(busy, want) {
		t.Errorf("queues are busy %v, the report says %v", busy, want)
	}
}
