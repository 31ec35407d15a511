package model

import "github.com/accscope/accscope/collector/capture"

// variableKey is a variable as allocated at one place.
type variableKey struct {
	name, file Name
	line       int32
}

// variable is the device memory one variable uses.
type variable struct {
	current, peak int64
	live          int64 // allocations now
	count         int64 // allocations ever
	epoch, atPeak int64 // atPeak holds for the device's peak number epoch
}

// allocation is device memory or a mapping that is live.
type allocation struct {
	id       int64 // record of the alloc or create
	host     uint64
	device   uint64
	bytes    uint64
	time     int64
	variable variableKey
	function Name
	thread   ThreadID
	count    int32 // creates of the same range seen while it was live
	shutdown bool  // was live when its device began to shut down
	gone     bool  // and its device has
}

// direction is what went one way between host and device.
type direction struct {
	count, bytes int64
	host         int64 // ns in the enqueue calls
	measured     int64 // transfers with device time
	device       int64 // ns on the device
	minimum      int64 // ns on the device
	maximum      int64
	recent       rate
}

// device is the state of one device as one process sees it.
type device struct {
	id          DeviceID
	used, peak  int64
	peakTime    int64
	epoch       int64
	variables   map[variableKey]*variable
	allocations map[uint64]allocation // by device address
	mappings    map[uint64]allocation // by host address
	creates     bool                  // create events were seen: mappings are the runtime's own
	unknown     int64                 // deletes and frees whose opener was not seen
	leaked      []allocation
	leakedBytes int64
	up, down    direction
	queues      []*queue
	kernels     int64
	kernelTime  int64 // ns measured
}

func newDevice(id DeviceID) *device {
	return &device{id: id, variables: make(map[variableKey]*variable),
		allocations: make(map[uint64]allocation), mappings: make(map[uint64]allocation)}
}

func (d *device) change(key variableKey, bytes, time int64, live int64) {
	v := d.variables[key]
	if v == nil {
		v = new(variable)
		d.variables[key] = v
	}
	if v.epoch != d.epoch {
		v.epoch, v.atPeak = d.epoch, v.current
	}
	v.current += bytes
	v.live += live
	if live > 0 {
		v.count++
	}
	v.peak = max(v.peak, v.current)
	d.used += bytes
	if d.used > d.peak {
		d.peak, d.peakTime = d.used, time
		d.epoch++
	}
}

// usageAtPeak is what a variable held when the device's use was highest.
func (d *device) usageAtPeak(v *variable) int64 {
	if v.epoch == d.epoch {
		return v.atPeak
	}
	return v.current
}

func allocationOf(e *Event, id int64) allocation {
	return allocation{id: id, host: e.Host, device: e.Device, bytes: e.Bytes, time: e.Time, thread: e.Thread,
		variable: variableKey{e.Name, e.SourceFile, e.Line}, function: e.Function, count: 1}
}

func (m *Model) alloc(e *Event, step *Step) {
	d := m.device(step.Device)
	a := allocationOf(e, step.ID)
	if old, ok := d.allocations[e.Device]; ok && e.Device != 0 && !old.gone {
		// The free of the old one was not seen.
		d.change(old.variable, -Size(old.bytes), e.Time, -1)
		d.unknown++
	}
	if e.Device != 0 {
		d.allocations[e.Device] = a
	}
	d.change(a.variable, Size(e.Bytes), e.Time, 1)
	step.Samples = append(step.Samples, Sample{step.Device, e.Time, d.used})
}

func (m *Model) release(e *Event, step *Step) {
	d := m.device(step.Device)
	a, ok := d.allocations[e.Device]
	if !ok {
		d.unknown++
		return
	}
	delete(d.allocations, e.Device)
	step.Opener = a.id
	if a.gone {
		return
	}
	d.change(a.variable, -Size(a.bytes), e.Time, -1)
	step.Samples = append(step.Samples, Sample{step.Device, e.Time, d.used})
}

func (m *Model) create(e *Event, step *Step) {
	d := m.device(step.Device)
	d.creates = true
	a := allocationOf(e, step.ID)
	if old, ok := d.mappings[e.Host]; ok && !old.shutdown {
		a.count = old.count + 1
	}
	d.mappings[e.Host] = a
}

func (m *Model) delete(e *Event, step *Step) {
	d := m.device(step.Device)
	a, ok := d.mappings[e.Host]
	if !ok {
		d.unknown++
		return
	}
	delete(d.mappings, e.Host)
	step.Opener = a.id
}

// Existing is device data that existed before capture was switched on, on the
// trace's clock and with the trace's names.
type Existing struct {
	capture.Mapping
	Process ProcessID
}

// Existing adds data that existed before capture. The number it gives, negative,
// stands for the record of the create that was not seen. It is 0 for what is
// known already (each switching on gives a snapshot).
func (m *Model) Existing(x *Existing) (id int64, device DeviceID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	device = m.directory.Device(x.Process, x.DeviceType, x.DeviceNumber)
	d := m.device(device)
	if a, ok := d.mappings[x.Host]; ok && !a.gone {
		return 0, device
	}
	if a, ok := d.allocations[x.Device]; ok && !a.gone {
		return 0, device
	}
	m.existing--
	a := allocation{id: m.existing, host: x.Host, device: x.Device, bytes: x.Bytes, time: x.Time,
		variable: variableKey{name: x.Name, line: -1}, count: int32(x.Structured + x.Dynamic)}
	d.mappings[x.Host] = a
	d.creates = true
	// The allocation under it is not reported, so the mapping stands for it.
	d.allocations[x.Device] = a
	d.change(a.variable, Size(x.Bytes), x.Time, 1)
	return m.existing, device
}

// live are the mappings now: the runtime's own where it reports them, else the
// allocations that name a host range.
func (d *device) live(f func(allocation)) {
	if d.creates {
		for _, a := range d.mappings {
			if !a.shutdown {
				f(a)
			}
		}
		return
	}
	for _, a := range d.allocations {
		if !a.shutdown {
			f(a)
		}
	}
}

// leak takes what is still live as leaked, also if the runtime itself frees it
// while it shuts the device down.
func (d *device) leak() {
	d.live(func(a allocation) {
		d.leaked = append(d.leaked, a)
		d.leakedBytes += Size(a.bytes)
	})
	for _, table := range []map[uint64]allocation{d.allocations, d.mappings} {
		for key, a := range table {
			a.shutdown = true
			table[key] = a
		}
	}
}

// shutDown ends the life of all memory. Frees that follow find their allocations
// but count no more.
func (d *device) shutDown() {
	d.leak()
	for _, table := range []map[uint64]allocation{d.allocations, d.mappings} {
		for key, a := range table {
			a.gone = true
			table[key] = a
		}
	}
	for _, v := range d.variables {
		if v.epoch != d.epoch {
			v.epoch, v.atPeak = d.epoch, v.current
		}
		v.current, v.live = 0, 0
	}
	d.used = 0
}

// rate counts bytes per 100 ms of the last 6.4 s.
type rate struct {
	slots [64]int64
	slot  int64 // number of the newest slot since the trace's origin
}

const rateSlot = 100_000_000 // ns

func (r *rate) add(time, bytes int64) {
	slot := time / rateSlot
	if slot < 0 || slot <= r.slot-int64(len(r.slots)) {
		return
	}
	r.advance(slot)
	r.slots[slot%int64(len(r.slots))] += bytes
}

func (r *rate) advance(slot int64) {
	if slot-r.slot >= int64(len(r.slots)) {
		r.slots = [64]int64{}
		r.slot = slot
	}
	for r.slot < slot {
		r.slot++
		r.slots[r.slot%int64(len(r.slots))] = 0
	}
}

// history gives bytes per second in each slot, oldest first, the newest being
// the one that now lies in.
func (r *rate) history(now int64) []float64 {
	last := max(now/rateSlot, r.slot)
	out := make([]float64, 0, len(r.slots))
	for slot := last - int64(len(r.slots)) + 1; slot <= last; slot++ {
		if slot < 0 || slot > r.slot || slot <= r.slot-int64(len(r.slots)) {
			out = append(out, 0)
			continue
		}
		out = append(out, float64(r.slots[slot%int64(len(r.slots))])*(1e9/rateSlot))
	}
	return out
}
