package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// rule is one kind of finding.
type rule struct {
	name  string
	about string // what it finds, a sentence
	// evidence is SQL on the trace's views: a row for each time that it happens. Its
	// columns are those of occurrence. Rows of one subject and place, over all
	// processes, are one finding.
	evidence string
	// asked is SQL that says, in a moment, whether the evidence may have rows; "": it may.
	asked string
	// prepare makes the evidence where SQL alone does not find it, when the trace has been read; "" for none.
	prepare func(*shown) string
	// watch finds the same rows while the trace is read once, for rules whose SQL takes
	// long; nil where it does not. It gives no watcher where another one tells it.
	watch func(*pass, *evidence) watcher
	// join makes one finding of groups that have one cause; nil: each is one.
	join func(*shown, *report.Sources, []*group) []*group
	// enough is the threshold of a finding; nil: every one.
	enough func(*group) bool
	// refuted says whether the program's text says otherwise; nil: it is not asked.
	refuted func(*shown, *report.Sources, *group) bool
	// most is what a finding gains at most; nil: nothing more is known of it.
	most func(*shown, *group) int64
	// explain fills in what happens, why it costs and what to write instead.
	explain func(*Finding, *group, *written)
	// unless other rules, which are asked before, have a finding at the same place.
	unless     []*rule
	confidence Confidence
	subject    subject
	// relies are the events from whose absence the rule concludes. It says nothing where they
	// may be missing: of a trace that leaves them out, and across a gap.
	relies    []int32
	timeless  bool // costs memory or results, no time
	elsewhere bool // the time is gained by others, who wait for the thread
	allRanks  bool // compares ranks: of some of them it says nothing
	wrong     bool
	first     bool // comes before all others: they are about a run that it cut short
}

// subject is what the findings of a rule are about.
type subject int

const (
	aVariable subject = iota
	aKernel
	aQueue
	aDevice
	aFunction
	anError
)

// occurrence is a row of evidence. Times are nanoseconds of the trace. The host
// would be spared from start to end, the device from deviceStart to deviceEnd.
type occurrence struct {
	process, thread        int64
	start, end             int64
	queue                  int64 // async_queue
	device                 int64
	deviceStart, deviceEnd int64 // 0 and 0: nothing was measured
}

// group is the evidence of a finding.
type group struct {
	groupKey
	bytes, count        int64
	processes           int     // that the rows are of
	moves               int64   // all transfers of the subject at the place, in the directions of the rows
	kinds               []int32 // of the rows' records
	first, last         int64   // starts of rows
	detail              string
	leastKind, mostKind string // of rows of a kind
	text                access // what kernels do with the subject, as their text says
	rows                []occurrence
	gain                int64    // of the thread that gains most, ns
	evidence            string   // SQL of all rows of the rule
	parts               []*group // that were joined
	row                 *kernelRow
	part                *updatedPart
	scratch             *scratch
	wait                *sparedWait
}

// evidenceColumns are what the evidence of each rule has to give.
var evidenceColumns = []string{"subject", "source_file", "line", "function", "process", "thread", "device", "async_queue", "bytes",
	"start", "end", "device_start", "device_end", "detail"}

// groups gives the evidence of a rule that has been read, a group for each subject and place,
// or for those that have one cause.
func (r *rule) groups(seen *shown, sources *report.Sources) []*group {
	list := seen.found[r].list
	for _, g := range list {
		if r.watch != nil {
			g.evidence = chosen(seen.trace, r.evidence)
		}
		for _, kind := range g.kinds {
			g.moves += seen.moves[moveKey{g.groupKey, kind}]
		}
	}
	if r.join != nil {
		return r.join(seen, sources, list)
	}
	return list
}

// read gives the evidence of a rule by its SQL.
func (r *rule) read(seen *shown) (*evidence, error) {
	found, evidence, trace, missing := newEvidence(), r.evidence, seen.trace, seen.missing
	if missing.silent(r) {
		return found, nil
	}
	if r.asked != "" {
		if may, err := trace.Number(r.name, r.asked); err != nil || may == 0 {
			return found, err
		}
	}
	if r.prepare != nil {
		if evidence = r.prepare(seen); evidence == "" {
			return found, nil
		}
	}
	evidence = chosen(trace, evidence)
	sql := "SELECT " + strings.Join(evidenceColumns, ", ") + " FROM (" + evidence + ") ORDER BY start"
	for s, err := range trace.Rows(r.name, sql) {
		if err != nil {
			return nil, err
		}
		if r.relies != nil && missing.Interrupted(model.ProcessID(s.ColumnInt64(4))) {
			continue
		}
		g := found.about(groupKey{s.ColumnText(0), s.ColumnText(1), s.ColumnText(3), s.ColumnInt64(2)})
		g.evidence = evidence
		g.add(occurrence{process: s.ColumnInt64(4), thread: s.ColumnInt64(5), device: s.ColumnInt64(6), queue: s.ColumnInt64(7),
			start: s.ColumnInt64(9), end: s.ColumnInt64(10), deviceStart: s.ColumnInt64(11), deviceEnd: s.ColumnInt64(12)}, s.ColumnInt64(8), s.ColumnText(13))
	}
	return found, nil
}

// chosen is SQL that gives processes, of those that the trace is limited to.
func chosen(trace *store.Trace, sql string) string {
	if trace.LimitedTo() == nil {
		return sql
	}
	return "SELECT * FROM (" + sql + ") WHERE " + trace.ChosenSQL("process")
}

// statement is the SQL of a group's rows.
func (g *group) statement() string {
	var parts []string
	for _, part := range g.all() {
		parts = append(parts, part.condition())
	}
	where := parts[0]
	if len(parts) > 1 {
		where = "(" + strings.Join(parts, ") OR (") + ")"
	}
	return "SELECT * FROM (" + strings.Join(strings.Fields(g.evidence), " ") + ") WHERE " + where
}

// all are the groups that were joined, or the one that was not.
func (g *group) all() []*group {
	if len(g.parts) > 0 {
		return g.parts
	}
	return []*group{g}
}

// condition is SQL that chooses a group's rows.
func (g *group) condition() string {
	is := func(column, value string) string {
		if value == "" {
			return "coalesce(" + column + ", '') = ''"
		}
		return column + " IS '" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return strings.Join([]string{is("subject", g.subject), is("source_file", g.file), fmt.Sprintf("line IS %d", g.line), is("function", g.function)}, " AND ")
}

// joined is a group of several, which goes by the one that moves most bytes, as these are the same in
// every run. Of those that move as many it is the first, and where none moves any, the first of those
// that gain about as much as the one that gains most.
func joined(parts []*group) *group {
	if len(parts) == 1 {
		return parts[0]
	}
	ordered := slices.SortedFunc(slices.Values(parts), (*group).place)
	first := slices.MaxFunc(ordered, func(a, b *group) int { return cmp.Compare(a.bytes, b.bytes) }) // of equal ones the first
	if first.bytes == 0 {
		most := slices.MaxFunc(parts, func(a, b *group) int { return cmp.Compare(a.gain, b.gain) }).gain
		first = ordered[slices.IndexFunc(ordered, func(g *group) bool { return g.gain == most || g.gain > most/2 })]
	}
	whole := *first
	whole.parts, whole.rows, whole.bytes, whole.count, whole.gain, whole.moves = parts, nil, 0, 0, 0, 0
	for _, g := range parts {
		whole.bytes, whole.count, whole.gain, whole.moves = whole.bytes+g.bytes, whole.count+g.count, whole.gain+g.gain, whole.moves+g.moves
		whole.processes = max(whole.processes, g.processes)
	}
	return &whole
}

// mostBefore is how many lines before a directive are looked at for the names of its data.
const mostBefore = 200

// finding puts into words what a group shows.
func (r *rule) finding(seen *shown, g *group, gain int64, sources *report.Sources) *Finding {
	f := &Finding{Rule: r.name, Gain: gain, Bytes: g.bytes, Count: g.count, File: g.file, Line: max(g.line, 0), Function: g.function,
		Subject: g.subject, Confidence: r.confidence, SQL: g.statement(), wrong: r.wrong, first: r.first}
	switch r.subject {
	case aVariable:
		f.Variable = g.subject
	case aKernel:
		f.Kernel, f.Subject = g.subject, model.Readable(g.subject)
	}
	f.Directive = sources.Directive(g.file, g.line)
	for _, part := range g.all() {
		if at := (Place{part.file, part.function, max(part.line, 0)}); len(g.parts) > 0 && !slices.Contains(f.Places, at) {
			f.Places = append(f.Places, at)
		}
	}
	if g.row != nil {
		f.Places = g.row.places()
	}
	if len(f.Places) < 2 {
		f.Places = []Place{}
	}
	d := directiveAt(sources, g.file, g.line)
	d.run = seen
	r.explain(f, g, d)
	switch {
	case d.changed:
		f.Edits, f.NoPatch = nil, filepath.Base(f.File)+" was changed after the program ran: record it again"
	case f.NoPatch != "":
		f.Edits = nil
	case len(f.Edits) == 0:
		f.refuse(d.unwritten())
	}
	f.texts = map[string]string{}
	for _, e := range f.Edits {
		f.texts[e.File] = sources.Content(e.File)
	}
	return f
}

// loopAround is the line of the innermost loop around a line, as the source has it, or the trace
// of one that is not at hand; 0 where none is seen.
func loopAround(sources *report.Sources, file string, line int64) int {
	if sources.Content(file) == "" {
		return sources.LoopAround(file, line)
	}
	return enclosingLoop(sources.Lines(file), int(line))
}

// directiveAt is the directive of a line.
func directiveAt(sources *report.Sources, file string, line int64) *written {
	d := takeApart(sources.Directive(file, line))
	lines := sources.Lines(file)
	d.loop = loopAround(sources, file, line)
	if line >= 1 && line <= int64(len(lines)) {
		d.before = lines[max(line-mostBefore, 0) : line-1]
	}
	d.source, d.changed = textAt(sources, file, line), sources.IsChanged(file)
	return d
}
