package store

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
)

// NeverDeleted gives what was left on devices of that made in the window
// [from, to) (to 0: to the end), in order of creation: the mappings that no delete
// ended but that of the device's shutdown, and the memory without a mapping
// (acc_malloc; all of it under runtimes that report no mappings) that no free ended
// but such a one. What a device's pool gives back then is none of the program's: a
// pool shows by mappings inside what was allocated. What may have been deleted in a time
// that the trace does not have is not among it. It reads every record once, or
// until enough ends it: then it is what had not been deleted until there.
func (t *Trace) NeverDeleted(from, to int64, enough Enough) ([]Mapping, error) {
	type place struct {
		device  model.DeviceID
		address int64
	}
	type data struct {
		site, host, bytes, start int64
		place
	}
	missing, err := t.Partial()
	if err != nil {
		return nil, err
	}
	live := make(map[int64]data)
	allocated := make(map[place]int64)
	pooled := make(map[model.DeviceID]bool)
	shutdowns := make(map[int64]bool)
	n := 0
	err = t.scanRecords(math.MinInt64, math.MaxInt64, func(id int64, v []int64) error {
		if n++; enough.reached(n, v[columnTime]) {
			return errStop
		}
		site, err := t.head(v[columnSite])
		if err != nil {
			return err
		}
		switch kind := site.kind; kind {
		case model.Create, model.Alloc:
			at := place{site.device, v[columnAddress]}
			if kind == model.Alloc {
				allocated[at] = id
			} else if of, known := allocated[at]; known {
				delete(live, of) // the mapping stands for its memory
			} else {
				pooled[at.device] = true
			}
			if v[columnTime] >= from && v[columnTime] < to {
				live[id] = data{v[columnSite], v[columnHost], v[columnBytes], v[columnTime], at}
			}
		case model.DeviceShutdownStart:
			shutdowns[id] = true
		case model.Delete:
			if !shutdowns[v[columnParent]] {
				delete(live, v[columnOpener])
			}
		case model.Free:
			m, known := live[v[columnOpener]]
			if known && (!shutdowns[v[columnParent]] || pooled[m.device]) {
				delete(live, v[columnOpener])
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	out := make([]Mapping, 0, len(live))
	for id, m := range live {
		s, err := t.Site(m.site)
		if err != nil {
			return nil, err
		}
		if missing.Since(s.Process, m.start) {
			continue
		}
		out = append(out, Mapping{Record: id, Kind: s.Kind, Site: s, Host: uint64(m.host), Address: uint64(m.address),
			Bytes: uint64(m.bytes), Start: m.start, End: math.MaxInt64})
	}
	slices.SortFunc(out, func(a, b Mapping) int { return cmp.Compare(a.Record, b.Record) })
	return out, nil
}
