package web

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// label is what blocks are called and coloured by.
type label struct {
	Text   string `json:"text"`
	Kind   string `json:"kind"` // span or event name, or kind of device activity
	Name   string `json:"name"` // variable or kernel, "" if none
	Source string `json:"source"`
}

// laneBlocks are the blocks of a lane as columns of equal length.
type laneBlocks struct {
	Lane  int64   `json:"lane"`
	Start []int64 `json:"start"` // ns
	End   []int64 `json:"end"`
	Count []int64 `json:"count"` // 1: a single one
	Busy  []int64 `json:"busy"`
	Bytes []int64 `json:"bytes"`
	ID    []int64 `json:"id"`    // record, for queues activity, of a single one, else 0
	Label []int   `json:"label"` // index into labels
	Open  []int   `json:"open"`  // indices of blocks that have not ended
	Gaps  gaps    `json:"gaps"`
}

// gaps are the times of a lane of which the trace has not all that happened, as columns of
// equal length. Of neighbours within a pixel one stands for all.
type gaps struct {
	Start []int64  `json:"start"` // ns
	End   []int64  `json:"end"`
	Why   []string `json:"why"`
}

// gapsOf are those of a lane in a window, within the trace's extent where their process has not
// ended or had begun before.
func gapsOf(missing *store.Partial, lane *store.Lane, w window, first, last int64) gaps {
	g := gaps{Start: []int64{}, End: []int64{}, Why: []string{}}
	pixel := (w.to - w.from) / int64(max(w.pixels, 1))
	for _, part := range missing.In(lane.Process, lane.Thread, max(w.from, first), w.to) {
		if part.Open {
			part.End = min(part.End, max(last, part.Start))
		}
		n := len(g.Start) - 1
		if n >= 0 && part.Start-g.End[n] < pixel && part.Why() == g.Why[n] {
			g.End[n] = max(g.End[n], part.End)
			continue
		}
		g.Start, g.End, g.Why = append(g.Start, part.Start), append(g.End, part.End), append(g.Why, part.Why())
	}
	return g
}

type timelineAnswer struct {
	From   int64        `json:"from"`
	To     int64        `json:"to"`
	Labels []label      `json:"labels"`
	Lanes  []laneBlocks `json:"lanes"`
}

// timeline gives the blocks of lanes in a window.
func timeline(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	wanted := r.values.numbers("lanes", 1000)
	if r.values.err != nil {
		return nil, r.values.err
	}
	if _, _, err := r.limitRanks(); err != nil {
		return nil, err
	}
	lanes, err := r.trace.Lanes().All()
	if err != nil {
		return nil, err
	}
	chosen := make(map[int64]bool, len(wanted))
	for _, id := range wanted {
		chosen[id] = true
	}
	meta, err := r.trace.Facts()
	if err != nil {
		return nil, err
	}
	labels := newLabels(meta.Constructs)
	a := timelineAnswer{From: w.from, To: w.to, Lanes: []laneBlocks{}}
	lanes = slices.DeleteFunc(lanes, func(lane store.Lane) bool { return wanted != nil && !chosen[lane.ID] })
	blocks, err := r.blocks(lanes, w)
	if err != nil {
		return nil, err
	}
	missing, err := r.trace.Partial()
	if err != nil {
		return nil, err
	}
	first, last, err := r.trace.Extent()
	if err != nil {
		return nil, err
	}
	for i, lane := range lanes {
		c := columns(lane.ID, blocks[i], labels)
		c.Gaps = gapsOf(missing, &lane, w, first, last)
		a.Lanes = append(a.Lanes, c)
	}
	a.Labels = labels.list
	return &a, nil
}

// windowRows is about how many rows a window may read of all lanes together, so
// that the page has it within 50 ms.
const windowRows = 12_000

// blocks reads the lanes, with the help of connections that nobody else needs.
func (r *request) blocks(lanes []store.Lane, w window) ([][]store.Block, error) {
	rows := min(w.pixels, windowRows/max(len(lanes), 1))
	blocks := make([][]store.Block, len(lanes))
	var next atomic.Int64
	processes := r.trace.LimitedTo()
	read := func(q *request) (any, error) {
		if err := q.limit(processes); err != nil {
			return nil, err
		}
		for {
			i := int(next.Add(1)) - 1
			if i >= len(lanes) {
				return nil, nil
			}
			var err error
			if blocks[i], err = q.trace.Lanes().BlocksOfRows(lanes[i], w.from, w.to, w.pixels, rows); err != nil {
				return nil, err
			}
		}
	}
	helpers := min(runtime.GOMAXPROCS(0), len(lanes)) - 1
	errs := make([]error, max(helpers, 0)+1)
	var group sync.WaitGroup
	for n := range helpers {
		trace, err := r.file.spare(r.ctx)
		if err != nil || trace == nil {
			errs[n+1] = err
			break
		}
		group.Go(func() { _, errs[n+1] = r.reader.readOn(r.ctx, r.file, trace, parameters{}, read) })
	}
	_, errs[0] = read(r)
	group.Wait()
	return blocks, errors.Join(errs...)
}

func columns(lane int64, blocks []store.Block, labels *labels) laneBlocks {
	n := len(blocks)
	c := laneBlocks{Lane: lane, Start: make([]int64, n), End: make([]int64, n), Count: make([]int64, n), Busy: make([]int64, n),
		Bytes: make([]int64, n), ID: make([]int64, n), Label: make([]int, n), Open: []int{}}
	for i := range blocks {
		b := &blocks[i]
		c.Start[i], c.End[i], c.Count[i], c.Busy[i], c.Bytes[i], c.ID[i] = b.Start, b.End, b.Count, b.Busy, b.Bytes, b.ID
		c.Label[i] = labels.of(b)
		if b.Open {
			c.Open = append(c.Open, i)
		}
	}
	return c
}

// labels numbers what blocks are called.
type labels struct {
	constructs map[string]string // store.Meta.Constructs

	list  []label
	sites map[*store.Site]int
	works map[*store.Work]int
	known map[label]int
}

func newLabels(constructs map[string]string) *labels {
	return &labels{constructs: constructs, list: []label{}, sites: make(map[*store.Site]int), works: make(map[*store.Work]int), known: make(map[label]int)}
}

func (l *labels) of(b *store.Block) int {
	s := b.Site
	switch {
	case b.Work != nil:
		return lookup.Make(l.works, b.Work, func() int {
			return l.add(label{Text: export.WorkName(b.Work), Kind: b.Work.Kind, Name: b.Work.Name, Source: place(b.Work.File, b.Work.Line)})
		})
	case s == nil:
		return l.add(label{})
	case b.ID != 0 && s.KindCode == model.FrameStart: // each has a number
		return l.add(label{Text: b.Label(), Kind: s.Kind, Name: s.Name, Source: place(s.File, s.Line)})
	}
	return lookup.Make(l.sites, s, func() int {
		return l.add(label{Text: cmp.Or(s.ConstructTitle(l.constructs), b.Label()), Kind: s.Kind, Name: s.Name, Source: place(s.File, s.Line)})
	})
}

func (l *labels) add(text label) int {
	text.Text, text.Name, text.Source = shortened(text.Text), shortened(text.Name), shortened(text.Source)
	return lookup.Make(l.known, text, func() int {
		l.list = append(l.list, text)
		return len(l.list) - 1
	})
}

// longestLabel is how many bytes of a name a timeline gets; the details have
// all of it.
const longestLabel = 200

func shortened(text string) string {
	if len(text) <= longestLabel {
		return text
	}
	end := longestLabel
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}
