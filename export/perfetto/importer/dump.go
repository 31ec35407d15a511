package importer

import (
	"fmt"
	"slices"
	"strings"
)

// masked are the arguments whose values differ from run to run, or are numbers
// of the trace.
var masked = map[string]bool{"record": true, "sequence": true, "correlation": true, "activity": true, "enqueued_by": true, "opener": true,
	"device_start": true, "device_end": true, "recorded": true}

// Dump writes a trace as text that is the same for each run of a deterministic
// program: without times, process and thread numbers, addresses and numbers of
// records. Slices stand in the order of their begin, indented by depth; the
// arguments stand once for each different event, at the end.
func (t *Trace) Dump() string {
	var b strings.Builder
	for _, id := range t.Order {
		track := t.Tracks[id]
		kind := "track"
		switch {
		case track.Process:
			kind = "process"
		case track.Thread:
			kind = "thread"
		case track.Counter:
			kind = "counter in " + track.Unit
		}
		path := t.name(track)
		for at := t.Tracks[track.Parent]; at != nil; at = t.Tracks[at.Parent] {
			path = t.name(at) + " > " + path
		}
		fmt.Fprintf(&b, "%s: %s\n", kind, path)
		t.dumpSlices(&b, track)
		if len(track.Counts) > 0 {
			t.dumpCounts(&b, track)
		}
	}
	fmt.Fprintf(&b, "arrows: %d begin, %d end\n", len(t.Begun), len(t.Ended))
	t.dumpArguments(&b)
	return b.String()
}

// name is a track's name; that of a thread without one holds its number.
func (t *Trace) name(track *Track) string {
	if track.Thread {
		return strings.Replace(track.Name, fmt.Sprintf("thread %d", track.TID), "thread N", 1)
	}
	if host := strings.LastIndex(track.Name, " on "); track.Process && host >= 0 {
		return track.Name[:host] + " on HOST"
	}
	return track.Name
}

func (t *Trace) dumpSlices(b *strings.Builder, track *Track) {
	all := slices.Concat(track.Slices, track.Instants)
	slices.SortStableFunc(all, func(x, y Slice) int { return int(x.Start - y.Start) })
	previous, times := "", 0
	flush := func() {
		if times > 1 {
			fmt.Fprintf(b, "%s (%d times)\n", previous, times)
		} else if times == 1 {
			b.WriteString(previous + "\n")
		}
	}
	for i := range all {
		line := strings.Repeat("  ", all[i].Depth+1) + all[i].Name
		if line == previous {
			times++
			continue
		}
		flush()
		previous, times = line, 1
	}
	flush()
}

func (t *Trace) dumpCounts(b *strings.Builder, track *Track) {
	if track.Unit == "B/s" {
		fmt.Fprintf(b, "  %d values\n", len(track.Counts))
		return
	}
	values := make([]string, len(track.Counts))
	for i, c := range track.Counts {
		values[i] = fmt.Sprint(c.Value)
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(values, " "))
}

func (t *Trace) dumpArguments(b *strings.Builder) {
	lines := map[string]bool{}
	for _, track := range t.Tracks {
		for _, s := range slices.Concat(track.Slices, track.Instants) {
			var line strings.Builder
			fmt.Fprintf(&line, "%s %q", s.Category, s.Name)
			if s.Source != (Source{}) {
				fmt.Fprintf(&line, " at %s:%d in %s", s.Source.File, s.Source.Line, s.Source.Function)
			}
			for _, a := range s.Arguments {
				value := fmt.Sprint(a.Value)
				if _, address := a.Value.(Pointer); address || masked[a.Name] {
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
