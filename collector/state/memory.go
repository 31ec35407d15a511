package state

import (
	"cmp"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// allocation is device memory or a mapping that is live.
type allocation struct {
	record        int64
	site          *store.Site
	host, address uint64
	bytes         uint64
	since         int64
	creates       int32
	region        int64 // structured region that it belongs to, 0: none
}

// device is the memory of one device as one process sees it.
type device struct {
	process     model.ProcessID
	only        *store.Within // what the peak is of
	used, peak  int64
	since       int64 // when that came to be in use
	memory      recent[store.MemoryPoint]
	allocations map[int64]*allocation // by record
	mappings    map[int64]*allocation
	byHost      map[uint64]*allocation // of mappings
	maps        bool                   // create events were seen: mappings are the runtime's own
	allocated   map[variable]int64     // how often
	leaked      []*allocation
}

// variable is one as allocated at one place.
type variable struct {
	name, file string
	line       int32
}

func variableOf(s *store.Site) variable { return variable{s.Name, s.File, s.Line} }

func (r *Reader) device(id model.DeviceID) *device {
	return lookup.Make(r.devices, id, func() *device {
		return &device{process: r.process(id), only: r.only, allocations: map[int64]*allocation{}, mappings: map[int64]*allocation{}, byHost: map[uint64]*allocation{}, allocated: map[variable]int64{}}
	})
}

// exist takes in data that existed before capture: the allocation under it was not
// reported, so the mapping stands for it.
func (d *device) exist(m *store.Mapping) {
	a := &allocation{m.Record, m.Site, m.Host, m.Address, m.Bytes, m.Start, 1, 0}
	d.process = m.Site.Process
	d.maps = true
	d.mappings[a.record], d.byHost[a.host], d.allocations[a.record] = a, a, a
	d.allocated[variableOf(a.site)]++
	d.now(m.Start, d.used+model.Size(m.Bytes))
}

// lasted notes that what is in use was until a time.
func (d *device) lasted(until int64) {
	if d.only != nil && d.only.Reaches(d.process, d.since, until) {
		d.peak = max(d.peak, d.used)
	}
}

// now notes the memory in use from a time on.
func (d *device) now(time, used int64) {
	d.lasted(time)
	d.used, d.since = used, time
	if d.only == nil {
		d.peak = max(d.peak, used)
	}
	d.memory.add(store.MemoryPoint{Time: time, End: time, Low: used, High: used, Last: used}, bothPoints)
}

// change takes in a create, alloc, delete or free in the regions that its thread is in;
// used is the memory in use after it, negative if it is as it was.
func (d *device) change(x *store.Record, used int64, open model.Regions) {
	d.process = x.Site.Process
	a := &allocation{x.ID, x.Site, x.Host, x.Address, x.Bytes, x.Start, 1, open.Around(x.Thread, x.Site.ParentConstruct, x.Parent)}
	switch x.Site.KindCode {
	case model.Alloc:
		d.allocations[x.ID] = a
		d.allocated[variableOf(x.Site)]++
	case model.Create:
		d.maps = true
		if old := d.byHost[x.Host]; old != nil {
			a.creates = old.creates + 1
			delete(d.mappings, old.record)
		}
		d.mappings[x.ID], d.byHost[x.Host] = a, a
		return
	case model.Delete:
		if old := d.mappings[x.Opener]; old != nil {
			delete(d.mappings, x.Opener)
			if d.byHost[old.host] == old {
				delete(d.byHost, old.host)
			}
		}
		return
	case model.Free:
		delete(d.allocations, x.Opener)
	}
	if used >= 0 {
		d.now(x.Start, used)
	}
}

// live are the mappings now: the runtime's own where it reports them, else the
// allocations; in the order of their records.
func (d *device) live() []*allocation {
	table := d.allocations
	if d.maps {
		table = d.mappings
	}
	return slices.SortedFunc(maps.Values(table), func(a, b *allocation) int { return cmp.Compare(a.record, b.record) })
}

// shutDown takes what is live and the program's to delete as leaked, also if the runtime
// itself frees it while it shuts the device down.
func (d *device) shutDown(open model.Regions) {
	for _, a := range d.live() {
		if a.record < 0 || !open.Kept(a.site.Thread, a.site.ParentConstruct, a.region) {
			continue // existed before capture, or is of a region that is open
		}
		d.leaked = append(d.leaked, a)
	}
	clear(d.allocations)
	clear(d.mappings)
	clear(d.byHost)
}
