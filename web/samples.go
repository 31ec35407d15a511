package web

import (
	"path/filepath"

	"github.com/accscope/accscope/collector/lookup"
)

// samplesAnswer is what threads had processors for in a window, as far as that was sampled: a
// sample counts for the time that it stands for and that lies before it.
type samplesAnswer struct {
	Begin     int64         `json:"begin"`     // of the first part, ns
	Step      int64         `json:"step"`      // length of a part, ns
	Functions []string      `json:"functions"` // names, of code without symbols those of files
	Tracks    []sampleTrack `json:"tracks"`
}

// sampleTrack is what a thread had a processor for, as columns of equal length: only the parts
// in which it had one. Times are nanoseconds of processor time.
type sampleTrack struct {
	Track    int64   `json:"track"`
	Part     []int   `json:"part"`
	OpenACC  []int64 `json:"openacc"`
	Waiting  []int64 `json:"waiting"`
	MPI      []int64 `json:"mpi"`
	Else     []int64 `json:"else"`
	Function []int   `json:"function"` // index of the one with most of the part
	Of       []int64 `json:"of"`       // its time
}

// sampledThread is a track of samples: those of a thread, or of all threads of a process that
// raise no events.
type sampledThread struct {
	Track   int64 `json:"track"` // the thread; of threads without events less than 0
	Process int64 `json:"process"`
	Thread  int64 `json:"thread"` // 0: those without events
}

// sampledThreads are the tracks of samples that a trace has.
func sampledThreads(r *request) ([]sampledThread, error) {
	var list []sampledThread
	for s, err := range r.trace.Rows("listing sampled threads", "SELECT DISTINCT process, coalesce(thread, 0) FROM cpu_sample WHERE "+r.trace.ChosenSQL("process")+" ORDER BY process, thread IS NULL, thread") {
		if err != nil {
			return nil, err
		}
		one := sampledThread{Process: s.ColumnInt64(0), Thread: s.ColumnInt64(1)}
		one.Track = one.Thread
		if one.Thread == 0 {
			one.Track = -one.Process
		}
		list = append(list, one)
	}
	return list, nil
}

// mostTracks is how many a request may name.
const mostTracks = 1000

// samplesPart is what a track had a processor for in a part of the window, ns.
type samplesPart struct {
	doing    [4]int64
	function map[int]int64
}

// samples gives what threads had processors for in a window.
func samples(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	wanted := r.values.numbers("tracks", mostTracks)
	if r.values.err != nil {
		return nil, r.values.err
	}
	step := max((w.to-w.from+int64(w.pixels)-1)/int64(w.pixels), 1)
	a := samplesAnswer{Begin: w.from, Step: step, Functions: []string{}, Tracks: []sampleTrack{}}
	of, functions := map[int64]map[int]*samplesPart{}, map[string]int{}
	for _, track := range wanted {
		of[track] = map[int]*samplesPart{}
	}
	for s, err := range r.trace.Rows("reading samples", `SELECT coalesce(c.thread, -c.process), c.time, c.weight, c.doing, coalesce(f.function, ''), coalesce(f.module, '') FROM cpu_sample c
		LEFT JOIN cpu_stack k ON k.id = c.stack LEFT JOIN frame f ON f.process = c.process AND f.address = k.address
		WHERE c.time > ?1 AND c.time - c.weight < ?2 AND c.weight + 0 > 0`, w.from, w.to) {
		if err != nil {
			return nil, err
		}
		parts := of[s.ColumnInt64(0)]
		if parts == nil {
			continue
		}
		name := s.ColumnText(4)
		if name == "" && s.ColumnText(5) != "" {
			name = filepath.Base(s.ColumnText(5))
		}
		function := lookup.Make(functions, name, func() int {
			a.Functions = append(a.Functions, name)
			return len(a.Functions) - 1
		})
		end, doing := min(s.ColumnInt64(1), w.to), s.ColumnInt(3)
		for at := max(s.ColumnInt64(1)-s.ColumnInt64(2), w.from); at < end; {
			number := (at - w.from) / step
			next := min(w.from+(number+1)*step, end)
			part := lookup.Make(parts, int(number), func() *samplesPart { return &samplesPart{function: map[int]int64{}} })
			if doing < 0 || doing >= len(part.doing) {
				doing = 0
			}
			part.doing[doing] += next - at
			part.function[function] += next - at
			at = next
		}
	}
	for _, track := range wanted {
		a.Tracks = append(a.Tracks, columnsOf(track, of[track], w.pixels))
	}
	return &a, nil
}

// columnsOf are the parts of a track, in order.
func columnsOf(track int64, parts map[int]*samplesPart, pixels int) sampleTrack {
	t := sampleTrack{Track: track, Part: []int{}, OpenACC: []int64{}, Waiting: []int64{}, MPI: []int64{}, Else: []int64{}, Function: []int{}, Of: []int64{}}
	for number := range pixels + 1 {
		part := parts[number]
		if part == nil {
			continue
		}
		most := -1
		for function, time := range part.function {
			if most < 0 || time > part.function[most] || time == part.function[most] && function < most {
				most = function
			}
		}
		t.Part = append(t.Part, number)
		t.Else, t.OpenACC, t.Waiting, t.MPI = append(t.Else, part.doing[0]), append(t.OpenACC, part.doing[1]), append(t.Waiting, part.doing[2]), append(t.MPI, part.doing[3])
		t.Function, t.Of = append(t.Function, most), append(t.Of, part.function[most])
	}
	return t
}
