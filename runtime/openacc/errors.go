package openacc

import (
	"fmt"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// The error codes (acc_error_t) that do not come from devices.
const (
	errorNotPresent         = device.Code(callbacks.ErrorNotPresent)
	errorPartlyPresent      = device.Code(callbacks.ErrorPartlyPresent)
	errorPresent            = device.Code(callbacks.ErrorPresent)
	errorInvalidAsync       = device.Code(callbacks.ErrorInvalidAsync)
	errorInvalidNullPointer = device.Code(callbacks.ErrorInvalidNullPointer)
	errorInvalidDataSection = device.Code(callbacks.ErrorInvalidDataSection)
)

// Every message names the routine or construct, the argument and the remedy.
// The wording in brackets ("[0x10,+256] is a bad range") is what GCC's own tests
// look for.

// span writes a host or device range.
func span(start, bytes uintptr) string { return fmt.Sprintf("[%#x,+%d]", start, bytes) }

func (c *call) errorf(code device.Code, format string, args ...any) *device.Error {
	return device.Errorf(code, 0, "%s: %s", c.routine, fmt.Sprintf(format, args...))
}

// fromDevice says in what routine a device failed.
func (c *call) fromDevice(err error) *device.Error {
	if failure, ok := err.(*device.Error); ok {
		told := *failure
		told.Message = c.routine + ": " + failure.Message
		return &told
	}
	return c.errorf(device.Other, "%v", err)
}

func (t *caller) structSplit(item *goacc.Item) *device.Error {
	return t.about(item.Entry, item.Host, item.Size, t.errorf(errorPartlyPresent,
		"Trying to map into device [%#x..) structure element when other mapped elements from the same structure "+
			"weren't mapped together with it; map the whole structure first", item.Host))
}

// negativeSection reports a data section whose length, as a program computed it, is
// negative: it arrives as a size larger than any object's.
func (t *caller) negativeSection(what string, host, bytes uintptr) *device.Error {
	return t.about(routineData, host, 0, t.errorf(errorInvalidDataSection, "%s at %#x has a length of %d bytes; give a length of 0 or more",
		what, host, int(bytes)))
}

func (c *call) nullPointer(argument, what string) *device.Error {
	return c.errorf(errorInvalidNullPointer, "%s is a null pointer (invalid %s address); pass the address of the data, "+
		"or zero bytes for no action", argument, what)
}

func (c *call) invalidAsync(argument string, value int) *device.Error {
	return c.errorf(errorInvalidAsync, "%s is %d, which is no async value; use 0 or more, acc_async_noval (%d) "+
		"or acc_async_sync (%d)", argument, value, AsyncNoval, AsyncSync)
}

func (t *caller) outOfMemory(host, bytes uintptr, err error) *device.Error {
	failure := t.fromDevice(err)
	if failure.Code != device.OutOfMemory {
		return failure
	}
	failure = device.Errorf(device.OutOfMemory, failure.Driver, "%s (%d bytes wanted on %s; free device memory "+
		"or use a smaller section)", failure.Message, bytes, t.deviceName())
	entry := slices.Index(t.scratch.arguments.Hosts, host)
	if t.context.parent != callbacks.RuntimeAPI && entry < 0 {
		return failure // memory for several variables
	}
	return t.about(entry, host, bytes, failure)
}

func (t *caller) alreadyMapped(side string, host, start, bytes uintptr) *device.Error {
	return t.about(routineData, host, bytes, t.errorf(errorPresent, "%s address [%#x, +%d] is already mapped on %s; end that mapping first",
		side, start, bytes, t.deviceName()))
}

func (c *call) badMap(d *Device, argument string, host, dev, bytes uintptr) *device.Error {
	code, why := errorInvalidNullPointer, argument+" is a null pointer"
	if argument == "bytes" {
		code, why = device.InvalidArgument, "bytes is zero"
	}
	remedy := "pass a host address, a device address and a size"
	if d.Shared {
		remedy = noSharedMap
	}
	return c.errorf(code, "%s: %s->%s is a bad map; %s", why, span(host, bytes), span(dev, bytes), remedy)
}

const noSharedMap = "cannot map data on shared-memory system; choose a device with a memory of its own (ACC_DEVICE_TYPE)"

func (c *call) sharedMap() *device.Error {
	return c.errorf(device.InvalidArgument, "data_arg and data_dev differ: %s", noSharedMap)
}

func (c *call) notMappedBlock(host uintptr) *device.Error {
	return c.errorf(device.InvalidArgument, "data_arg %#x is not a mapped block; pass the address given to acc_map_data", host)
}

func (c *call) insideMappedBlock(host, start, bytes uintptr) *device.Error {
	return c.errorf(device.InvalidArgument, "data_arg %#x is inside of mapped block %s; pass the address given to acc_map_data", host, span(start, bytes))
}

func (c *call) notByMapData(host, bytes uintptr) *device.Error {
	return c.errorf(device.InvalidArgument, "data_arg: refusing to unmap block %s that has not been mapped by "+
		"'acc_map_data'; use acc_delete or exit data", span(host, bytes))
}

func (c *call) structuredStill(host, bytes uintptr, byMapData bool) *device.Error {
	if !byMapData {
		return c.errorf(errorPresent, "data_arg: cannot unmap target block: refusing to unmap block %s that has not been "+
			"mapped by 'acc_map_data' and that a data region or a declare directive still uses; leave the region instead", span(host, bytes))
	}
	return c.errorf(errorPresent, "data_arg: cannot unmap target block %s, a data region or a declare directive still "+
		"uses it; leave the region first", span(host, bytes))
}

func (c *call) stillMapped(address, host, bytes uintptr) *device.Error {
	return c.errorf(device.InvalidArgument, "data_dev: refusing to free device memory space at %#x that is still mapped "+
		"at %s; use acc_delete or acc_unmap_data first", address, span(host, bytes))
}

func (c *call) freeFailed(address uintptr, err error) *device.Error {
	failure := c.fromDevice(err)
	return device.Errorf(failure.Code, failure.Driver, "%s; error in freeing device memory in acc_free: data_dev %#x "+
		"is an invalid device address; pass an address that acc_malloc returned", failure.Message, address)
}

func (c *call) invalidSize(what string, address, bytes uintptr) *device.Error {
	return c.errorf(device.InvalidArgument, "invalid size: %s does not lie inside one block of device memory; "+
		"check %s and bytes", span(address, bytes), what)
}

func (t *caller) typeUnavailable(argument string, kind device.Type, reason error) *device.Error {
	why := ""
	if reason != nil {
		why = " (" + reason.Error() + ")"
	}
	if _, known := callbacks.DeviceType(kind).Short(); !known {
		return t.errorf(device.TypeUnavailable, "unknown device type %d in %s; there are: %s",
			kind, argument, t.rt.available())
	}
	remedy := ""
	if n, err := t.rt.count(DeviceSim); kind == DeviceNVIDIA && err == nil && n > 0 {
		remedy = "; ACCSCOPE_SIM_AS=nvidia has the simulated device answer to it"
	}
	return t.errorf(device.TypeUnavailable, "%s: no device of type %s is available%s; there are: %s%s",
		argument, typeName(kind), why, t.rt.available(), remedy)
}

func (c *call) numberUnavailable(argument string, number int, kind device.Type, count int) *device.Error {
	return c.errorf(device.Unavailable, "%s is %d: device %s %d is not available; valid numbers are 0 to %d",
		argument, number, typeName(kind), number, count-1)
}
