package state_test

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
)

// Behind the runtime's shutdown a program deletes nothing any more: what it kept is told from then
// on, before it has ended, if it is known to have ended by itself; not what belongs to a region that
// it was still in.
func TestLeaksBehindTheShutdown(t *testing.T) {
	for ended, want := range map[string][]uint64{"exited": {16}, "killed": nil, "unknown": nil} {
		t.Run(ended, func(t *testing.T) {
			e := newEvents(t)
			create := func(host uint64, by callbacks.Construct) {
				e.apply(model.Create, func(x *model.Event) { x.Host, x.Device, x.Bytes, x.Parent = host, host, 100, int32(by) })
			}
			create(16, callbacks.EnterData)
			e.apply(model.EnterDataStart, func(x *model.Event) { x.Parent = int32(callbacks.Data) })
			create(32, callbacks.Data)
			e.apply(model.EnterDataEnd, func(x *model.Event) { x.Parent = int32(callbacks.Data) })
			before := e.time
			e.apply(model.RuntimeShutdown, nil)
			behind := e.time
			e.apply(model.WaitStart, nil) // the program goes on for a while
			e.apply(model.WaitEnd, nil)
			e.ends(ended)
			for time, want := range map[int64][]uint64{before: nil, behind: want, e.time: want} {
				d := at(t, e.reader, time).Devices[0]
				var got []uint64
				for _, m := range d.Leaked {
					got = append(got, m.Host)
				}
				if !slices.Equal(got, want) || (len(d.Mappings) == 0) != (time > before) {
					t.Errorf("at %d of %d: leaked %d, want %d; live %+v", time, behind, got, want, d.Mappings)
				}
			}
		})
	}
}
