package openacc

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/device"
)

// activity delivers what devices report about finished operations to those who
// subscribed (runtime/include/accscope_activity.h says what they may expect).
// Records go through one goroutine, or a thread that flushes, outside all locks.
type activity struct {
	rt *Runtime
	on atomic.Bool // somebody subscribes

	expected expected // operations enqueued and not yet reported

	mu          sync.Mutex
	some        *sync.Cond // there is something for the goroutine
	changed     *sync.Cond // records were delivered
	subscribers []*subscriber
	last        uint64 // subscription given out last
	waiting     []callbacks.ActivityRecord
	spare       []callbacks.ActivityRecord // empty, to wait in next
	added       uint64                     // records in all
	delivered   uint64                     // of these
	running     bool
	idle        bool                      // the goroutine waits for something to deliver
	flushing    int                       // threads that will deliver what waits
	delivering  bool                      // somebody does
	calling     uint64                    // subscription whose function runs, 0 if none
	record      *callbacks.ActivityRecord // a subscriber's own copy; C gets it, so it lies alone
}

type subscriber struct {
	number uint64
	kinds  uint32 // sum of 1 << kind, 0 for all
	from   uint64 // correlations up to here were enqueued before
	record func(*callbacks.ActivityRecord)
}

// An enqueued is what an activity record needs to know from its enqueueing.
type enqueued struct {
	async, queue int64
	kernel       string
}

func (a *activity) init(rt *Runtime) {
	a.rt = rt
	a.some, a.changed = sync.NewCond(&a.mu), sync.NewCond(&a.mu)
	a.record = new(callbacks.ActivityRecord)
}

// wanted is one atomic load.
func (a *activity) wanted() bool { return a.on.Load() }

func (a *activity) expect(number uint64, async, queue int64, kernel string) {
	a.expected.add(number, enqueued{async, queue, kernel})
}

// Subscribe starts the delivery of records for operations enqueued from now on;
// kinds is a sum of 1 << kind, 0 for all. record runs on a goroutine of the
// runtime or a thread that flushes, one call at a time.
func (rt *Runtime) Subscribe(kinds uint32, record func(*callbacks.ActivityRecord)) uint64 {
	a := &rt.activity
	a.mu.Lock()
	a.last++
	number := a.last
	a.subscribers = append(slices.Clone(a.subscribers),
		&subscriber{number: number, kinds: kinds, from: rt.correlations.Load(), record: record})
	a.expected.open()
	a.on.Store(true)
	if !a.running {
		a.running = true
		go a.deliver()
	}
	a.mu.Unlock()
	rt.observeAll(true)
	return number
}

// Unsubscribe ends a subscription: no record arrives after it has returned. It
// reports whether there was one. inside tells that the calling thread is in the
// subscription's own record function, which is not waited for.
func (rt *Runtime) Unsubscribe(number uint64, inside bool) bool {
	a := &rt.activity
	a.mu.Lock()
	at := slices.IndexFunc(a.subscribers, func(s *subscriber) bool { return s.number == number })
	if at >= 0 {
		a.subscribers = slices.Delete(slices.Clone(a.subscribers), at, at+1)
	}
	for !inside && a.calling == number {
		a.changed.Wait()
	}
	none := len(a.subscribers) == 0
	if none {
		a.on.Store(false)
	}
	a.mu.Unlock()
	if none {
		rt.observeAll(false)
		a.expected.clear()
	}
	return at >= 0
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

// finished takes a device's report; it may be called from any thread.
func (d *Device) finished(report device.Activity) {
	a := &d.rt.activity
	enqueued, ok := a.expected.take(report.Correlation)
	if !ok {
		return // enqueued before anybody subscribed
	}
	offset := d.clockOffset.Load()
	record := callbacks.ActivityRecord{
		Kind: callbacks.ActivityKind(report.Kind), DeviceType: callbacks.DeviceType(d.Type),
		DeviceNumber: int32(d.Number), Async: enqueued.async, AsyncQueue: enqueued.queue,
		Bytes: report.Bytes, Correlation: report.Correlation,
		DeviceStart: report.Start, DeviceEnd: report.End,
		HostStart: report.Start + offset, HostEnd: report.End + offset,
	}
	record.Size = activityRecordSize
	if report.Pageable {
		record.Flags = callbacks.ActivityPageable
	}
	if enqueued.kernel != "" {
		record.Name = callbacks.Intern(enqueued.kernel)
	}
	a.add(record)
	a.hasten()
}

// add puts a record behind those that wait for their delivery.
func (a *activity) add(record callbacks.ActivityRecord) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, record)
	a.added++
}

// hasten has what waits delivered, if it is not on its way.
func (a *activity) hasten() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wake()
}

// wake has the goroutine deliver what waits, if nobody else will. The lock is held.
func (a *activity) wake() {
	if a.idle && a.flushing == 0 && !a.delivering && len(a.waiting) > 0 {
		a.idle = false
		a.some.Signal()
	}
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
	if !a.wanted() {
		return
	}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return
	}
	info := callbacks.Info{LineNo: -1}
	if t.rt.options.Attributor != nil {
		t.rt.options.Attributor.Attribute(t.place, t.function, &info)
	}
	record.Size, record.DeviceType, record.DeviceNumber = activityRecordSize, callbacks.DeviceType(d.Type), int32(d.Number)
	record.HostStart = now.Nano()
	record.HostEnd = record.HostStart
	record.DeviceStart = record.HostStart - d.clockOffset.Load()
	record.DeviceEnd = record.DeviceStart
	record.Correlation = t.rt.correlations.Add(1)
	record.SrcFile, record.LineNo = info.SrcFile, info.LineNo
	a.add(record)
}

// deliver is the goroutine that calls the subscribers.
func (a *activity) deliver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		for len(a.waiting) == 0 || a.delivering {
			a.idle = true
			a.some.Wait()
		}
		a.idle = false
		a.deliverWaiting()
	}
}

// deliverWaiting calls the subscribers for what waits. The lock is held, but for the
// calls.
func (a *activity) deliverWaiting() {
	a.delivering = true
	batch := a.waiting
	a.waiting, a.spare = a.spare, nil
	for i := range batch {
		for _, s := range a.subscribers {
			*a.record = batch[i]
			if a.record.Correlation <= s.from || s.kinds != 0 && s.kinds>>uint(a.record.Kind)&1 == 0 ||
				!slices.Contains(a.subscribers, s) {
				continue
			}
			a.calling = s.number
			if len(a.subscribers) > 1 {
				a.changed.Broadcast() // to those who must not wait for this one
			}
			a.mu.Unlock()
			s.record(a.record)
			a.mu.Lock()
			a.calling = 0
			a.changed.Broadcast()
		}
		a.delivered++
	}
	a.spare = batch[:0]
	a.delivering = false
	a.changed.Broadcast()
	a.wake()
}

// Flush returns when the records of all operations that have finished were
// delivered. It must not be called from a record function.
func (rt *Runtime) Flush() { rt.activity.flush(0, rt.flushDrivers) }

// FlushFor is Flush for one subscription. It does not wait while the record function of
// another one runs, which may wait for the calling thread: then not all is delivered.
func (rt *Runtime) FlushFor(number uint64) (known, all bool) {
	a := &rt.activity
	a.mu.Lock()
	known = slices.ContainsFunc(a.subscribers, func(s *subscriber) bool { return s.number == number })
	a.mu.Unlock()
	if !known {
		return false, false
	}
	return true, a.flush(number, rt.flushDrivers)
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

// flush has reports made, and returns when they are delivered: by the calling thread, if
// there is one subscription and nobody is at it, since to have another thread do it takes
// many times as long. Of one subscription, number, it waits for no other's function. It
// says whether all is delivered.
func (a *activity) flush(number uint64, report func()) (all bool) {
	if !a.wanted() {
		return true
	}
	if a.isDelivering() {
		report()
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flushing++
	a.mu.Unlock()
	report()
	a.mu.Lock()
	defer func() {
		a.flushing--
		a.wake()
	}()
	for added := a.added; a.delivered < added && len(a.subscribers) > 0; {
		if number != 0 && a.calling != 0 && a.calling != number {
			return false
		}
		if !a.delivering && len(a.subscribers) == 1 && (number == 0 || a.subscribers[0].number == number) {
			a.deliverWaiting()
			continue
		}
		if a.idle && !a.delivering {
			a.idle = false
			a.some.Signal()
		}
		a.changed.Wait()
	}
	return true
}

// drain has reports made inside a call of the runtime, and returns when the goroutine has
// delivered them.
func (a *activity) drain(report func()) {
	if !a.wanted() {
		return
	}
	report()
	if a.isDelivering() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for added := a.added; a.delivered < added && len(a.subscribers) > 0; {
		a.wake()
		a.changed.Wait()
	}
}

// isDelivering says whether the calling thread is inside a record function, which must
// not wait for its own end.
func (a *activity) isDelivering() bool {
	inside := a.rt.options.Delivering
	return inside != nil && inside()
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
