package model

import "github.com/accscope/accscope/collector/capture"

// allocation is device memory or a mapping that is live, or was when its device was
// shut down: its delete or free may come yet.
type allocation struct {
	id    int64 // record of the alloc or create
	bytes uint64
	gone  bool // its device has shut down
}

// device is the memory of one device as one process sees it.
type device struct {
	used        int64
	allocations map[uint64]allocation // by device address
	mappings    map[uint64]allocation // by host address
}

func newDevice() *device {
	return &device{allocations: make(map[uint64]allocation), mappings: make(map[uint64]allocation)}
}

func (m *Model) alloc(e *Event, step *Step) {
	d := m.device(step.Device)
	if old, ok := d.allocations[e.Device]; ok && e.Device != 0 && !old.gone {
		d.used -= Size(old.bytes) // its free was not seen
		step.Contradicts = true
	}
	if e.Device != 0 {
		d.allocations[e.Device] = allocation{id: step.ID, bytes: e.Bytes}
	}
	d.used += Size(e.Bytes)
	step.Samples = append(step.Samples, Sample{step.Device, e.Time, d.used})
}

func (m *Model) release(e *Event, step *Step) {
	d := m.device(step.Device)
	a, ok := d.allocations[e.Device]
	if !ok {
		step.Contradicts = e.Device != 0
		return
	}
	delete(d.allocations, e.Device)
	step.Opener = a.id
	if a.gone {
		return
	}
	d.used -= Size(a.bytes)
	step.Samples = append(step.Samples, Sample{step.Device, e.Time, d.used})
}

func (m *Model) create(e *Event, step *Step) {
	d := m.device(step.Device)
	old, ok := d.mappings[e.Host]
	step.Contradicts = ok && !old.gone && e.Host != 0
	d.mappings[e.Host] = allocation{id: step.ID, bytes: e.Bytes}
}

func (m *Model) delete(e *Event, step *Step) {
	d := m.device(step.Device)
	if a, ok := d.mappings[e.Host]; ok {
		delete(d.mappings, e.Host)
		step.Opener = a.id
	}
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
	device = m.directory.Device(x.Process, x.DeviceType, x.DeviceNumber)
	d := m.device(device)
	if a, ok := d.mappings[x.Host]; ok && !a.gone {
		return 0, device
	}
	if a, ok := d.allocations[x.Device]; ok && !a.gone {
		return 0, device
	}
	m.existing--
	// The allocation under it is not reported, so the mapping stands for it.
	a := allocation{id: m.existing, bytes: x.Bytes}
	d.mappings[x.Host], d.allocations[x.Device] = a, a
	d.used += Size(x.Bytes)
	return m.existing, device
}

// shutDown ends the life of all memory. Frees that follow find their allocations
// but count no more.
func (d *device) shutDown() {
	for _, table := range []map[uint64]allocation{d.allocations, d.mappings} {
		for key, a := range table {
			a.gone = true
			table[key] = a
		}
	}
	d.used = 0
}
