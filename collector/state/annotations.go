package state

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
)

// Annotation is what the ranges, frames or marks of a name took that have ended.
type Annotation struct {
	Kind      string `json:"kind"` // frame, range or mark
	Name      string `json:"name"`
	Source    Source `json:"source"` // of the first
	Count     int64  `json:"count"`  // that began
	Ended     int64  `json:"ended"`
	CutOff    int64  `json:"cut_off"` // of these by their program's end
	Time      int64  `json:"time"`
	Shortest  int64  `json:"shortest"`
	Longest   int64  `json:"longest"`
	Deviation int64  `json:"deviation"` // standard deviation, ns
	Slowest   int64  `json:"slowest"`   // number of the frame that took longest
}

// annotations are the program's own ranges, frames and marks, most time first.
func (r *Reader) annotations() ([]Annotation, error) {
	type key struct{ kind, name string }
	type total struct {
		Annotation
		first   int64 // the first of its sites
		squares float64
	}
	all := map[key]*total{}
	for id, x := range r.sites {
		s, err := r.trace.Site(id)
		if err != nil {
			return nil, err
		}
		if !s.Own() || s.KindCode == model.MPIStart {
			continue
		}
		at := key{s.Kind, s.Name}
		a := lookup.Make(all, at, func() *total { return &total{Annotation: Annotation{Kind: s.Kind, Name: s.Label()}, first: id} })
		if id <= a.first {
			a.first, a.Source = id, sourceOf(s)
		}
		a.Count += x.Count
		if x.Ended == 0 {
			continue
		}
		if a.Ended == 0 || x.Longest > a.Longest {
			a.Longest, a.Slowest = x.Longest, x.number
		}
		if a.Ended == 0 || x.Shortest < a.Shortest {
			a.Shortest = x.Shortest
		}
		a.Ended += x.Ended
		a.CutOff += x.Cut
		a.Time += x.Time
		a.squares += x.squares
	}
	list := make([]Annotation, 0, len(all))
	for _, a := range all {
		if a.Ended > 0 {
			mean := float64(a.Time) / float64(a.Ended)
			a.Deviation = int64(math.Sqrt(max(a.squares/float64(a.Ended)-mean*mean, 0)))
		}
		list = append(list, a.Annotation)
	}
	slices.SortFunc(list, func(a, b Annotation) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return list, nil
}
