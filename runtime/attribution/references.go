package attribution

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/loaded"
	"github.com/accscope/accscope/runtime/source/snapshot"
)

// References stand in events for places and names while nobody but a tool that
// resolves them afterwards is listening (accscope_names.h), so that no thread of the
// program waits for debug information. Otherwise its answers are those of Attribution.
//
// It may be used by any number of threads.
type References struct {
	*Attribution
	tool atomic.Pointer[lateTool] // nil: nobody has asked for references

	mu       sync.Mutex // taken to add to what follows
	sites    map[CallSite]*lateSite
	routines map[routineCall]string
	modules  map[loaded.Module]uintptr // an address in each module that has a site
	last     uint32                    // site number
	taken    []byte                    // the last snapshot, whose memory serves again
	written  int                       // bytes of snapshots
	closed   uint64                    // loaded.Closed when modules were last looked at
}

type lateTool struct {
	tell   func(Site)
	others *uint32 // not 0: other tools are listening; loaded atomically
}

// A Site is a struct accscope_site.
type Site struct {
	Number, First           uint32
	ReturnAddress, Function uintptr
	Snapshot                []byte // nil: nothing but the place
}

// A lateSite is a place that the tool has been told of.
type lateSite struct {
	number    uint32
	function  uintptr
	place     callbacks.CString
	text      string
	names     []string // references to its entries
	snapshots int
	settled   bool // no more snapshots are to be taken
}

// never stands for other tools that never leave.
var never uint32 = 1

// Reference is the character that a reference begins with.
const Reference = '\x01'

// IsReference says whether a variable's name is one or more references.
func IsReference(name string) bool { return name != "" && name[0] == Reference }

// Snapshots are taken of so many calls of a directive, in whose first ones pointers may
// be null or equal, and of so many calls of a routine from one place, whose argument may
// be any expression; and of so many bytes in all. What comes after has its names looked
// up at once.
const (
	directiveSnapshots = 8
	routineSnapshots   = 64
	snapshotBytes      = 32 << 20
)

// NewReferences answers like an Attribution until a tool asks for references.
func NewReferences(a *Attribution) *References {
	return &References{Attribution: a, sites: map[CallSite]*lateSite{}, routines: map[routineCall]string{},
		modules: map[loaded.Module]uintptr{}, closed: loaded.Closed()}
}

// Refer has tell called for each site from now on, while others is 0. It reports
// whether no other tool has asked.
func (r *References) Refer(tell func(Site), others *uint32) bool {
	if !r.tool.CompareAndSwap(nil, &lateTool{tell, others}) {
		return false
	}
	// The first site needs the tables of symbols, which are large in some programs.
	go r.process.Prepare()
	return true
}

// referring gives the tool that is told of sites, nil while names are wanted at once.
func (r *References) referring() *lateTool {
	if tool := r.tool.Load(); tool != nil && atomic.LoadUint32(tool.others) == 0 {
		return tool
	}
	return nil
}

// Refers says whether names are references at present.
func (r *References) Refers() bool { return r.referring() != nil }

// Version implements openacc.Attributor.
func (r *References) Version() uint64 {
	version := r.Attribution.Version() << 1
	if r.Refers() {
		version |= 1
	}
	return version
}

// Attribute implements openacc.Attributor.
func (r *References) Attribute(place Place, function uintptr, info *callbacks.Info) {
	if s := r.told(place, function); s != nil {
		info.SrcFile = s.place
		return
	}
	r.Attribution.Attribute(place, function, info)
}

// Written implements openacc.Attributor. The tool that is told of sites reads the text itself.
func (r *References) Written(place Place, function uintptr, as callbacks.Construct) callbacks.Construct {
	if r.told(place, function) != nil {
		return as
	}
	return r.Attribution.Written(place, function, as)
}

// told gives the site of a call, or of one that launched a kernel where only this is
// known; nil while no tool is told of sites.
func (r *References) told(place Place, function uintptr) *lateSite {
	tool := r.referring()
	switch {
	case tool == nil:
		return nil
	case place.ReturnAddress != 0:
		return r.site(tool, CallSite{place.ReturnAddress, function})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sites {
		if function != 0 && s.function == function {
			return s
		}
	}
	return nil
}

// Implied implements openacc.Namer.
func (r *References) Implied(place Place, function uintptr, name string) int32 {
	if IsReference(name) {
		return callbacks.ImpliedByText
	}
	return r.Attribution.Implied(place, function, name)
}

// NameKernel implements openacc.Namer.
func (r *References) NameKernel(place Place, function uintptr) string {
	if s := r.told(place, function); s != nil {
		return s.text
	}
	return ""
}

// site gives the site of a call, nil where another module may be by now where one was
// that has sites: then names are looked up at once.
func (r *References) site(tool *lateTool, at CallSite) *lateSite {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sites[at]; s != nil {
		return s
	}
	if now := loaded.Closed(); r.closed != now {
		r.closed = now
		for module, address := range r.modules {
			if now, _ := loaded.Of(address); now != module {
				r.tool.Store(&lateTool{tool.tell, &never})
				return nil
			}
		}
	}
	for _, address := range []uintptr{at.ReturnAddress, at.Function} {
		if module, ok := loaded.Of(address); ok {
			r.modules[module] = address
		}
	}
	r.last++
	s := &lateSite{number: r.last, function: at.Function, text: string(Reference) + strconv.FormatUint(uint64(r.last), 10)}
	s.place = callbacks.Intern(s.text)
	tool.tell(Site{Number: s.number, ReturnAddress: at.ReturnAddress, Function: at.Function})
	r.sites[at] = s
	return s
}

// NameDirective implements openacc.Namer.
func (r *References) NameDirective(place Place, function uintptr, arguments goacc.Arguments) ([]string, bool) {
	if tool := r.referring(); tool != nil && place.ReturnAddress != 0 && len(arguments.Kinds) > 0 {
		if s := r.site(tool, CallSite{place.ReturnAddress, function}); s != nil {
			if names, settled := r.referTo(tool, s, place, arguments); names != nil {
				return names, settled
			}
		}
	}
	return r.Attribution.NameDirective(place, function, arguments)
}

// referTo makes the references to the entries of a directive, nil where there are too
// many.
func (r *References) referTo(tool *lateTool, s *lateSite, place Place, arguments goacc.Arguments) (names []string, settled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !s.settled {
		call := runtimeCall(place, s.function, entriesOf(arguments))
		if !r.snapshot(tool, s, 0, &call) {
			return nil, false
		}
		s.snapshots++
		s.names = nil
		s.settled = s.snapshots == directiveSnapshots || distinct(arguments.Hosts)
	}
	for len(s.names) < len(arguments.Kinds) {
		s.names = append(s.names, s.entry(len(s.names)))
	}
	return s.names[:len(arguments.Kinds):len(arguments.Kinds)], s.settled
}

// entry is the reference to an entry, as the snapshots taken so far tell of it.
func (s *lateSite) entry(i int) string {
	return s.text + "." + strconv.Itoa(i) + "." + strconv.Itoa(s.snapshots)
}

// distinct says whether addresses tell entries apart.
func distinct(hosts []uintptr) bool {
	for i, host := range hosts {
		if host == 0 || slices.Contains(hosts[:i], host) {
			return false
		}
	}
	return true
}

// NameData implements openacc.Namer.
func (r *References) NameData(place Place, host, bytes uintptr) string {
	if tool := r.referring(); tool != nil && place.ReturnAddress != 0 && host != 0 {
		if s := r.site(tool, CallSite{place.ReturnAddress, 0}); s != nil {
			if name := r.referToData(tool, s, place, host, bytes); name != "" {
				return name
			}
		}
	}
	return r.Attribution.NameData(place, host, bytes)
}

// referToData makes the reference to the argument of a routine, "" where there are
// too many.
func (r *References) referToData(tool *lateTool, s *lateSite, place Place, host, bytes uintptr) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := routineCall{place.ReturnAddress, host, bytes}
	name, known := r.routines[at]
	if known || s.snapshots >= routineSnapshots {
		return name
	}
	call := runtimeCall(place, 0, []snapshot.Entry{{Address: uint64(host), Size: uint64(bytes)}})
	if !r.snapshot(tool, s, s.snapshots, &call) {
		return ""
	}
	s.snapshots++
	name = s.entry(s.snapshots - 1)
	r.routines[at] = name
	return name
}

// snapshot tells the tool of a call's entries, which have the numbers from first on.
// r.mu is held.
func (r *References) snapshot(tool *lateTool, s *lateSite, first int, call *snapshot.Call) bool {
	if r.written > snapshotBytes {
		return false
	}
	r.taken = call.Append(r.taken[:0], r.process.Static(call.ReturnAddress))
	r.written += len(r.taken)
	tool.tell(Site{Number: s.number, First: uint32(first), Snapshot: r.taken,
		ReturnAddress: uintptr(call.ReturnAddress), Function: uintptr(call.Function)})
	return true
}
