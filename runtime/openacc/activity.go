package openacc

import (
	"math"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device"
)

// Subscribe starts the delivery of records for operations enqueued from now on;
// kinds is a sum of 1 << kind, 0 for all. record runs on a goroutine of the
// runtime or a thread that flushes, one call at a time.
func (rt *Runtime) Subscribe(kinds uint32, record func(*callbacks.ActivityRecord)) uint64 {
	number := rt.activity.Subscribe(kinds, rt.correlations.Load, record)
	rt.observeAll(true)
	return number
}

// Unsubscribe ends a subscription: no record arrives after it has returned. It
// reports whether there was one. inside tells that the calling thread is in the
// subscription's own record function, which is not waited for.
func (rt *Runtime) Unsubscribe(number uint64, inside bool) bool {
	return rt.activity.Unsubscribe(number, inside, func() { rt.observeAll(false) })
}

func (rt *Runtime) observeAll(on bool) {
	for _, d := range rt.initialised(0, true) {
		d.opening.Lock()
		if d.isOpen() {
			d.driver.Observe(on)
		}
		d.opening.Unlock()
	}
}

// finished takes a device's report; it may be called from any thread. What waits is
// delivered when no more reports follow at once: to wake a thread up for each takes the
// processors longer than to deliver it.
func (d *Device) finished(report device.Activity, more bool) {
	a := &d.rt.activity
	if report.Correlation != 0 { // else enqueued before anybody subscribed
		a.Add(d.record(report))
	}
	if !more {
		a.Hasten()
	}
}

func (d *Device) record(report device.Activity) callbacks.ActivityRecord {
	number, enqueued := d.rt.activity.Redeem(report.Correlation)
	offset := d.clockOffset.Load()
	record := callbacks.ActivityRecord{
		Kind: callbacks.ActivityKind(report.Kind), DeviceType: callbacks.DeviceType(d.Type),
		DeviceNumber: int32(d.Number), Async: enqueued.Async, AsyncQueue: enqueued.Queue,
		Bytes: report.Bytes, Correlation: number,
		DeviceStart: report.Start, DeviceEnd: report.End,
		HostStart: report.Start + offset, HostEnd: report.End + offset,
	}
	record.Size = activityRecordSize
	if report.Pageable {
		record.Flags = callbacks.ActivityPageable
	}
	if enqueued.ToPeer {
		record.Flags |= callbacks.ActivityPeer
		record.Peer, record.SrcFile, record.LineNo = enqueued.Peer, enqueued.SrcFile, enqueued.LineNo
	}
	record.GangsBy, record.WorkersBy, record.VectorBy = enqueued.By[0], enqueued.By[1], enqueued.By[2]
	if enqueued.Name != "" {
		record.Name = callbacks.Intern(enqueued.Name)
	}
	return record
}

// reportWait tells subscribers that q was made to wait for other. No event does:
// those of OpenACC 3.3 §5.1.10 are about threads that wait. The record goes along with
// that of the operation that has to wait: to wake a thread up takes the program's time.
func (t *waiter) reportWait(q, other *Queue) {
	t.note(q.device, callbacks.ActivityRecord{Kind: callbacks.ActivityWait, Async: int64(q.async), AsyncQueue: int64(q.async),
		AwaitedQueue: int64(other.async)})
}

// note tells subscribers of what happens at this moment and in this place and is no
// operation of a device.
func (t *waiter) note(d *Device, record callbacks.ActivityRecord) {
	a := &t.rt.activity
	if !a.Wanted() {
		return
	}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return
	}
	info := t.attributed()
	record.Size, record.DeviceType, record.DeviceNumber = activityRecordSize, callbacks.DeviceType(d.Type), int32(d.Number)
	record.HostStart = now.Nano()
	record.HostEnd = record.HostStart
	record.DeviceStart = record.HostStart - d.clockOffset.Load()
	record.DeviceEnd = record.DeviceStart
	record.Correlation = t.rt.correlations.Add(1)
	record.SrcFile, record.LineNo = info.SrcFile, info.LineNo
	a.Add(record)
}

// attributed is where the program called, for those who subscribed.
func (t *namer) attributed() callbacks.Info {
	info := callbacks.Info{LineNo: -1}
	if t.rt.options.Attributor != nil {
		t.rt.options.Attributor.Attribute(t.place, t.function, &info)
	}
	return info
}

// Flush returns when the records of all operations that have finished were
// delivered. It must not be called from a record function.
func (rt *Runtime) Flush() { rt.activity.Flush(0, rt.flushDrivers) }

// FlushFor is Flush for one subscription. It does not wait while the record function of
// another one runs, which may wait for the calling thread: then not all is delivered.
func (rt *Runtime) FlushFor(number uint64) (known, all bool) {
	if !rt.activity.Knows(number) {
		return false, false
	}
	return true, rt.activity.Flush(number, rt.flushDrivers)
}

func (rt *Runtime) flushDrivers() {
	for _, d := range rt.initialised(0, true) {
		d.flush()
	}
}

// flush has the device report what has finished.
func (d *Device) flush() {
	if f, ok := d.driver.(device.Flusher); ok {
		f.Flush()
	}
}

// readClock relates the device's clock to the host's.
func (d *Device) readClock() device.ClockPoint {
	point := d.driver.Clock()
	d.clockOffset.Store(point.Host - point.Device)
	return point
}

// Clock reads both clocks of an initialised device.
func (rt *Runtime) Clock(kind device.Type, number int) (device.ClockPoint, bool) {
	d := rt.known(kind, number)
	if d == nil {
		return device.ClockPoint{}, false
	}
	d.opening.Lock()
	defer d.opening.Unlock()
	if !d.isOpen() {
		return device.ClockPoint{}, false
	}
	return d.readClock(), true
}

// DriverKernel is what the driver of an initialised device calls the kernel that events call
// name, "" if none of that name was launched on it.
func (rt *Runtime) DriverKernel(kind device.Type, number int, name string) (driver string, ok bool) {
	d := rt.known(kind, number)
	if d == nil {
		return "", false
	}
	for _, k := range *d.kernels.Load() {
		if own := k.code.Name(); d.name(k) == name || own == name {
			return own, true
		}
	}
	return "", true
}

// known finds an initialised device, nil if there is none.
func (rt *Runtime) known(kind device.Type, number int) *Device {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if d := rt.devices[deviceKey{kind, number}]; d != nil && d.isOpen() {
		return d
	}
	return nil
}

// Mappings lists the live mappings of an initialised device in the order of
// their host addresses.
func (rt *Runtime) Mappings(kind device.Type, number int) ([]callbacks.ActivityMapping, bool) {
	d := rt.known(kind, number)
	if d == nil {
		return nil, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []callbacks.ActivityMapping
	for m := range d.table.All() {
		attached := 0
		for _, count := range m.Attach {
			attached += count
		}
		entry := callbacks.ActivityMapping{
			Size: activityMappingSize, DeviceType: callbacks.DeviceType(kind), DeviceNumber: int32(number),
			Attached: uint32(attached), HostPtr: m.Host, DevicePtr: uintptr(m.Device), Bytes: uint64(m.Size),
			Structured: uint64(m.Structured), Dynamic: uint64(m.Dynamic),
		}
		if name := m.Name(); name != "" && (!attribution.IsReference(name) || rt.options.Namer.Refers()) {
			entry.Name = callbacks.Intern(name)
		}
		list = append(list, entry)
	}
	return list, true
}

// Describe tells the memory, name and vendor of an initialised device.
func (rt *Runtime) Describe(kind device.Type, number int) (callbacks.ActivityDevice, bool) {
	d := rt.known(kind, number)
	if d == nil {
		return callbacks.ActivityDevice{}, false
	}
	p := d.driver.Properties()
	facts := callbacks.ActivityDevice{Memory: p.Memory, Multiprocessors: uint32(p.Multiprocessors)}
	if p.Name != "" {
		facts.Name = callbacks.Intern(p.Name)
	}
	if p.Vendor != "" {
		facts.Vendor = callbacks.Intern(p.Vendor)
	}
	return facts, true
}

// Queues lists the activity queues in use on an initialised device in the order
// of their async values.
func (rt *Runtime) Queues(kind device.Type, number int) ([]callbacks.ActivityQueue, bool) {
	d := rt.known(kind, number)
	if d == nil {
		return nil, false
	}
	var list []callbacks.ActivityQueue
	for _, q := range d.all() {
		list = append(list, callbacks.ActivityQueue{
			Size: activityQueueSize, DeviceType: callbacks.DeviceType(kind), DeviceNumber: int32(number),
			Async: int64(q.async), AsyncQueue: int64(q.async), Pending: q.waiting(),
		})
	}
	return list, true
}

// waiting counts the operations put onto q that have not finished; a queue that
// fails has none that ever will.
func (q *Queue) waiting() uint64 {
	idle, err := q.driver.Idle()
	q.device.keep(err)
	if idle || err != nil {
		return 0
	}
	return max(1, q.enqueued.Load()-q.finished.Load())
}

// always is what Learned answers from when the program can wait by a native handle on.
const always = math.MaxUint64

// Learned changes each time that the program may have learned that operations on a queue
// had finished without a wait for it, of which events tell.
func (rt *Runtime) Learned() uint64 { return rt.learned.Load() }

func (rt *Runtime) learns() {
	for {
		times := rt.learned.Load()
		if times == always || rt.learned.CompareAndSwap(times, times+1) {
			return
		}
	}
}
