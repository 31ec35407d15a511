package tui

import (
	"sort"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// history keeps what the views draw over time: a model.View tells one moment.
// Its size does not depend on how many events there are, only on how many
// frames were seen, and the oldest make room.
type history struct {
	lanes   map[model.QueueID]*lane
	devices map[model.DeviceID][]sample
	rates   []sample // of the whole: events and launches
}

const (
	maxSegments = 4096
	maxSamples  = 4096
)

// activity is what a stretch of a lane shows.
type activity uint8

const (
	idle activity = iota
	kernel
	upload
	download
	mixed // several operations between two frames
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
	record   int64 // of a dependency its sequence
	guess    bool  // enqueued and not known done: it runs, or waits for its turn
}

// lane is the recent past of a queue.
type lane struct {
	busy, waits  []segment
	follows      []segment // held back by other queues, in order of their records
	previous     model.QueueView
	time         int64 // of the previous frame
	waitingSince int64 // first frame that showed the wait that goes on, 0 if none
	lastWait     int64 // time of the newest wait taken from the log
	seen         bool
}

// sample is cumulative figures at a time.
type sample struct {
	time           int64
	used           int64
	up, down       int64 // bytes
	events, launch int64
}

func newHistory() *history {
	return &history{lanes: map[model.QueueID]*lane{}, devices: map[model.DeviceID][]sample{}}
}

// add takes a frame in.
func (h *history) add(f *Frame) {
	v := f.View
	launches := int64(0)
	for i := range v.Devices {
		d := &v.Devices[i]
		launches += d.Launches
		h.devices[d.ID] = appendSample(h.devices[d.ID], sample{time: f.Time, used: d.Used, up: d.Uploads.Bytes, down: d.Downloads.Bytes})
		for j := range d.Queues {
			q := &d.Queues[j]
			l := h.lanes[q.ID]
			if l == nil {
				l = new(lane)
				h.lanes[q.ID] = l
			}
			l.add(q, f.Time, v.Log)
		}
	}
	h.rates = appendSample(h.rates, sample{time: f.Time, events: v.Events, launch: launches})
}

func appendSample(samples []sample, s sample) []sample {
	if len(samples) > 0 && samples[len(samples)-1].time >= s.time {
		samples[len(samples)-1] = s
		return samples
	}
	if len(samples) >= maxSamples {
		samples = append(samples[:0], samples[maxSamples/4:]...)
	}
	return append(samples, s)
}

func appendSegment(segments []segment, s segment) []segment {
	if s.to <= s.from {
		return segments
	}
	if len(segments) >= maxSegments {
		segments = append(segments[:0], segments[maxSegments/4:]...)
	}
	return append(segments, s)
}

func operationLabel(o *model.Operation) string {
	label := o.Name
	if function, _, outlined := strings.Cut(label, "._omp_fn."); outlined && o.Source.Line > 0 {
		label = function // the line says which of its kernels it is
	}
	if label == "" {
		label = o.Kind
	}
	if o.Source.Line > 0 {
		label += ":" + number(int64(o.Source.Line))
	}
	return label
}

// add takes in what a queue did since the frame before.
func (l *lane) add(q *model.QueueView, time int64, log []model.EventView) {
	p := l.previous
	if !l.seen {
		l.time = time
		p.QueueInfo = q.QueueInfo
	}
	if q.Measured {
		l.measured(q, p.Busy, q.Busy, time)
	} else if gained := q.Bound - p.Bound; gained > 0 && l.seen {
		from := time - gained
		if p.Depth > 0 {
			from = p.Since
		}
		l.busy = appendSegment(l.busy, segment{from: from, to: min(from+gained, time), share: 1, what: bound})
	}
	l.waited(q, p.WaitTime, time, log)
	l.followed(q, time)
	l.previous, l.time, l.seen = *q, time, true
}

func (l *lane) measured(q *model.QueueView, before, after, time int64) {
	gained := after - before
	until, single := time, false
	if o := q.Last; o != nil && (l.previous.Last == nil || l.previous.Last.Record != o.Record) && o.End > o.Start {
		single = q.Done-l.previous.Done <= 1
		defer func() {
			l.busy = appendSegment(l.busy, segment{from: o.Start, to: o.End, share: 1,
				what: activityOf(o.Kind), label: operationLabel(o), record: o.Record})
		}()
		gained -= o.End - o.Start
		until = o.Start
	}
	// The first frame's sum is of all time before.
	if gained <= 0 || single || !l.seen {
		return
	}
	from := max(min(l.time, until-gained), 0)
	if until > from {
		l.busy = appendSegment(l.busy, segment{from: from, to: until, share: min(float64(gained)/float64(until-from), 1), what: mixed})
	}
}

// waited takes in how long the host was blocked: as the log has it, and what it
// has not from the sum.
func (l *lane) waited(q *model.QueueView, before, time int64, log []model.EventView) {
	gained := q.WaitTime - before
	for i := range log {
		e := &log[i]
		if e.Kind == "wait_end" && e.Queue == q.ID && e.Time > l.lastWait && e.Duration > 0 {
			l.waits = appendSegment(l.waits, segment{from: e.Time - e.Duration, to: e.Time, share: 1, what: waiting})
			l.lastWait = e.Time
			gained -= e.Duration
		}
	}
	if gained > 0 && l.seen {
		from := min(l.time, time-gained)
		l.waits = appendSegment(l.waits, segment{from: from, to: time, share: min(float64(gained)/float64(max(time-from, 1)), 1), what: waiting})
	}
	switch {
	case q.Waiting == 0:
		l.waitingSince = 0
	case l.waitingSince == 0:
		l.waitingSince = max(l.time, 1)
	}
}

// followed takes in when the queue was held back by others: what is new, and what
// has changed of those that a frame before showed.
func (l *lane) followed(q *model.QueueView, time int64) {
	for i := range q.Dependencies {
		d := &q.Dependencies[i]
		s := segment{from: d.From, to: d.To, share: 1, what: following, label: dependencyLabel(d), record: d.Sequence, guess: d.To == 0}
		if s.guess {
			s.to = time
		}
		at := sort.Search(len(l.follows), func(i int) bool { return l.follows[i].record >= d.Sequence })
		switch {
		case at < len(l.follows):
			l.follows[at] = s
		default:
			if len(l.follows) >= maxSegments {
				l.follows = append(l.follows[:0], l.follows[maxSegments/4:]...)
			}
			l.follows = append(l.follows, s)
		}
	}
}

// dependencyLabel says what a queue waits for.
func dependencyLabel(d *model.DependencyView) string {
	label := "waits for " + queueName(d.Queue)
	if at := sourceText(d.Source); at != "-" {
		label += " at " + at
	}
	return label
}

// held gives the newest dependency of a queue that is not over, nil if none.
func held(q *model.QueueView) *model.DependencyView {
	for i := len(q.Dependencies) - 1; i >= 0; i-- {
		if d := &q.Dependencies[i]; d.To == 0 && q.Depth > 0 {
			return d
		}
	}
	return nil
}

// now gives the stretch that has not ended: what runs, and the wait.
func (l *lane) now(time int64) (busy, wait segment) {
	q := &l.previous
	if q.Depth > 0 && q.Next != nil {
		busy = segment{to: time, share: 1, what: activityOf(q.Next.Kind), label: operationLabel(q.Next), record: q.Next.Record, guess: true}
		busy.from = q.Next.Enqueued
		if q.Last != nil {
			busy.from = max(busy.from, q.Last.End)
		}
	}
	if q.Depth > 0 && !q.Measured {
		busy.from, busy.to, busy.share, busy.what = q.Since, time, 1, bound
	}
	if l.waitingSince > 0 {
		wait = segment{from: l.waitingSince, to: time, share: 1, what: waiting}
	}
	return busy, wait
}

// column is what one cell of a lane shows.
type column struct {
	share float64
	what  activity
	label int  // index of the segment whose label goes here, -1 if none
	guess bool // not measured yet
}

// columns folds the segments in [from, to) to n cells. The segments are in order
// of time.
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
	first := sort.Search(len(segments), func(i int) bool { return segments[i].to > from })
	for i := max(first-1, 0); i < len(segments); i++ {
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

// used gives a device's memory in use over [from, to) in n cells; before the
// first sample it is -1.
func (h *history) used(device model.DeviceID, from, to int64, n int) []float64 {
	samples := h.devices[device]
	values := make([]float64, n)
	next := 0
	current := -1.0
	for c := range values {
		end := from + (to-from)*int64(c+1)/int64(n)
		start := from + (to-from)*int64(c)/int64(n)
		highest := current
		for next < len(samples) && samples[next].time <= end {
			current = float64(samples[next].used)
			if samples[next].time >= start {
				highest = max(highest, current)
			} else {
				highest = current
			}
			next++
		}
		values[c] = highest
		if len(samples) > 0 && start > samples[len(samples)-1].time {
			values[c] = current
		}
	}
	return values
}

// rate gives a cumulative figure's growth a second over [from, to) in n cells.
func rate(samples []sample, figure func(*sample) int64, from, to int64, n int) []float64 {
	values := make([]float64, n)
	if len(samples) < 2 || to <= from {
		return values
	}
	at := func(time int64) float64 {
		i := sort.Search(len(samples), func(i int) bool { return samples[i].time >= time })
		switch {
		case i == 0:
			return float64(figure(&samples[0]))
		case i == len(samples):
			return float64(figure(&samples[i-1]))
		}
		a, b := &samples[i-1], &samples[i]
		part := float64(time-a.time) / float64(b.time-a.time)
		return float64(figure(a)) + part*float64(figure(b)-figure(a))
	}
	before := at(from)
	for c := range values {
		end := from + (to-from)*int64(c+1)/int64(n)
		after := at(end)
		values[c] = max(after-before, 0) / (float64(to-from) / float64(n) / 1e9)
		before = after
	}
	return values
}

// perSecond is a figure's growth a second in the last second before time, or in
// the window if that is shorter.
func perSecond(samples []sample, figure func(*sample) int64, time, window int64) float64 {
	return rate(samples, figure, time-min(window, 1e9), time, 1)[0]
}

func upBytes(s *sample) int64    { return s.up }
func downBytes(s *sample) int64  { return s.down }
func eventCount(s *sample) int64 { return s.events }
