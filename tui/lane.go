package tui

import (
	"cmp"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
)

// activity is what a stretch of a lane shows.
type activity uint8

const (
	idle activity = iota
	kernel
	upload
	download
	mixed // several operations together
	bound // busy at most: the runtime measures nothing
	waiting
	following // held back by another queue
)

func activityOf(kind string) activity {
	switch kind {
	case "kernel":
		return kernel
	case "upload":
		return upload
	case "download":
		return download
	}
	return mixed
}

// segment is a stretch of time in which a queue was busy for a share of it.
type segment struct {
	from, to int64
	share    float64
	what     activity
	label    string
	guess    bool // enqueued and not known done: it runs, or waits for its turn
}

// lane is what a queue did in a window of time.
type lane struct {
	busy, waits, follows []segment
	running, wait        segment // what has not ended
}

// counted says of a device's times whether they are in the frames that sums are limited to.
func (a *app) counted(d *state.Device) func(time int64) bool {
	w := a.frame.View.Within
	return func(time int64) bool { return w == nil || w.Has(d.Process, time) }
}

// laneOf gives what a queue did in [from, to), as known at a time; counts says of what is
// under way whether its begin counts.
func laneOf(q *state.Queue, counts func(time int64) bool, from, to, time int64) *lane {
	l := &lane{busy: segments(q.Ran, from, to, mixed), waits: segments(q.Waited, from, to, waiting)}
	if !q.Measured {
		l.busy = segments(q.Occupied, from, to, bound)
	}
	for i := range q.Dependencies {
		d := &q.Dependencies[i]
		if !counts(d.Time) {
			continue
		}
		s := segment{from: d.From, to: d.To, share: 1, what: following, label: dependencyLabel(d), guess: d.To == 0}
		if s.guess {
			s.to = time
		}
		l.follows = append(l.follows, s)
	}
	if q.CutOff != 0 {
		time = min(time, q.CutOff)
	}
	switch {
	case q.Depth > 0 && !counts(q.Since):
	case q.Depth > 0 && !q.Measured:
		l.running = segment{from: q.Since, to: time, share: 1, what: bound, guess: true}
	case q.Depth > 0 && q.Next != nil:
		l.running = segment{from: q.Next.Start, to: time, share: 1, what: activityOf(q.Next.Kind), label: operationLabel(q.Next.Name, q.Next.Kind, q.Next.Source)}
		if l.running.from == 0 { // not measured yet
			l.running.from, l.running.guess = q.Next.Enqueued, true
			if q.Last != nil {
				l.running.from = max(l.running.from, q.Last.End)
			}
		}
	}
	if q.Waiting > 0 && counts(q.WaitingSince) {
		l.wait = segment{from: q.WaitingSince, to: time, share: 1, what: waiting}
	}
	return l
}

// segments are the stretches that reach into [from, to). otherwise is what they show
// where they do not say.
func segments(stretches []state.Stretch, from, to int64, otherwise activity) []segment {
	var list []segment
	for i := range stretches {
		x := &stretches[i]
		if x.To <= from || x.From >= to || x.To <= x.From {
			continue
		}
		s := segment{from: x.From, to: x.To, share: min(float64(x.Busy)/float64(x.To-x.From), 1), what: otherwise}
		if x.Kind != "" {
			s.what = activityOf(x.Kind)
		}
		if x.Site != nil && x.Kind != "" {
			s.label = operationLabel(x.Site.Name, x.Kind, state.Source{File: x.Site.File, Line: x.Site.Line})
		}
		if x.Peer != "" {
			s.label = "to " + x.Peer
		}
		list = append(list, s)
	}
	return list
}

func operationLabel(name, kind string, at state.Source) string {
	label := cmp.Or(name, kind)
	if function, _, outlined := strings.Cut(name, "._omp_fn."); outlined && at.Line > 0 {
		label = cmp.Or(function, kind) // the line says which of its kernels it is
	}
	// A kernel that is called by its place has the line already.
	if line := ":" + number(int64(at.Line)); at.Line > 0 && !strings.Contains(label, line+" ") {
		label += line
	}
	return label
}

func labelOf(o *state.Operation) string { return operationLabel(o.Name, o.Kind, o.Source) }

// dependencyLabel says what a queue waits for.
func dependencyLabel(d *state.Dependency) string {
	label := "waits for " + queueName(d.Queue)
	if at := sourceText(d.Source); at != "-" {
		label += " at " + at
	}
	return label
}

// held gives the newest dependency of a queue that is not over, nil if none.
func held(q *state.Queue) *state.Dependency {
	for i := len(q.Dependencies) - 1; i >= 0; i-- {
		if d := &q.Dependencies[i]; d.To == 0 && q.Depth > 0 {
			return d
		}
	}
	return nil
}

// column is what one cell of a lane shows.
type column struct {
	share float64
	what  activity
	label int  // index of the segment whose label goes here, -1 if none
	guess bool // not measured yet
}

// columns folds the segments in [from, to) to n cells.
func columns(segments []segment, last segment, from, to int64, n int) []column {
	cells := make([]column, n)
	weight := make([]float64, n)
	width := float64(to-from) / float64(n)
	for i := range cells {
		cells[i].label = -1
	}
	fill := func(index int, s segment) {
		if s.to <= from || s.from >= to || s.to <= s.from || width <= 0 {
			return
		}
		a, b := float64(max(s.from, from)-from)/width, float64(min(s.to, to)-from)/width
		for c := int(a); c < n && float64(c) < b; c++ {
			part := (min(b, float64(c+1)) - max(a, float64(c))) * s.share
			cells[c].share = min(cells[c].share+part, 1)
			if part > weight[c] {
				weight[c], cells[c].what, cells[c].label, cells[c].guess = part, s.what, index, s.guess
			}
		}
	}
	for i := range segments {
		fill(i, segments[i])
	}
	fill(len(segments), last)
	return cells
}

// share is the part of the last second, or of the window if that is shorter,
// that a lane was busy; atMost says that some of it is not measured.
func share(cells []column, window int64) (part float64, atMost bool) {
	n := len(cells)
	if window > 1e9 {
		n = max(int(int64(n)*1e9/window), 1)
	}
	cells = cells[max(len(cells)-n, 0):]
	sum := 0.0
	for _, c := range cells {
		sum += c.share
		atMost = atMost || c.share > 0 && (c.guess || c.what == bound)
	}
	return sum / float64(max(len(cells), 1)), atMost
}

// busyness is how busy a queue is: in the last second of its cells, or, where sums are
// limited to frames, in their time so far.
func (a *app) busyness(q *state.Queue, cells []column) (part float64, atMost bool) {
	v := a.frame.View
	if v.Within == nil {
		return share(cells, a.window)
	}
	busy := q.Busy
	if !q.Measured {
		busy = q.Bound
	}
	return float64(busy) / float64(max(v.Chosen, 1)), !q.Measured && busy > 0
}

// usedIn is used, without what lies outside of the frames of a process that sums are
// limited to; process 0: of any process.
func (a *app) usedIn(process model.ProcessID, points []store.MemoryPoint, from, to int64, n int) []float64 {
	values := used(points, from, to, n)
	if w := a.frame.View.Within; w != nil {
		for c := range values {
			start, end := from+(to-from)*int64(c)/int64(n), from+(to-from)*int64(c+1)/int64(n)
			if process != 0 && !w.Reaches(process, start, end) || process == 0 && !w.ReachesAny(start, end) {
				values[c] = -1
			}
		}
	}
	return values
}

// used gives a device's memory in use over [from, to) in n cells: the most in each;
// before it was used it is -1.
func used(memory []store.MemoryPoint, from, to int64, n int) []float64 {
	values := make([]float64, n)
	next, current := 0, -1.0
	for c := range values {
		start, end := from+(to-from)*int64(c)/int64(n), from+(to-from)*int64(c+1)/int64(n)
		highest := current
		for ; next < len(memory) && memory[next].Time <= end; next++ {
			current = float64(memory[next].Last)
			if memory[next].End >= start {
				highest = max(highest, float64(memory[next].High))
			} else {
				highest = current
			}
		}
		values[c] = highest
	}
	return values
}
