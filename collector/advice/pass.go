package advice

import (
	"cmp"
	"iter"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// shown is what is known of a trace that has been read.
type shown struct {
	trace      *store.Trace
	sources    *report.Sources
	constructs map[string]string                // names of compute constructs whose text was known, by FILE:LINE
	exposed    []store.Data                     // whose device address was given, by their begin; Bytes reach to the furthest end so far
	unused     map[model.ProcessID][]store.Data // of which no kernel had any use, in the same way
	found      map[*rule]*evidence              // of rules that watch it is without rows
	meetings   *meetings                        // nil: fewer than two ranks
	hosts      *hostLoops
	missing    *absences                // from the trace
	byItself   map[model.ProcessID]bool // which processes ended by themselves
	rows       *rows
	races      *races                  // nil: all is on one queue
	lost       []int64                 // mappings under copyin that nothing came back of, though kernels ran
	files      []string                // that records are of, in order once all are read
	places     map[constructPlace]bool // lines that records are of
	compared   bool                    // some transfers have hashes
	waited     map[groupKey]*waitPlace
	shortRows  links // of kernels that follow one another
	// moves are how many transfers there are by what they are about, kernels where some are
	// launched.
	moves   map[moveKey]int64
	kernels map[kernelText]bool
}

// pass is one reading of some processes, in order of time, by which the rules that watch find
// their evidence. What they find is what their SQL gives, in a fraction of its time: the
// tests compare the two.
type pass struct {
	*shown
	of       *store.Trace // those processes
	found    map[*rule]*evidence
	watchers []watcher
	waits    *waiting
	history  *histories // nil: nobody asks
	asked    *sequences // nil: nobody asks
	measured measures
	copies   []usedAt
	contents contents
	hashed   map[model.ProcessID]bool       // some transfer has a hash
	around   map[model.ThreadID][]enclosing // spans, by their depth
	reached  map[*store.Description]int64   // transfers and launches
	met      map[*store.Description]bool    // any record
	now      happening
}

// watcher finds evidence of a rule while a trace is read.
type watcher interface {
	take(*happening)
	end()
}

// happening is a record with what was measured of it. It is valid until the next one.
type happening struct {
	*store.Record
	device
	hash    content
	ended   bool      // the host's end is known
	outside enclosing // the span around it
}

// device is what was measured of an operation on the device.
type device struct {
	start, end int64
	measured   bool
}

// enclosing is a span of the host's; record 0: none.
type enclosing struct {
	record, start, end int64
	ended              bool
	site               *store.Site
}

// usedAt is a time at which something on a device may have used any of its data.
type usedAt struct {
	at int64
	deviceData
}

// deviceData are the data of a device.
type deviceData struct {
	process model.ProcessID
	device  model.DeviceID
}

// content are the hashes of what a transfer moved, and of what a download overwrote.
type content struct {
	moved, overwritten int64
	hashed, compared   bool // which of the two were taken
}

// unchanged says whether a download brought what the host had, as far as that is known.
func (c content) unchanged() bool { return c.hashed && c.compared && c.moved == c.overwritten }

// written says whether a download brought something else: also where one of the two
// hashes was not taken.
func (c content) written() bool {
	return c.hashed != c.compared || c.hashed && c.moved != c.overwritten
}

// same says whether two transfers moved the same.
func (c content) same(other content) bool {
	return c.hashed && other.hashed && c.moved == other.moved
}

// processesAtOnce is how many processes are read by one pass: what is followed of a process is
// let go of with it, and each pass goes by the rows of the others.
var processesAtOnce = 2500

// look begins with a trace of which nothing has been read.
func look(trace *store.Trace) (*shown, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	seen := &shown{trace: trace, constructs: meta.Constructs, exposed: reaching(meta.Exposed), found: map[*rule]*evidence{},
		moves: map[moveKey]int64{}, kernels: map[kernelText]bool{}, rows: newRows(), places: map[constructPlace]bool{}, waited: map[groupKey]*waitPlace{}, shortRows: links{}}
	if _, seen.byItself, err = trace.Endings(); err != nil {
		return nil, err
	}
	if seen.missing, err = absencesOf(trace); err != nil {
		return nil, err
	}
	if seen.unused, err = unusedData(trace, &meta); err != nil {
		return nil, err
	}
	if seen.sources, err = report.SourcesOf(trace); err != nil {
		return nil, err
	}
	if !seen.missing.silent(queueRace) {
		if seen.races, err = racesOf(trace, seen.sources); err != nil {
			return nil, err
		}
	}
	if seen.hosts, err = newHostLoops(trace, seen.sources, func() []string { return seen.files }); err != nil {
		return nil, err
	}
	seen.meetings, err = newMeetings(trace)
	return seen, err
}

// watch reads all processes for the rules that watch, some at a time, and finds what rows of
// evidence gain, also of other rules.
func (seen *shown) watch() error {
	for p, err := range seen.passes() {
		if err != nil {
			return err
		}
		for r, found := range seen.found {
			for _, g := range found.list {
				g.gain = max(g.gain, p.gain(r, p.own(g.rows)))
			}
		}
		for r, found := range p.found {
			whole := lookup.Make(seen.found, r, newEvidence)
			for _, g := range found.list {
				g.gain = p.gain(r, g.rows)
				whole.about(g.groupKey).join(g)
			}
		}
		p.count()
	}
	for _, found := range seen.found {
		found.order()
	}
	seen.meetings.end()
	return nil
}

// passes are those of all processes, each valid until the next.
func (seen *shown) passes() iter.Seq2[*pass, error] {
	return func(yield func(*pass, error) bool) {
		processes, err := seen.trace.Processes()
		if err != nil {
			yield(nil, err)
			return
		}
		numbers := make([]model.ProcessID, len(processes))
		for i := range processes {
			numbers[i] = processes[i].ID
		}
		slices.Sort(numbers)
		if len(numbers) <= processesAtOnce {
			yield(seen.read(seen.trace))
			return
		}
		for some := range slices.Chunk(numbers, processesAtOnce) {
			if !yield(seen.read(seen.trace.Part(some...))) {
				return
			}
		}
	}
}

// read reads some processes.
func (seen *shown) read(of *store.Trace) (*pass, error) {
	p := &pass{shown: seen, of: of, found: map[*rule]*evidence{}, waits: newWaiting(), hashed: map[model.ProcessID]bool{},
		around: map[model.ThreadID][]enclosing{}, reached: map[*store.Description]int64{}, met: map[*store.Description]bool{}}
	for _, r := range rules {
		if r.watch != nil {
			p.found[r] = newEvidence()
			if seen.missing.silent(r) {
				continue
			}
			if w := r.watch(p, p.found[r]); w != nil {
				p.watchers = append(p.watchers, seen.missing.careful(r, w))
			}
		}
	}
	if !seen.missing.silent(neverReturned) {
		p.watchers = append(p.watchers, p.losses())
	}
	if len(seen.hosts.stacks) > 0 {
		p.watchers = append(p.watchers, seen.hosts)
	}
	if p.races != nil {
		o, err := p.races.follow(of)
		if err != nil {
			return nil, err
		}
		p.watchers = append(p.watchers, o)
	}
	var err error
	if p.contents, err = readContents(of); err != nil {
		return nil, err
	}
	if p.meetings != nil {
		sites, err := of.Sites()
		if err != nil {
			return nil, err
		}
		p.meetings.follow(sites)
	}
	if err := p.readActivities(); err != nil {
		return nil, err
	}
	if err := p.readRecords(); err != nil {
		return nil, err
	}
	for _, w := range p.watchers {
		w.end()
	}
	for _, e := range p.found {
		e.order()
	}
	return p, nil
}

// readActivities reads what devices did.
func (p *pass) readActivities() error {
	for a, err := range p.of.Activities(store.Filter{}) {
		if err != nil {
			return err
		}
		p.measured.add(a)
		p.waits.activity(a)
		if a.Work.KindCode == model.ActivityCopy {
			p.copies = append(p.copies, usedAt{a.Start, deviceData{a.Work.Process, a.Work.Device}})
			if a.Work.Peer != 0 {
				p.copies = append(p.copies, usedAt{a.Start, deviceData{a.Work.Process, a.Work.Peer}})
			}
		}
	}
	p.measured.order()
	slices.SortFunc(p.copies, func(a, b usedAt) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// readRecords shows all records to the watchers.
func (p *pass) readRecords() error {
	h := &p.now
	gaps := p.missing.byEnd()
	for r, err := range p.of.Records(store.Filter{}) {
		if err != nil {
			return err
		}
		for len(gaps) > 0 && gaps[0].End <= r.Start {
			p.interrupt(gaps[0].Process)
			gaps = gaps[1:]
		}
		for len(p.copies) > 0 && p.copies[0].at <= r.Start {
			if p.history != nil {
				p.history.use(p.copies[0].deviceData)
			}
			p.copies = p.copies[1:]
		}
		*h = happening{Record: r, ended: r.Span && !r.Unended, outside: p.parent(r)}
		switch r.Site.KindCode {
		case model.EnqueueUploadStart, model.EnqueueDownloadStart:
			h.hash = p.contents.take(r)
			h.device = p.measured.of(r.ID)
			if h.hash.hashed {
				p.hashed[r.Site.Process] = true
			}
			p.reached[r.Site.Description]++
		case model.EnqueueLaunchStart:
			h.device = p.measured.of(r.ID)
			p.reached[r.Site.Description]++
		}
		p.met[r.Site.Description] = true
		for _, w := range p.watchers {
			w.take(h)
		}
		p.waits.take(h)
		p.meetings.take(h)
		if r.Span {
			p.enclose(r)
		}
	}
	for _, g := range gaps {
		p.interrupt(g.Process)
	}
	for _, c := range p.copies {
		if p.history != nil {
			p.history.use(c.deviceData)
		}
	}
	p.waits.complete()
	p.meetings.leave()
	return nil
}

// own are the rows that are of the pass's processes.
func (p *pass) own(rows []occurrence) []occurrence {
	if p.of == p.trace {
		return rows
	}
	var own []occurrence
	for _, o := range rows {
		if _, is := slices.BinarySearch(p.of.LimitedTo(), model.ProcessID(o.process)); is {
			own = append(own, o)
		}
	}
	return own
}

// gain is what rows of a rule gain.
func (p *pass) gain(r *rule, rows []occurrence) int64 {
	if r.timeless {
		return 0
	}
	if !r.elsewhere {
		rows = robust(rows)
	}
	return p.waits.gain(rows, r.elsewhere)
}

// count adds up what was reached.
func (p *pass) count() {
	p.compared = p.compared || len(p.hashed) > 0
	for said := range p.met {
		if at := (constructPlace{file: said.File, line: int64(said.Line)}); said.File != "" {
			p.places[at] = true
			if i, known := slices.BinarySearch(p.files, said.File); !known {
				p.files = slices.Insert(p.files, i, said.File)
			}
		}
	}
	for said, times := range p.reached {
		p.moves[moveKey{keyOf(said.Symbol, said), said.KindCode}] += times
		if said.KindCode == model.EnqueueLaunchStart {
			p.kernels[kernelText{said.File, said.Function, said.FunctionLine, said.Line, said.EndLine}] = true
		}
	}
}

// parent is the span around a record.
func (p *pass) parent(r *store.Record) enclosing {
	if r.Parent != 0 {
		spans := p.around[r.Thread]
		for i := len(spans) - 1; i >= 0; i-- {
			if spans[i].record == r.Parent {
				return spans[i]
			}
		}
	}
	return enclosing{}
}

// mostDepth bounds the depth of spans that is followed.
const mostDepth = 1000

// enclose notes a span, which ends those of its depth and deeper ones.
func (p *pass) enclose(r *store.Record) {
	spans := p.around[r.Thread]
	spans = spans[:min(max(r.Depth, 0), len(spans), mostDepth)]
	p.around[r.Thread] = append(spans, enclosing{r.ID, r.Start, r.End(), !r.Unended, r.Site})
}

// textUnknown says whether the text of a construct was not known when the trace was
// written: then it is not known either whether a clause names its data.
func (seen *shown) textUnknown(s *store.Site) bool {
	_, known := seen.constructs[store.PlaceText(s.File, s.Line)]
	return !known || s.File == "" || s.Line <= 0
}

// reaching sorts data, and lets each reach as far as one before.
func reaching(list []store.Data) []store.Data {
	slices.SortFunc(list, func(a, b store.Data) int { return cmp.Compare(a.Host, b.Host) })
	for i := range list {
		if i > 0 {
			list[i].Bytes = max(list[i].Bytes, list[i-1].Host+list[i-1].Bytes-list[i].Host)
		}
	}
	return list
}

// unusedData are the data of which no kernel had any use, by process: of those that were
// captured from their beginning on, and whole.
func unusedData(trace *store.Trace, meta *store.Meta) (map[model.ProcessID][]store.Data, error) {
	if len(meta.Unused) == 0 {
		return nil, nil
	}
	processes, err := trace.Processes()
	if err != nil {
		return nil, err
	}
	since := map[model.ProcessID]bool{}
	for i := range processes {
		since[processes[i].ID] = processes[i].SinceAttach
	}
	unused := map[model.ProcessID][]store.Data{}
	for _, d := range meta.Unused {
		if !since[d.Process] {
			unused[d.Process] = append(unused[d.Process], d.Data)
		}
	}
	for process, list := range unused {
		unused[process] = reaching(list)
	}
	return unused, nil
}

// within says whether data lie in one of a list that reaching has made.
func within(list []store.Data, host, bytes int64) bool {
	i, found := slices.BinarySearchFunc(list, host, func(d store.Data, host int64) int { return cmp.Compare(d.Host, host) })
	if !found {
		i--
	} else {
		for i+1 < len(list) && list[i+1].Host == host {
			i++
		}
	}
	return i >= 0 && host+bytes <= list[i].Host+list[i].Bytes
}

// measures are what was measured of enqueued operations, by their record.
type measures []measure

type measure struct{ record, start, duration int64 }

func (m *measures) add(a *store.Activity) {
	if a.Record > 0 {
		*m = append(*m, measure{a.Record, a.Start, max(a.Duration, 0)})
	}
}

// order is called when all have been added.
func (m measures) order() {
	slices.SortStableFunc(m, func(a, b measure) int { return cmp.Compare(a.record, b.record) })
}

// of is the first activity of an enqueued operation.
func (m measures) of(record int64) device {
	i, found := slices.BinarySearchFunc(m, record, func(a measure, record int64) int { return cmp.Compare(a.record, record) })
	if !found {
		return device{}
	}
	return device{m[i].start, m[i].start + m[i].duration, true}
}
