package openacc

import (
	"encoding/json"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/activity"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// observeFindings has what a device that checks its memory finds told as activity.
func (d *Device) observeFindings(driver device.Device) {
	d.checking = nil
	if checking, ok := driver.(device.Checking); ok && checking.Checks() {
		d.checking = checking
		checking.ObserveFindings(d.tellFinding)
	}
}

// checkMapping tells a device that checks its memory what a mapping is on the host, or is not any
// more.
func (d *Device) checkMapping(m *dataenv.Mapping, is bool) {
	switch {
	case d.checking == nil:
	case is:
		d.checking.Map(m.Device, m.Host, uint64(m.Size))
	default:
		d.checking.Unmap(m.Device, m.Host, uint64(m.Size))
	}
}

// giveOut notes that the program has the device address of a mapping. d.mu is held.
func (d *Device) giveOut(m *dataenv.Mapping) {
	if d.checking != nil {
		d.checking.GiveOut(m.Device, uint64(m.Size))
	}
}

// tellFinding tells a finding. Where it lies in the program's data is for whoever has heard
// of these.
func (d *Device) tellFinding(f device.Finding) {
	if !d.rt.activity.Wanted() {
		return
	}
	told := callbacks.Finding{
		Device: int32(d.Number), Number: f.Number, Kind: string(f.Kind), Count: f.Count, Equal: f.Equal, Later: f.Later, Mixed: f.Mixed, Gone: f.Gone,
		Address: uint64(f.Address), Bytes: f.Bytes, Access: d.accessOf(&f.Side),
		HostSeen: f.HostSeen, HostAccesses: f.HostAccesses,
		Where: f.Where, Near: uint64(f.Near), NearBytes: f.NearBytes,
	}
	if f.Other != nil {
		other := d.accessOf(f.Other)
		told.Other = &other
	}
	text, err := json.Marshal(told)
	if err == nil { // which is always so
		d.tell(callbacks.ActivityFinding, string(text), f.Line)
	}
}

func (d *Device) accessOf(s *device.Side) callbacks.Access {
	if l := d.rt.options.Locator; s.Returned != 0 && l != nil {
		s.Function, s.File, s.Line = l.LineOf(s.Returned)
	}
	return callbacks.Access{
		Host: s.Operation == 0, Operation: callbacks.ActivityKind(s.Operation), Correlation: activity.Correlation(s.Correlation), Kernel: s.Kernel, Function: s.Function, File: s.File, Line: s.Line,
		Store: s.Store, Atomic: s.Atomic, Gang: s.Gang, Worker: s.Worker, Lane: s.Lane,
	}
}
