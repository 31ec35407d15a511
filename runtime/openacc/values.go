package openacc

import (
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
// block like it lies on the device already. A block into whose values the kernel may
// write serves one launch.
func (t *launcher) planArguments(d *Device, q *Queue, k *kernelCode) (arguments.Placed, error) {
	s := t.scratch
	for i := range s.block.Values() {
		if s.again {
			break // it is known
		}
		if argument, _ := s.block.Value(i); k.code.MayWrite(argument) {
			s.block.Unique()
			break
		}
	}
	placed, err := q.arguments.Place(&s.block, d.driver.Alloc)
	if err != nil || placed.Contents == nil {
		return placed, err
	}
	if s.block.Values()-s.block.Pointers() == len(s.late) {
		err = t.planStore(q, placed.Address, placed.Contents)
	} else {
		err = t.planValues(q, &placed)
	}
	if err != nil {
		q.arguments.Launched(placed) // it will never be
		return placed, err
	}
	if len(s.late) > 0 {
		t.carryOut()
	}
	for _, late := range s.late {
		_, offset := s.block.Value(late.number)
		t.upload(q, &transfer{host: late.host, device: placed.Address + device.Address(offset), size: late.size})
	}
	return placed, nil
}

// planValues adds an argument block with values, between its events. They name the
// variable if there is one only; else a list of them goes to who can read it.
func (t *launcher) planValues(q *Queue, placed *arguments.Placed) error {
	var pair eventPair
	var bytes, host uintptr
	name := ""
	if t.concerns(callbacks.EnqueueUploadStart) || t.concerns(callbacks.EnqueueUploadEnd) {
		carried := t.carriedBytes()
		bytes = carried.bytes
		if carried.count == 1 {
			host = carried.host
			name = t.nameOf(host, bytes, nil)
		} else {
			name = t.listOfValues()
		}
	}
	t.planData(callbacks.EnqueueUploadStart, &pair, bytes, host, placed.Address, name)
	err := t.planStore(q, placed.Address, placed.Contents)
	t.planData(callbacks.EnqueueUploadEnd, &pair, bytes, host, placed.Address, name)
	pair.release()
	return err
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
			if item := &s.items[i]; item.Entry == argument && t.carried(item) && !d.willWrite(item.Host, item.Size) {
				s.block.SetValue(n, bytesAt(item.Host, item.Size))
			}
		}
	}
}

// carried says whether the program's value of item travels with the arguments.
func (t *namer) carried(item *goacc.Item) bool {
	return item.Value && item.Action == goacc.ActionMap && !t.late(item.Host)
}

// late says whether the value at host is a lateValue.
func (t *namer) late(host uintptr) bool {
	for _, v := range t.scratch.late {
		if v.host == host {
			return true
		}
	}
	return false
}
