package html

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

const (
	plotWidth  = 1000 // user units, about pixels
	laneHeight = 16
	mostLanes  = 80
)

// timeline is the overview: a row for each depth of a thread's spans and for
// each device queue.
type timeline struct {
	Width, Height float64
	Lanes         []lane
	Ticks         []tick
	Omitted       int // lanes
	gaps          bool
}

type lane struct {
	Title  string // "" continues the lane above
	Y      float64
	Blocks []block
}

type block struct {
	X, Width float64
	Class    string
	Opacity  string
	About    string
}

func newTimeline(trace *store.Trace, filter store.Filter, w window) (*timeline, error) {
	lanes, err := trace.Lanes().All()
	if err != nil {
		return nil, err
	}
	titles, err := laneTitles(trace)
	if err != nil {
		return nil, err
	}
	missing, err := trace.Partial()
	if err != nil {
		return nil, err
	}
	t := &timeline{Width: plotWidth, Ticks: w.ticks(plotWidth)}
	previous := ""
	for _, l := range lanes {
		if l.Type == store.LaneInstants || filter.Process != 0 && l.Process != filter.Process ||
			filter.Thread != 0 && l.Thread != filter.Thread || filter.Device != 0 && l.Device != 0 && l.Device != filter.Device {
			continue
		}
		if len(t.Lanes) == mostLanes {
			t.Omitted++
			continue
		}
		blocks, err := trace.Lanes().Blocks(l, w.from, w.to, plotWidth)
		if err != nil {
			return nil, err
		}
		row := lane{Y: float64(len(t.Lanes)) * laneHeight}
		if title := titles(l); title != previous {
			row.Title, previous = title, title
		}
		for _, g := range missing.In(l.Process, l.Thread, w.from, w.to) {
			x := w.x(g.Start, plotWidth)
			row.Blocks = append(row.Blocks, block{X: x, Width: max(w.x(g.End, plotWidth)-x, 0.5), Class: "gap", Opacity: "1",
				About: export.GapTitle + ": " + g.Why() + ", " + report.ShowDuration(float64(g.End-g.Start))})
			t.gaps = true
		}
		for i := range blocks {
			row.Blocks = append(row.Blocks, draw(&blocks[i], w))
		}
		t.Lanes = append(t.Lanes, row)
	}
	t.Height = float64(len(t.Lanes)) * laneHeight
	return t, nil
}

// laneTitles names lanes by their process, and thread or queue.
func laneTitles(trace *store.Trace) (func(store.Lane) string, error) {
	d, err := trace.Directory()
	if err != nil {
		return nil, err
	}
	process := export.ProcessTitles(d.Processes)
	thread := map[model.ThreadID]string{}
	for _, t := range d.Threads {
		thread[t.ID] = t.Title()
		if t.TID != 0 {
			thread[t.ID] = fmt.Sprintf("thread %d %s", t.TID, t.Name)
		}
	}
	device := map[model.DeviceID]string{}
	for i := range d.Devices {
		device[d.Devices[i].ID] = export.DeviceName(&d.Devices[i])
	}
	queue := map[model.QueueID]string{}
	for _, q := range d.Queues {
		queue[q.ID] = export.QueueName(q.Number)
	}
	return func(l store.Lane) string {
		if l.Type == store.LaneQueue {
			return process[l.Process] + device[l.Device] + ", " + queue[l.Queue]
		}
		return process[l.Process] + thread[l.Thread]
	}, nil
}

// draw places a block; one of many spans is as dense as they are.
func draw(b *store.Block, w window) block {
	x := w.x(b.Start, plotWidth)
	d := block{X: x, Width: max(w.x(b.End, plotWidth)-x, 0.5), Class: "other", Opacity: "1"}
	label, kind := "", ""
	switch {
	case b.Work != nil:
		kind, label = b.Work.Kind, b.Work.Kind+" "+b.Work.Name
		if b.Work.Peer != 0 {
			label = export.WorkName(b.Work)
		}
	case b.Site != nil:
		kind, label = b.Site.Kind, b.Site.Kind+" "+b.Site.Name
	}
	switch kind {
	case "kernel", "enqueue_launch":
		d.Class = "kernel"
	case "upload", "enqueue_upload":
		d.Class = "upload"
	case "download", "enqueue_download":
		d.Class = "download"
	case "wait":
		d.Class = "wait"
	}
	if b.Count > 1 {
		label = fmt.Sprintf("%d, longest: %s", b.Count, label)
		if span := b.End - b.Start; span > 0 {
			d.Opacity = fmt.Sprintf("%.2f", 0.3+0.7*min(float64(b.Busy)/float64(span), 1))
		}
	}
	d.About = label + ", " + report.ShowDuration(float64(b.Busy))
	if b.Bytes > 0 {
		d.About += ", " + report.ShowBytes(float64(b.Bytes))
	}
	if b.Site != nil && b.Site.File != "" {
		d.About += fmt.Sprintf(", %s:%d", b.Site.File, b.Site.Line)
	}
	return d
}
