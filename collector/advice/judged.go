package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Judged is what the rules looked at in a trace, and what they could not judge.
type Judged struct {
	Constructs, Launches, Transfers, Waits, Mappings int64
	Not                                              []NotJudged
	Changed                                          []string // sources that are others than when the program ran
}

// NotJudged are rules that said nothing, or not all, and why.
type NotJudged struct {
	Rules  []string
	Why    string
	Partly bool // they looked at what they could
}

// looks is what rules look at: the kind of record that they are about.
var looks = []struct {
	what, one string
	rules     []*rule
}{
	{"launches", "launch", []*rule{synchronousConstruct, shortKernel, idleQueue, hostLoop, fewGangs, gangImbalance, gangRedundant, uncoalescedAccess, idleLanes, meetingAtomics, queueRace, imbalance}},
	{"transfers", "transfer", []*rule{repeatedTransfer, roundTrip, unusedTransfer, smallTransfers, implicitTransfer, scratchTransfer, wholeUpdate, pingPong, broughtToRead, pageableMemory, deletedWhileBusy}},
	{"waits", "wait", []*rule{needlessWait}},
	{"mappings", "mapping", []*rule{mappedInLoop, neverDeleted, neverReturned, memoryNearlyFull}},
}

// Judge counts what the rules look at, and says why some could not judge it.
func Judge(trace *store.Trace) (*Judged, error) {
	const what = "counting what was judged"
	sources, err := report.SourcesOf(trace)
	if err != nil {
		return nil, err
	}
	j := &Judged{Changed: sources.Changed()}
	for s, err := range trace.Rows(what, `SELECT d.kind_code, sum(t.count) FROM total t JOIN site_detail d ON d.site = t.site
		WHERE d.kind_code IN (6, 16, 18, 20, 22, 24) AND NOT (d.kind_code = 24 AND d.implicit) AND `+trace.ChosenSQL("d.process")+` GROUP BY 1`) {
		if err != nil {
			return nil, err
		}
		n := s.ColumnInt64(1)
		switch s.ColumnInt32(0) {
		case model.Create:
			j.Mappings += n
		case model.ComputeConstructStart:
			j.Constructs += n
		case model.EnqueueLaunchStart:
			j.Launches += n
		case model.EnqueueUploadStart, model.EnqueueDownloadStart:
			j.Transfers += n
		case model.WaitStart:
			j.Waits += n
		}
	}
	if j.Launches+j.Transfers+j.Mappings == 0 {
		device, err := trace.Number(what, `SELECT EXISTS (SELECT 1 FROM devices WHERE type <> 2)`)
		switch {
		case err != nil:
			return nil, err
		case device != 0:
			j.not("the program did nothing on the device", slices.Concat(looks[0].rules, looks[1].rules, looks[2].rules, looks[3].rules)...)
		case j.Constructs > 0:
			j.not("the program ran on the host, which has no memory and no queues of its own: run it on a GPU, or with --device sim", slices.Concat(looks[0].rules, looks[1].rules, looks[2].rules, looks[3].rules)...)
		}
		return j, nil
	}
	missing, err := absencesOf(trace)
	if err != nil {
		return nil, err
	}
	var silent []*rule
	for _, r := range rules {
		if missing.silent(r) {
			silent = append(silent, r)
		}
	}
	j.not("events that they go by were left out of the trace", silent...)
	if missing.AnyInterrupted() {
		j.partly("what lies across a gap of the trace, or behind it", slices.DeleteFunc(slices.Clone(rules), func(r *rule) bool { return r.relies == nil || missing.silent(r) })...)
	}
	var known struct{ times, gpu, pageable, hashes, threads, ranks, async, counts, samples bool }
	for s, err := range trace.Rows(what, `SELECT EXISTS (SELECT 1 FROM activity), EXISTS (SELECT 1 FROM devices WHERE multiprocessors > 0),
		EXISTS (SELECT 1 FROM devices WHERE multiprocessors > 0) AND EXISTS (SELECT 1 FROM work WHERE kind >> 4 IS NOT NULL), EXISTS (SELECT 1 FROM content),
		EXISTS (SELECT 1 FROM site_detail WHERE kind_code = 18 GROUP BY process HAVING count(DISTINCT thread) > 1),
		(SELECT count(*) > 1 FROM process WHERE rank IS NOT NULL), EXISTS (SELECT 1 FROM queues WHERE async_queue <> -2 AND operations > 0), EXISTS (SELECT 1 FROM kernel_lines), EXISTS (SELECT 1 FROM cpu_sample)`) {
		if err != nil {
			return nil, err
		}
		is := func(column int) bool { return s.ColumnInt(column) != 0 }
		known.times, known.gpu, known.pageable, known.hashes, known.threads, known.ranks, known.async, known.counts, known.samples = is(0), is(1), is(2), is(3), is(4), is(5), is(6), is(7), is(8)
	}
	if !known.times {
		timed := []*rule{needlessWait, synchronousConstruct, idleQueue, shortKernel}
		if known.samples {
			timed = append(timed, hostLoop)
		}
		j.not("no times of a device were measured", timed...)
	}
	switch {
	case !known.gpu:
		j.not("no GPU", fewGangs, pageableMemory)
	case !known.pageable:
		j.not("which memory is pinned was not told", pageableMemory)
	}
	if !known.counts {
		j.not("no counters (run --counters)", gangImbalance, gangRedundant, uncoalescedAccess, idleLanes, meetingAtomics)
	}
	if !known.samples {
		j.not("no samples of the host (run --sample)", hostLoop)
	}
	if known.threads {
		j.not("kernels of several threads, whose order among each other is not seen", synchronousConstruct, needlessWait)
	}
	switch {
	case trace.LimitedTo() != nil:
		j.not("of some ranks only", imbalance)
	case !known.ranks:
		j.not("one rank", imbalance)
	}
	if !known.hashes && j.Transfers > 0 {
		j.partly("what was the same: no hashes (run --hash)", repeatedTransfer, roundTrip)
	}
	return j, nil
}

func (j *Judged) not(why string, list ...*rule) {
	if len(list) == 0 {
		return
	}
	n := NotJudged{Why: why}
	for _, r := range list {
		n.Rules = append(n.Rules, r.name)
	}
	j.Not = append(j.Not, n)
}

// partly is not of rules that looked at the rest.
func (j *Judged) partly(why string, list ...*rule) {
	before := len(j.Not)
	j.not(why, list...)
	for i := range j.Not[before:] {
		j.Not[before+i].Partly = true
	}
}

// Told are what was judged, and last what was not, in the words of text; of findings that are
// none, each rule is named with what it looked at.
func (j *Judged) Told(none bool) []string {
	lines, unjudged := j.lines(none)
	for i := range lines {
		lines[i] = "judged " + lines[i]
	}
	if unjudged != "" {
		lines = append(lines, "not judged "+unjudged)
	}
	return lines
}

// lines are what was judged, and what was not. With each, every kind of record has a line, with
// the rules that looked at it.
func (j *Judged) lines(each bool) (lines []string, unjudged string) {
	counts := []int64{j.Launches, j.Transfers, j.Waits, j.Mappings}
	var some []string
	for i, l := range looks {
		what := l.what
		if counts[i] == 1 {
			what = l.one
		}
		some = append(some, fmt.Sprintf("%d %s", counts[i], what))
		var names []string
		for _, r := range l.rules {
			if !slices.ContainsFunc(j.Not, func(n NotJudged) bool {
				return slices.Contains(n.Rules, r.name) && !n.Partly
			}) {
				names = append(names, r.name)
			}
		}
		if each && counts[i] > 0 && len(names) > 0 {
			lines = append(lines, fmt.Sprintf("%d %s: %s", counts[i], what, strings.Join(names, ", ")))
		}
	}
	if !each || len(lines) == 0 {
		lines = []string{strings.Join(some, ", ")}
	}
	var not []string
	for _, n := range j.Not {
		names := strings.Join(n.Rules, ", ")
		if len(n.Rules) > len(rules)/2 {
			names = "launches, transfers, waits and mappings"
		}
		not = append(not, fmt.Sprintf("%s (%s)", names, n.Why))
	}
	for _, file := range j.Changed {
		not = append(not, fmt.Sprintf("the text of %s (changed after the program ran)", file))
	}
	return lines, strings.Join(not, "; ")
}
