package openacc

import (
	"encoding/json"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// observeCounts has what a device counts of its kernels told as activity.
func (d *Device) observeCounts(driver device.Device) {
	if profiling, ok := driver.(device.Profiling); ok && profiling.Counts() {
		profiling.ObserveCounts(d.tellCounts)
	}
}

// tellCounts tells what a kernel came to, and each line of it.
func (d *Device) tellCounts(k device.KernelCounts) {
	kernel := strings.ReplaceAll(k.Kernel, "$", ".") // GCC writes these for points, which PTX has not
	told := []callbacks.Counts{{Device: int32(d.Number), Kernel: kernel, Of: callbacks.CountsOfKernel, Values: k.Values}}
	for _, l := range k.Lines {
		told = append(told, callbacks.Counts{Device: int32(d.Number), Kernel: kernel, Of: callbacks.CountsOfLine, File: l.File, Line: l.Line, Values: l.Values})
	}
	for _, one := range told {
		text, err := json.Marshal(one)
		if err != nil {
			return // does not happen
		}
		d.tell(callbacks.ActivityCounts, string(text), one.Line)
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
