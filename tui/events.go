package tui

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// eventsView shows the newest events, and all errors whatever came after them.
type eventsView struct{ listView }

func newEventsView() *eventsView {
	return &eventsView{listView{"Events", table{name: "events", sortBy: -1, follow: true, fields: []field{
		{title: "time", width: 14, right: true},
		{title: "event", width: 23},
		{title: "took", width: 9, right: true},
		{title: "queue", width: 9, wide: 60},
		{title: "name"},
		{title: "size", width: 10, right: true, wide: 70},
		{title: "source", width: 22, wide: 110},
		{title: "thread", width: 22, wide: 140},
		{title: "host address", width: 18, right: true, wide: 160},
		{title: "device address", width: 18, right: true, wide: 160},
	}}}}
}

func (e *eventsView) key(_ *app, key *tcell.EventKey) bool {
	if key.Key() == tcell.KeyEnd {
		e.rows.follow = true
		return true
	}
	return false
}

func (e *eventsView) draw(a *app, c canvas) {
	v, t := a.frame.View, c.theme
	y := 0
	if len(v.Errors) > 0 {
		shown := min(len(v.Errors), max(c.h/4, 1))
		c.words(1, y, t.failure, fmt.Sprintf("Errors %d", v.ErrorSum))
		y++
		for i := range shown {
			x := &v.Errors[len(v.Errors)-shown+i]
			c.words(1, y, t.dim, fmt.Sprintf("%10s ", clock(x.Time)), t.failure, errorText(x), t.dim, "  "+threadName(v, x.Thread))
			y++
		}
	}
	x := c.words(1, y, t.title, "Events", t.plain, " "+count(float64(v.Events)), t.dim, fmt.Sprintf("  the newest %d", min(int64(len(v.Log)), v.Events)))
	if !e.rows.follow {
		c.words(x, y, t.dim, "  End follows the newest")
	}
	e.rows.set(a.eventRows())
	e.rows.draw(c.part(0, y+1, c.w, c.h-y-1), !e.rows.follow, "no events yet")
}

func (a *app) eventRows() []row {
	v, t := a.frame.View, a.theme
	queues := map[model.QueueID]string{}
	for i := range v.Devices {
		for _, q := range v.Devices[i].Queues {
			queues[q.ID] = queueName(q.Number)
		}
	}
	names := symbolsOf(v)
	var rows []row
	for i := range v.Log {
		x := &v.Log[i]
		took, size := "", ""
		if strings.HasSuffix(x.Kind, "_end") || strings.HasSuffix(x.Kind, state.CutOff) {
			took = report.ShowDuration(float64(x.Duration))
		}
		if x.Bytes > 0 {
			size = report.ShowBytes(float64(x.Bytes))
		}
		address := func(p uint64) string {
			if p == 0 {
				return ""
			}
			return fmt.Sprintf("%#x", p)
		}
		var style *tcell.Style
		switch {
		case x.Kind == "error", strings.HasSuffix(x.Kind, state.CutOff):
			style = &t.failure
		case strings.HasPrefix(x.Kind, "enqueue_launch"):
			style = &t.activities[kernel]
		case strings.HasPrefix(x.Kind, "enqueue_upload"):
			style = &t.activities[upload]
		case strings.HasPrefix(x.Kind, "enqueue_download"):
			style = &t.activities[download]
		case strings.HasPrefix(x.Kind, "wait"):
			style = &t.activities[waiting]
		}
		rows = append(rows, row{
			id: fmt.Sprintf("%d/%s", x.Record, x.Kind),
			cells: []string{exactly(x.Time), x.Kind, took, queues[x.Queue], x.Name, size, sourceText(x.Source), threadName(v, x.Thread),
				address(x.Host), address(x.Address)},
			also:  names.of(x.Name, x.Source),
			keys:  []float64{float64(x.Time), 0, float64(x.Duration), float64(x.Queue), 0, float64(x.Bytes)},
			style: style,
			detail: func() detail {
				bytes, code := "", ""
				if x.Bytes > 0 {
					bytes = fmt.Sprintf("%s (%d bytes)", size, x.Bytes)
				}
				if x.Code != 0 {
					code = number(int64(x.Code))
				}
				return detail{title: x.Kind, source: x.Source, fields: told([][2]string{{"time", exactly(x.Time)}, {"took", took}, {"name", x.Name},
					{"linker's name", names.of(x.Name, x.Source)}, {"queue", queues[x.Queue]}, {"thread", threadName(v, x.Thread)},
					{"process", processName(v, x.Process)}, {"size", bytes}, {"host address", address(x.Host)}, {"device address", address(x.Address)},
					{"implicit", fmt.Sprint(x.Implicit)}, {"error code", code}, {"record", number(x.Record)}})}
			}})
	}
	return rows
}

func threadName(v *state.State, id model.ThreadID) string {
	for i := range v.Threads {
		th := &v.Threads[i]
		if th.ID != id {
			continue
		}
		name := th.Title()
		if len(v.Processes) > 1 {
			name = processName(v, th.Process) + " " + name
		}
		return name
	}
	return ""
}

// exactly shows a time to the microsecond, in seconds.
func exactly(ns int64) string { return fmt.Sprintf("%.6f s", float64(ns)/1e9) }
