package openacc

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
)

// mostRanges bounds the ranges of which it is noted whether they were used, and
// smallestRange, in bytes, those of which it is.
const (
	mostRanges    = 1024
	smallestRange = 64
)

// usage notes of ranges of the host's memory, by address and size, whether any of the
// lifetimes that they had on devices was of use to a kernel (OpenACC 3.3 §2.6): one that
// a compute construct names, or a pointer that it gets points into, or of which something
// else has the device address. Of the others no kernel can know.
type usage struct {
	mu     sync.Mutex
	ranges map[[2]uintptr]bool
}

// over notes the end of a lifetime. The mapping's device is locked.
func (u *usage) over(m *dataenv.Mapping) {
	if m.Size < smallestRange {
		return
	}
	of := [2]uintptr{m.Host, m.Size}
	used := m.Used || m.Infinite || m.Declared
	u.mu.Lock()
	defer u.mu.Unlock()
	if before, known := u.ranges[of]; known {
		if used && !before {
			u.ranges[of] = true
		}
		return
	}
	if u.ranges == nil {
		u.ranges = map[[2]uintptr]bool{}
	}
	if len(u.ranges) < mostRanges {
		u.ranges[of] = used
	}
}

// unused are the ranges that were of no use, in order.
func (u *usage) unused() (list [][2]uintptr) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for of, used := range u.ranges {
		if !used {
			list = append(list, of)
		}
	}
	slices.SortFunc(list, func(a, b [2]uintptr) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return list
}

// tellUnused tells subscribers, when the last device is shut down, of what was mapped and
// no kernel could use.
func (t *devices) tellUnused(d *Device) {
	if d.Shared || !t.rt.activity.Wanted() || t.rt.active.Load() > 1 {
		return
	}
	d.mu.Lock()
	for m := range d.table.All() {
		t.rt.usage.over(m)
	}
	d.mu.Unlock()
	now := monotonic()
	for _, of := range t.rt.usage.unused() {
		t.rt.activity.Add(callbacks.ActivityRecord{Size: activityRecordSize, Kind: callbacks.ActivityUnused,
			DeviceType: callbacks.DeviceType(d.Type), DeviceNumber: int32(d.Number), Async: AsyncSync, AsyncQueue: AsyncSync, Bytes: uint64(of[1]),
			HostStart: now, HostEnd: now, DeviceStart: now - d.clockOffset.Load(), DeviceEnd: now - d.clockOffset.Load(),
			Correlation: t.rt.correlations.Add(1), Name: callbacks.Intern(fmt.Sprintf("%d %d", int64(of[0]), of[1])), LineNo: -1})
	}
}
