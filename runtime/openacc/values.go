package openacc

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/device"
)

// A lateValue is a value of the argument block that an operation on a queue has still
// to write on the host.
type lateValue struct {
	host, size uintptr
	number     int // among the block's values
}

// storeArguments puts the argument block of the construct in progress onto q, between
// the events of an upload if values travel with it; nothing goes where a block like
// it lies on the device already. A block into whose values the kernel may write
// serves one launch.
func (t *Thread) storeArguments(d *Device, q *Queue, k *kernelCode) (arguments.Placed, error) {
	s := t.scratch
	for i := range s.block.Values() {
		if argument, _ := s.block.Value(i); k.code.MayWrite(argument) {
			s.block.Unique()
			break
		}
	}
	placed, err := q.arguments.Place(&s.block, d.driver.Alloc)
	if err != nil || placed.Contents == nil {
		return placed, err
	}
	defer func() {
		if err != nil {
			q.arguments.Launched(placed) // it will never be
		}
	}()
	if s.block.Values() == len(s.late) {
		if err = q.driver.Store(placed.Address, placed.Contents, q.synchronous()); err != nil {
			return placed, err
		}
	} else if err = t.uploadValues(q, &placed); err != nil {
		return placed, err
	}
	q.put(hostRange{}, nil)
	q.arguments.Stored(placed)
	for _, late := range s.late {
		_, offset := s.block.Value(late.number)
		t.upload(q, &transfer{host: late.host, device: placed.Address + device.Address(offset), size: late.size})
	}
	return placed, nil
}

// uploadValues puts an argument block with values onto q, between its events. They
// name the variable if there is one only; else a list of them goes to who can read it.
func (t *Thread) uploadValues(q *Queue, placed *arguments.Placed) error {
	s := t.scratch
	var pair eventPair
	var bytes, host uintptr
	name := ""
	if t.wanted(callbacks.EnqueueUploadStart) || t.wanted(callbacks.EnqueueUploadEnd) {
		carried := 0
		for i := range s.items {
			if item := &s.items[i]; item.Value && !t.late(item.Host) {
				bytes, host = bytes+item.Size, item.Host
				carried++
			}
		}
		if carried == 1 {
			name = t.nameOf(host, bytes, nil)
		} else {
			host, name = 0, t.listOfValues()
		}
	}
	t.raiseData(callbacks.EnqueueUploadStart, &pair, bytes, host, placed.Address, name)
	err := q.driver.Store(placed.Address, placed.Contents, q.synchronous())
	t.raiseData(callbacks.EnqueueUploadEnd, &pair, bytes, host, placed.Address, name)
	pair.release()
	return err
}

// late says whether the value at host is a lateValue.
func (t *Thread) late(host uintptr) bool {
	for _, v := range t.scratch.late {
		if v.host == host {
			return true
		}
	}
	return false
}
