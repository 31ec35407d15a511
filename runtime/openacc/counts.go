package openacc

import (
	"encoding/json"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// observeCounts has what a device counts of its kernels told as activity.
func (d *Device) observeCounts(driver device.Device) {
	if profiling, ok := driver.(device.Profiling); ok && profiling.Counts() {
		card := sync.OnceFunc(func() {
			of := profiling.Card()
			d.tellCount(callbacks.Counts{Of: callbacks.CountsOfCard, Card: of.Name, Values: of.Values})
		})
		profiling.ObserveCounts(func(k device.KernelCounts) {
			card()
			d.tellCounts(k)
		})
	}
}

// tellCounts tells what a kernel came to, and each line of it.
func (d *Device) tellCounts(k device.KernelCounts) {
	kernel := strings.ReplaceAll(k.Kernel, "$", ".") // GCC writes these for points, which PTX has not
	d.tellCount(callbacks.Counts{Kernel: kernel, Of: callbacks.CountsOfKernel, Values: k.Values})
	d.tellCount(callbacks.Counts{Kernel: kernel, Of: callbacks.CountsOfEstimate, Values: k.Estimates})
	for _, l := range k.Lines {
		d.tellCount(callbacks.Counts{Kernel: kernel, Of: callbacks.CountsOfLine, File: l.File, Line: l.Line, Values: l.Values})
	}
}

func (d *Device) tellCount(of callbacks.Counts) {
	of.Device = int32(d.Number)
	if text, err := json.Marshal(of); err == nil { // always
		d.tell(callbacks.ActivityCounts, string(text), of.Line)
	}
}

// tell adds an activity record that is no operation: a text of its kind.
func (d *Device) tell(kind callbacks.ActivityKind, text string, line int) {
	a := &d.rt.activity
	var now unix.Timespec
	if !a.Wanted() || unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return // the latter does not happen
	}
	a.Add(callbacks.ActivityRecord{
		Size: activityRecordSize, Kind: kind, DeviceType: callbacks.DeviceType(d.Type), DeviceNumber: int32(d.Number),
		Async: AsyncSync, AsyncQueue: AsyncSync, HostStart: now.Nano(), HostEnd: now.Nano(),
		DeviceStart: now.Nano() - d.clockOffset.Load(), DeviceEnd: now.Nano() - d.clockOffset.Load(),
		Correlation: d.rt.correlations.Add(1), Name: callbacks.Intern(text), LineNo: int32(line),
	})
}
