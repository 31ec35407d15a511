package write

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/pages"
	"github.com/accscope/accscope/collector/store/schema"
)

// Input is a trace to be merged.
type Input struct {
	Path string
	// Offset is added to the trace's times, after both origins are set against
	// each other by the time of day: what is known better than that, ns.
	Offset int64
}

// Merge writes one trace of several, those of other hosts for example, to path,
// where nothing may be but an empty file that holds the name. The first one's
// clock holds. Those of other machines are set against it by what both traces, or others
// between them, know of the clocks of the same machines, and by the barriers that ranks of an
// MPI job had together, with bounds of the error; where there is neither, by the time of day,
// all by their Offset. The hosts table says by how much.
//
// Rows are copied. What a table's row is numbered in the merged trace is its number plus
// how many numbers the parts before it use; but records and activities are numbered in
// order of time, and each string stands once. What could not be among the inputs the trace
// says in the words of absent: it is not complete then.
func Merge(path string, inputs []Input, absent ...string) (err error) {
	if len(inputs) == 0 {
		return errors.New("no traces to merge")
	}
	m := &merger{used: make(map[string]int64)}
	defer func() {
		for _, p := range m.parts {
			err = errors.Join(err, p.close())
		}
	}()
	for _, input := range inputs {
		p, err := openPart(input.Path)
		if err != nil {
			return err
		}
		m.parts = append(m.parts, p)
		p.offset = input.Offset
	}
	if err := m.leaveEmpty(); err != nil {
		return err
	}
	if err := m.setClocks(); err != nil {
		return err
	}
	if err := m.meet(); err != nil {
		return err
	}
	var earliest int64 // beginning, on the first one's clock after its origin
	for _, p := range m.parts {
		earliest = min(earliest, p.at(0))
	}
	for _, p := range m.parts {
		p.shift -= earliest
	}
	if m.Writer, err = Create(path, m.parts[0].meta.Origin+earliest, model.New(nil, nil)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if err := m.copy(); err != nil {
		return err
	}
	if err := m.says(absent); err != nil {
		return err
	}
	return m.Finish()
}

// leaveEmpty leaves out parts without a process, unless all are: a job's collector may have
// got no agent. They have no clock that could be set.
func (m *merger) leaveEmpty() error {
	var full []*part
	for _, p := range m.parts {
		n, err := schema.Integer(p.trace.Conn(), "SELECT count(*) FROM process WHERE id > 0")
		if err != nil {
			return schema.Explain(p.trace.Path(), err)
		}
		if n > 0 {
			full = append(full, p)
		}
	}
	if len(full) == 0 {
		full = m.parts[:1]
	}
	all := m.parts
	m.parts = full
	var err error
	for _, p := range all {
		if !slices.Contains(full, p) {
			err = errors.Join(err, p.close())
		}
	}
	return err
}

// merger makes one trace of several.
type merger struct {
	*Writer
	parts      []*part
	used       map[string]int64 // numbers in use, by table
	unfinished int64            // facts that say so
}

// copy fills the merged trace from its parts.
func (m *merger) copy() error {
	if err := m.fail(m.begin()); err != nil {
		return err
	}
	if err := m.number(); err != nil {
		return err
	}
	// Those of a part that is not finished are made anew.
	m.settled = true
	for _, p := range m.parts {
		m.settled = m.settled && p.meta.Complete && len(p.unsettled) == 0
		m.lateness = max(m.lateness, p.meta.Lateness)
	}
	m.resumed = !m.settled
	carried := map[string]bool{}
	for i, p := range m.parts {
		for key, value := range p.meta.Facts {
			// The caller's span, what was left out while recording, and what devices have.
			if carried[key] || key != "traceparent" && key != "tracestate" &&
				!strings.HasPrefix(key, "filter_") && !strings.HasPrefix(key, store.MultiprocessorsKey) {
				continue
			}
			carried[key] = true
			if err := m.SetMeta(key, value); err != nil {
				return err
			}
		}
		if err := m.noteUnfinished(p); err != nil {
			return err
		}
		if err := m.copyTables(p, i > 0); err != nil {
			return err
		}
		if err := m.writeNotes(&p.meta, p.moved["process"].by); err != nil {
			return err
		}
		if err := m.copyExits(p); err != nil {
			return err
		}
		if err := m.copyGaps(p); err != nil {
			return err
		}
	}
	if err := m.SetMeta(store.GapsNoted, 1); err != nil {
		return err
	}
	if err := m.copyOrdered(); err != nil {
		return err
	}
	if err := m.copyRecords(); err != nil {
		return err
	}
	return m.copyActivities()
}

// noteUnfinished says that a part lacks what is only in its session, or what it said of its own
// parts.
func (m *merger) noteUnfinished(p *part) error {
	var said []string
	if session := p.meta.Facts["session"]; !p.meta.Complete {
		text := p.trace.Path() + " was not finished when it was taken"
		if session != "" {
			text += ": its session " + session
			if len(p.hosts) > 0 {
				text += " on " + p.hosts[0].Name
			}
			text += " may have more"
		}
		said = append(said, text)
	}
	for _, key := range slices.Sorted(maps.Keys(p.meta.Facts)) {
		if store.IsUnfinished(key) {
			said = append(said, p.meta.Facts[key])
		}
	}
	return m.says(said)
}

// says has the trace say what is missing.
func (m *merger) says(missing []string) error {
	for _, text := range missing {
		m.unfinished++
		if err := m.SetMeta(store.UnfinishedKey(m.unfinished), text); err != nil {
			return err
		}
	}
	return nil
}

// copyExits takes over how the processes of a part ended.
func (m *merger) copyExits(p *part) error {
	processes, err := p.trace.Processes()
	if err != nil {
		return err
	}
	by := p.moved["process"].by
	for i := range processes {
		if processes[i].Exit == "" {
			continue
		}
		if err := m.SetMeta(fmt.Sprintf("%s%d", store.ExitKey, int64(processes[i].ID)+by), processes[i].Exit); err != nil {
			return err
		}
	}
	return nil
}

// copyGaps takes over what is missing from a part, be it noted there or not.
func (m *merger) copyGaps(p *part) error {
	missing, err := p.trace.Partial()
	if err != nil {
		return err
	}
	process, thread := model.ProcessID(p.moved["process"].by), model.ThreadID(p.moved["thread"].by)
	for _, g := range missing.Gaps {
		if g.Start == math.MinInt64 {
			continue // follows from the process
		}
		if g.Thread != 0 {
			g.Thread += thread
		}
		g.Open = g.Open || g.End == math.MaxInt64
		g.Process, g.Start, g.End = g.Process+process, p.at(g.Start), p.at(g.End)
		if err := m.SetGap(g); err != nil {
			return err
		}
	}
	for of, n := range missing.Operations {
		if err := m.SetLostOperations(of+process, n); err != nil {
			return err
		}
	}
	for of, n := range p.meta.LostSamples() {
		if err := m.SetLostSamples(of+process, n); err != nil {
			return err
		}
	}
	return nil
}

// room ends a transaction that is large enough and begins the next.
func (m *merger) room() error {
	if m.pending < TransactionRows {
		return nil
	}
	if err := m.Commit(); err != nil {
		return err
	}
	return m.fail(m.begin())
}

// part is a trace being merged, as it is at one moment.
type part struct {
	trace     *store.Trace
	pages     *pages.Reader
	meta      store.Meta
	unsettled map[int64]store.Lasting // spans that go on in it
	offset    int64                   // Input.Offset
	shift     int64                   // from its times to those of the merged trace, with what line says
	line      *clock.Line             // how its clock was set where that was no fixed number; nil: it was
	exact     bool                    // its clock is that of the first part: of one machine since it was started
	hosts     []store.Host

	moved      map[string]moved // by table
	names      map[int64]model.Name
	records    numbers
	activities numbers
	sites      map[int64]siteOf
	queues     map[int64]model.QueueID // by its work
	samples    []sampleAfter           // that the rollups have not got yet
}

func openPart(path string) (*part, error) {
	t, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	p := &part{trace: t, pages: t.Reader()}
	if err = schema.Explain(path, schema.Execute(t.Conn(), "BEGIN")); err == nil {
		p.meta, err = t.Meta()
	}
	if err == nil {
		p.unsettled, err = t.Unsettled()
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *part) close() error { return errors.Join(p.pages.Close(), p.trace.Close()) }

// damaged says that a row names what is not there.
func (p *part) damaged(what string, number int64) error {
	return schema.Damaged(p.trace.Path(), fmt.Sprintf("there is no %s %d", what, number))
}
