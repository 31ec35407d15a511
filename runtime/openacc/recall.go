package openacc

import (
	"slices"

	"github.com/accscope/accscope/runtime/goacc"
)

// A program launches the same construct with the same variables again and again. What
// such a call came to is kept: as long as its arrays are equal and the present table has
// not changed, nothing of it has to be found out again but what the variables hold.

// recalled is what a steady compute construct came to (steady.go).
type recalled struct {
	kernels *map[uintptr]*kernelCode // of a device, among which kernel was found
	kernel  *kernelCode

	device     *Device
	generation uint64 // of the device
	version    uint64 // of its present table
	hosts      []uintptr
	sizes      []uintptr
	kinds      []uint16

	complete bool // the call came twice in a row: what follows is filled in
	decoded       // the block has the values of then
	uses     []use
	values   int // how many of them are carried
	pointers []hostWord
	carried  carriedBytes
	list     *carriedValues
}

// hostWord is a pointer of the program's that a kernel follows, or a word of a descriptor
// that it reads.
type hostWord struct{ address, value uintptr }

// carriedBytes are the values that travel in an argument block.
type carriedBytes struct {
	count int
	bytes uintptr // of all
	host  uintptr // address of the last one
}

// launch is what the construct in progress came to before, or another one did that has given way to it.
func (t *launcher) launch(c *Construct) *recalled {
	hash := uint64(0)
	for _, host := range c.Arguments.Hosts {
		hash = (hash ^ uint64(host)) * 0xff51afd7ed558ccd
	}
	known := t.here().launches.of(hash, mostCalls)
	if *known == nil {
		*known = new(recalled)
	}
	return *known
}

// knownKernel is the kernel of a function that has run on d before, nil for another one.
func (r *recalled) knownKernel(d *Device, function uintptr) *kernelCode {
	known := d.kernels.Load()
	if r.kernels == known && r.kernel != nil && r.kernel.function == function {
		return r.kernel
	}
	if k := (*known)[function]; k != r.kernel {
		r.kernel, r.complete = k, false
	}
	r.kernels = known
	return r.kernel
}

// isOf says whether c, at the site of r, is the call that r is of, and would find the same present table.
// d.mu is held.
func (r *recalled) isOf(d *Device, c *Construct) bool {
	return r.device == d && r.generation == d.generation.Load() &&
		r.version == d.table.Version() && slices.Equal(r.hosts, c.Arguments.Hosts) &&
		slices.Equal(r.sizes, c.Arguments.Sizes) && slices.Equal(r.kinds, c.Arguments.Kinds)
}

// recall is enterSteady for a construct that is kept. False: it is not, or no longer as it
// was then, and nothing has changed.
func (t *launcher) recall(p *mapper, c *Construct, k *kernelCode, r *recalled) bool {
	s := t.scratch
	for _, outer := range t.levels[:t.level] {
		if outer.scratch.recalled == r {
			return false // in use by a construct around the callback that makes this call
		}
	}
	s.recalled = r
	if !r.complete {
		return false
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if !r.isOf(p.d, c) || !p.isStill(r) || r.values > 0 && p.suspects(r.items) {
		return false
	}
	s.decoded, s.again = &r.decoded, true
	t.nameLater(c.Arguments)
	value := 0
	for i := range r.uses {
		switch item := &r.items[i]; r.uses[i].how {
		case holds:
			p.count(r.uses[i].mapping, item)
		case carries:
			if item.Action == goacc.ActionMap {
				s.block.SetValue(value, bytesAt(item.Host, item.Size))
			}
			value++
		}
	}
	if t.placeArguments(p.queue, k) != nil {
		s.stored = nil // planArguments meets the error again, and reports it
	}
	return true
}

// isStill says whether what a thread has found out about r, apart from the present table,
// is so still: data are there to be used, values can be read, pointers point to what they
// pointed to.
func (p *mapper) isStill(r *recalled) bool {
	if !p.areReady(r.items, r.uses, p.queue) {
		return false
	}
	if r.values+len(r.pointers) > 0 && !p.t.prober.readable(r.items, p.t.place.StackPointer) {
		return false
	}
	for _, pointer := range r.pointers {
		if word(pointer.address) != pointer.value {
			return false
		}
	}
	return true
}

// noteRecall notes what the steady construct in progress came to, if it was called with the same
// variables the last time too. Its argument block is complete.
func (t *launcher) noteRecall(p *mapper, c *Construct) {
	s := t.scratch
	r := s.recalled
	if s.again || r == nil || !repeats(&c.Arguments) {
		return
	}
	p.d.mu.Lock()
	twice := s.version == r.version && r.isOf(p.d, c)
	p.d.mu.Unlock()
	if !twice {
		r.device, r.generation, r.version = p.d, p.d.generation.Load(), s.version
		r.hosts = append(r.hosts[:0], c.Arguments.Hosts...)
		r.sizes = append(r.sizes[:0], c.Arguments.Sizes...)
		r.kinds = append(r.kinds[:0], c.Arguments.Kinds...)
		r.complete = false
		return
	}
	r.items = append(r.items[:0], s.items...)
	r.uses = append(r.uses[:0], s.uses...)
	r.values, r.pointers = 0, r.pointers[:0]
	for i := range r.uses {
		item := &r.items[i]
		if item.Value {
			r.values++
		}
		if item.Action == goacc.ActionPointer || item.Value && item.Action != goacc.ActionMap {
			r.follow(item)
		}
	}
	r.block.Copy(&s.block)
	r.carried, r.list = t.carriedBytes(), nil
	r.complete = true
}

// follow notes what a pointer or a descriptor is on the host.
func (r *recalled) follow(item *goacc.Item) {
	for at := item.Host; at < item.Host+item.Size; at += 8 {
		r.pointers = append(r.pointers, hostWord{at, word(at)})
	}
}

// repeats says whether equal arrays always mean the same variables: where a device pointer
// is passed, memory decides.
func repeats(a *goacc.Arguments) bool {
	return len(a.Zero) == 0 && !slices.ContainsFunc(a.Kinds, func(kind uint16) bool {
		return goacc.Kind(kind) == goacc.ForceDevicePointer
	})
}

// carriedBytes are those of the construct in progress.
func (t *namer) carriedBytes() (c carriedBytes) {
	s := t.scratch
	if s.again {
		return s.recalled.carried
	}
	for i := range s.items {
		if item := &s.items[i]; carried(item) {
			c.count, c.bytes, c.host = c.count+1, c.bytes+item.Size, item.Host
		}
	}
	return c
}
