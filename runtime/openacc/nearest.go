package openacc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// nearby is how far data may lie from an address, in bytes, to be told of as next to it.
const nearby = 1 << 20

// A neighbour is data next to device memory that a kernel used and that is nobody's.
type neighbour struct {
	*dataenv.Mapping
	before   bool           // the memory lies before them
	distance device.Address // in bytes, 0: right behind or before
}

// closer is the one of the mappings so far, and another one, that is next to the memory.
func (n neighbour) closer(m *dataenv.Mapping, low device.Address, bytes uint64) neighbour {
	other := neighbour{Mapping: m}
	switch end := m.Device + device.Address(m.Size); {
	case m.Size == 0:
		return n
	case low >= end:
		other.distance = low - end
	case low+device.Address(bytes) <= m.Device:
		other.before, other.distance = true, m.Device-low-device.Address(bytes)
	case low < m.Device:
		other.before = true
	}
	if other.distance >= nearby || n.Mapping != nil && n.distance <= other.distance {
		return n
	}
	return other
}

// neighbourOf finds the data next to device memory: what is there now, else what was last.
func (rt *Runtime) neighbourOf(low device.Address, bytes uint64) (near neighbour) {
	for _, d := range rt.initialised(0, true) {
		d.mu.Lock()
		if d.isOpen() {
			for m := range d.table.All() {
				near = near.closer(m, low, bytes)
			}
			for _, gone := range []*departed{&d.departed, &d.departedKernels} {
				for left := range gone.all {
					near = near.closer(left.mapping, low, bytes)
				}
			}
		}
		d.mu.Unlock()
	}
	return near
}

// besides says which variable lies next to the device memory that a failure is about, and
// which element of it that would be; "" where there is none.
func (t *raiser) besides(failure *device.Error) string {
	if failure.Bytes == 0 {
		return ""
	}
	near := t.rt.neighbourOf(failure.Address, failure.Bytes)
	if near.Mapping == nil {
		return ""
	}
	a := account{lack: &lack{entry: t.entryOf(near.Mapping)}, t: t}
	if a.entry >= 0 && t.rt.options.Namer != nil {
		a.told = t.rt.options.Namer.Describe(t.place, t.function, t.scratch.arguments, a.entry)
	} else if name := near.Name(); !attribution.IsReference(name) {
		a.told.Name = name
	}
	entered, _ := a.at(blockOf(near.Mapping).origin)
	whole := fmt.Sprintf("%d bytes", near.Size)
	if section := a.told.Section(near.Host, near.Size); section != "" {
		whole = "`" + section + "`"
	} else if a.told.Name != "" {
		whole = "`" + a.told.Name + "` (" + whole + ")"
	}
	where := fmt.Sprintf("%d bytes behind the end of %s, entered %s", near.distance, whole, entered)
	if near.before {
		where = fmt.Sprintf("%d bytes before the begin of %s, entered %s", near.distance, whole, entered)
	} else if element := a.told.Section(near.HostOf(failure.Address), uintptr(failure.Bytes)); element != "" {
		return fmt.Sprintf("; that is `%s`, %s", strings.ReplaceAll(element, ":1]", "]"), where)
	}
	return "; that is " + where
}

// entryOf is the entry of the compute construct in progress that data are, -1 for none.
func (t *raiser) entryOf(m *dataenv.Mapping) int {
	if t.function == 0 {
		return -1
	}
	a := t.scratch.arguments
	return slices.IndexFunc(a.Hosts, func(host uintptr) bool { return host >= m.Host && host < m.End() })
}
