// Package advice finds what a program could do better with its device, from its
// trace: data that are sent for nothing, mappings that could stay, waits that
// nothing needs. Each rule has a file of its own, with the SQL of its evidence, its
// thresholds and what to write instead; docs/advice has a page for each.
package advice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Confidence says how sure a finding is.
type Confidence string

const (
	Certain  Confidence = "certain"  // the trace shows it
	Likely   Confidence = "likely"   // so unless the program does what no event tells
	Possible Confidence = "possible" // the program's text decides
)

// Finding is something that costs time or memory, or is wrong, and can be mended.
type Finding struct {
	Rule      string `json:"rule"`
	Gain      int64  `json:"gain_ns"` // wall time, 0 where it costs memory or is wrong
	Bytes     int64  `json:"bytes"`   // transferred, or held
	Count     int64  `json:"count"`   // rows of SQL
	Subject   string `json:"subject"` // of any kind, as people are to see it
	Variable  string `json:"variable"`
	Kernel    string `json:"kernel"` // as the events have it
	File      string `json:"file"`
	Line      int64  `json:"line"` // 0: not known
	Function  string `json:"function"`
	What      string `json:"what"`
	Why       string `json:"why"`
	Directive string `json:"directive"` // as it is, "" where the source is not at hand
	// Instead is what to write, line by line: words, a directive, or words, a colon and a
	// directive, which reaches to the line's end.
	Instead    string     `json:"instead"`
	Confidence Confidence `json:"confidence"`
	SQL        string     `json:"sql"`  // gives the rows counted
	Called     string     `json:"name"` // Name, which stays when lines move

	// Places are all lines that it is about, where these are several; else empty.
	Places []Place `json:"places"`

	// Edits write what is in Instead into the sources; where there are none, NoPatch says why.
	Edits   []patch.Edit `json:"edits,omitempty"`
	NoPatch string       `json:"no_patch,omitempty"`

	rests []patch.Edit      // lines that Edits are right by, as they are
	turns bool              // Edits go by calls that pass the same data for different parameters
	wrong bool              // results may be wrong: comes first
	texts map[string]string // of the files that Edits change
	first bool              // before that, too
}

// Place is where a finding's directive, or one of them, is. Line 0: not known.
type Place struct {
	File     string `json:"file"`
	Function string `json:"function"`
	Line     int64  `json:"line"`
}

// Place is file:line, with the file's name alone; the function where the file is
// not known; "" where neither is.
func (f *Finding) Place() string { return report.ShowPlace(f.File, f.Line, f.Function) }

// rules are in the order of their pages.
var rules = []*rule{repeatedTransfer, roundTrip, unusedTransfer, mappedInLoop, smallTransfers, implicitTransfer, scratchTransfer, wholeUpdate, pingPong, broughtToRead, needlessWait, synchronousConstruct,
	idleQueue, hostLoop, shortKernel, fewGangs, gangImbalance, gangRedundant, uncoalescedAccess, idleLanes, meetingAtomics, pageableMemory, neverDeleted, deletedWhileBusy, queueRace, neverReturned, imbalance, endedByError, swallowedError, memoryNearlyFull}

// Rules are the names of all rules.
func Rules() []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// gainShare is the part of the trace's time that a finding gains at least, unless
// the caller says how much: 1/1000.
const gainShare = 1000

// placeTold is a place that a rule has a finding at.
type placeTold struct {
	rule, file string
	line       int64
}

// Find gives the findings of a trace, what is wrong first, then those that gain
// most. Findings of time gain at least minimum nanoseconds; 0: gainShare. Of a trace that is
// limited to some processes they are of these, and what compares all ranks is not asked.
func Find(trace *store.Trace, minimum int64) ([]*Finding, error) { return Search(trace, minimum, nil) }

// Search is Find that tells, unless told is nil, how many of the rules it has looked by:
// each reads all of the trace.
func Search(trace *store.Trace, minimum int64, told func(read, rules int)) ([]*Finding, error) {
	first, last, err := trace.Extent()
	if err != nil {
		return nil, err
	}
	wall := max(last-first, 0)
	seen, err := look(trace)
	if err != nil {
		return nil, err
	}
	sources := seen.sources
	for i, r := range rules {
		if told != nil {
			told(i, len(rules))
		}
		if r.watch != nil || r.prepare != nil || r.allRanks && trace.LimitedTo() != nil {
			continue
		}
		if seen.found[r], err = r.read(seen); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.name, err)
		}
	}
	if err := seen.watch(); err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.prepare != nil {
			if seen.found[r], err = r.read(seen); err != nil {
				return nil, fmt.Errorf("rule %s: %w", r.name, err)
			}
			seen.found[r].order()
			for _, g := range seen.found[r].list { // of times in which no queue works
				g.gain = newWaiting().gain(robust(g.rows), r.elsewhere)
			}
		}
	}
	findings := []*Finding{}
	places := map[placeTold]bool{}
	for _, r := range rules {
		if seen.found[r] == nil {
			continue
		}
		for _, g := range r.groups(seen, sources) {
			if r.enough != nil && !r.enough(g) || slices.ContainsFunc(r.unless, func(other *rule) bool { return places[placeTold{other.name, g.file, g.line}] }) {
				continue
			}
			if r.refuted != nil && r.refuted(seen, sources, g) {
				continue
			}
			gain := int64(0)
			if !r.timeless {
				gain = min(g.gain, wall)
				if r.most != nil {
					gain = min(gain, r.most(seen, g))
				}
				if gain < cmp.Or(minimum, wall/gainShare) {
					continue
				}
			}
			findings = append(findings, r.finding(seen, g, gain, sources))
			for _, part := range g.all() {
				places[placeTold{r.name, part.file, part.line}] = true
			}
		}
	}
	checked, err := Checked(trace)
	if err != nil {
		return nil, err
	}
	findings = append(findings, checked...)
	slices.SortStableFunc(findings, func(a, b *Finding) int {
		if a.first != b.first {
			return before(a.first)
		}
		if a.wrong != b.wrong {
			return before(a.wrong)
		}
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Variable, b.Variable))
	})
	return findings, nil
}

// before is the order of a finding that is so to one that is not.
func before(is bool) int {
	if is {
		return -1
	}
	return 1
}
