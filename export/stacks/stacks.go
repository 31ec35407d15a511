// Package stacks sums a trace by what was nested in what: the host's function,
// the construct, the operation in it. Flame graphs (pprof, speedscope) are drawn
// from its sums.
package stacks

import (
	"cmp"
	"encoding/binary"
	"slices"

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
	Frames []Frame // outermost first
	Count  int64
	Host   int64 // ns, exclusive
	Device int64 // ns measured on the device
	Bytes  int64 // transferred or allocated
	site   *store.Site
}

// Sum reads the stacks of a trace. Device time of a site that occurs on several
// paths is divided among them by their counts.
func Sum(trace *store.Trace, options export.Options) ([]*Stack, error) {
	s := &summer{paths: map[string]*Stack{}, open: map[model.ThreadID][]*store.Site{}}
	count := options.NewCount()
	for r, err := range trace.Records(options.Filter) {
		if err != nil {
			return nil, err
		}
		count.Add()
		s.add(r)
	}
	count.End()
	works, err := trace.WorkTotals(options.Filter)
	if err != nil {
		return nil, err
	}
	s.device(works)
	list := make([]*Stack, 0, len(s.paths))
	for _, stack := range s.paths {
		list = append(list, stack)
	}
	slices.SortFunc(list, func(a, b *Stack) int {
		return cmp.Or(cmp.Compare(b.Host+b.Device, a.Host+a.Device), slices.CompareFunc(a.Frames, b.Frames, func(x, y Frame) int {
			return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
		}))
	})
	return list, nil
}

type summer struct {
	paths map[string]*Stack
	open  map[model.ThreadID][]*store.Site
	key   []byte
}

func (s *summer) add(r *store.Record) {
	open := s.open[r.Thread]
	if len(open) > r.Depth {
		open = open[:r.Depth]
	}
	path := append(open, r.Site)
	if r.Span {
		s.open[r.Thread] = path
	}
	s.key = s.key[:0]
	for _, site := range path {
		s.key = binary.AppendVarint(s.key, site.ID)
	}
	stack := s.paths[string(s.key)]
	if stack == nil {
		stack = &Stack{Frames: frames(path), site: r.Site}
		s.paths[string(s.key)] = stack
	}
	stack.Count++
	if r.Span {
		stack.Host += r.Exclusive()
	}
	stack.Bytes += int64(r.Bytes)
}

// frames names the levels of a path; the host function comes before the
// outermost construct.
func frames(path []*store.Site) []Frame {
	list := make([]Frame, 0, len(path)+1)
	function := ""
	for _, site := range path {
		if site.Function != "" && site.Function != function {
			function = site.Function
			list = append(list, Frame{Name: function, File: site.File, Line: int64(max(site.FunctionLine, 0)), Function: function})
		}
		name := site.Kind
		if site.Name != "" {
			name += " " + site.Name
		}
		list = append(list, Frame{Name: name, File: site.File, Line: int64(max(site.Line, 0)), Function: site.Function})
	}
	return list
}

func (s *summer) device(works []store.WorkTotal) {
	bySite := map[int64][]*Stack{}
	for _, stack := range s.paths {
		bySite[stack.site.ID] = append(bySite[stack.site.ID], stack)
	}
	for i := range works {
		w := &works[i]
		if w.Site == nil {
			continue
		}
		stacks := bySite[w.Site.ID]
		var all int64
		for _, stack := range stacks {
			all += stack.Count
		}
		left := w.Time
		for n, stack := range stacks {
			part := left
			if n < len(stacks)-1 {
				part = int64(float64(w.Time) * float64(stack.Count) / float64(all))
			}
			stack.Device += part
			left -= part
		}
	}
}
