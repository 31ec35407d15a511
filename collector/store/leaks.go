package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
)

// NeverDeleted gives the mappings that were created in the window [from, to) (to
// 0: to the end) and that no delete ended but that of the device's shutdown, in
// order of creation. It reads every record once.
func (t *Trace) NeverDeleted(from, to int64) ([]Mapping, error) {
	if to == 0 {
		to = math.MaxInt64
	}
	const (
		site = iota
		time
		parent
		bytes
		opener
	)
	kinds := make(map[int64]int32) // by site
	live := make(map[int64]Mapping)
	shutdowns := make(map[int64]bool)
	err := t.scan("record", "id", []string{"site", "time", "parent", "bytes", "opener"}, math.MinInt64, math.MaxInt64, func(id int64, v []int64) error {
		kind, known := kinds[v[site]]
		if !known {
			s, err := t.Site(v[site])
			if err != nil {
				return err
			}
			kind = s.KindCode
			kinds[v[site]] = kind
		}
		switch kind {
		case model.Create:
			if v[time] < from || v[time] >= to {
				return nil
			}
			s, err := t.Site(v[site])
			live[id] = Mapping{Record: id, Kind: "create", Site: s, Bytes: uint64(v[bytes]), Start: v[time], End: math.MaxInt64}
			return err
		case model.DeviceShutdownStart:
			shutdowns[id] = true
		case model.Delete:
			if !shutdowns[v[parent]] {
				delete(live, v[opener])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Mapping, 0, len(live))
	for _, m := range live {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Mapping) int { return cmp.Compare(a.Record, b.Record) })
	return out, nil
}
