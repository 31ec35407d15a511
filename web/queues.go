package web

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
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

	until int64 // end of what has been counted; threads share the synchronous queue, so operations may overlap
}

type queuesAnswer struct {
	From   int64      `json:"from"`
	To     int64      `json:"to"`
	Queues []queueUse `json:"queues"`
	// Exact: every operation was looked at. Else groups narrower than a part of
	// the window count with the share of it in which they were busy, and what
	// overlapped is what would on average if queues did not depend on each other.
	Exact bool `json:"exact"`
	// AtLeast[n] is the time, ns, in which at least n+1 queues were busy.
	AtLeast []int64 `json:"at_least"`
	// Overlap is the time, ns, in which a kernel ran while data moved; Kernels
	// and Transfers are the times in which any did.
	Overlap   int64 `json:"overlap"`
	Kernels   int64 `json:"kernels"`
	Transfers int64 `json:"transfers"`
}

// moment is where something begins or ends.
type moment struct {
	time    int64
	step    int     // +1 or -1
	class   int     // index of what begins or ends
	density float64 // the share of the time until its end in which it runs
}

const (
	classKernel = iota
	classTransfer
	classQueue // anything on a queue
	classes
)

// queues tells how busy the queues were in a window and what overlapped.
func queues(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	lanes, err := r.trace.Lanes()
	if err != nil {
		return nil, err
	}
	infos, err := r.trace.Queues()
	if err != nil {
		return nil, err
	}
	a := queuesAnswer{From: w.from, To: w.to, Queues: []queueUse{}, Exact: true, AtLeast: []int64{}}
	parts := min(w.pixels, 400)
	var moments []moment
	for _, info := range infos {
		use := queueUse{Queue: int64(info.ID), Device: int64(info.Device), Number: info.Number, Name: callbacks.AsyncName(info.Number), Use: make([]float64, parts), until: w.from}
		i := slices.IndexFunc(lanes, func(l store.Lane) bool { return l.Type == store.LaneQueue && l.Queue == info.ID })
		if i < 0 {
			err = use.bounds(r.trace, info.ID, w)
		} else {
			use.Measured = true
			var blocks []store.Block
			blocks, err = r.trace.Timeline(lanes[i], w.from, w.to, 4*w.pixels)
			for j := range blocks {
				moments = append(moments, use.add(&blocks[j], w)...)
				a.Exact = a.Exact && blocks[j].Count == 1
			}
		}
		if err != nil {
			return nil, err
		}
		if use.Operations == 0 && info.Number < 0 {
			continue // a queue that only waits named
		}
		a.Queues = append(a.Queues, use)
	}
	a.sweep(moments)
	return &a, nil
}

// add counts a block of a measured queue, the next by its start, and gives the
// begin and end of what it adds.
func (u *queueUse) add(b *store.Block, w window) []moment {
	from, to := max(b.Start, w.from), min(b.End, w.to)
	if to < from {
		return nil
	}
	u.Operations += b.Count
	u.Bytes += b.Bytes
	density := 1.0
	if length := b.End - b.Start; length > 0 {
		density = min(float64(b.Busy)/float64(length), 1)
	}
	class := classTransfer
	if b.Work != nil && b.Work.Kind == "kernel" {
		class = classKernel
	}
	moments := []moment{{from, +1, class, density}, {to, -1, class, density}}
	if from = max(from, u.until); from < to {
		u.until = to
		u.Busy += int64(float64(to-from) * density)
		u.spread(from, to, density, w)
		moments = append(moments, moment{from, +1, classQueue, density}, moment{to, -1, classQueue, density})
	}
	return moments
}

// spread adds to the parts of the window that a stretch covers.
func (u *queueUse) spread(from, to int64, density float64, w window) {
	width := float64(w.to-w.from) / float64(len(u.Use))
	for part := int(float64(from-w.from) / width); part < len(u.Use); part++ {
		begin := float64(w.from) + float64(part)*width
		covered := min(float64(to), begin+width) - max(float64(from), begin)
		if covered <= 0 && part > int(float64(from-w.from)/width) {
			break
		}
		u.Use[part] = min(u.Use[part]+max(covered, 0)/width*density, 1)
	}
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

// sweep goes through the begins and ends in order.
func (a *queuesAnswer) sweep(moments []moment) {
	slices.SortFunc(moments, func(x, y moment) int { return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.step, y.step)) })
	var running [classes][]float64 // densities of what runs
	var atLeast []float64
	var kernels, transfers, overlap float64
	last := int64(0)
	for i, m := range moments {
		if passed := float64(m.time - last); i > 0 && passed > 0 {
			for n, probability := range busyAtLeast(running[classQueue]) {
				if n == len(atLeast) {
					atLeast = append(atLeast, 0)
				}
				atLeast[n] += passed * probability
			}
			kernel, transfer := busyAny(running[classKernel]), busyAny(running[classTransfer])
			kernels += passed * kernel
			transfers += passed * transfer
			overlap += passed * kernel * transfer
		}
		last = m.time
		if m.step > 0 {
			running[m.class] = append(running[m.class], m.density)
		} else {
			at := slices.Index(running[m.class], m.density)
			running[m.class] = slices.Delete(running[m.class], at, at+1)
		}
	}
	for _, time := range atLeast {
		a.AtLeast = append(a.AtLeast, int64(math.Round(time)))
	}
	a.Kernels, a.Transfers, a.Overlap = int64(math.Round(kernels)), int64(math.Round(transfers)), int64(math.Round(overlap))
}

// busyAny is the probability that any of some is busy, of which each is with its
// own probability and whatever the others are.
func busyAny(densities []float64) float64 {
	none := 1.0
	for _, density := range densities {
		none *= 1 - density
	}
	return 1 - none
}

// busyAtLeast gives the probabilities that at least one, at least two, and so on
// of some are busy.
func busyAtLeast(densities []float64) []float64 {
	exactly := make([]float64, len(densities)+1)
	exactly[0] = 1
	for i, density := range densities {
		for n := i; n >= 0; n-- {
			exactly[n+1] += exactly[n] * density
			exactly[n] *= 1 - density
		}
	}
	for n := len(exactly) - 2; n >= 0; n-- {
		exactly[n] += exactly[n+1]
	}
	return exactly[1:]
}
