package report

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Filter limits what a report counts. Zero fields limit nothing.
type Filter struct {
	From, To int64  // trace time in nanoseconds, [From, To); 0 is no bound
	Exactly  bool   // From and To are bounds also where they are 0: there are times before the origin
	Kernel   string // part of its name, as people see it or as the event has it
	Variable string
	Queue    *int64 // async_queue
	Device   *int64 // device number
	Rank     *int64
	Ranks    *RankChoice   // of Summarize: these ranks only; nil: all
	Source   string        // part of file:line
	Within   *store.Within // ranges or frames of the program's own; From and To are theirs
}

// Inside is the filter, limited to ranges or frames of the program's own; nil: to none.
func (filter Filter) Inside(within *store.Within) Filter {
	if filter.Within = within; within != nil {
		filter.From = max(filter.From, within.From)
		filter.To = min(cmp.Or(filter.To, within.To), within.To)
	}
	return filter
}

// stored is what the trace itself chooses by: times, and ranges of the program's own.
func (filter Filter) stored() store.Filter {
	return store.Filter{From: filter.From, To: filter.To, Exactly: filter.Exactly, Within: filter.Within}
}

// bounds are From and To, or the earliest and the latest time where there is none.
func (filter Filter) bounds() (from, to int64) {
	chosen := filter.stored()
	return chosen.Bounds()
}

// site is what all records with the same site share.
type site struct {
	*store.Site
	deviceName string
	variable   string // what data count under (store.Trace.Variable)
	program    string // the process's (store.Trace.ProgramOf)
}

// said is what reports tell of a site: what two say the same of is one to them, whatever
// their processes and threads.
type said struct {
	kind                                                      int32
	device, variable, file, function, symbol, program, called string
	line, number, construct, implicit                         int32
	queue                                                     int64
	gangs, workers, vector                                    uint64
}

func (s *site) said() said {
	return said{s.KindCode, s.deviceName, s.variable, s.File, s.Function, s.Symbol, s.program, s.Name, s.Line, s.DeviceNumber, s.ParentConstruct, s.Implicit, s.AsyncQueue,
		s.Gangs, s.Workers, s.Vector}
}

// place is the site's place as tables show it.
func (s *site) place() string { return ShowPlace(s.File, int64(s.Line), s.Function) }

// ShowPlace is a place as tables show it: the file's name and the line, the function
// where the file is not known, "" where neither is.
func ShowPlace(file string, line int64, function string) string {
	switch {
	case file != "" && line > 0:
		return fmt.Sprintf("%s:%d", short(file), line)
	case file != "":
		return short(file)
	}
	return function
}

// short is a path's last element: enough to know a file by.
func short(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// total sums the records of one site on one thread, or of all processes' that say the same.
type total struct {
	site   *site
	thread int64 // of several the first
	store.Sum
	// Measured on the device: of the operations these records enqueued.
	device store.Sum
	// untimed: of some thread's operations some were not measured.
	untimed   bool
	processes set // of kernels and transfers
}

// set is a set of numbers, a bit each.
type set map[int64]uint64

func (s set) add(number int64) { s[number>>6] |= 1 << (number & 63) }

// join adds those of another set.
func (s set) join(other set) {
	for at, word := range other {
		s[at] |= word
	}
}

func (s set) count() (n int64) {
	for _, word := range s {
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// facts are the sums that all tables are made from. A job has many ranks, which mostly do the
// same: of a rank no more is kept than its number.
type facts struct {
	trace   *store.Trace
	filter  Filter
	held    []store.Total // of a part of the time; of the whole each reads them again
	totals  []*total      // over all threads and processes, of each site
	own     []*total      // of the program's own spans and marks, which are not in totals
	threads map[int64]threadFact
	sites   map[int64]*site // some, by their numbers
	ranks   map[int64]int32 // by process, of those that have one
	waited  store.Waited
	wall    int64 // nanoseconds from the first to the last event counted; of chosen ranges their own
	first   int64
	last    int64
	events  int64
	sources *Sources
	memory  map[int64]*memoryUse       // of devices, of a part of the time (memoryOf); nil: not read
	having  map[string]map[string]bool // the programs that have data of a name (variable); nil: not looked for
}

// threadFact is whose a thread is.
type threadFact struct{ process, rank int32 }

// noRank is the rank of a process that has none.
const noRank = -1

// rankOf is the rank of a process, nil where it has none.
func (f *facts) rankOf(process int64) any {
	if rank, known := f.ranks[process]; known {
		return int64(rank)
	}
	return nil
}

// rankOfThread is that of a thread's process.
func (f *facts) rankOfThread(thread int64) any {
	if fact, known := f.threads[thread]; known && fact.rank != noRank {
		return int64(fact.rank)
	}
	return nil
}

// load reads the sums by thread and site.
func load(trace *store.Trace, filter Filter) (*facts, error) {
	f := &facts{trace: trace, filter: filter, threads: map[int64]threadFact{}, sites: map[int64]*site{}, ranks: map[int64]int32{}, waited: store.Waited{}}
	var err error
	if f.sources, err = SourcesOf(trace); err != nil {
		return nil, err
	}
	if err := f.loadThreads(); err != nil {
		return nil, err
	}
	if filter.limitsTime() {
		if f.held, err = trace.Sums().Totals(filter.stored()); err != nil {
			return nil, err
		}
	}
	same := map[said]*total{}
	if _, err := trace.ProgramOf(0); err != nil { // reads all
		return nil, err
	}
	if err := f.each(0, func(t *total) error {
		f.events += t.Count
		if model.IsStart(t.site.KindCode) {
			f.events += t.Ended - t.Cut
		}
		f.waited.Add(t.site.Site, &t.Sum, &t.device)
		all := lookup.Make(same, t.site.said(), func() *total {
			made := &total{site: t.site, thread: t.thread, processes: set{}}
			if t.site.Own() {
				f.own = append(f.own, made)
			} else {
				f.totals = append(f.totals, made)
			}
			return made
		})
		all.Add(&t.Sum)
		all.device.Add(&t.device)
		all.untimed = all.untimed || t.device.Count < t.Count
		if t.site.KindCode == model.EnqueueLaunchStart || isTransfer(t.site.KindCode) {
			all.processes.add(int64(t.site.Process))
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if f.first, f.last, err = trace.Extent(); err != nil {
		return nil, err
	}
	from, to := filter.bounds()
	f.first, f.last = max(f.first, from), min(f.last, to)
	f.wall = max(f.last-f.first, 0)
	if filter.Within != nil {
		f.wall = filter.Within.Time(f.first, f.last)
	}
	return f, nil
}

// each calls visit for the sums by thread and site that the filter lets through, of all
// processes or of one. None is kept.
func (f *facts) each(process model.ProcessID, visit func(*total) error) error {
	take := func(sum *store.Total) error {
		detail, thread := f.site(sum.Site), int64(sum.Thread)
		if process != 0 && sum.Site.Process != process || !f.filter.accepts(detail, f.rankOfThread(thread)) {
			return nil
		}
		return visit(&total{site: detail, thread: thread, Sum: sum.Sum, device: sum.Device})
	}
	if !f.filter.limitsTime() {
		return f.trace.Sums().Each(store.Filter{Process: process}, take)
	}
	for i := range f.held {
		if err := take(&f.held[i]); err != nil {
			return err
		}
	}
	return nil
}

// site describes a site of the trace. Some are remembered: rows that come one after the other
// are of few.
func (f *facts) site(s *store.Site) *site {
	known := f.sites[s.ID]
	if known == nil {
		if len(f.sites) >= mostDescribed {
			clear(f.sites)
		}
		known = describeSite(s)
		known.variable = f.trace.Variable(s)
		known.program, _ = f.trace.ProgramOf(s.Process)
		f.sites[s.ID] = known
	}
	return known
}

// mostDescribed bounds how many sites are remembered as reports tell of them.
const mostDescribed = 1024

func (f *facts) loadThreads() error {
	for s, err := range f.trace.Rows("reading threads", `SELECT thread, process, rank FROM threads`) {
		if err != nil {
			return err
		}
		fact := threadFact{process: s.ColumnInt32(1), rank: noRank}
		if s.ColumnType(2) != sqlite.TypeNull {
			fact.rank = s.ColumnInt32(2)
			f.ranks[int64(fact.process)] = fact.rank
		}
		f.threads[s.ColumnInt64(0)] = fact
	}
	return nil
}

// window is the condition for a column of trace time.
func (filter Filter) window(column string) (string, []any) {
	from, to := filter.bounds()
	return column + " >= ? AND " + column + " < ?", []any{from, to}
}

// accepts says whether what is of a site, and of a rank (nil: of none), passes the filter.
func (filter Filter) accepts(s *site, rank any) bool {
	switch {
	case filter.Kernel != "" && !strings.Contains(s.Name, filter.Kernel) && !strings.Contains(s.Symbol, filter.Kernel) &&
		!strings.Contains(model.Readable(s.Symbol), filter.Kernel),
		filter.Kernel != "" && s.KindCode != model.EnqueueLaunchStart,
		filter.Variable != "" && (!s.about(filter.Variable) || s.KindCode == model.EnqueueLaunchStart),
		filter.Queue != nil && s.AsyncQueue != *filter.Queue,
		filter.Device != nil && int64(s.DeviceNumber) != *filter.Device,
		!filter.wantsRank(rank):
		return false
	}
	return filter.Source == "" || strings.Contains(s.place(), filter.Source) || strings.Contains(fmt.Sprintf("%s:%d", s.File, s.Line), filter.Source)
}

// isData says whether the site's events are about data.
func (s *site) isData() bool {
	return isTransfer(s.KindCode) || s.KindCode >= model.Create && s.KindCode <= model.Free
}

// wantsRank says whether what is of a rank, nil of none, passes the filter.
func (filter Filter) wantsRank(rank any) bool {
	number, known := rank.(int64)
	return (filter.Rank == nil || known && number == *filter.Rank) && (filter.Ranks == nil || known && filter.Ranks.Has(number))
}

// about says whether the site's events are about a variable, alone or with others.
func (s *site) about(variable string) bool {
	return s.Name == variable || s.Symbol == variable || s.isData() && s.variable == variable || isTransfer(s.KindCode) && slices.Contains(model.Carried(s.Name), variable)
}

// DeviceName names a device (acc_device_t and number) as users write it: sim 0.
func DeviceName(deviceType, number int64) string {
	name, known := callbacks.DeviceType(deviceType).Short()
	if !known {
		name = fmt.Sprintf("type %d", deviceType)
	}
	return fmt.Sprintf("%s %d", name, number)
}

// noDevice stands for the device of events that only name what the program asked
// for.
const noDevice = "(none chosen yet)"

func describeSite(s *store.Site) *site {
	device := DeviceName(int64(s.DeviceType), int64(s.DeviceNumber))
	if (&model.DeviceInfo{Type: s.DeviceType}).Requested() {
		device = noDevice
	}
	return &site{Site: s, deviceName: device}
}

// Matches says whether a record of a site passes the filter, as far as the site
// decides it: time and rank are not in it.
func (filter Filter) Matches(s *store.Site) bool {
	filter.Rank, filter.Ranks = nil, nil
	return filter.accepts(describeSite(s), nil)
}
