package sim

// #include "queue.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/simt"
)

// checks are those of a device's memory.
type checks struct {
	device  *codeDevice
	checker *simt.Checker

	mutex sync.Mutex // one tells at a time
	tell  func(device.Finding)
}

// beginChecks has the device's memory checked: before it has queues or allocations.
func (d *codeDevice) beginChecks() error {
	checker, err := d.memory.Check()
	if err != nil {
		return device.Errorf(device.System, 0, "open sim device %d: %v", d.number, err)
	}
	c := &d.c.configuration
	c.checks, c.checker, c.memory = (*C.struct_accscope_simt_checks)(simt.Checks()), (*C.struct_accscope_simt_checker)(checker.Handle()), (*C.struct_accscope_simt_memory)(d.memory.Handle())
	if o := &d.backend.options; o.CompareHost {
		checker.CompareHost(o.Tolerance)
	}
	d.simDevice.checks = &checks{device: d, checker: checker}
	return nil
}

// Checks says whether the device's memory is checked.
func (d *codeDevice) Checks() bool { return d.simDevice.checks != nil }

// ObserveFindings has findings told from now on.
func (d *codeDevice) ObserveFindings(tell func(device.Finding)) {
	if c := d.simDevice.checks; c != nil {
		c.mutex.Lock()
		c.tell = tell
		c.mutex.Unlock()
	}
}

// Map says that memory of the device is what the program has at an address.
func (d *codeDevice) Map(address device.Address, host uintptr, bytes uint64) {
	d.memory.Map(uintptr(address), host, bytes)
}

// Unmap ends that.
func (d *codeDevice) Unmap(address device.Address, host uintptr, bytes uint64) {
	d.memory.Unmap(uintptr(address), host, bytes)
}

// GiveOut says that others may use memory of the device unseen from now on.
func (d *codeDevice) GiveOut(address device.Address, bytes uint64) {
	d.memory.GiveOut(uintptr(address), bytes)
}

// heard notes what the host has heard, where that is checked, and tells what has been found.
func (d *simDevice) heard(note func()) {
	if d.checks != nil {
		d.checks.heard(note)
	}
}

func (c *checks) heard(note func()) {
	if note != nil {
		note()
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tell == nil {
		return
	}
	for _, f := range c.checker.New(c.device.programOf) {
		c.tell(f)
	}
}

// end tells all findings once more, with how often each was met.
func (c *checks) end() {
	if c == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tell == nil {
		return
	}
	for _, f := range c.checker.All(c.device.programOf) {
		c.tell(f)
	}
	c.tell = nil
}

// programOf is the program that has one of C's functions, nil for none.
func (d *codeDevice) programOf(function unsafe.Pointer) *simt.Program {
	d.images.Lock()
	defer d.images.Unlock()
	for _, p := range d.programs {
		if p.Has(function) {
			return p.Program
		}
	}
	return nil
}
