// Package stacks sums a trace by what was nested in what: the host's functions, all that
// called where the trace has their call stacks, the construct, the operation in it. Flame
// graphs (pprof, speedscope, the page's) are drawn from its sums.
package stacks

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Frame is one level of a stack.
type Frame struct {
	Name     string
	File     string
	Line     int64
	Function string
}

// Stack is a path of nested constructs and what was spent at its end.
type Stack struct {
	Frames    []Frame // outermost first
	Count     int64
	Host      int64       // ns, exclusive
	Device    int64       // ns measured on the device
	Bytes     int64       // uploaded and downloaded
	Allocated int64       // bytes of device memory
	Site      *store.Site // of the end: thread, device and queue are those of the path

	sites string // the numbers of the path's sites
}

// Sum reads the stacks of a trace. Device time of a site that occurs on several
// paths is divided among them by their counts.
func Sum(trace *store.Trace, options export.Options) ([]*Stack, error) {
	s := &summer{trace: trace, paths: map[string]*Stack{}, open: map[model.ThreadID]*export.Stack{}}
	for r, err := range options.Records(trace) {
		if err != nil {
			return nil, err
		}
		if err := s.add(r); err != nil {
			return nil, err
		}
	}
	if err := s.device(trace, options.Filter); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(s.paths), func(a, b *Stack) int {
		return cmp.Or(cmp.Compare(b.Host+b.Device, a.Host+a.Device), compare(a, b))
	}), nil
}

// compare orders paths; two may have frames of the same names.
func compare(a, b *Stack) int {
	return cmp.Or(slices.CompareFunc(a.Frames, b.Frames, func(x, y Frame) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	}), cmp.Compare(a.sites, b.sites))
}

type summer struct {
	trace *store.Trace
	paths map[string]*Stack
	open  map[model.ThreadID]*export.Stack
	key   []byte
}

func (s *summer) add(r *store.Record) error {
	open := lookup.New(s.open, r.Thread)
	open.Leave(r, nil)
	s.key = s.key[:0]
	for i := range open.Open {
		s.key = appendLevel(s.key, level{open.Open[i].Site, open.Open[i].CutOff})
	}
	end := level{r.Site, r.Unended && !r.Open}
	s.key = appendLevel(s.key, end)
	stack := s.paths[string(s.key)]
	if stack == nil {
		path := make([]level, 0, len(open.Open)+1)
		for i := range open.Open {
			path = append(path, level{open.Open[i].Site, open.Open[i].CutOff})
		}
		list, err := s.frames(append(path, end))
		if err != nil {
			return err
		}
		stack = &Stack{Frames: list, Site: r.Site, sites: string(s.key)}
		s.paths[string(s.key)] = stack
	}
	stack.Count++
	if r.Span {
		stack.Host += r.Exclusive()
		open.Enter(r)
	}
	if r.Bytes >= model.UnknownSize {
		return nil
	}
	// The other events of data tell the same bytes again.
	switch r.Site.KindCode {
	case model.EnqueueUploadStart, model.EnqueueDownloadStart:
		stack.Bytes += int64(r.Bytes)
	case model.Alloc:
		stack.Allocated += int64(r.Bytes)
	}
	return nil
}

// level is a site in a path; spans of it that were cut off are apart.
type level struct {
	*store.Site
	cutOff bool
}

func appendLevel(key []byte, of level) []byte {
	if of.cutOff {
		return binary.AppendVarint(key, -of.ID)
	}
	return binary.AppendVarint(key, of.ID)
}

// frames names the levels of a path; the host functions come before what they called.
func (s *summer) frames(path []level) ([]Frame, error) {
	list := make([]Frame, 0, len(path)+1)
	var callers []*store.Frame // of the level before
	function := ""
	for _, site := range path {
		stack, err := s.trace.HostStack(site.Site)
		if err != nil {
			return nil, err
		}
		if len(stack) > 0 {
			same := 0
			for same < len(stack) && same < len(callers) && stack[same].Label() == callers[same].Label() {
				same++
			}
			for _, f := range stack[same:] {
				list = append(list, Frame{Name: f.Label(), File: f.File, Line: int64(max(f.FunctionLine, 0)), Function: f.Label()})
			}
			callers, function = stack, stack[len(stack)-1].Label()
		} else if site.Function != "" && site.Function != function {
			function = site.Function
			list = append(list, Frame{Name: function, File: site.File, Line: int64(max(site.FunctionLine, 0)), Function: function})
		}
		list = append(list, FrameOf(site.Site, site.cutOff))
	}
	return list, nil
}

// FrameOf is the level of a site itself, of its spans that were cut off, or of the others.
func FrameOf(site *store.Site, cutOff bool) Frame {
	name := site.Kind // before the kernel's name too: that of the host function may be the same
	if site.Name != "" {
		name += " " + site.Name
	}
	if cutOff {
		name += " (cut off)"
	}
	return Frame{Name: name, File: site.File, Line: int64(max(site.Line, 0)), Function: site.Function}
}

// device adds the time on devices, by the sites of the enqueues.
func (s *summer) device(trace *store.Trace, filter store.Filter) error {
	works, err := trace.Sums().WorkTotals(filter)
	if err != nil {
		return err
	}
	times := map[int64]int64{}
	for i := range works {
		if w := &works[i]; w.Site != nil {
			times[w.Site.ID] += w.Time
		}
	}
	bySite := map[int64][]*Stack{}
	for _, stack := range s.paths {
		bySite[stack.Site.ID] = append(bySite[stack.Site.ID], stack)
	}
	for site, time := range times {
		stacks := bySite[site]
		slices.SortFunc(stacks, compare)
		var all int64
		for _, stack := range stacks {
			all += stack.Count
		}
		left := time
		for n, stack := range stacks {
			part := left
			if n < len(stacks)-1 {
				part = int64(float64(time) * float64(stack.Count) / float64(all))
			}
			stack.Device += part
			left -= part
		}
	}
	return nil
}
