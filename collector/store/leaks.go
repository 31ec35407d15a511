package store

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
)

// Left is what was on devices at the end, in order of creation.
type Left struct {
	// NeverDeleted is what the program had to delete and did not: of enter data and routines,
	// and of regions that have ended, in processes that ended by themselves.
	NeverDeleted []Mapping
	// Open is of structured regions in which their process ended, however it did.
	Open []Mapping
	// Undecided is set where some process has not ended by itself: it never deleted nothing.
	Undecided bool
	// Partial is set where the trace does not have all that happened to data.
	Partial bool
}

// Nothing says what it means that nothing was never deleted.
func (l *Left) Nothing() string {
	switch {
	case l.Partial:
		return "nothing that can be told: the trace does not have all that happened"
	case l.Undecided:
		return "nothing by a program that ended by itself"
	}
	return "everything that was mapped was deleted"
}

// leftData is a mapping, or memory, that nothing has deleted so far.
type leftData struct {
	site, host, bytes, start int64
	region                   int64 // record of the enter_data that made it, 0: none
	at                       leftPlace
}

type leftPlace struct {
	device  model.DeviceID
	address int64
}

// Left gives what was left on devices of that made in the window [from, to) (to 0: to the
// end): the mappings that no delete ended but that of the device's shutdown, and the memory
// without a mapping (acc_malloc; all of it under runtimes that report no mappings) that no
// free ended but such a one. What a device's pool gives back then is none of the program's:
// a pool shows by mappings inside what was allocated. What may have been deleted in a time
// that the trace does not have is not among it. It reads every record once, or until enough
// ends it: then it is what had not been deleted until there.
func (t DeviceMemory) Left(from, to int64, enough Enough) (*Left, error) {
	missing, err := t.trace.Partial()
	if err != nil {
		return nil, err
	}
	ended, byItself, err := t.trace.Endings()
	if err != nil {
		return nil, err
	}
	live := make(map[int64]leftData)
	allocated := make(map[leftPlace]int64)
	pooled := make(map[model.DeviceID]bool)
	shutdowns := make(map[int64]bool)
	open := model.Regions{}
	n := 0
	err = t.trace.scanRecords(math.MinInt64, math.MaxInt64, func(id int64, v []int64) error {
		if n++; enough.reached(n, v[columnTime]) {
			return errStop
		}
		site, err := t.trace.head(v[columnSite])
		if err != nil {
			return err
		}
		switch kind := site.kind; kind {
		case model.EnterDataStart:
			open.Enter(site.thread, site.parent, id)
		case model.ExitDataStart:
			open.Exit(site.thread, site.parent)
		case model.Create, model.Alloc:
			at := leftPlace{site.device, v[columnAddress]}
			if kind == model.Alloc {
				allocated[at] = id
			} else if of, known := allocated[at]; known {
				delete(live, of) // the mapping stands for its memory
			} else {
				pooled[at.device] = true
			}
			if v[columnTime] >= from && v[columnTime] < to {
				live[id] = leftData{v[columnSite], v[columnHost], v[columnBytes], v[columnTime], open.Around(site.thread, site.parent, v[columnParent]), at}
			}
		case model.DeviceShutdownStart:
			shutdowns[id] = true
		case model.Delete:
			if !shutdowns[v[columnParent]] {
				delete(live, v[columnOpener])
			}
		case model.Free:
			m, known := live[v[columnOpener]]
			if known && (!shutdowns[v[columnParent]] || pooled[m.at.device]) {
				delete(live, v[columnOpener])
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	left := &Left{Partial: !missing.ShowsData()}
	exits := !missing.LeavesOut(model.ExitDataStart)
	for _, own := range byItself {
		left.Undecided = left.Undecided || !own
	}
	for id, m := range live {
		s, err := t.trace.Site(m.site)
		if err != nil {
			return nil, err
		}
		if !ended[s.Process] || missing.MayHaveEnded(s.Process, s.KindCode, m.start) {
			continue
		}
		mapping := Mapping{Record: id, Kind: s.Kind, Site: s, Host: uint64(m.host), Address: uint64(m.at.address),
			Bytes: uint64(m.bytes), Start: m.start, End: math.MaxInt64}
		switch {
		case m.region != 0 && !exits: // whether it has ended is not known
		case m.region != 0 && open.Has(s.Thread, m.region):
			left.Open = append(left.Open, mapping)
		case byItself[s.Process] && open.Kept(s.Thread, s.ParentConstruct, m.region):
			left.NeverDeleted = append(left.NeverDeleted, mapping)
		}
	}
	for _, list := range [][]Mapping{left.NeverDeleted, left.Open} {
		slices.SortFunc(list, func(a, b Mapping) int { return cmp.Compare(a.Record, b.Record) })
	}
	return left, nil
}

// Endings say of each process whether it has ended, and whether it did by itself.
func (t *Trace) Endings() (ended, byItself map[model.ProcessID]bool, err error) {
	processes, err := t.Processes()
	if err != nil {
		return nil, nil, err
	}
	failed := map[model.ProcessID]bool{}
	for s, err := range t.Rows("reading errors", "SELECT DISTINCT process FROM errors") {
		if err != nil {
			return nil, nil, err
		}
		failed[model.ProcessID(s.ColumnInt64(0))] = true
	}
	ended, byItself = map[model.ProcessID]bool{}, map[model.ProcessID]bool{}
	for i := range processes {
		p := &processes[i]
		ended[p.ID], byItself[p.ID] = p.Ended != "", p.EndedByItself(failed[p.ID])
	}
	return ended, byItself, nil
}
