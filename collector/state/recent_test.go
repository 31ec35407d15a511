package state

import "testing"

// However much happens, so much is kept, and it sums up to all.
func TestRecentIsBoundedAndWhole(t *testing.T) {
	var r recent[Stretch]
	const n = 10 * mostKept
	given := r.list
	for i := range int64(n) {
		r.add(Stretch{From: 10 * i, To: 10*i + 5, Busy: 5, Record: i + 1, Kind: "kernel"}, bothStretches)
		if i == mostKept-1 {
			given = r.list
		}
	}
	if len(r.list) > mostKept || given[0].Busy != 5 {
		t.Errorf("%d are kept; what was given out has changed to %+v", len(r.list), given[0])
	}
	sum, end := int64(0), int64(-1)
	for _, s := range r.list {
		if s.From <= end || s.Kind != "kernel" {
			t.Fatalf("%+v after %d", s, end)
		}
		sum, end = sum+s.Busy, s.To
	}
	if newest := r.list[len(r.list)-1]; sum != 5*n || end != 10*n-5 || newest.Record != n {
		t.Errorf("busy for %d until %d, at last %+v", sum, end, newest)
	}
}
