package web

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// annotationInfo is a name that ranges or frames of the program's own have.
type annotationInfo struct {
	Kind string `json:"kind"` // range or frame
	Name string `json:"name"`
}

// annotationsOf are the names by which ranges and frames can be chosen.
func annotationsOf(trace *store.Trace) ([]annotationInfo, error) {
	sites, err := trace.Sites()
	if err != nil {
		return nil, err
	}
	list := []annotationInfo{}
	for _, s := range sites {
		if s.KindCode == model.RangeStart || s.KindCode == model.FrameStart {
			list = append(list, annotationInfo{s.Kind, s.Name})
		}
	}
	slices.SortFunc(list, func(a, b annotationInfo) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(list), nil
}

// inside reads the choice of ranges or frames that a request is limited to; nil: none.
func (r *request) inside() (*store.Within, error) {
	text := r.values.text("inside")
	if text == "" {
		return nil, nil
	}
	within, err := r.trace.Annotated(text)
	if errors.Is(err, store.ErrNoAnnotation) {
		return nil, notFound("%v", err)
	}
	return within, err
}

// frameInfo is a range or frame of the program's own.
type frameInfo struct {
	Record int64  `json:"record"`
	Kind   string `json:"kind"` // range or frame
	Name   string `json:"name"`
	Number int64  `json:"number"` // of a frame, or what the program gave a range
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
}

type framesAnswer struct {
	Frames  []frameInfo `json:"frames"`  // in order of their begin, the first 5000
	Omitted int         `json:"omitted"` // the others
	// From and To are the begin of the first and the end of the last; equal where there is
	// none.
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// mostFrames is how many ranges and frames are listed.
const mostFrames = 5000

// frames lists the ranges and frames that are chosen, or all.
func frames(r *request) (any, error) {
	a := framesAnswer{Frames: []frameInfo{}, From: math.MaxInt64, To: math.MinInt64}
	err := r.trace.EachAnnotated(r.values.text("inside"), func(x *store.Record, end int64) {
		a.From, a.To = min(a.From, x.Start), max(a.To, end)
		if len(a.Frames) == mostFrames {
			a.Omitted++
			return
		}
		a.Frames = append(a.Frames, frameInfo{x.ID, x.Site.Kind, x.Site.Name, int64(x.Host), x.Start, end})
	})
	if errors.Is(err, store.ErrNoAnnotation) {
		return nil, notFound("%v", err)
	}
	if len(a.Frames) == 0 {
		a.From, a.To = 0, 0
	}
	return &a, err
}
