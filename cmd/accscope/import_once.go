package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
)

// identity tells processes of all traces apart, but for those that began at other times.
type identity struct {
	host, program, arguments, capture string
	pid, parent, rank                 int
}

// sameStart is how far apart the starts of one process may be that two traces have, by its
// host's clock: that of a merged trace is set against another one, which may drift.
const sameStart = int64(time.Second)

// unknown is the start of a process of which a trace has no event yet.
const unknown = math.MinInt64

// holding is what a part of a trace that is to be made has.
type holding struct {
	input  write.Input
	name   string // for people
	whole  int    // 1: it is complete
	events int64
	starts map[identity][]int64 // of its processes, unknown without an event yet
	count  int
}

func readHolding(input write.Input, name string) (h holding, err error) {
	trace, err := store.Open(input.Path)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	meta, err := trace.Meta()
	if err != nil {
		return h, err
	}
	processes, err := trace.Processes()
	if err != nil {
		return h, err
	}
	h = holding{input: input, name: cmp.Or(name, shown(input.Path)), events: meta.Events, starts: map[identity][]int64{}, count: len(processes)}
	if meta.Complete && !slices.ContainsFunc(slices.Collect(maps.Keys(meta.Facts)), store.IsUnfinished) {
		h.whole = 1
	}
	seen := map[model.ProcessID]bool{}
	threads, err := trace.Threads()
	if err != nil {
		return h, err
	}
	for _, t := range threads {
		seen[t.Process] = true
	}
	for i := range processes {
		p := &processes[i]
		of := identity{p.On.Name, p.Program, strings.Join(p.Arguments, "\x00"), p.Capture, p.PID, p.ParentPID, p.Rank}
		start := int64(unknown)
		if seen[p.ID] {
			start = p.Start + meta.Origin - p.On.ClockOffset
		}
		h.starts[of] = append(h.starts[of], start)
	}
	return h, nil
}

// common counts the processes that it has and another one has, too.
func (h *holding) common(other *holding) (n int) {
	for of, starts := range h.starts {
		for _, start := range starts {
			if slices.ContainsFunc(other.starts[of], func(at int64) bool {
				return at == unknown || start == unknown || max(at-start, start-at) < sameStart
			}) {
				n++
			}
		}
	}
	return n
}

// takeOnce leaves out parts whose processes another part has, as a trace that was made of them
// does, and says so. names are what to call parts that have been made for it.
func takeOnce(inputs []write.Input, names map[string]string) (taken []write.Input, err error) {
	var list []holding
	for _, input := range inputs {
		h, err := readHolding(input, names[input.Path])
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	order := make([]*holding, len(list))
	for i := range list {
		order[i] = &list[i]
	}
	// What has more comes first, of the same the whole one.
	slices.SortStableFunc(order, func(a, b *holding) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.whole, a.whole), cmp.Compare(b.events, a.events))
	})
	gone := map[*holding]bool{}
	var kept []*holding
	for _, h := range order {
		for _, other := range kept {
			n := h.common(other)
			switch {
			case n == 0:
			case n < h.count:
				return nil, fmt.Errorf("%s and %s have %s in common, and each has others: import what they were made of, or one of them", other.name, h.name, processCount(n))
			case h.whole > other.whole:
				return nil, fmt.Errorf("%s has %s as it was before it was complete: import what %s was made of", other.name, h.name, other.name)
			default:
				fmt.Fprintf(stderr, "accscope: %s is in %s already, and is taken once\n", h.name, other.name)
				gone[h] = true
			}
			if gone[h] {
				break
			}
		}
		if !gone[h] {
			kept = append(kept, h)
		}
	}
	for i := range list {
		if !gone[&list[i]] {
			taken = append(taken, list[i].input)
		}
	}
	return taken, nil
}

func processCount(n int) string {
	if n == 1 {
		return "a process"
	}
	return fmt.Sprintf("%d processes", n)
}

// once says of each path whether it was not asked for before, by whatever name.
func once() func(path string) bool {
	seen := map[string]bool{}
	return func(path string) bool {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if seen[path] {
			return false
		}
		seen[path] = true
		return true
	}
}

// different leaves out paths that were given before, and says so.
func different(paths []string) (some []string) {
	first := once()
	for _, path := range paths {
		if first(path) {
			some = append(some, path)
		} else {
			fmt.Fprintf(stderr, "accscope: %s was given twice, and is taken once\n", path)
		}
	}
	return some
}
