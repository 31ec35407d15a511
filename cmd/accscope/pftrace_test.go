package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/export/perfetto/perfettotest"
)

// masked are the arguments whose values differ from run to run, or are numbers
// of the trace.
var masked = map[string]bool{"record": true, "sequence": true, "correlation": true, "activity": true, "enqueued_by": true, "opener": true,
	"device_start": true, "device_end": true, "recorded": true}

// dumpTrace writes a trace as text that is the same for each run of a deterministic
// program: without times, process and thread numbers, addresses, numbers of
// records and values of counters, whose number depends on times. Slices stand in the order of their begin, indented by depth; the
// arguments stand once for each different event, at the end.
func dumpTrace(t *perfettotest.Trace) string {
	var b strings.Builder
	place := map[uint64]int{}
	for i, id := range t.Order {
		place[id] = i
	}
	order := slices.Clone(t.Order)
	slices.SortStableFunc(order, func(a, b uint64) int { return strings.Compare(trackPosition(t, a, place), trackPosition(t, b, place)) })
	for _, id := range order {
		track := t.Tracks[id]
		if track.Thread && len(track.Slices)+len(track.Instants) == 0 {
			continue // a runtime's own; how many there are differs
		}
		kind := "track"
		switch {
		case track.Process:
			kind = "process"
		case track.Thread:
			kind = "thread"
		case track.Counter:
			kind = "counter in " + track.Unit
		}
		path := trackName(t, track)
		for at := t.Tracks[track.Parent]; at != nil; at = t.Tracks[at.Parent] {
			path = trackName(t, at) + " > " + path
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, path)
		dumpSlices(&b, track)
	}
	fmt.Fprintf(&b, "arrows: %d begin, %d end\n", len(t.Begun), len(t.Ended))
	dumpArguments(t, &b)
	return b.String()
}

// trackPosition sorts tracks as the page does: processes in their order, what they
// hold by rank and name. Numbers of tracks differ from run to run.
func trackPosition(t *perfettotest.Trace, id uint64, place map[uint64]int) string {
	track := t.Tracks[id]
	if track.Process {
		return fmt.Sprintf("%06d", place[id])
	}
	if track.Thread {
		for _, other := range t.Tracks {
			if other.Process && other.PID == track.PID {
				return fmt.Sprintf("%s/0 %06d", trackPosition(t, other.UUID, place), place[id])
			}
		}
	}
	above := ""
	if track.Parent != 0 {
		above = trackPosition(t, track.Parent, place) + "/1 "
	}
	return fmt.Sprintf("%s%012d %s", above, track.Rank, track.Name)
}

// trackName is a track's name; that of a thread without one holds its number.
func trackName(t *perfettotest.Trace, track *perfettotest.Track) string {
	if track.Thread {
		return strings.Replace(track.Name, fmt.Sprintf("thread %d", track.TID), "thread N", 1)
	}
	if host := strings.LastIndex(track.Name, " on "); track.Process && host >= 0 {
		return track.Name[:host] + " on HOST"
	}
	return track.Name
}

func dumpSlices(b *strings.Builder, track *perfettotest.Track) {
	all := slices.Concat(track.Slices, track.Instants)
	slices.SortStableFunc(all, func(x, y perfettotest.Slice) int { return int(x.Start - y.Start) })
	lines := make([]string, len(all))
	for i := range all {
		lines[i] = strings.Repeat("  ", all[i].Depth+1) + all[i].Name
	}
	for len(lines) > 0 {
		length, times := repetition(lines)
		if times > 1 {
			fmt.Fprintf(b, "  %d times:\n", times)
		}
		for _, line := range lines[:length] {
			if times > 1 {
				line = "  " + line
			}
			b.WriteString(line + "\n")
		}
		lines = lines[length*times:]
	}
}

// longestRepeated is the longest sequence of lines that is shown once.
const longestRepeated = 100

// repetition finds how many lines at the begin are repeated how often: those
// that stand for most.
func repetition(lines []string) (length, times int) {
	length, times = 1, 1
	for n := 1; n <= min(longestRepeated, len(lines)/2); n++ {
		count := 1
		for (count+1)*n <= len(lines) && slices.Equal(lines[:n], lines[count*n:(count+1)*n]) {
			count++
		}
		if count > 1 && n*(count-1) > length*(times-1) {
			length, times = n, count
		}
	}
	return length, times
}

func dumpArguments(t *perfettotest.Trace, b *strings.Builder) {
	lines := map[string]bool{}
	for _, track := range t.Tracks {
		for _, s := range slices.Concat(track.Slices, track.Instants) {
			var line strings.Builder
			fmt.Fprintf(&line, "%s %q", s.Category, s.Name)
			if s.Source != (perfettotest.Source{}) {
				fmt.Fprintf(&line, " at %s:%d in %s", s.Source.File, s.Source.Line, s.Source.Function)
			}
			for _, a := range s.Arguments {
				value := fmt.Sprint(a.Value)
				if _, address := a.Value.(perfettotest.Pointer); address || masked[a.Name] {
					value = "*"
				}
				fmt.Fprintf(&line, " %s=%s", a.Name, value)
			}
			lines[line.String()] = true
		}
	}
	sorted := make([]string, 0, len(lines))
	for line := range lines {
		sorted = append(sorted, line)
	}
	slices.Sort(sorted)
	b.WriteString(strings.Join(sorted, "\n") + "\n")
}
