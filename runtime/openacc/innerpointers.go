package openacc

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// Launches of a kernel, and words of each variable, in which addresses are looked for
// before debug information is read for what they are.
const (
	soughtLaunches = 4
	soughtWords    = 64
)

// innerPointers are the pointers inside of a kernel's data that it may follow, as far as
// nothing has been said of them. Device.mu guards them.
type innerPointers struct {
	launches int  // in which no address was found
	known    bool // list has been asked for
	over     bool // nothing is to be looked for any more
	list     []attribution.Inner
}

// An innerPointer is one that has an address of the host's on the device.
type innerPointer struct {
	attribution.Inner
	name  string
	alone bool // there is one element
	value uintptr
	size  uintptr // of the data that it points to and that is present; 0: there is none
}

// warnOfInner warns of the host's pointers inside of the data of a kernel; it reports
// false where the device is strict and the kernel is seen to follow one: that was an error.
func (t *launcher) warnOfInner(p *mapper, k *kernelCode, c *Construct) bool {
	d, items := p.d, t.scratch.items
	d.mu.Lock()
	k.inner.over = k.inner.over || t.rt.options.Namer == nil
	if !k.inner.known && !k.inner.over {
		ask := p.holdsAddresses(items)
		if !ask {
			k.inner.launches++
			k.inner.over = k.inner.launches == soughtLaunches
		} else {
			d.mu.Unlock()
			list := t.rt.options.Namer.Inner(t.place, c.Function, c.Arguments)
			d.mu.Lock()
			if !k.inner.known {
				k.inner.known, k.inner.over, k.inner.list = true, len(list) == 0, list
			}
		}
	}
	found := p.takeInner(items, k)
	d.mu.Unlock()
	for i := range found {
		if !t.warnOfOne(d, c, &found[i]) {
			return false
		}
	}
	return true
}

// holdsAddresses says whether the beginning of some item may hold addresses of the host's.
// d.mu is held.
func (p *mapper) holdsAddresses(items []goacc.Item) bool {
	for i := range items {
		item := items[i]
		p.lead(&item)
		for offset := uintptr(0); offset+8 <= min(item.Size, 8*soughtWords); offset += 8 {
			if p.isHosts(p.given(&item, offset)) {
				return true
			}
		}
	}
	return false
}

// isHosts says whether a value is an address of the host's. d.mu is held.
func (p *mapper) isHosts(value uintptr) bool {
	if value < lowestAddress || value >= highestAddress || p.d.holds(device.Address(value)) {
		return false
	}
	_, readable := load(value)
	return readable
}

// given is a word of what the kernel gets for an item, 0 where that is not known yet or
// attached. d.mu is held.
func (p *mapper) given(item *goacc.Item, offset uintptr) uintptr {
	if item.Action == goacc.ActionNone {
		return 0
	}
	at := item.Host + offset
	m, presence := p.d.table.Find(at, 8)
	switch {
	case presence != dataenv.Present:
		if !item.Value || offset+8 > item.Size || p.d.willWrite(at, 8) {
			return 0
		}
	case m.Attach[at-m.Host] > 0 || blockOf(m).identity:
		return 0
	case p.t.made(m):
		if !item.Copyin || p.d.willWrite(at, 8) {
			return 0
		}
	default:
		if b := blockOf(m); b.arrival == nil || b.arrival.finished.Load() >= b.number {
			at = uintptr(m.DeviceOf(at))
		}
	}
	return word(at)
}

// takeInner finds the host's pointers in the data of a kernel, and takes them off the list
// of those to be looked for. d.mu is held.
func (p *mapper) takeInner(items []goacc.Item, k *kernelCode) (found []innerPointer) {
	k.inner.list = slices.DeleteFunc(k.inner.list, func(x attribution.Inner) bool {
		one, is := p.innerOf(items, x)
		if is {
			found = append(found, one)
		}
		return is
	})
	k.inner.over = k.inner.over || k.inner.known && len(k.inner.list) == 0
	return found
}

// hasInner says whether there are any to be warned of. d.mu is held.
func (p *mapper) hasInner(items []goacc.Item, k *kernelCode) bool {
	return !k.inner.over && slices.ContainsFunc(k.inner.list, func(x attribution.Inner) bool {
		_, is := p.innerOf(items, x)
		return is
	})
}

// innerOf finds the first element of the kernel's data in which x has an address of the
// host's. d.mu is held.
func (p *mapper) innerOf(items []goacc.Item, x attribution.Inner) (one innerPointer, is bool) {
	i := slices.IndexFunc(items, func(item goacc.Item) bool { return item.Entry == x.Entry })
	if i < 0 {
		return one, false
	}
	item := items[i]
	if x.Target && !p.lead(&item) {
		return one, false
	}
	count := max(uint64(item.Size)/x.Stride, 1)
	for n := range min(count, soughtWords) {
		value := p.given(&item, uintptr(x.Offset)+uintptr(n*x.Stride))
		if !p.isHosts(value) {
			continue
		}
		one = innerPointer{Inner: x, name: x.Name(int64(n), count), alone: count == 1, value: value}
		if m, presence := p.d.table.Find(value, 1); presence == dataenv.Present {
			one.size = m.Size
		}
		return one, true
	}
	return one, false
}

// lead makes of a pointer whose copy the kernel gets the data that it points to, which are
// present; false where it is none. d.mu is held.
func (p *mapper) lead(item *goacc.Item) bool {
	if item.Action != goacc.ActionPresent && item.Action != goacc.ActionPointer || item.Size != 8 {
		return false
	}
	at, readable := load(item.Host)
	m, presence := p.d.table.Find(at, 1)
	if !readable || presence != dataenv.Present {
		return false
	}
	item.Host, item.Size, item.Value = at, m.End()-at, false
	return true
}

// reserved are names of C++'s library and of the compiler, which no directive can write: those of
// a vector's members, and of what a lambda has captured.
var reserved = regexp.MustCompile(`\b(_[A-Z]|__)`)

// warnOfOne is warnOfInner for one pointer.
func (t *warner) warnOfOne(d *Device, c *Construct, x *innerPointer) bool {
	told := t.rt.options.Namer.Describe(t.place, c.Function, c.Arguments, x.Entry)
	where, remedy, certain := fmt.Sprintf("to memory that is not on %s", d), "attach it", x.Certain && x.alone
	if x.size > 0 {
		where = fmt.Sprintf("into %d bytes that are present on %s, where it is not attached to them", x.size, d)
	}
	if section := x.Section(x.name); reserved.MatchString(x.name) {
		remedy = fmt.Sprintf("no clause can name it; copy it to a variable ahead of the construct, as p = v.data() does of a vector's, use that in the kernel in place of %s, and name the data in a clause, for example copy(p[0:n])", x.Variable())
	} else if section != "" {
		remedy = fmt.Sprintf("attach it, for example by enter data copyin(%s) where %s is present", section, x.Variable())
	}
	text := fmt.Sprintf("kernel %s is given the host's pointer %s, %s; a GPU %s: %s",
		told.Kernel, x.name, where, fails(x.Followed, certain), remedy)
	if certain && d.hostCoded.Strict() {
		t.fail(t.errorf(device.Execution, "%s (ACCSCOPE_SIM_STRICT)", text))
		return false
	}
	t.warn(d, told, text)
	return true
}
