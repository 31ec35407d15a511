package web

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

type queueUse struct {
	Queue      int64  `json:"queue"`
	Device     int64  `json:"device"`
	Number     int64  `json:"number"`   // async_queue
	Name       string `json:"name"`     // as callbacks.AsyncName has it
	Measured   bool   `json:"measured"` // false: busy is an upper bound from enqueues and waits
	Operations int64  `json:"operations"`
	Busy       int64  `json:"busy"` // ns in the window
	Bytes      int64  `json:"bytes"`
	// Use is the busy fraction of equal parts of the window.
	Use []float64 `json:"use"`

	until int64 // end of what has been counted of groups; threads share the synchronous queue, so operations may overlap
}

type queuesAnswer struct {
	From   int64      `json:"from"`
	To     int64      `json:"to"`
	Ranks  shownRanks `json:"ranks"` // what all figures are of
	Queues []queueUse `json:"queues"`
	// Exact: every operation was looked at. Else groups of neighbours were, and
	// what ran at once is not known: AtLeast is empty, and Overlap, Kernels and
	// Transfers are 0.
	Exact bool `json:"exact"`
	// BusyLeast and BusyMost are the time, ns, in which any queue was busy; two
	// bounds of it where Exact is false.
	BusyLeast int64 `json:"busy_least"`
	BusyMost  int64 `json:"busy_most"`
	// AtLeast[n] is the time, ns, in which at least n+1 queues were busy.
	AtLeast []int64 `json:"at_least"`
	// Overlap is the time, ns, in which a kernel ran while data moved; Kernels
	// and Transfers are the times in which any did.
	Overlap   int64 `json:"overlap"`
	Kernels   int64 `json:"kernels"`
	Transfers int64 `json:"transfers"`
}

// mostOperations is how many operations are looked at one by one: about a
// second's work.
const mostOperations = 1_000_000

// deviceWork is what devices did in a window, as far as it lies in that.
type deviceWork struct {
	queues             map[model.QueueID][]report.Interval
	kernels, transfers []report.Interval
	count, bytes       map[model.QueueID]int64
}

// queues tells how busy the queues were in a window and what overlapped.
func queues(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	_, shown, err := r.limitRanks()
	if err != nil {
		return nil, err
	}
	lanes, err := r.trace.Lanes().All()
	if err != nil {
		return nil, err
	}
	infos, err := r.trace.Queues()
	if err != nil {
		return nil, err
	}
	a := queuesAnswer{From: w.from, To: w.to, Ranks: shown, Queues: []queueUse{}, AtLeast: []int64{}}
	ran, err := deviceWorkIn(r, w)
	if err != nil {
		return nil, err
	}
	a.Exact = ran != nil
	for _, info := range infos {
		use := queueUse{Queue: int64(info.ID), Device: int64(info.Device), Number: info.Number, Name: callbacks.AsyncName(info.Number), Use: make([]float64, min(w.pixels, 400)), until: w.from}
		i := slices.IndexFunc(lanes, func(l store.Lane) bool { return l.Type == store.LaneQueue && l.Queue == info.ID })
		switch {
		case i < 0:
			err = use.bounds(r.trace, info.ID, w)
		case a.Exact:
			use.Measured = true
			use.ran(ran, info.ID, w)
		default:
			use.Measured = true
			var blocks []store.Block
			blocks, err = r.trace.Lanes().Blocks(lanes[i], w.from, w.to, 4*w.pixels)
			for j := range blocks {
				use.add(&blocks[j], w)
			}
		}
		if err != nil {
			return nil, err
		}
		for part := range use.Use {
			use.Use[part] = min(use.Use[part], 1)
		}
		if use.Operations == 0 && info.Number < 0 {
			continue // a queue that only waits named
		}
		a.Queues = append(a.Queues, use)
	}
	a.together(ran)
	return &a, nil
}

// deviceWorkIn reads what the devices did in a window; nil if that is more than
// mostOperations.
func deviceWorkIn(r *request, w window) (*deviceWork, error) {
	ran := &deviceWork{queues: map[model.QueueID][]report.Interval{}, count: map[model.QueueID]int64{}, bytes: map[model.QueueID]int64{}}
	read := 0
	err := r.activities(w, func(x *store.Activity) (bool, error) {
		if read++; read > mostOperations {
			ran = nil
			return false, nil
		}
		at := report.Interval{Start: max(x.Start, w.from), End: min(x.End(), w.to)}
		queue := x.Work.Queue
		ran.queues[queue] = append(ran.queues[queue], at)
		ran.count[queue]++
		ran.bytes[queue] += max(byteCount(x.Bytes), 0)
		switch x.Work.Kind {
		case "kernel":
			ran.kernels = append(ran.kernels, at)
		case "upload", "download", "copy":
			ran.transfers = append(ran.transfers, at)
		}
		return true, nil
	})
	return ran, err
}

// ran counts the operations of a queue.
func (u *queueUse) ran(all *deviceWork, queue model.QueueID, w window) {
	u.Operations, u.Bytes = all.count[queue], all.bytes[queue]
	all.queues[queue] = report.Merge(all.queues[queue])
	for _, at := range all.queues[queue] {
		u.Busy += at.End - at.Start
		u.spread(at.Start, at.End, 1, w)
	}
}

// add counts a block of a measured queue, the next by its start: of a group, the
// share of it in which it was busy.
func (u *queueUse) add(b *store.Block, w window) {
	from, to := max(b.Start, w.from), min(b.End, w.to)
	if to < from {
		return
	}
	u.Operations += b.Count
	u.Bytes += b.Bytes
	density := 1.0
	if length := b.End - b.Start; length > 0 {
		density = min(float64(b.Busy)/float64(length), 1)
	}
	if from = max(from, u.until); from < to {
		u.until = to
		u.Busy += int64(float64(to-from) * density)
		u.spread(from, to, density, w)
	}
}

// spread adds to the parts of the window that a stretch covers.
func (u *queueUse) spread(from, to int64, density float64, w window) {
	report.Spread(u.Use, w.from, float64(w.to-w.from)/float64(len(u.Use)), from, to, density)
}

// bounds is for queues whose device times were not measured.
func (u *queueUse) bounds(trace *store.Trace, queue model.QueueID, w window) error {
	stretches, err := trace.Occupancies(queue)
	for _, o := range stretches {
		from, to := max(o.From, w.from), min(o.To, w.to)
		if to <= from {
			continue
		}
		u.Operations += o.Operations
		u.Bytes += o.Bytes
		u.Busy += to - from
		u.spread(from, to, 1, w)
	}
	return err
}

// together finds out when the queues were busy together: exactly from what ran, else
// between the busiest of them and all, one after the other.
func (a *queuesAnswer) together(ran *deviceWork) {
	if ran == nil {
		for i := range a.Queues {
			if u := &a.Queues[i]; u.Measured {
				a.BusyLeast = max(a.BusyLeast, u.Busy)
				a.BusyMost += u.Busy
			}
		}
		a.BusyMost = min(a.BusyMost, a.To-a.From)
		return
	}
	a.AtLeast = atLeast(ran.queues)
	if len(a.AtLeast) > 0 {
		a.BusyLeast, a.BusyMost = a.AtLeast[0], a.AtLeast[0]
	}
	a.Kernels, a.Transfers = report.Covered(ran.kernels), report.Covered(ran.transfers)
	a.Overlap = a.Kernels + a.Transfers - report.Covered(slices.Concat(ran.kernels, ran.transfers))
}

// atLeast gives the time in which at least one, at least two, and so on of the queues
// are busy. The intervals of each are merged.
func atLeast(queues map[model.QueueID][]report.Interval) []int64 {
	type step struct {
		time int64
		by   int // +1 or -1
	}
	var steps []step
	for _, intervals := range queues {
		for _, at := range intervals {
			steps = append(steps, step{at.Start, +1}, step{at.End, -1})
		}
	}
	slices.SortFunc(steps, func(x, y step) int { return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.by, y.by)) })
	exactly := make([]int64, len(queues)+1)
	busy := 0
	for i, s := range steps {
		if i > 0 {
			exactly[max(busy, 0)] += s.time - steps[i-1].time
		}
		busy += s.by
	}
	for n := len(exactly) - 2; n > 0; n-- {
		exactly[n] += exactly[n+1]
	}
	for len(exactly) > 1 && exactly[len(exactly)-1] == 0 {
		exactly = exactly[:len(exactly)-1]
	}
	return exactly[1:]
}
