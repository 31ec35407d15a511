package openacc

import (
	"fmt"

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

// A hostPointer is a variable whose value goes to a kernel as it is on the host, and
// is the address of data that is present.
type hostPointer struct {
	entry int
	size  uintptr // of the data
}

// A warning is what is said once: of a variable of a kernel, by the outlined function,
// or of a directive, by its return address.
type warning struct {
	place uintptr
	entry int
}

// A warner warns of that.
type warner struct{ transfers }

// suspectHostPointers notes the values of 8 bytes that a kernel gets and that lie in
// data which is present and which the construct does not name beside. d.mu is held.
func (p *planner) suspectHostPointers(items []goacc.Item) {
	s := p.t.scratch
	for i := range items {
		item := &items[i]
		if item.Action != goacc.ActionMap || item.Size != 8 || !item.Copyin || !item.Value && !p.made(item) {
			continue
		}
		// What a queue has still to write cannot be told yet.
		if p.d.willWrite(item.Host, item.Size) {
			continue
		}
		value := word(item.Host)
		if value < lowestAddress || value >= highestAddress {
			continue
		}
		m, presence := p.d.table.Find(value, 1)
		if presence != dataenv.Present || names(items, i, m) || p.d.warned[warning{p.t.function, item.Entry}] {
			continue
		}
		s.suspects = append(s.suspects, hostPointer{item.Entry, m.Size})
	}
}

// made says whether this call has made the mapping of an item, so that its memory can
// be read.
func (p *planner) made(item *goacc.Item) bool {
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
// the device is strict and that was an error.
func (t *warner) warnOfHostPointers(d *Device, c *Construct) bool {
	for _, x := range t.scratch.suspects {
		if !d.first(warning{c.Function, x.entry}) {
			continue
		}
		told := attribution.Argument{}
		if t.rt.options.Namer != nil {
			told = t.rt.options.Namer.Describe(t.place, c.Function, c.Arguments, x.entry)
		}
		if told.Number {
			continue
		}
		name, kernel := told.Name, told.Kernel
		if name == "" {
			name = fmt.Sprintf("variable %d", x.entry+1)
		}
		if kernel == "" {
			kernel = fmt.Sprintf("%#x", c.Function)
		}
		text := fmt.Sprintf("kernel %s is given the host's pointer %s, into %d bytes that are present on %s; a GPU would fail there: "+
			"name the data in a clause of the construct, for example present(%s)", kernel, name, x.size, d, clauseFor(told.Name))
		if d.hostCoded.Strict() {
			t.fail(t.errorf(device.Execution, "%s%s (ACCSCOPE_SIM_STRICT)", told.Place(), text))
			return false
		}
		t.warn(d, told, text)
	}
	return true
}

func clauseFor(name string) string {
	switch name {
	case "":
		return "p[0:n]"
	case "this":
		return "this[0:1]"
	}
	return name + "[0:n]"
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
		t.scratch.suspects = append(t.scratch.suspects, hostPointer{item.Entry, item.Size})
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
