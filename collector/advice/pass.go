package advice

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// shown is what one pass has shown of a trace.
type shown struct {
	trace      *store.Trace
	constructs map[string]string // names of compute constructs whose text was known, by FILE:LINE
	found      map[*rule]*evidence
	meetings   *meetings // nil: fewer than two ranks
	// reached are how many transfers and launches there are of what sites of all ranks say,
	// moves the former by what they are about.
	reached map[*store.Description]int64
	moves   map[moveKey]int64
}

// pass is one reading of a trace, in order of time, by which the rules that watch find
// their evidence. What they find is what their SQL gives, in a fraction of its time: the
// tests compare the two.
type pass struct {
	*shown
	exposed  []store.Data                     // whose device address was given, by their begin; Bytes reach to the furthest end so far
	unused   map[model.ProcessID][]store.Data // of which no kernel had any use, in the same way
	watchers []watcher
	history  *histories // nil: nobody asks
	asked    *sequences // nil: nobody asks
	measured measures
	copies   []usedAt
	contents contents
	hashed   map[model.ProcessID]bool       // some transfer has a hash
	around   map[model.ThreadID][]enclosing // spans, by their depth
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

// watch reads the trace for all rules that watch, and for what waits show.
func watch(trace *store.Trace, waits *waiting) (*shown, error) {
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	p := &pass{shown: &shown{trace: trace, constructs: meta.Constructs, found: map[*rule]*evidence{}, reached: map[*store.Description]int64{}, moves: map[moveKey]int64{}},
		exposed: reaching(meta.Exposed), hashed: map[model.ProcessID]bool{}, around: map[model.ThreadID][]enclosing{}}
	if p.unused, err = unusedData(trace, &meta); err != nil {
		return nil, err
	}
	for _, r := range rules {
		if r.watch != nil {
			p.found[r] = newEvidence()
			if w := r.watch(p, p.found[r]); w != nil {
				p.watchers = append(p.watchers, w)
			}
		}
	}
	if p.contents, err = readContents(trace); err != nil {
		return nil, err
	}
	if p.meetings, err = newMeetings(trace); err != nil {
		return nil, err
	}
	if err := p.readActivities(waits); err != nil {
		return nil, err
	}
	if err := p.readRecords(waits); err != nil {
		return nil, err
	}
	for _, w := range p.watchers {
		w.end()
	}
	for _, e := range p.found {
		e.order()
	}
	return p.shown, nil
}

// readActivities reads what devices did.
func (p *pass) readActivities(waits *waiting) error {
	p.measured = measures{}
	for a, err := range p.trace.Activities(store.Filter{}) {
		if err != nil {
			return err
		}
		p.measured.add(a)
		waits.activity(a)
		if a.Work.KindCode == model.ActivityCopy {
			p.copies = append(p.copies, usedAt{a.Start, deviceData{a.Work.Process, a.Work.Device}})
		}
	}
	slices.SortFunc(p.copies, func(a, b usedAt) int { return cmp.Compare(a.at, b.at) })
	return nil
}

// readRecords shows all records to the watchers.
func (p *pass) readRecords(waits *waiting) error {
	h := &p.now
	for r, err := range p.trace.Records(store.Filter{}) {
		if err != nil {
			return err
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
		for _, w := range p.watchers {
			w.take(h)
		}
		waits.take(h)
		p.meetings.take(h)
		if r.Span {
			p.enclose(r)
		}
	}
	for _, c := range p.copies {
		if p.history != nil {
			p.history.use(c.deviceData)
		}
	}
	for said, times := range p.reached {
		p.moves[moveKey{keyOf(said.Symbol, said), said.KindCode}] += times
	}
	waits.complete()
	p.meetings.end()
	return nil
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
type measures map[int64]*[measuresEach]measure

type measure struct {
	start    int64
	duration int64 // and 1; 0: not measured
}

// measuresEach is how many records a piece of measures is for.
const measuresEach = 1 << 10

// add notes the first activity of an enqueued operation.
func (m measures) add(a *store.Activity) {
	if a.Record <= 0 {
		return
	}
	piece := lookup.New(m, a.Record/measuresEach)
	if at := &piece[a.Record%measuresEach]; at.duration == 0 {
		*at = measure{a.Start, max(a.Duration, 0) + 1}
	}
}

func (m measures) of(record int64) device {
	piece := m[record/measuresEach]
	if record <= 0 || piece == nil || piece[record%measuresEach].duration == 0 {
		return device{}
	}
	at := piece[record%measuresEach]
	return device{at.start, at.start + at.duration - 1, true}
}
