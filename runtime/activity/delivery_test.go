package activity

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/callbacks"
)

// Subscribers get the kinds that they asked for, of what was enqueued since, in order;
// and nothing after they have unsubscribed.
func TestDelivery(t *testing.T) {
	var d Delivery
	d.Init(nil)
	if d.Wanted() {
		t.Error("wanted without subscribers")
	}
	got := map[string][]uint64{}
	subscribe := func(name string, kinds uint32, from uint64) uint64 {
		return d.Subscribe(kinds, func() uint64 { return from }, func(r *callbacks.ActivityRecord) { got[name] = append(got[name], r.Correlation) })
	}
	all := subscribe("all", 0, 0)
	waits := subscribe("waits", 1<<callbacks.ActivityWait, 2)
	for number := range uint64(6) {
		kind := callbacks.ActivityWait
		if number%2 == 0 {
			kind = callbacks.ActivityWarning
		}
		d.Add(callbacks.ActivityRecord{Kind: kind, Correlation: number + 1})
	}
	reported := false
	if done := d.Flush(0, func() { reported = true }); !done || !reported {
		t.Errorf("flushed: all %v, asked for reports %v", done, reported)
	}
	for name, want := range map[string][]uint64{"all": {1, 2, 3, 4, 5, 6}, "waits": {4, 6}} {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	last := 0
	for i, number := range []uint64{all, waits} {
		if !d.Knows(number) || !d.Unsubscribe(number, false, func() { last = i + 1 }) || d.Knows(number) {
			t.Errorf("subscription %d did not end", number)
		}
	}
	if last != 2 || d.Wanted() {
		t.Errorf("devices were told at subscription %d, wanted %v", last, d.Wanted())
	}
	d.Add(callbacks.ActivityRecord{Correlation: 7})
	d.Flush(0, func() {})
	if len(got["all"]) != 6 {
		t.Errorf("a record came after the end: %v", got)
	}
	if d.Unsubscribe(all, false, func() {}) {
		t.Error("a subscription ended twice")
	}
}
