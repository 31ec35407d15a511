package report

import (
	"cmp"
	"fmt"
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

// total sums the records of one site on one thread.
type total struct {
	site   *site
	thread int64
	store.Sum
	// Measured on the device: of the operations these records enqueued.
	device store.Sum
}

// facts are the sums that all tables are made from.
type facts struct {
	trace   *store.Trace
	sites   map[int64]*site
	totals  []*total
	own     []*total // of the program's own spans and marks, which are not in totals
	threads map[int64]threadFact
	ranks   map[int64]any // by process
	wall    int64         // nanoseconds from the first to the last event counted; of chosen ranges their own
	first   int64
	last    int64
	events  int64
	sources *Sources
}

type threadFact struct {
	process int64
	tid     int64
	name    string
	rank    any
	pid     int64
}

// load reads the sums by thread and site.
func load(trace *store.Trace, filter Filter) (*facts, error) {
	f := &facts{trace: trace, sites: map[int64]*site{}, threads: map[int64]threadFact{}, ranks: map[int64]any{}}
	var err error
	if f.sources, err = SourcesOf(trace); err != nil {
		return nil, err
	}
	if err := f.loadThreads(); err != nil {
		return nil, err
	}
	totals, err := trace.Totals(filter.stored())
	if err != nil {
		return nil, err
	}
	for i := range totals {
		sum := &totals[i]
		detail := f.site(sum.Site)
		thread := int64(sum.Thread)
		if !filter.accepts(detail, f.threads[thread]) {
			continue
		}
		f.events += sum.Count
		if model.IsStart(detail.KindCode) {
			f.events += sum.Ended
		}
		t := &total{detail, thread, sum.Sum, sum.Device}
		if detail.Own() {
			f.own = append(f.own, t)
		} else {
			f.totals = append(f.totals, t)
		}
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

func (f *facts) site(s *store.Site) *site {
	return lookup.Make(f.sites, s.ID, func() *site {
		made := describeSite(s)
		made.variable = f.trace.Variable(s)
		return made
	})
}

func (f *facts) loadThreads() error {
	for s, err := range f.trace.Rows("reading threads", `SELECT thread, process, tid, name, rank, pid FROM threads`) {
		if err != nil {
			return err
		}
		fact := threadFact{process: s.ColumnInt64(1), tid: s.ColumnInt64(2), name: s.ColumnText(3), pid: s.ColumnInt64(5)}
		if s.ColumnType(4) != sqlite.TypeNull {
			fact.rank = s.ColumnInt64(4)
		}
		f.threads[s.ColumnInt64(0)] = fact
		f.ranks[fact.process] = fact.rank
	}
	return nil
}

// window is the condition for a column of trace time.
func (filter Filter) window(column string) (string, []any) {
	from, to := filter.bounds()
	return column + " >= ? AND " + column + " < ?", []any{from, to}
}

func (filter Filter) accepts(s *site, thread threadFact) bool {
	switch {
	case filter.Kernel != "" && !strings.Contains(s.Name, filter.Kernel) && !strings.Contains(s.Symbol, filter.Kernel) &&
		!strings.Contains(model.Readable(s.Symbol), filter.Kernel),
		filter.Kernel != "" && s.KindCode != model.EnqueueLaunchStart,
		filter.Variable != "" && (!s.about(filter.Variable) || s.KindCode == model.EnqueueLaunchStart),
		filter.Queue != nil && s.AsyncQueue != *filter.Queue,
		filter.Device != nil && int64(s.DeviceNumber) != *filter.Device,
		!filter.wantsRank(thread.rank):
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
	return filter.accepts(describeSite(s), threadFact{})
}
