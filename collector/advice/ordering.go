package advice

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// races are the operations on different queues that touch the same data, at least one
// of them to write, and that no wait holds in order, with what is known of the places of all
// processes.
type races struct {
	sources *report.Sources
	names   map[string]bool         // of data, and of pointers into them that a transfer names
	begins  map[textPlace]int64     // lines of the functions of constructs
	several map[textPlace]bool      // constructs whose kernels are on several queues: each does a part
	host    map[model.DeviceID]bool // the host's processor
	owner   map[model.DeviceID]model.ProcessID
	places  map[textPlace]*atPlace
	pairs   []racing
}

// ordering finds the pairs of some processes while their records are read. What has finished before an
// operation begins is known by vector clocks: by its queue's order, by waits of queues
// for others (OpenACC 3.3 §2.16.3), and by waits of the program's threads. What a thread
// has waited for counts for all, as how threads wait for one another is not seen: so
// nothing is found that only threads could put in order.
type ordering struct {
	*races
	at      map[*store.Site]siteOrder
	aliases map[alias]*data                       // what pointers mean in a function; nil: several data
	blocks  map[deviceQueue]*section              // what was sent on a queue since its last kernel
	devices map[model.DeviceID]map[string][]*data // live, by device and name
	lying   map[model.DeviceID][]*data            // live, by device, in order of address
	queues  map[deviceQueue]*queueClock
	hosts   map[model.ProcessID]*hostClock
	seen    map[racingPlaces]int
	follows []following     // waits of queues for others, in order of time
	ends    []waitEnd       // waits that are not over, in order of their ends
	local   []hostConstruct // constructs that may not be over
}

type (
	deviceQueue struct {
		device model.DeviceID
		queue  int64
	}
	textPlace struct {
		file, function string
		line, end      int32
	}
	// queueClock is what is known to have finished when the next operation of a queue begins:
	// by the numbers of the process's queues, the time of the last operation of which that is so.
	queueClock struct {
		deviceQueue
		number int
		knows  []int64
		of     *hostClock
	}
	// hostClock is the same of what comes next from a process's threads.
	hostClock struct {
		process model.ProcessID
		queues  int
		knows   []int64
	}
	siteOrder struct {
		place *atPlace
		queue *queueClock
	}
	// atPlace is what is known of a place.
	atPlace struct {
		textPlace
		uses    []use // what a construct does with data
		several bool
		part    *section // of data that transfers at the place are of
		means   map[meaning]bool
	}
	use struct {
		name   string
		writes bool
	}
	// data are what a mapping holds on a device, and who touched them last.
	data struct {
		low, high int64
		name      string
		made      *atPlace
		wrote     []touch // the last of each queue
		read      []touch
	}
	// touch is an operation that reads or writes data. guessed: its part is the one that was sent
	// before on the queue.
	touch struct {
		queue                 *queueClock
		record, at, low, high int64
		kernel, guessed       bool
		place                 *atPlace
	}
	// section is a part of data, by its distance from their begin. varies: transfers at the place
	// are of one part after the other.
	section struct {
		low, high int64
		varies    bool
	}
	alias struct {
		process              model.ProcessID
		file, function, name string
	}
	racing struct {
		first, second, at int64 // records, and the time of the second
		places            racingPlaces
		name              string
		unsure            bool     // both are kernels, or one touches a part of the data that the other may not
		part              *atPlace // of a transfer of a part, against a kernel that may not touch it
	}
	racingPlaces struct {
		process       model.ProcessID // 0 for all
		first, second *atPlace
	}
	meaning struct {
		mapped *atPlace
		name   string
	}
	following struct {
		at             int64
		queue, awaited *queueClock
	}
	waitEnd struct {
		at, record int64
		queue      *queueClock
	}
)

// mostPairs is how many pairs of a finding are shown: each counts, but a program has one
// to mend.
const mostPairs = 20

// racesOf begins with a trace of which nothing has been read; nil: it has no async queues.
func racesOf(trace *store.Trace, sources *report.Sources) (*races, error) {
	const what = "reading the order of operations"
	if async, err := trace.Number(what, `SELECT 1 FROM queues WHERE async_queue <> -2 AND operations > 0 LIMIT 1`); err != nil || async == 0 {
		return nil, err
	}
	rs := &races{sources: sources, names: map[string]bool{}, begins: map[textPlace]int64{}, several: map[textPlace]bool{}, places: map[textPlace]*atPlace{}, host: map[model.DeviceID]bool{}, owner: map[model.DeviceID]model.ProcessID{}}
	for s, err := range trace.Rows(what, `SELECT device, process, type FROM devices`) {
		if err != nil {
			return nil, err
		}
		device := model.DeviceID(s.ColumnInt64(0))
		rs.owner[device], rs.host[device] = model.ProcessID(s.ColumnInt64(1)), callbacks.DeviceType(s.ColumnInt64(2)) == callbacks.DeviceHost
	}
	for s, err := range trace.Rows(what, `SELECT DISTINCT name FROM site_detail WHERE kind_code IN (6, 20, 22) AND name IS NOT NULL`) {
		if err != nil {
			return nil, err
		}
		rs.names[s.ColumnText(0)] = true
	}
	for s, err := range trace.Rows(what, `SELECT source_file, function, line, end_line, max(function_line), count(DISTINCT async_queue) > 1 FROM site_detail WHERE kind_code = 18 GROUP BY 1, 2, 3, 4`) {
		if err != nil {
			return nil, err
		}
		place := textPlace{s.ColumnText(0), s.ColumnText(1), s.ColumnInt32(2), s.ColumnInt32(3)}
		rs.begins[place], rs.several[place] = s.ColumnInt64(4), s.ColumnInt(5) != 0
	}
	return rs, nil
}

// some are the pairs that count, in the order of the second operation. Of a place that transfers
// one part after the other a kernel may do other parts.
func (rs *races) some() (list []racing) {
	slices.SortFunc(rs.pairs, func(a, b racing) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.second, b.second), cmp.Compare(a.first, b.first), cmp.Compare(a.name, b.name))
	})
	seen := map[racingPlaces]int{}
	for _, p := range rs.pairs {
		places := racingPlaces{0, p.places.first, p.places.second}
		if seen[places] < mostPairs && (p.part == nil || !p.part.part.varies) {
			seen[places]++
			list = append(list, p)
		}
	}
	return list
}

// follow begins to read some processes.
func (rs *races) follow(some *store.Trace) (*ordering, error) {
	o := &ordering{races: rs, at: map[*store.Site]siteOrder{}, aliases: map[alias]*data{}, blocks: map[deviceQueue]*section{}, devices: map[model.DeviceID]map[string][]*data{},
		lying: map[model.DeviceID][]*data{}, queues: map[deviceQueue]*queueClock{}, hosts: map[model.ProcessID]*hostClock{}, seen: map[racingPlaces]int{}}
	for s, err := range some.Rows("reading what queues waited for", `SELECT time, process, device, async_queue, awaited_queue FROM queue_dependencies WHERE `+some.ChosenSQL("process")+` ORDER BY time`) {
		if err != nil {
			return nil, err
		}
		process, device := model.ProcessID(s.ColumnInt64(1)), model.DeviceID(s.ColumnInt64(2))
		o.follows = append(o.follows, following{s.ColumnInt64(0), o.clock(process, deviceQueue{device, s.ColumnInt64(3)}), o.clock(process, deviceQueue{device, s.ColumnInt64(4)})})
	}
	return o, nil
}

// take is shown all records in order. A wait counts when it is over.
func (o *ordering) take(h *happening) {
	o.overBy(h.Start)
	for len(o.ends) > 0 && (o.ends[0].at < h.Start || o.ends[0].at == h.Start && o.ends[0].record < h.ID) {
		o.followed(o.ends[0].at)
		o.ends[0].queue.waited()
		o.ends = o.ends[1:]
	}
	o.followed(h.Start)
	t := touch{at: h.Start, record: h.ID, low: int64(h.Host), high: int64(h.Host + h.Bytes)}
	switch {
	case h.Site.KindCode == model.Create:
		o.create(h.Site.Device, &data{low: t.low, high: t.high, name: h.Site.Symbol, made: o.site(h.Site).place})
	case h.Site.KindCode == model.Delete:
		o.delete(h.Site.Device, t.low, t.high)
	case h.wait():
		if !h.Open {
			o.waits(waitEnd{h.End(), h.ID, o.site(h.Site).queue})
		}
	case h.Site.KindCode == model.ComputeConstructStart && o.host[h.Site.Device]:
		if !h.Open {
			t.place, t.low, t.high = o.site(h.Site).place, 0, 0
			o.local = append(o.local, hostConstruct{h.Site.Process, h.End(), t})
		}
	case h.kernel():
		at := o.site(h.Site)
		t.place, t.queue, t.kernel = at.place, at.queue, true
		t.queue.enqueued(t.at)
		o.kernel(h.Site, t)
	case (h.upload() || h.download()) && int64(h.Bytes) >= smallestBytes && h.Host != 0:
		at := o.site(h.Site)
		t.place, t.queue = at.place, at.queue
		t.queue.enqueued(t.at)
		if d := o.of(h.Site.Device, t.low); d != nil && t.high <= d.high {
			o.section(d, t, h.Site, h.upload())
			o.touch(d, t, h.upload())
		}
		if t.queue.queue == callbacks.AsyncSync {
			t.queue.waited()
		}
	}
}

func (o *ordering) end() { o.overBy(math.MaxInt64) }

// followed takes in waits of queues for others up to a time.
func (o *ordering) followed(until int64) {
	for len(o.follows) > 0 && o.follows[0].at <= until {
		learn(&o.follows[0].queue.knows, o.follows[0].awaited.knows)
		o.follows = o.follows[1:]
	}
}

// waits notes a wait that has begun.
func (o *ordering) waits(w waitEnd) {
	at, _ := slices.BinarySearchFunc(o.ends, w, func(a, b waitEnd) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.record, b.record)) })
	o.ends = slices.Insert(o.ends, at, w)
}

func (o *ordering) kernel(s *store.Site, t touch) {
	for _, u := range t.place.uses {
		var d *data
		if list := o.devices[s.Device][u.name]; len(list) == 1 && o.means(t.place, list[0]) {
			d = list[0]
		} else { // which of several a construct means is not known
			d = o.aliases[alias{s.Process, s.File, s.Function, u.name}]
		}
		if d == nil {
			continue
		}
		t.low, t.high, t.guessed = d.low, d.high, false
		if b := o.blocks[t.queue.deviceQueue]; b != nil && t.place.several {
			t.low, t.high, t.guessed = min(d.low+b.low, d.high), min(d.low+b.high, d.high), true
		}
		o.touch(d, t, u.writes)
	}
	delete(o.blocks, t.queue.deviceQueue)
}

// site is the place of a site, of kernels with what their construct does, and its queue.
func (o *ordering) site(s *store.Site) siteOrder {
	return lookup.Make(o.at, s, func() siteOrder {
		text := textPlace{s.File, s.Function, s.Line, 0}
		if s.KindCode == model.EnqueueLaunchStart || s.KindCode == model.ComputeConstructStart {
			text.end = s.EndLine
		}
		place := lookup.Make(o.places, text, func() *atPlace {
			return &atPlace{textPlace: text, uses: o.text(text), several: o.several[text], means: map[meaning]bool{}}
		})
		return siteOrder{place, o.clock(s.Process, deviceQueue{s.Device, s.AsyncQueue})}
	})
}

// section notes which part of data a transfer is of, and by what name.
func (o *ordering) section(d *data, t touch, s *store.Site, upload bool) {
	part := section{low: t.low - d.low, high: t.high - d.low}
	if known := t.place.part; known == nil {
		t.place.part = &part
	} else if known.low != part.low || known.high != part.high {
		known.varies = true
	}
	if upload {
		o.blocks[t.queue.deviceQueue] = &part
	}
	if s.Symbol != d.name {
		key := alias{s.Process, s.File, s.Function, s.Symbol}
		if known, there := o.aliases[key]; there && known != d {
			d = nil
		}
		o.aliases[key] = d
	}
}

// clock is that of a queue.
func (o *ordering) clock(process model.ProcessID, q deviceQueue) *queueClock {
	return lookup.Make(o.queues, q, func() *queueClock {
		host := lookup.Make(o.hosts, process, func() *hostClock { return &hostClock{process: process} })
		host.queues++
		return &queueClock{deviceQueue: q, number: host.queues - 1, of: host}
	})
}

// learn takes in what another clock knows.
func learn(to *[]int64, from []int64) {
	for number, at := range from {
		set(to, number, at)
	}
}

func set(clock *[]int64, number int, at int64) {
	for len(*clock) <= number {
		*clock = append(*clock, 0)
	}
	(*clock)[number] = max((*clock)[number], at)
}

// knew says whether what a queue did at a time has finished.
func (q *queueClock) knew(other *queueClock, at int64) bool { return other.doneIn(q.knows, at) }

func (q *queueClock) doneIn(knows []int64, at int64) bool {
	return q.number < len(knows) && knows[q.number] >= at
}

// enqueued: an operation is put onto a queue by a thread that knows what it has waited for.
func (q *queueClock) enqueued(at int64) {
	learn(&q.knows, q.of.knows)
	set(&q.knows, q.number, at)
}

func (q *queueClock) waited() { learn(&q.of.knows, q.knows) }

func (o *ordering) create(device model.DeviceID, d *data) {
	lying := o.lying[device]
	i, _ := slices.BinarySearchFunc(lying, d.low, func(d *data, low int64) int { return cmp.Compare(d.low, low) })
	o.lying[device] = slices.Insert(lying, i, d)
	named := lookup.Make(o.devices, device, func() map[string][]*data { return map[string][]*data{} })
	named[d.name] = append(named[d.name], d)
}

func (o *ordering) delete(device model.DeviceID, low, high int64) {
	lying := o.lying[device]
	i, _ := slices.BinarySearchFunc(lying, low, func(d *data, low int64) int { return cmp.Compare(d.low, low) })
	if i == len(lying) || lying[i].low != low || lying[i].high != high {
		return
	}
	named, gone := o.devices[device], lying[i]
	o.lying[device] = slices.Delete(lying, i, i+1)
	named[gone.name] = slices.DeleteFunc(named[gone.name], func(d *data) bool { return d == gone })
}

// of is the data that an address lies in, nil where there are none.
func (o *ordering) of(device model.DeviceID, address int64) *data {
	lying := o.lying[device]
	i, found := slices.BinarySearchFunc(lying, address, func(d *data, low int64) int { return cmp.Compare(d.low, low) })
	if !found {
		i--
	}
	if i < 0 || address >= lying[i].high {
		return nil
	}
	return lying[i]
}

// text is what the construct at a place does with data.
func (o *ordering) text(place textPlace) (list []use) {
	lines := o.sources.Lines(place.file)
	if place.line < 1 || place.end < place.line || int(place.end) > len(lines) {
		return nil
	}
	lines = lines[place.line-1 : place.end]
	found := accesses(lines, o.names, isFortran(lines[0]))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, use{name, found[name].writes})
	}
	return list
}

// means says whether a construct that has a name means the data of this name: they were
// mapped in the same function, or nothing of this name is declared in its own.
func (o *ordering) means(place *atPlace, d *data) bool {
	return lookup.Make(place.means, meaning{d.made, d.name}, func() bool { return o.mean(place.textPlace, d) })
}

func (o *ordering) mean(place textPlace, d *data) bool {
	if place.file == d.made.file && place.function == d.made.function {
		return true
	}
	lines, begin := o.sources.Lines(place.file), o.begins[place]
	if begin < 1 || begin > int64(place.line) || int(place.line) > len(lines) {
		return false
	}
	return !declares(lines[begin-1:place.line], d.name, isFortran(lines[place.line-1]))
}

// touch notes that an operation reads or writes data, and what it may race with: parts that
// overlap. Which part a kernel does no event tells. One that is launched on several queues does a
// part on each: what was sent just before on its queue, if that is known, else it is set against
// nothing but kernels of other places. One on a single queue may do all that it names.
func (o *ordering) touch(d *data, t touch, writes bool) {
	whole := t.low <= d.low && t.high >= d.high
	o.against(d, t, d.wrote, whole)
	of := &d.read
	if writes {
		o.against(d, t, d.read, whole)
		of = &d.wrote
	}
	for i := range *of {
		if (*of)[i].queue == t.queue {
			(*of)[i] = t
			return
		}
	}
	*of = append(*of, t)
}

func (o *ordering) against(d *data, t touch, list []touch, whole bool) {
	for i := range list {
		before := &list[i]
		if before.queue == t.queue || before.queue.queue == callbacks.AsyncSync || t.queue.knew(before.queue, before.at) || before.low >= t.high || t.low >= before.high {
			continue
		}
		wholeBefore := before.low <= d.low && before.high >= d.high
		if t.kernel && before.kernel && t.place == before.place {
			continue
		}
		p := racing{first: before.record, second: t.record, at: t.at, places: racingPlaces{t.queue.of.process, before.place, t.place}, name: d.name,
			unsure: t.kernel && before.kernel || (t.kernel || before.kernel) && (!whole || !wholeBefore)}
		switch {
		case t.kernel && before.kernel || !t.kernel && !before.kernel || t.guessed || before.guessed:
		case t.place.several || before.place.several:
			continue // each launch does a part, and which one is not known
		case !t.kernel && !whole:
			p.part = t.place
		case !before.kernel && !wholeBefore:
			p.part = before.place
		}
		if o.seen[p.places] < mostPairs {
			o.seen[p.places]++
			o.pairs = append(o.pairs, p)
		}
	}
}
