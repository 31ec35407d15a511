// Package speedscope writes a trace as speedscope JSON: one profile of host time
// and one of device time, by what was nested in what.
package speedscope

import (
	"encoding/json"
	"io"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/stacks"
)

type file struct {
	Schema   string    `json:"$schema"`
	Name     string    `json:"name"`
	Exporter string    `json:"exporter"`
	Shared   shared    `json:"shared"`
	Profiles []profile `json:"profiles"`
}

type shared struct {
	Frames []frame `json:"frames"`
}

type frame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
}

type profile struct {
	Type       string  `json:"type"`
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	StartValue int64   `json:"startValue"`
	EndValue   int64   `json:"endValue"`
	Samples    [][]int `json:"samples"`
	Weights    []int64 `json:"weights"`
}

// Write exports a trace.
func Write(w io.Writer, trace *store.Trace, options export.Options) error {
	list, err := stacks.Sum(trace, options)
	if err != nil {
		return err
	}
	f := file{Schema: "https://www.speedscope.app/file-format-schema.json", Name: trace.Path(), Exporter: "accscope",
		Shared: shared{Frames: []frame{}}}
	numbers := map[stacks.Frame]int{}
	for _, kind := range []struct {
		name   string
		weight func(*stacks.Stack) int64
	}{
		{"host time", func(s *stacks.Stack) int64 { return s.Host }},
		{"device time", func(s *stacks.Stack) int64 { return s.Device }},
	} {
		p := profile{Type: "sampled", Name: kind.name, Unit: "nanoseconds", Samples: [][]int{}, Weights: []int64{}}
		for _, stack := range list {
			weight := kind.weight(stack)
			if weight <= 0 {
				continue
			}
			sample := make([]int, len(stack.Frames))
			for i, fr := range stack.Frames {
				number, known := numbers[fr]
				if !known {
					number = len(f.Shared.Frames)
					numbers[fr] = number
					f.Shared.Frames = append(f.Shared.Frames, frame{fr.Name, fr.File, fr.Line})
				}
				sample[i] = number
			}
			p.Samples = append(p.Samples, sample)
			p.Weights = append(p.Weights, weight)
			p.EndValue += weight
		}
		f.Profiles = append(f.Profiles, p)
	}
	return json.NewEncoder(w).Encode(f)
}
