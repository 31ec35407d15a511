package openacc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A device that runs the host's code beside a memory of its own (device.HostCoded)
// hides what a GPU would fail with: a kernel that follows a pointer of the host's, and
// an update of data that the kernels share with the host. The runtime warns of what it
// can see of that.

// Addresses of a program's data lie between these.
const (
	lowestAddress  = 1 << 16
	highestAddress = 1 << 48
)

// A hostPointer is a variable whose value goes to a kernel as it is on the host, and may
// be an address.
type hostPointer struct {
	entry int
	size  uintptr // of the data that it points to and that is present; 0: there is none
	empty bool    // the compiler passes an empty section for it, which was not found
	spare bool    // a no_create clause names it, and it was not found
	value uintptr
}

// A warning is what is said once: of a variable of a kernel, by the outlined function,
// or of a directive, by its return address.
type warning struct {
	place uintptr
	entry int
}

// A warner warns of that.
type warner struct{ transfers }

// suspectHostPointers notes the values of 8 bytes that a kernel gets and that are addresses
// of the host's: in data which is present and which the construct does not name beside, or
// in other memory. d.mu is held.
func (p *mapper) suspectHostPointers(items []goacc.Item) {
	s := p.t.scratch
	for i := range items {
		item := &items[i]
		if item.Action != goacc.ActionMap && item.Action != goacc.ActionDevicePointer || item.Size != 8 || !item.Copyin || !item.Value && !p.made(item) {
			continue
		}
		// What a queue has still to write cannot be told yet.
		if p.d.willWrite(item.Host, item.Size) {
			continue
		}
		value := word(item.Host)
		if value < lowestAddress || value >= highestAddress || p.d.warned[warning{p.t.function, item.Entry}] {
			continue
		}
		switch m, presence := p.d.table.Find(value, 1); {
		case presence != dataenv.Present:
			if _, readable := load(value); readable && !p.d.holds(device.Address(value)) {
				s.suspects = append(s.suspects, hostPointer{entry: item.Entry, value: value})
			}
		case !names(items, i, m):
			s.suspects = append(s.suspects, hostPointer{entry: item.Entry, size: m.Size, value: value})
		}
	}
}

// holds says whether an address lies in memory of the device's that the program or a
// mapping has. d.mu is held.
func (d *Device) holds(address device.Address) bool {
	for start, size := range d.allocations {
		if address-start < device.Address(size) {
			return true
		}
	}
	return d.table.FindDevice(address, 0) != nil
}

// suspectAbsent notes what was not found and goes to a kernel by its address on the host: the
// empty section that the compiler passes for a variable which a data construct around names, or
// the data of a no_create clause. d.mu is held.
func (p *mapper) suspectAbsent(item *goacc.Item) {
	if p.queue != nil && p.d.hostCoded != nil && item.Host != 0 && !p.d.warned[warning{p.t.function, item.Entry}] &&
		!p.d.holds(device.Address(item.Host)) {
		p.t.scratch.suspects = append(p.t.scratch.suspects,
			hostPointer{entry: item.Entry, empty: item.Size == 0, spare: item.Size > 0, value: item.Host})
	}
}

// made says whether this call has made the mapping of an item, so that its memory can
// be read.
func (p *mapper) made(item *goacc.Item) bool {
	m, presence := p.d.table.Find(item.Host, item.Size)
	return presence == dataenv.Present && p.t.made(m) && m.Attach[item.Host-m.Host] == 0
}

// names says whether an item other than the i-th one names memory of m.
func names(items []goacc.Item, i int, m *dataenv.Mapping) bool {
	for j := range items {
		if item := &items[j]; j != i && item.Action != goacc.ActionNone && item.Action != goacc.ActionStruct &&
			item.Host < m.End() && m.Host < item.Host+max(item.Size, 1) {
			return true
		}
	}
	return false
}

// warnOfHostPointers warns of the suspects that are no numbers; it reports false where
// the device is strict and the kernel is known to follow one: that was an error.
func (t *warner) warnOfHostPointers(d *Device, c *Construct) bool {
	for _, x := range t.scratch.suspects {
		if !d.first(warning{c.Function, x.entry}) {
			continue
		}
		told := attribution.Argument{}
		if t.rt.options.Namer != nil {
			told = t.rt.options.Namer.Describe(t.place, c.Function, c.Arguments, x.entry)
		}
		what, remedy := t.whatIsGiven(d, &told, x)
		if what == "" {
			continue
		}
		kernel := told.Kernel
		if kernel == "" {
			kernel = fmt.Sprintf("%#x", c.Function)
		}
		text := fmt.Sprintf("kernel %s is given the host's %s; a GPU %s: %s",
			kernel, what, fails(told.Followed, told.Certain), remedy)
		if told.Certain && d.hostCoded.Strict() && !x.empty && !x.spare {
			t.fail(t.errorf(device.Execution, "%s (ACCSCOPE_SIM_STRICT)", text))
			return false
		}
		t.warn(d, told, text)
	}
	return true
}

// fails says whether a GPU would fail with a pointer of the host's, as far as that is known.
func fails(followed, certain bool) string {
	switch {
	case certain:
		return "would fail there"
	case followed:
		return "would fail if it comes there"
	}
	return "would fail if it follows it"
}

// whatIsGiven says what a kernel is given, "" where it is nothing to warn of; and what mends it.
func (t *warner) whatIsGiven(d *Device, told *attribution.Argument, x hostPointer) (what, remedy string) {
	name, copies := told.Name, "copy"
	if name == "" {
		name = fmt.Sprintf("variable %d", x.entry+1)
	}
	switch {
	case x.empty:
		where, section := t.sectionAround(told.Name, x.value)
		switch {
		case section == "" && told.Reached && t.namesMembers(told):
			return fmt.Sprintf("address of %s[0:1], which is not on %s", name, d),
				fmt.Sprintf("put it there before, for example by enter data copyin(%s[0:1])", name)
		case section == "":
			return "", ""
		}
		return fmt.Sprintf("address of %s, since the section %s of the data construct at %s does not begin where %[1]s does", name, section, where),
			example("present", section)
	case x.spare:
		if !told.Reached { // only some launches may
			return "", ""
		}
		return fmt.Sprintf("address of %s, which a no_create clause names and which is not on %s", name, d), example("copy", told.Item)
	case x.size > 0 && !told.Number:
		return fmt.Sprintf("pointer %s, into %d bytes that are present on %s", name, x.size, d), example("present", told.Target)
	case x.size == 0 && told.Address: // only then it is known to be one
		if where, section := t.sectionBehind(d, told.Name, x.value); section != "" {
			return fmt.Sprintf("pointer %s, since the section %s that was entered at %s does not begin where %[1]s does", name, section, where),
				example("present", section)
		}
		if told.Const {
			copies = "copyin"
		}
		return fmt.Sprintf("pointer %s, to memory that is not on %s", name, d), example(copies, told.Target)
	}
	return "", ""
}

// namesMembers says whether the construct, or a data construct around it, names members of what
// a pointer leads to, but not that itself, as in a member function of its own.
func (t *warner) namesMembers(told *attribution.Argument) bool {
	if told.Name == "this" || len(told.Components(told.Name)) > 0 {
		return true
	}
	return slices.ContainsFunc(t.regions, func(r region) bool {
		l := t.rt.options.Namer.Locate(r.begin, 0)
		return len(l.Components(told.Name)) > 0
	})
}

// sectionAround is where the innermost data construct around stands that names a section of
// a variable which begins elsewhere than the variable, at value, and the section; "" where
// none is known to, or there is nothing in the section.
func (t *warner) sectionAround(variable string, value uintptr) (where, section string) {
	if t.rt.options.Namer == nil {
		return "", ""
	}
	for i := len(t.regions) - 1; i >= 0; i-- {
		r := &t.regions[i]
		l := t.rt.options.Namer.Locate(r.begin, 0)
		item := l.Item(variable)
		if item == "" {
			continue
		}
		if !beginsBehind(item) {
			return "", ""
		}
		if r.device.Shared || slices.ContainsFunc(r.undo, func(u undo) bool { return u.host > value }) {
			return l.Where(), item
		}
		return "", ""
	}
	return "", ""
}

// beginsBehind says whether an item of a clause is a section that begins behind its variable.
func beginsBehind(item string) bool {
	at := strings.IndexByte(item, '[')
	return at >= 0 && !strings.HasPrefix(item[at:], "[0:") && !strings.HasPrefix(item[at:], "[:")
}

// sectionBehind is where the first of the data behind value were entered, and the section of
// the variable that they are there; "" where they are no such section.
func (t *warner) sectionBehind(d *Device, variable string, value uintptr) (where, section string) {
	var next *dataenv.Mapping
	d.mu.Lock()
	for m := range d.table.All() {
		if m.Host > value && (next == nil || m.Host < next.Host) {
			next = m
		}
	}
	var entered origin
	if next != nil {
		entered = blockOf(next).origin
	}
	d.mu.Unlock()
	if variable == "" || entered.at.ReturnAddress == 0 {
		return "", ""
	}
	l := t.rt.options.Namer.Locate(entered.at.ReturnAddress, entered.at.Function)
	if item := l.Item(variable); beginsBehind(item) {
		return l.Where(), item
	}
	return "", ""
}

// example says to name data in a clause, as in one that names a section, if there is one.
func example(clause, section string) string {
	const remedy = "name the data in a clause of the construct"
	if section == "" {
		return remedy
	}
	return remedy + ", for example " + clause + "(" + section + ")"
}

// first notes that something is said of w; false if it was before.
func (d *Device) first(w warning) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.warned[w] {
		return false
	}
	if d.warned == nil {
		d.warned = map[warning]bool{}
	}
	d.warned[w] = true
	return true
}

// warn prints a line, and tells those who listen to the devices.
func (t *warner) warn(d *Device, told attribution.Argument, text string) {
	// Nothing can be done about an error stream that does not take the line.
	_, _ = fmt.Fprintf(t.rt.options.Errors, "accscope: warning: %s%s\n", told.Place(), text)
	t.note(d, callbacks.ActivityRecord{Kind: callbacks.ActivityWarning, Async: AsyncSync, AsyncQueue: AsyncSync, Name: callbacks.Intern(text)})
}

// suspectUpdate notes an update of data that a device's kernels share with the host,
// as it is declared at file scope. d.mu is held.
func (t *warner) suspectUpdate(d *Device, item *goacc.Item) {
	if d.hostCoded != nil && !d.warned[warning{t.place.ReturnAddress, item.Entry}] {
		t.scratch.suspects = append(t.scratch.suspects, hostPointer{entry: item.Entry, size: item.Size})
	}
}

// warnOfUpdates warns of the suspects of an update, be it a directive's or a routine's.
func (t *warner) warnOfUpdates(d *Device, a goacc.Arguments) {
	for _, x := range t.scratch.suspects {
		if !d.first(warning{t.place.ReturnAddress, x.entry}) {
			continue
		}
		told, what := attribution.Argument{}, "data"
		if t.rt.options.Namer != nil {
			told = t.rt.options.Namer.Describe(t.place, 0, a, x.entry)
		}
		if told.Name != "" {
			what = told.Name
		}
		t.warn(d, told, fmt.Sprintf("%s does nothing on %s for %s declared at file scope: kernels there use the host's own; "+
			"on a GPU, which has a copy of its own, it would copy", t.routine, d, what))
	}
}
