package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// Why a trace has a gap (Gap.Reason).
const (
	GapToggled  = "toggled"  // the program had callbacks switched off (OpenACC 3.3 §5.4.2)
	GapMissing  = "missing"  // events contradict each other without others that are not there
	GapOff      = "off"      // capture was switched off
	GapLost     = "lost"     // capture had no space
	GapRecycled = "recycled" // the flight recorder kept what is newer
	GapDamaged  = "damaged"  // the capture is
	GapAbsent   = "absent"   // another trace has it
)

// why is what each reason means, in words for readers.
var why = map[string]string{
	GapToggled:  "callbacks were switched off",
	GapMissing:  "events are missing: callbacks may have been switched off",
	GapOff:      "capture was switched off",
	GapLost:     "capture had no space",
	GapRecycled: "the flight recorder kept what is newer",
	GapDamaged:  "the capture is damaged",
	GapAbsent:   "another trace has it",
}

// A Gap is a time of which the trace has not all that happened.
type Gap struct {
	Process model.ProcessID `json:"process"`
	Thread  model.ThreadID  `json:"thread"` // 0: of all threads
	Start   int64           `json:"start"`
	End     int64           `json:"end"`
	Open    bool            `json:"open"` // it lasts until the process's end
	Reason  string          `json:"reason"`
	Detail  string          `json:"detail"` // of a part of the events: which ones; "": all
}

const (
	// GapKey is the beginning of keys in table meta that are gaps: all but the end follows, in
	// JSON, and the value is the end, "" where it lasts.
	GapKey = "gap: "
	// GapsNoted is the fact that a trace has all its gaps noted. In others they follow from
	// what else is known of it.
	GapsNoted = "gaps_noted"
	// FilterMask is the fact which events were recorded where others were filtered out: a
	// bit for each kind, bit 63 for errors.
	FilterMask = "filter_mask"
	// LostOperationsKey is the beginning of keys in table meta, which a process's number
	// follows, of how many operations of devices capture dropped. They are no events.
	LostOperationsKey = "lost_operations_"
	// LostSamplesKey is likewise of samples of processors that were lost.
	LostSamplesKey = "lost_samples_"
)

// Why says in words why the trace does not have all of that time, and what of it if not all.
func (g Gap) Why() string {
	text := why[g.Reason]
	if text == "" {
		text = g.Reason // of a later version
	}
	if g.Detail != "" {
		text += " (" + g.Detail + ")"
	}
	return text
}

// Note is a gap's key and value in table meta.
func (g Gap) Note() (key, value string) {
	text, err := json.Marshal([]any{g.Process, g.Thread, g.Start, g.Reason, g.Detail})
	if err != nil {
		panic(err) // numbers and strings
	}
	if !g.Open {
		value = strconv.FormatInt(g.End, 10)
	}
	return GapKey + string(text), value
}

// parseGap is the reverse of Gap.Note, for a key without its beginning.
func parseGap(text, end string) (g Gap, err error) {
	if err := json.Unmarshal([]byte(text), &[]any{&g.Process, &g.Thread, &g.Start, &g.Reason, &g.Detail}); err != nil {
		return g, fmt.Errorf("gap %s: %w", text, err)
	}
	if g.Open = end == ""; g.Open {
		return g, nil
	}
	g.End, err = strconv.ParseInt(end, 10, 64)
	return g, err
}

// Partial is what is missing from a trace, and how: who concludes from what is not there
// asks here whether it may have been.
type Partial struct {
	// Gaps are by process, then by start. An end is never before its start.
	Gaps []Gap
	// Operations are how many operations of devices were lost, by process.
	Operations map[model.ProcessID]int64
	began      map[model.ProcessID]int64 // of the first events
	mask       uint64                    // events that were recorded; 0: all
	queue      bool                      // of some queues only
	bytes      bool                      // of data of some size only
}

// Partial reads what is missing from the trace.
func (t *Trace) Partial() (*Partial, error) {
	meta, err := t.Facts()
	if err != nil {
		return nil, err
	}
	processes, err := t.Processes()
	if err != nil {
		return nil, err
	}
	p := &Partial{Operations: meta.operations, began: map[model.ProcessID]int64{}, queue: meta.Facts["filter_queue"] != "", bytes: meta.Facts["filter_min_bytes"] != ""}
	if p.mask, err = t.recorded(&meta); err != nil {
		return nil, err
	}
	ends := map[model.ProcessID]int64{}
	for i := range processes {
		of := &processes[i]
		p.began[of.ID], ends[of.ID] = of.Start, math.MaxInt64
		if of.Ended != "" {
			ends[of.ID] = of.End
		}
		if of.SinceAttach {
			p.Gaps = append(p.Gaps, Gap{Process: of.ID, Start: math.MinInt64, End: of.Start, Reason: GapOff})
		}
	}
	for _, g := range meta.gaps {
		if _, known := ends[g.Process]; !known {
			continue // of a process that the trace is not limited to
		}
		if g.Open {
			g.End = ends[g.Process]
		}
		g.End = max(g.Start, g.End)
		p.Gaps = append(p.Gaps, g)
	}
	if meta.Facts[GapsNoted] == "" {
		if err := p.follow(t, &meta, ends); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.Gaps, compareGaps)
	return p, nil
}

// recorded are the events that were recorded, 0: all. Of a trace that only says that some were
// not, they are those that it has.
func (t *Trace) recorded(meta *Meta) (mask uint64, err error) {
	if known, err := strconv.ParseInt(meta.Facts[FilterMask], 10, 64); err == nil || meta.Facts["filter_events"] == "" {
		return uint64(known), nil
	}
	for s, err := range t.Rows("reading kinds of events", "SELECT DISTINCT kind FROM site") {
		if err != nil {
			return 0, err
		}
		mask |= eventBit(s.ColumnInt32(0))
	}
	return mask, nil
}

// eventBit is the bit of a kind of event in a mask of them.
func eventBit(kind int32) uint64 {
	if kind >= 0 && kind < 63 {
		return 1 << kind
	}
	return 1 << 63
}

// follow adds the gaps of a trace that has none noted.
func (p *Partial) follow(t *Trace, meta *Meta, ends map[model.ProcessID]int64) error {
	losses, err := t.Losses()
	if err != nil {
		return err
	}
	for _, l := range losses {
		if _, known := ends[l.Process]; known && (l.Events > 0 || l.Bytes > 0) {
			p.Gaps = append(p.Gaps, Gap{Process: l.Process, Start: p.began[l.Process], End: ends[l.Process], Reason: GapLost})
		}
	}
	if meta.Facts["filter_last_bytes"] != "" || meta.Facts["filter_last_ns"] != "" {
		for process, end := range ends {
			p.Gaps = append(p.Gaps, Gap{Process: process, Start: p.began[process], End: end, Reason: GapRecycled})
		}
	}
	return nil
}

// Whole says whether the trace has every call that there was.
func (p *Partial) Whole() bool { return len(p.Gaps) == 0 }

// WholeOf says whether it has every call of a process.
func (p *Partial) WholeOf(process model.ProcessID) bool {
	return !slices.ContainsFunc(p.Gaps, func(g Gap) bool { return g.Process == process })
}

// Since says whether something may have happened in a process at or after a time of which
// the trace has nothing.
func (p *Partial) Since(process model.ProcessID, time int64) bool {
	return slices.ContainsFunc(p.Gaps, func(g Gap) bool { return g.Process == process && g.End > time })
}

// MayHaveEnded says whether data made by an event of a kind (a create or an alloc) at a time
// may have been deleted or freed where the trace does not tell.
func (p *Partial) MayHaveEnded(process model.ProcessID, kind int32, time int64) bool {
	end := int32(model.Free)
	if kind == model.Create {
		end = model.Delete
	}
	return p.LeavesOut(end) || p.Since(process, time)
}

// ShowsData says whether the trace has all that happened to data on devices.
func (p *Partial) ShowsData() bool {
	return !p.AnyInterrupted() && !p.LeavesOut(model.Create, model.Delete, model.Alloc, model.Free)
}

// In are the parts of a process's gaps in a window of time that a thread is affected by, in
// order of their starts; thread 0: that all of them are.
func (p *Partial) In(process model.ProcessID, thread model.ThreadID, from, to int64) (parts []Gap) {
	first, _ := slices.BinarySearchFunc(p.Gaps, process, func(g Gap, of model.ProcessID) int { return cmp.Compare(g.Process, of) })
	for _, g := range p.Gaps[first:] {
		if g.Process != process || g.Start >= to {
			break
		}
		if g.Start, g.End = max(g.Start, from), min(g.End, to); g.Start < g.End && (g.Thread == 0 || g.Thread == thread) {
			parts = append(parts, g)
		}
	}
	return parts
}

// Interrupted says whether something is missing between events of a process, or behind them.
func (p *Partial) Interrupted(process model.ProcessID) bool {
	return p.Since(process, p.began[process])
}

// AnyInterrupted says whether that is so of any process.
func (p *Partial) AnyInterrupted() bool {
	return slices.ContainsFunc(p.Gaps, func(g Gap) bool { return g.End > p.began[g.Process] })
}

// LeavesOut says whether events of a kind may not have been recorded, by what the recording
// was restricted to. Of data of some size a transfer of a part may be too small.
func (p *Partial) LeavesOut(kinds ...int32) bool {
	return p.queue || slices.ContainsFunc(kinds, func(kind int32) bool {
		return p.mask != 0 && p.mask&eventBit(kind) == 0 || p.bytes && (kind == model.EnqueueUploadStart || kind == model.EnqueueDownloadStart)
	})
}

// missing takes in what a row of table meta says of what is missing, if it is one of those.
func (m *Meta) missing(key, value string) bool {
	if text, found := strings.CutPrefix(key, GapKey); found {
		if g, err := parseGap(text, value); err == nil {
			m.gaps = append(m.gaps, g)
		}
		return true
	}
	return lostOf(&m.operations, LostOperationsKey, key, value) || lostOf(&m.samples, LostSamplesKey, key, value)
}

// lostOf takes in a row of table meta that says how much of something a process lost, if it
// is one.
func lostOf(lost *map[model.ProcessID]int64, prefix, key, value string) bool {
	text, found := strings.CutPrefix(key, prefix)
	if !found {
		return false
	}
	process, badProcess := strconv.ParseInt(text, 10, 64)
	n, err := strconv.ParseInt(value, 10, 64)
	if err == nil && badProcess == nil && n > 0 {
		if *lost == nil {
			*lost = map[model.ProcessID]int64{}
		}
		(*lost)[model.ProcessID(process)] = n
	}
	return true
}

// Gaps are those noted, in no order.
func (m *Meta) Gaps() []Gap { return m.gaps }

// compareGaps puts gaps in order of their processes and starts.
func compareGaps(a, b Gap) int {
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Reason, b.Reason))
}

// LostOperations are how many operations of devices capture dropped, by process.
func (m *Meta) LostOperations() map[model.ProcessID]int64 { return m.operations }

// LostSamples are how many samples of processors were lost, by process.
func (m *Meta) LostSamples() map[model.ProcessID]int64 { return m.samples }
