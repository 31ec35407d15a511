package openacc

import (
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/goacc"
)

// A Namer names the variables of a call: one name for each entry, "" where it
// cannot tell. The answer must not be changed and is valid for ever.
type Namer interface {
	// NameDirective names the mappings of a directive; function is that of a
	// compute construct, else 0. settled: later calls have the same names.
	NameDirective(place attribution.Place, function uintptr, arguments goacc.Arguments) (names []string, settled bool)
	// NameData names the argument of a routine.
	NameData(place attribution.Place, host, bytes uintptr) string
	// Implied is the field implicit of an event about a variable of a compute construct:
	// 0 where a data clause of the directive's text lists it by that name, 1 where none
	// does or the text is not known, callbacks.ImpliedByText where the name is a reference.
	Implied(place attribution.Place, function uintptr, name string) int32
	// Lists says whether the text of a directive lists data by a name that they have from
	// elsewhere. Of a name that is a reference the tool asks that.
	Lists(place attribution.Place, function uintptr, name string) bool
	// NameKernel names a compute construct's kernel, "" leaves it to the device.
	NameKernel(place attribution.Place, function uintptr) string
	// Describe tells at once what entry i of a directive is, DescribeData what a routine's
	// argument is, and Locate where a call was made.
	Describe(place attribution.Place, function uintptr, arguments goacc.Arguments, i int) attribution.Argument
	DescribeData(place attribution.Place, host, bytes uintptr) attribution.Argument
	Locate(returnAddress, function uintptr) attribution.Location
	// Inner lists the pointers inside of the data of a construct's kernel that it may follow.
	Inner(place attribution.Place, function uintptr, arguments goacc.Arguments) []attribution.Inner
	// Refers says whether names are references at present (package attribution).
	Refers() bool
}

// A namer knows what the program calls the variables of the call in progress, and what
// its construct was written as.
type namer struct {
	caller
	version uint64 // of the Attributor's answers
}

// A namedRange is a range of host memory that the call in progress names.
type namedRange struct {
	low, high uintptr
	name      string
}

// dataEvents are the events that tell of a variable, in Registry.WantedEvents.
const dataEvents = 1<<callbacks.Create | 1<<callbacks.Delete | 1<<callbacks.Alloc | 1<<callbacks.Free |
	1<<callbacks.EnqueueUploadStart | 1<<callbacks.EnqueueUploadEnd |
	1<<callbacks.EnqueueDownloadStart | 1<<callbacks.EnqueueDownloadEnd

// naming says whether somebody wants to know the variables of this call.
func (t *namer) naming() bool {
	return atomic.LoadUint32(t.wantedEvents)&dataEvents != 0 && t.rt.options.Namer != nil
}

// nameDirective notes the names of a directive's variables for the events of
// this call. d.mu must not be held: debug information may have to be read.
func (t *namer) nameDirective(arguments goacc.Arguments) {
	if !t.naming() {
		return
	}
	t.noteNames(arguments)
}

// nameLater is nameDirective for a directive whose names are known (knowsNames), and may
// not be asked for.
func (t *namer) nameLater(arguments goacc.Arguments) {
	t.scratch.unnamed, t.scratch.arguments = t.naming(), arguments
}

// knowsNames says whether names of a directive's variables are known, or not wanted.
func (t *namer) knowsNames(arguments goacc.Arguments) bool {
	if !t.naming() {
		return true
	}
	return t.answered().isNamed(len(arguments.Kinds))
}

func (t *namer) noteNames(arguments goacc.Arguments) {
	names := t.namesOf(arguments)
	s := t.scratch
	for i, name := range names {
		if size := attribution.BytesOf(arguments, i); size > 0 {
			s.names = append(s.names, namedRange{arguments.Hosts[i], arguments.Hosts[i] + size, name})
		}
	}
}

// namesOf asks the Namer, until it has given all names.
func (t *namer) namesOf(arguments goacc.Arguments) []string {
	here := t.answered()
	if here.isNamed(len(arguments.Kinds)) {
		return here.names
	}
	names, settled := t.rt.options.Namer.NameDirective(t.place, t.function, arguments)
	if settled {
		here.named, here.names, here.carried = true, names, nil
	}
	return names
}

// isNamed says whether the names of a directive with so many entries are known.
func (s *site) isNamed(entries int) bool { return s.named && len(s.names) == entries }

// nameData notes the name of a routine's argument.
func (t *namer) nameData(host, bytes uintptr) {
	if !t.naming() {
		return
	}
	name := t.rt.options.Namer.NameData(t.place, host, bytes)
	t.scratch.names = append(t.scratch.names, namedRange{host, host + bytes, name})
}

func (t *namer) haveNames() {
	if s := t.scratch; s.unnamed {
		s.unnamed = false
		t.noteNames(s.arguments)
	}
}

// nameOf names a host range for an event: by what the call in progress calls it, or a part
// of it, else by what m, its mapping (or nil), was called when it was made. Data that the call
// is itself about have such a name only where its directive's text lists it.
func (t *namer) nameOf(host, size uintptr, m *dataenv.Mapping) string {
	t.haveNames()
	name, part, smallest, own := "", "", ^uintptr(0), 0
	for i := range t.scratch.names {
		r := &t.scratch.names[i]
		if r.low < host+size && host < r.high {
			own, part = own+1, r.name
		}
		if r.name != "" && r.low <= host && host+size <= r.high && r.high-r.low < smallest {
			if name, smallest = r.name, r.high-r.low; smallest == size {
				break
			}
		}
	}
	if m == nil {
		return name
	}
	if name == "" && own == 1 {
		name = part
	}
	switch known := m.Name(); {
	case name != "" && !attribution.IsReference(name), known == "":
		return name
	case name == "" && own > 0 && (attribution.IsReference(known) || !t.rt.options.Namer.Lists(t.place, t.function, known)):
		return ""
	default:
		return t.joined(name, known)
	}
}

// learn gives a mapping the name that the call which makes it has for it.
func (t *namer) learn(m *dataenv.Mapping) {
	if t.haveNames(); len(t.scratch.names) > 0 {
		if name := t.nameOf(m.Host, m.Size, nil); name != "" {
			m.SetName(name)
		}
	}
}
