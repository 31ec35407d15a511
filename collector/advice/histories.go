package advice

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// histories follows what happens to the data of each address, for the rules whose SQL
// begins with history.
type histories struct {
	pass *pass
	uses map[deviceData]int64 // what may have used any data of the device: kernels, host_data regions, copies
	data map[datumKey]*datum
	list []*datum // in order of their first mention
	told []historian
	// changed are data of which a download brought something new: kernels write to them, and
	// to what overlaps them.
	changed map[datumKey]bool
}

// historian is a rule that goes by histories.
type historian interface {
	// step: the datum had a mapping or a transfer, and before it another one; nil: none.
	// next is nil behind the last.
	step(d *datum, s, next *step)
	// move: a transfer of what is mapped, behind another one.
	move(d *datum, last, m *step)
	end()
}

type (
	datumKey struct {
		deviceData
		host, bytes int64
	}
	datum struct {
		key   datumKey
		last  *step // mapping or transfer
		moved *step // the last transfer of what was mapped
		made  int64 // mappings
		// confirmed: some download brought what the host had.
		confirmed bool
		// exposed: acc_deviceptr has given its device address: what gets it may use the
		// data, and no event tells.
		exposed bool
	}
	// step is a mapping, or a transfer.
	step struct {
		kind       int32 // model.Create or an enqueue's
		site       *store.Site
		row        occurrence
		bytes      int64
		record     int64
		address    int64 // on the device
		hash       content
		done, made int64 // uses of the device's data, and mappings of these, by then
		before     int32 // kind of the step before, 0: none
		doneBefore int64
		returned   bool // a download that is told of already
	}
)

// histories gives the pass's, made when it is first asked for.
func (p *pass) histories(h historian) watcher {
	if p.history != nil {
		p.history.told = append(p.history.told, h)
		return nil
	}
	p.history = &histories{pass: p, uses: map[deviceData]int64{}, data: map[datumKey]*datum{}, told: []historian{h}, changed: map[datumKey]bool{}}
	return p.history
}

func (hs *histories) use(of deviceData) { hs.uses[of]++ }

func (hs *histories) take(h *happening) {
	of := deviceData{h.Site.Process, h.Site.Device}
	key := datumKey{of, int64(h.Host), int64(h.Bytes)}
	if h.download() && h.Host != 0 && !h.byAddress() && h.hash.written() {
		hs.changed[key] = true
	}
	switch {
	case h.kernel(), h.byAddress(), h.Site.Kind == "enter_data" && h.Span && h.Site.Construct == "host_data":
		hs.use(of)
		return
	case int64(h.Bytes) < smallestBytes:
		return
	case h.upload() || h.download():
		if h.Host == 0 {
			return
		}
	case h.Site.KindCode != model.Create:
		return
	}
	d := lookup.Make(hs.data, key, func() *datum {
		hs.list = append(hs.list, &datum{key: key, exposed: within(hs.pass.exposed, key.host, key.bytes)})
		return hs.list[len(hs.list)-1]
	})
	if h.Site.KindCode == model.Create {
		d.made++
	}
	s := &step{kind: h.Site.KindCode, site: h.Site, row: h.spared(), bytes: int64(h.Bytes), record: h.ID, address: int64(h.Address), hash: h.hash,
		done: hs.uses[of], made: d.made}
	if d.last != nil {
		s.before, s.doneBefore = d.last.kind, d.last.done
		for _, t := range hs.told {
			t.step(d, d.last, s)
		}
	}
	d.last = s
	if s.kind == model.Create || d.made == 0 {
		return
	}
	if s.kind == model.EnqueueDownloadStart && s.hash.unchanged() {
		d.confirmed = true
	}
	for _, t := range hs.told {
		t.move(d, d.moved, s)
	}
	d.moved = s
}

// ranges are host ranges by device, in order of their begins, with how far those up to each
// reach.
type ranges map[deviceData][]store.Data

func (hs *histories) changedData() ranges {
	r := ranges{}
	for key := range hs.changed {
		r[key.deviceData] = append(r[key.deviceData], store.Data{Host: key.host, Bytes: key.bytes})
	}
	for of, list := range r {
		r[of] = reaching(list)
	}
	return r
}

// touches says whether one of the ranges overlaps data.
func (r ranges) touches(data datumKey) bool {
	list := r[data.deviceData]
	before, _ := slices.BinarySearchFunc(list, data.host+data.bytes, func(d store.Data, end int64) int { return cmp.Compare(d.Host, end) })
	return before > 0 && list[before-1].Host+list[before-1].Bytes > data.host
}

func (hs *histories) end() {
	for _, d := range hs.list {
		for _, t := range hs.told {
			t.step(d, d.last, nil)
		}
	}
	for _, t := range hs.told {
		t.end()
	}
}
