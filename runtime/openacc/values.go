package openacc

import (
	"hash/maphash"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A lateValue is a value of the argument block that an operation on a queue has still
// to write on the host.
type lateValue struct {
	host, size uintptr
	number     int // among the block's values
}

// planArguments adds the argument block of the construct in progress to the plan,
// between the events of an upload if values travel with it; nothing is added where a
// block like it lies on the device already. A block into whose values the kernel may write
// serves one launch, as does one that goes with variables which the construct maps.
func (t *launcher) planArguments(d *Device, q *Queue, k *kernelCode) error {
	s := t.scratch
	if len(s.created) > 0 {
		t.here().values.note(t.hashOfValues())
	}
	if s.beside != nil {
		if carried := t.carriedBytes(); carried.count > 0 {
			t.planBeside(q, s.beside, carried.bytes)
			return nil
		}
		t.uploadTogether(q, s.beside)
	}
	if s.stored == nil {
		d.mu.Lock()
		err := t.placeArguments(q, k)
		d.mu.Unlock()
		if err != nil {
			return err
		}
	}
	switch {
	case s.contents == nil:
		return nil
	case len(s.late) > 0:
		t.planLate(q)
		return nil
	case s.block.Values() == s.block.Pointers():
		return t.planStore(q, s.stored.Address, s.contents)
	}
	return t.planValues(q)
}

// placeArguments finds the place of the argument block. d.mu is held.
func (t *launcher) placeArguments(q *Queue, k *kernelCode) (err error) {
	s := t.scratch
	for i := range s.block.Values() {
		if s.again {
			break // it is known
		}
		if argument, _ := s.block.Value(i); k.code.MayWrite(argument, s.block.Links(i)) {
			s.block.Unique()
			break
		}
	}
	s.stored, s.contents, err = q.arguments.Place(&s.block, q.device.driver.Alloc)
	return err
}

// planLate puts an argument block onto q of which some values are not known yet.
func (t *launcher) planLate(q *Queue) {
	address, own := t.scratch.stored.Address, slices.Clone(t.scratch.contents)
	t.fillInLate(q, own, address)
	carried, name := t.carriedValues()
	t.uploadOwn(q, &transfer{host: carried.host, device: address, size: carried.bytes}, name, own)
}

// fillInLate puts the values that are not known yet into the block in own, which goes to the
// address at.
func (t *launcher) fillInLate(q *Queue, own []byte, at device.Address) {
	for _, late := range t.scratch.late {
		_, offset := t.scratch.block.Value(late.number)
		t.fillInOne(q, &transfer{host: late.host, device: at + device.Address(offset), size: late.size}, own, at, false)
	}
}

// planBeside puts the argument block onto q, with so many bytes of values, in the room for
// it before the variables of g, and them with it.
func (t *launcher) planBeside(q *Queue, g *group, values uintptr) {
	address := blockOf(g.copies[0].mapping).memory.address
	own := t.scratch.block.AppendAt(make([]byte, 0, g.high-address), address)
	block := device.ArgumentBlock{Address: address, Size: uint64(len(own))}
	own = own[:cap(own)]
	t.fillInLate(q, own, address)
	t.fillIn(q, g, own, address)
	t.uploadOwn(q, &transfer{device: address, size: g.whole().size + values}, t.listBeside(g), own)
	t.scratch.stored = &arguments.Stored{ArgumentBlock: block}
}

var valuesSeed = maphash.MakeSeed()

// hashOfValues is that of the values of the launch in progress, 0 for none.
func (t *launcher) hashOfValues() (hash uint64) {
	for i := range t.scratch.items {
		if item := &t.scratch.items[i]; carried(item) && !t.late(item.Host) {
			hash = hash*0x9e3779b97f4a7c15 ^ maphash.Bytes(valuesSeed, bytesAt(item.Host, item.Size))
		}
	}
	return hash
}

// planValues adds an argument block with values, between its events. They name the
// variable if there is one only; else a list of them goes to who can read it.
func (t *launcher) planValues(q *Queue) error {
	address := t.scratch.stored.Address
	if t.concerns(callbacks.EnqueueUploadStart) && (t.sayValuesAgain(address) || t.sayValues(address)) {
		t.planOfValues(valuesStart)
		err := t.planStore(q, address, t.scratch.contents)
		t.planOfValues(valuesEnd)
		return err
	}
	var pair eventPair
	carried, name := t.carriedValues()
	t.planData(callbacks.EnqueueUploadStart, &pair, carried.bytes, carried.host, address, name)
	err := t.planStore(q, address, t.scratch.contents)
	t.planData(callbacks.EnqueueUploadEnd, &pair, carried.bytes, carried.host, address, name)
	pair.release()
	return err
}

// sayValues has the events of the upload of values say what it carries; false where the
// construct's other events are not composed.
func (t *launcher) sayValues(address device.Address) bool {
	e := t.context.events
	if e == nil || !e.filled {
		return false
	}
	carried, name := t.carriedValues()
	implicit, variable := e.values.Implicit, e.values.Data().VarName
	e.values.Implicit = 1
	if carried.host != 0 {
		e.values.Implicit = t.impliedData(carried.host, carried.bytes, name)
	}
	t.composeData(&e.values, carried.bytes, carried.host, address, name)
	if e.values.Implicit != implicit || e.values.Data().VarName != variable {
		e.steps[valuesStart].Changed()
		e.steps[valuesEnd].Changed()
	}
	e.told = t.toldValues()
	return true
}

// sayValuesAgain is sayValues where nothing but the block's address is another one than what
// these events said last.
func (t *launcher) sayValuesAgain(address device.Address) bool {
	e := t.context.events
	if e == nil || !e.filled || e.told.list == nil || e.told != t.toldValues() {
		return false
	}
	e.values.Data().DevicePtr = uintptr(address)
	return true
}

// toldValues is what the events of an upload of values are made of, but for its address.
type toldValues struct {
	list    *carriedValues // of several; nil where that may be another one each time
	bytes   uintptr
	version uint64 // of the Attributor's answers
}

func (t *launcher) toldValues() (told toldValues) {
	if r := t.scratch.recalled; t.scratch.again && r.carried.count != 1 {
		told = toldValues{r.list, r.carried.bytes, t.version}
	}
	return told
}

// carriedValues is what the events of an argument block's upload tell of its values, if
// somebody wants them: host is that of the only one, else 0.
func (t *launcher) carriedValues() (carried carriedBytes, name string) {
	if !t.concerns(callbacks.EnqueueUploadStart) && !t.concerns(callbacks.EnqueueUploadEnd) {
		return carriedBytes{}, ""
	}
	if carried = t.carriedBytes(); carried.count == 1 {
		return carried, t.nameOf(carried.host, carried.bytes, nil)
	}
	carried.host = 0
	return carried, t.listOfValues()
}

// creationEvents are those between the start of a construct's entry and the upload of its
// values, in Registry.WantedEvents.
const creationEvents = 1<<callbacks.Alloc | 1<<callbacks.Create | 1<<callbacks.EnqueueUploadStart | 1<<callbacks.EnqueueUploadEnd

// readValues reads the values of the construct in progress again, as variables that are
// mapped are read: behind the callbacks of what was created for the construct.
func (t *launcher) readValues(d *Device) {
	s := t.scratch
	for n := range s.block.Values() {
		argument, _ := s.block.Value(n)
		for i := range s.items {
			if item := &s.items[i]; item.Entry == argument && carried(item) && !t.late(item.Host) && !d.willWrite(item.Host, item.Size) {
				s.block.SetValue(n, bytesAt(item.Host, item.Size))
			}
		}
	}
}

// carried says whether the program's value of item travels with the arguments.
func carried(item *goacc.Item) bool {
	return item.Value && item.Action == goacc.ActionMap
}

// late says whether the value at host is a lateValue.
func (t *launcher) late(host uintptr) bool {
	for _, v := range t.scratch.late {
		if v.host == host {
			return true
		}
	}
	return false
}
