package store

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Site is everything of an event that repeats, its strings resolved.
type Site struct {
	ID       int64
	Process  model.ProcessID
	Thread   model.ThreadID
	Depth    int // spans around it on its thread
	OwnDepth int // how many of them are the program's own (model.Own)
	Device   model.DeviceID
	Queue    model.QueueID

	DeviceHandle, ContextHandle, AsyncHandle uint64
	RuntimeInfo                              uint64
	ThreadID                                 int32
	CallStack                                []uint64

	*Description
}

// Description is what the events of a site say, whichever process, thread and device they
// are of: the sites of a job's ranks share it.
type Description struct {
	KindCode     int32  // acc_event_t; of a pair its start
	Kind         string // span name ("enqueue_launch"), for an event without partner its own ("alloc")
	Async        int64
	AsyncQueue   int64
	DeviceType   int32
	DeviceNumber int32

	File, Function                               string
	Line, EndLine, FunctionLine, FunctionEndLine int32

	Name            string // variable, kernel or error message, as people are to see it: a kernel by its place
	Title           string // of a kernel: its name without its program, which Name tells where it has to
	Symbol          string // the same as the event has it: the linker's name of a kernel
	Program         string // of a kernel: that which it is of, as the linker's names of two may be the same
	HasName         bool   // false: a null pointer
	Construct       string // parent_construct, "" if it has no such number
	ParentConstruct int32
	Implicit        int32

	Version, Missing                   int32
	ProfileBytes, EventBytes, APIBytes int32
	DeviceAPI, APIDeviceType, Vendor   int32

	Gangs, Workers, Vector uint64
	Dimensions             string // num_gangs_per_dim[1:], separated by commas
	HasDimensions          bool
	ErrorCode              int32

	name, file model.Name
	function   model.Name
}

// Label is what to call the site's events in a view: the variable or kernel, else
// the kind.
func (d *Description) Label() string {
	if d.Name != "" {
		return d.Name
	}
	return d.Kind
}

// Place is FILE:LINE, FILE alone where no line is known, "" where no file is.
func (d *Description) Place() string {
	if d.File == "" || d.Line < 0 {
		return d.File
	}
	return PlaceText(d.File, d.Line)
}

// Outermost says whether the site's events lie in no span of the runtime's.
func (s *Site) Outermost() bool { return s.Depth == s.OwnDepth && !s.Own() }

// nameless says whether a variable's name says nothing: "?" stands for one without a name
// in the list of those that one transfer carried.
func nameless(name string) bool { return strings.Trim(name, "?, ") == "" }

// Unknown is what data count under whose name is not known.
const Unknown = "(unknown)"

// Variable is what data of a site count under: the variable's name; or where there is none,
// as of array bounds and strides, that the compiler made them, if the program names its
// data and no clause lists these.
func (t *Trace) Variable(s *Site) string {
	switch {
	case !nameless(s.Name):
		return s.Name
	case t.namesData && s.Implicit != 0 && s.File != "":
		return "(compiler's temporaries)"
	}
	return Unknown
}

// ConstructTitle is what a construct's span is called by: its place and the directive's
// words (Meta.Constructs), as in "live.c:8 parallel loop"; "" where no place is known.
func (s *Site) ConstructTitle(constructs map[string]string) string {
	if !s.Outermost() || s.Name != "" || s.File == "" || s.Line <= 0 || s.Construct == "" {
		return ""
	}
	words := constructs[PlaceText(s.File, s.Line)]
	if words == "" {
		words = strings.ReplaceAll(s.Construct, "_", " ")
	}
	return model.KernelTitle(s.File, s.Line, words, "")
}

// readAtOnce is how many rows of the tables of sites and works are read at once: of numbers
// that are close, which are asked for one after the other.
const readAtOnce = 256

// neighbours are the numbers that are read with one.
func neighbours(id int64) (first, last int64) {
	first = id &^ (readAtOnce - 1)
	return first, first + readAtOnce - 1
}

// Site reads a site; sites are remembered.
func (t *Trace) Site(id int64) (*Site, error) {
	if s := t.sites[id]; s != nil {
		return s, nil
	}
	chosen, err := t.chosenSite(id)
	if err != nil {
		return nil, err
	}
	if !chosen {
		return unknownSite(id), nil // another rank's
	}
	if err := t.loadSites(neighbours(id)); err != nil {
		return nil, err
	}
	s := t.sites[id]
	if s == nil {
		s = unknownSite(id)
		t.sites[id] = s
	}
	return s, nil
}

// unknownSite stands for one that is not there. A row that names no site is damage; showing
// it bare is better than losing all others.
func unknownSite(id int64) *Site { return &Site{ID: id, Description: &Description{Line: -1}} }

// Sites reads all sites, by their numbers.
func (t *Trace) Sites() ([]*Site, error) {
	if err := t.loadSites(math.MinInt64, math.MaxInt64); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(t.sites), func(a, b *Site) int { return cmp.Compare(a.ID, b.ID) }), nil
}

// siteColumns are what a Site is made of, by joinSite.
func (t *Trace) siteColumns() string {
	own := "s.own"
	if t.version <= schema.WithoutCounters {
		own = "0"
	}
	return `d.site, d.kind_code, d.device, d.queue, d.async, d.async_queue, d.process, d.device_type, d.device_number,
		d.source_file, d.function, d.line, d.end_line, d.function_line, d.function_end_line, d.name, d.parent_construct, d.implicit,
		d.version, d.thread_id, d.profile_bytes, d.event_bytes, d.api_bytes, d.device_api, d.api_device_type, d.vendor,
		d.device_handle, d.context_handle, d.async_handle, d.missing, d.gangs, d.workers, d.vector, d.dimensions, d.error_code,
		d.runtime_info, d.stack, s.name, p.file, p.function, s.thread, s.depth, ` + own
}

// joinSite brings the tables of siteColumns behind site_detail d; join is JOIN, or LEFT JOIN
// where a site need not be there.
func joinSite(join string) string {
	return " " + join + " site s ON s.id = d.site LEFT JOIN located o ON o.site = s.id " + join + " place p ON p.id = coalesce(o.place, s.place) "
}

// readSite makes a site of siteColumns. The names have been learnt.
func (t *Trace) readSite(r *sqlite.Stmt) (*Site, error) {
	s := &Site{ID: r.ColumnInt64(0), Device: model.DeviceID(r.ColumnInt64(2)), Queue: model.QueueID(r.ColumnInt64(3)), Process: model.ProcessID(r.ColumnInt64(6)),
		DeviceHandle: uint64(r.ColumnInt64(26)), ContextHandle: uint64(r.ColumnInt64(27)), AsyncHandle: uint64(r.ColumnInt64(28)),
		RuntimeInfo: uint64(r.ColumnInt64(35)), ThreadID: r.ColumnInt32(19), Thread: model.ThreadID(r.ColumnInt64(40)), Depth: max(r.ColumnInt(41), 0), OwnDepth: max(r.ColumnInt(42), 0)}
	d := Description{KindCode: r.ColumnInt32(1), Async: r.ColumnInt64(4), AsyncQueue: r.ColumnInt64(5),
		DeviceType: r.ColumnInt32(7), DeviceNumber: r.ColumnInt32(8), File: r.ColumnText(9), Function: t.readable(r.ColumnText(10)),
		Line: r.ColumnInt32(11), EndLine: r.ColumnInt32(12), FunctionLine: r.ColumnInt32(13), FunctionEndLine: r.ColumnInt32(14),
		Symbol: r.ColumnText(15), HasName: !r.ColumnIsNull(15), ParentConstruct: r.ColumnInt32(16), Implicit: r.ColumnInt32(17),
		Version: r.ColumnInt32(18), ProfileBytes: r.ColumnInt32(20), EventBytes: r.ColumnInt32(21),
		APIBytes: r.ColumnInt32(22), DeviceAPI: r.ColumnInt32(23), APIDeviceType: r.ColumnInt32(24), Vendor: r.ColumnInt32(25),
		Missing: r.ColumnInt32(29), Gangs: uint64(r.ColumnInt64(30)), Workers: uint64(r.ColumnInt64(31)),
		Vector: uint64(r.ColumnInt64(32)), Dimensions: r.ColumnText(33), HasDimensions: !r.ColumnIsNull(33), ErrorCode: r.ColumnInt32(34),
		name: model.Name(r.ColumnInt64(37)), file: model.Name(r.ColumnInt64(38)), function: model.Name(r.ColumnInt64(39))}
	d.Kind = kindOf(d.KindCode)
	d.Construct = model.ConstructName(d.ParentConstruct)
	d.Name = t.readable(d.Symbol)
	if d.launches() {
		if err := t.program(s.Process, &d.Program); err != nil {
			return nil, err
		}
		d.Title, d.Name = t.title(d.Program, d.Symbol)
	}
	s.Description = t.shared(d)
	var err error
	s.CallStack, err = t.callStack(r.ColumnInt64(36))
	return s, err
}

// shared gives the one description of all sites that say the same.
func (t *Trace) shared(d Description) *Description {
	known := t.descriptions[d]
	if known == nil {
		known = new(Description)
		*known = d
		t.descriptions[d] = known
	}
	return known
}

// kindOf is the span's name, of an event without partner its own.
func kindOf(code int32) string {
	if name := model.SpanName(code); name != "" && !model.IsEnd(code) {
		return name
	}
	return model.KindName(code)
}

// loadSites reads the sites of some numbers that are not known yet.
func (t *Trace) loadSites(first, last int64) error {
	if err := t.learnNames(); err != nil {
		return err
	}
	return t.each("SELECT "+t.siteColumns()+" FROM site_detail d"+joinSite("JOIN")+"WHERE d.site BETWEEN ? AND ? AND "+t.ChosenSQL("d.process"), []any{first, last}, func(r *sqlite.Stmt) error {
		if old := t.sites[r.ColumnInt64(0)]; old != nil && old.KindCode != 0 {
			return nil
		}
		s, err := t.readSite(r)
		if err == nil {
			t.sites[s.ID] = s
		}
		return err
	})
}

// callStack gives a call stack by its number. All are read at once.
func (t *Trace) callStack(id int64) ([]uint64, error) {
	if id > t.newestStack { // a trace that grows has new ones
		var err error
		if t.stacks, err = ReadStacks(t.conn); err != nil {
			return nil, schema.Explain(t.path, err)
		}
		t.newestStack = id
		for known := range t.stacks {
			t.newestStack = max(t.newestStack, known)
		}
	}
	return t.stacks.Frames(id), nil
}

// launches says whether it is a kernel's.
func (d *Description) launches() bool {
	return d.KindCode == model.EnqueueLaunchStart || d.KindCode == model.EnqueueLaunchEnd
}
