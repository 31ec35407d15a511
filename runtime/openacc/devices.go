package openacc

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// devices are those of a host thread: the one that its control variables stand for,
// opened at its first use, and closed (OpenACC 3.3 §2.3, §3.2.7, §3.2.8).
type devices struct {
	enqueuer
	current *Device // nil before first use
}

// Current is the thread's current device, nil before its first use.
func (t *devices) Current() *Device { return t.current }

// use gives the current device, initialised. Nil means that an error was raised
// (and the process, outside tests, has ended).
func (t *devices) use() *Device {
	if d := t.current; d != nil && d.isOpen() {
		t.context.device = d
		return d
	}
	d := t.choose()
	if d == nil {
		return nil
	}
	if !t.open(d) {
		return nil
	}
	t.selectDevice(d)
	t.context.device = d
	return d
}

// choose finds the device that the control variables stand for and checks that
// it exists; it does not initialise it.
func (t *devices) choose() *Device {
	if bad := t.rt.environment.bad; bad != "" {
		t.fail(device.Errorf(device.InvalidArgument, 0, "%s", bad))
		return nil
	}
	kind := t.rt.resolve(t.deviceType)
	count, err := t.rt.count(kind)
	argument := "the current device type"
	if by := t.rt.environment.chosenBy; by != "" && !t.selected {
		argument = by
	}
	if err != nil || count == 0 {
		t.fail(t.typeUnavailable(argument, kind, err))
		return nil
	}
	if t.deviceNumber >= count {
		argument = "the current device number"
		if by := t.rt.environment.numberBy; by != "" && t.deviceNumber == t.rt.environment.number {
			argument = by
		}
		t.fail(t.numberUnavailable(argument, t.deviceNumber, kind, count))
		return nil
	}
	return t.rt.device(kind, t.deviceNumber)
}

func (t *devices) selectDevice(d *Device) {
	t.current = d
	if t.rt.options.Selected != nil {
		t.rt.options.Selected(t.Owner, d)
	}
}

// open initialises d for a construct or routine that uses it; false means that an error
// was raised. A callback of device_init_end may shut d down again, but not each time.
func (t *devices) open(d *Device) bool {
	for try := 0; !d.isOpen(); try++ {
		if try == 2 {
			t.fail(device.Errorf(device.DeviceInit, 0, "%s: device %s is shut down whenever it has been initialised: "+
				"let no callback of acc_ev_device_init_end call acc_shutdown", t.routine, d))
			return false
		}
		if !t.initialise(d, false) {
			return false
		}
	}
	return true
}

// initialise opens d if it is not open: for the lazy initialisation of a
// construct (implicit), or because a routine asks for it. False means that an error was
// raised.
func (t *devices) initialise(d *Device, explicit bool) bool {
	if d.isOpen() {
		return true
	}
	d.openers.Lock()
	for d.opener != nil && d.opener != t {
		d.opened.Wait()
	}
	if d.isOpen() {
		d.openers.Unlock()
		return true
	}
	nested := d.opener == t // a callback of device_init_start uses the device
	d.opener = t
	d.openers.Unlock()
	var pair eventPair
	if !nested {
		t.raiseInit(callbacks.DeviceInitStart, &pair, d, explicit)
	}
	err := d.openDriver()
	if !nested {
		t.raiseInit(callbacks.DeviceInitEnd, &pair, d, explicit)
		pair.release()
		d.openers.Lock()
		d.opener = nil
		d.opened.Broadcast()
		d.openers.Unlock()
	}
	if err != nil {
		t.fail(device.Errorf(device.DeviceInit, driverCode(err),
			"%s: cannot initialise device %s: %v", t.routine, d, err))
	}
	return err == nil
}
