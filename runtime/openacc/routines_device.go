package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// Properties (acc_device_property_t). Bit 16 tells the strings.
const (
	PropertyMemory       = 1
	PropertyFreeMemory   = 2
	PropertySharedMemory = 3
	PropertyName         = 0x10001
	PropertyVendor       = 0x10002
	PropertyDriver       = 0x10003
)

// deviceRoutines are those about devices (OpenACC 3.3 §3.2.1 to §3.2.8, §3.2.15).
type deviceRoutines struct{ directives }

// NumDevices is acc_get_num_devices (OpenACC 3.3 §3.2.1).
func (t *deviceRoutines) NumDevices(kind device.Type) int {
	t.enter("acc_get_num_devices", callbacks.RuntimeAPI, AsyncSync)
	if kind == DeviceCurrent {
		kind = t.rt.resolve(t.deviceType)
	}
	count, err := t.rt.count(t.rt.resolve(kind))
	if err != nil || kind == DeviceNone {
		return 0
	}
	return count
}

// check finds the concrete type for a device type argument, or raises an error.
func (t *deviceRoutines) check(kind device.Type) (device.Type, int, bool) {
	if kind == DeviceCurrent {
		kind = t.deviceType
	}
	concrete := t.rt.resolve(kind)
	count, err := t.rt.count(concrete)
	if err != nil || count == 0 || kind == DeviceNone {
		argument := "dev_type"
		if by := t.rt.environment.chosenBy; by != "" && kind == DeviceDefault {
			argument, kind = by, concrete
		}
		t.fail(t.typeUnavailable(argument, kind, err))
		return 0, 0, false
	}
	return concrete, count, true
}

// choice sets the control variables of the thread. Each host thread has its own
// (OpenACC 3.3 §2.3.1): those of others keep the value that the environment gave.
func (t *deviceRoutines) choice(kind device.Type, number int, concrete device.Type) {
	t.deviceType, t.deviceNumber, t.selected = kind, number, true
	t.selectDevice(t.rt.device(concrete, number))
}

// SetDeviceType is acc_set_device_type (OpenACC 3.3 §3.2.2).
func (t *deviceRoutines) SetDeviceType(kind device.Type) {
	t.enter("acc_set_device_type", callbacks.RuntimeAPI, AsyncSync)
	t.setType(kind)
}

func (t *deviceRoutines) setType(kind device.Type) (device.Type, bool) {
	concrete, count, ok := t.check(kind)
	if !ok {
		return 0, false
	}
	if kind == DeviceCurrent {
		kind = t.deviceType
	}
	number := t.deviceNumber
	if number >= count {
		number = 0
	}
	t.choice(kind, number, concrete)
	return concrete, true
}

// DeviceType is acc_get_device_type (OpenACC 3.3 §3.2.3): the type that the next
// construct will use, which is not initialised for the answer. While a device is
// being initialised, its callbacks learn that none is selected yet.
func (t *deviceRoutines) DeviceType() device.Type {
	t.enter("acc_get_device_type", callbacks.RuntimeAPI, AsyncSync)
	if t.initialising > 0 {
		return DeviceNone
	}
	if t.current != nil && t.current.isOpen() {
		return t.current.Type
	}
	if d := t.choose(); d != nil {
		return d.Type
	}
	return DeviceNone
}

// SetDeviceNum is acc_set_device_num (OpenACC 3.3 §3.2.4). A negative number is
// the default one; a type of 0 keeps the current type.
func (t *deviceRoutines) SetDeviceNum(number int, kind device.Type) {
	t.enter("acc_set_device_num", callbacks.RuntimeAPI, AsyncSync)
	if kind == DeviceNone {
		kind = t.deviceType
	}
	t.setNumber(number, kind)
}

func (t *deviceRoutines) setNumber(number int, kind device.Type) (*Device, bool) {
	concrete, count, ok := t.check(kind)
	if !ok {
		return nil, false
	}
	if kind == DeviceCurrent {
		kind = t.deviceType
	}
	if number < 0 {
		number = 0
		if t.rt.environment.number < count {
			number = t.rt.environment.number
		}
	}
	if number >= count {
		t.fail(t.numberUnavailable("dev_num", number, concrete, count))
		return nil, false
	}
	t.choice(kind, number, concrete)
	return t.current, true
}

// DeviceNum is acc_get_device_num (OpenACC 3.3 §3.2.5): -1 where there is no
// device of the type.
func (t *deviceRoutines) DeviceNum(kind device.Type) int {
	t.enter("acc_get_device_num", callbacks.RuntimeAPI, AsyncSync)
	if kind == DeviceCurrent {
		return t.deviceNumber
	}
	concrete := t.rt.resolve(kind)
	count, err := t.rt.count(concrete)
	if err != nil || count == 0 {
		return -1
	}
	if concrete == t.rt.resolve(t.deviceType) {
		return t.deviceNumber
	}
	if t.rt.environment.number < count {
		return t.rt.environment.number
	}
	return 0
}

// properties describes the device that the arguments of acc_get_property name; ok
// is false where there is none. The number counts for no device but the current
// one, whose type acc_device_current is.
func (t *deviceRoutines) properties(number int, kind device.Type) (device.Properties, *Device, bool) {
	if kind == DeviceCurrent {
		kind, number = t.deviceType, t.deviceNumber
	}
	concrete := t.rt.resolve(kind)
	count, err := t.rt.count(concrete)
	if err != nil || kind == DeviceNone || number < 0 || number >= count {
		return device.Properties{}, nil, false
	}
	d := t.rt.device(concrete, number)
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.isOpen() {
		return d.driver.Properties(), d, true
	}
	p, err := d.backend.Properties(number)
	d.keep(err)
	return p, d, err == nil
}

// Property is acc_get_property (OpenACC 3.3 §3.2.6): 0 for what has no value.
func (t *deviceRoutines) Property(number int, kind device.Type, property int) uint64 {
	p, d, ok := t.properties(number, kind)
	if !ok {
		return 0
	}
	switch property {
	case PropertyMemory:
		return p.Memory
	case PropertyFreeMemory:
		if teller, ok := d.backend.(device.FreeMemoryTeller); ok && p.FreeMemory == 0 && !d.isOpen() {
			free, err := teller.FreeMemory(d.Number)
			d.keep(err)
			return free
		}
		return p.FreeMemory
	case PropertySharedMemory:
		if p.SharedMemory {
			return 1
		}
	}
	return 0
}

// PropertyString is acc_get_property_string (OpenACC 3.3 §3.2.6); ok is false
// for what has no value. The driver's string says, for the device that programs
// get by default, how it was chosen.
func (t *deviceRoutines) PropertyString(number int, kind device.Type, property int) (text string, ok bool) {
	p, d, ok := t.properties(number, kind)
	if !ok {
		return "", false
	}
	switch property {
	case PropertyName:
		return p.Name, true
	case PropertyVendor:
		return p.Vendor, true
	case PropertyDriver:
		if why := t.rt.chosen(d); why != "" {
			return p.Driver + " (" + why + ")", true
		}
		return p.Driver, true
	}
	return "", false
}

// chosen says how d became the default device, "" where it is not, or is the
// host, the only choice left.
func (rt *Runtime) chosen(d *Device) string {
	if d.Type == DeviceHost || rt.resolve(DeviceDefault) != d.Type || rt.environment.number != d.Number {
		return ""
	}
	if by := rt.environment.chosenBy; by != "" {
		return "default device by " + by
	}
	return "default device: the best present"
}

// Init is acc_init (OpenACC 3.3 §3.2.7).
func (t *deviceRoutines) Init(kind device.Type) {
	t.enter("acc_init", callbacks.RuntimeAPI, AsyncSync)
	if bad := t.rt.environment.bad; bad != "" {
		t.fail(device.Errorf(device.InvalidArgument, 0, "%s", bad))
		return
	}
	if _, ok := t.setType(kind); !ok {
		return
	}
	d := t.choose()
	if d == nil {
		return
	}
	t.context.device = d
	t.initialise(d, true)
	t.selectDevice(d)
}

// InitDevice is acc_init_device (OpenACC 3.3 §3.2.7).
func (t *deviceRoutines) InitDevice(number int, kind device.Type) {
	t.enter("acc_init_device", callbacks.RuntimeAPI, AsyncSync)
	if number < 0 {
		if concrete, count, ok := t.check(kind); ok {
			t.fail(t.numberUnavailable("dev_num", number, concrete, count))
		}
		return
	}
	if d, ok := t.setNumber(number, kind); ok {
		t.context.device = d
		t.initialise(d, true)
		t.selectDevice(d)
	}
}

// Shutdown is acc_shutdown (OpenACC 3.3 §3.2.8): of all devices of a type. A
// device that is not initialised stays so.
func (t *deviceRoutines) Shutdown(kind device.Type) {
	t.enter("acc_shutdown", callbacks.RuntimeAPI, AsyncSync)
	concrete, _, ok := t.check(kind)
	if !ok {
		return
	}
	devices := t.rt.initialised(concrete, false)
	if kind == DeviceNotHost {
		devices = nil
		for _, d := range t.rt.initialised(concrete, true) {
			if d.Type != DeviceHost {
				devices = append(devices, d)
			}
		}
	}
	for _, d := range devices {
		t.shutDown(d, callbacks.RuntimeAPI)
	}
}

// ShutdownDevice is acc_shutdown_device (OpenACC 3.3 §3.2.8).
func (t *deviceRoutines) ShutdownDevice(number int, kind device.Type) {
	t.enter("acc_shutdown_device", callbacks.RuntimeAPI, AsyncSync)
	concrete, count, ok := t.check(kind)
	if !ok {
		return
	}
	if number < 0 || number >= count {
		t.fail(t.numberUnavailable("dev_num", number, concrete, count))
		return
	}
	t.shutDown(t.rt.device(concrete, number), callbacks.RuntimeAPI)
}

// ended raises runtime_shutdown, after which there are no callbacks (OpenACC 3.3
// §5.1). That it comes at the end of the program only, and once, follows: a program
// that has shut down all devices may use one again.
func (t *deviceRoutines) ended() {
	if !t.rt.started.Load() || t.rt.over.Swap(true) {
		return
	}
	t.rt.activity.Drain(func() {})
	if t.wanted(callbacks.RuntimeShutdown) {
		g, _ := t.composeOwn(callbacks.RuntimeShutdown, nil)
		g.onDevice(t.rt.used.Load(), false)
		g.info.Async, g.info.AsyncQueue = AsyncSync, AsyncSync
		t.carryOut()
	}
	t.rt.registry.Unregister(nil, callbacks.None, callbacks.CCallback(nil), callbacks.Toggle)
}

// EndProgram shuts down whatever is initialised, at the end of the program. Where a
// kernel has crashed, nothing is: its queue is never done.
func (t *deviceRoutines) EndProgram() {
	t.enter("the end of the program", callbacks.RuntimeAPI, AsyncSync)
	t.rt.ending.Store(&t.raiser)
	if t.rt.crashed.Load() {
		t.ended()
		return
	}
	dropped := map[*Device][]hostRange{}
	for range shutdownRounds { // callbacks may initialise one anew
		for _, d := range t.rt.initialised(0, true) {
			for _, m := range t.shutDown(d, callbacks.RuntimeAPI) {
				if !blockOf(m).identity && m.Size > 0 {
					dropped[d] = append(dropped[d], hostRange{low: m.Host, high: m.Host + m.Size})
				}
			}
		}
	}
	t.rt.dropped.Store(&dropped)
	t.ended()
}

// Dropped says whether EndProgram ended the data lifetime on d of what is at a
// host address: a copy to the host that comes later comes too late. A nil d means
// any device.
func (rt *Runtime) Dropped(d *Device, host uintptr) bool {
	devices := rt.dropped.Load()
	if devices == nil {
		return false
	}
	if d != nil {
		return contain((*devices)[d], host)
	}
	for _, ranges := range *devices {
		if contain(ranges, host) {
			return true
		}
	}
	return false
}

// contain says whether one of ranges holds a host address.
func contain(ranges []hostRange, host uintptr) bool {
	return slices.ContainsFunc(ranges, func(r hostRange) bool { return r.low <= host && host < r.high })
}

// RegionDropped says so of what t's data regions would copy back. All that are
// open end too late: the innermost one need not be the one that copies.
func (t *directives) RegionDropped() bool {
	return slices.ContainsFunc(t.regions, func(r region) bool {
		return slices.ContainsFunc(r.undo, func(u undo) bool {
			return u.copyout && !u.attach && t.rt.Dropped(r.device, u.host)
		})
	})
}

// OnDevice is acc_on_device (OpenACC 3.3 §3.2.15), for code that GCC did not fold.
func (t *deviceRoutines) OnDevice(kind device.Type) bool {
	running := DeviceHost
	for _, d := range t.rt.initialised(0, true) {
		if code, ok := d.driver.(device.HostCoded); ok && code.Inside() {
			running = d.Type
		}
	}
	switch kind {
	case DeviceHost, DeviceNone:
		return running == DeviceHost
	case DeviceNotHost:
		return running != DeviceHost
	case DeviceDefault, DeviceCurrent:
		return running == t.rt.resolve(t.deviceType)
	}
	return kind == running
}
