package advice

import (
	"cmp"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// ordering finds operations on different queues that touch the same data, at least one
// of them to write, and that no wait holds in order. What has finished before an
// operation begins is known by vector clocks: by its queue's order, by waits of queues
// for others (OpenACC 3.3 §2.16.3), and by waits of the program's threads. What a thread
// has waited for counts for all, as how threads wait for one another is not seen: so
// nothing is found that only threads could put in order.
type ordering struct {
	sources  *report.Sources
	names    map[string]bool                       // of data, and of pointers into them that a transfer names
	aliases  map[alias]*data                       // what pointers mean in a function; nil: several data
	several  map[textPlace]bool                    // constructs whose kernels are on several queues: each does a part
	sections map[textPlace]*section                // of data that transfers at a place are of
	blocks   map[deviceQueue]*section              // what was sent on a queue since its last kernel
	texts    map[textPlace]map[string]access       // what constructs do with data
	begins   map[textPlace]int64                   // lines of their functions
	meanings map[meaning]bool                      // whether constructs mean data
	devices  map[int64]map[string]*data            // live, by device and name; nil: several
	lying    map[int64][]*data                     // live, by device, in order of address
	queues   map[deviceQueue]map[deviceQueue]int64 // what is known to have finished, by the queue
	host     map[int64]map[deviceQueue]int64       // by the process: what its threads know
	pairs    []racing
	seen     map[racingPlaces]int
}

type (
	deviceQueue struct{ device, queue int64 }
	textPlace   struct {
		file, function string
		line, end      int64
	}
	// data are what a mapping holds on a device, and who touched them last.
	data struct {
		low, high int64
		name      string
		made      textPlace
		wrote     map[int64]touch // by queue
		read      map[int64]touch
	}
	// touch is an operation that reads or writes data. guessed: its part is the one that was sent
	// before on the queue.
	touch struct {
		record, at, low, high int64
		kernel, guessed       bool
		place                 textPlace
	}
	// section is a part of data, by its distance from their begin. varies: transfers at the place
	// are of one part after the other.
	section struct {
		low, high int64
		varies    bool
	}
	alias  struct{ file, function, name string }
	racing struct {
		first, second int64 // records
		name          string
		unsure        bool      // both are kernels, or one touches a part of the data that the other may not
		part          textPlace // of a transfer of a part, against a kernel that may not touch it
	}
	racingPlaces struct{ first, second textPlace }
	meaning      struct {
		construct, mapped textPlace
		name              string
	}
)

// mostPairs is how many pairs of a finding are shown: each counts, but a program has one
// to mend.
const mostPairs = 20

// unordered gives the pairs of a trace, in the order of the second operation.
func unordered(trace *store.Trace, sources *report.Sources) ([]racing, error) {
	o := &ordering{sources: sources, names: map[string]bool{}, aliases: map[alias]*data{}, several: map[textPlace]bool{}, sections: map[textPlace]*section{}, blocks: map[deviceQueue]*section{}, texts: map[textPlace]map[string]access{}, begins: map[textPlace]int64{}, meanings: map[meaning]bool{}, devices: map[int64]map[string]*data{},
		lying: map[int64][]*data{}, queues: map[deviceQueue]map[deviceQueue]int64{}, host: map[int64]map[deviceQueue]int64{}, seen: map[racingPlaces]int{}}
	const what = "reading the order of operations"
	if async, err := trace.Number(what, `SELECT 1 FROM queues WHERE async_queue <> -2 AND operations > 0 LIMIT 1`); err != nil || async == 0 {
		return nil, err
	}
	for s, err := range trace.Rows(what, `SELECT DISTINCT name FROM site_detail WHERE kind_code IN (6, 20, 22) AND name IS NOT NULL`) {
		if err != nil {
			return nil, err
		}
		o.names[s.ColumnText(0)] = true
	}
	for s, err := range trace.Rows(what, `SELECT DISTINCT source_file, function, line, end_line, function_line FROM site_detail WHERE kind_code = 18`) {
		if err != nil {
			return nil, err
		}
		o.begins[textPlace{s.ColumnText(0), s.ColumnText(1), s.ColumnInt64(2), s.ColumnInt64(3)}] = s.ColumnInt64(4)
	}
	for s, err := range trace.Rows(what, `SELECT source_file, function, line, end_line FROM site_detail WHERE kind_code = 18 GROUP BY 1, 2, 3, 4 HAVING count(DISTINCT async_queue) > 1`) {
		if err != nil {
			return nil, err
		}
		o.several[textPlace{s.ColumnText(0), s.ColumnText(1), s.ColumnInt64(2), s.ColumnInt64(3)}] = true
	}
	for s, err := range trace.Rows(what, chosen(trace, happenings)+" ORDER BY at, record") {
		if err != nil {
			return nil, err
		}
		o.take(s)
	}
	// Of a place that transfers one part after the other a kernel may do other parts.
	return slices.DeleteFunc(o.pairs, func(p racing) bool { s := o.sections[p.part]; return s != nil && s.varies }), nil
}

// happenings is SQL for all that matters to the order of operations. A wait counts when it is
// over.
const happenings = `SELECT at, what, process, device, async_queue, record, low, high, name, file, line, end_line, function FROM (
  SELECT start AS at, 'create' AS what, process, device, -2 AS async_queue, record, host_address AS low, host_address + bytes AS high, variable AS name,
    source_file AS file, line, 0 AS end_line, function FROM allocations WHERE kind = 'create'
  UNION ALL SELECT time, 'delete', process, device, -2, record, host_address, host_address + bytes, variable, NULL, 0, 0, NULL FROM releases WHERE kind = 'delete'
  UNION ALL SELECT enqueued, direction, process, device, async_queue, record, host_address, host_address + bytes, variable, source_file, line, 0, function
    FROM transfers WHERE bytes >= ` + smallest + ` AND host_address <> 0
  UNION ALL SELECT start, 'kernel', process, device, async_queue, record, 0, 0, name, source_file, line, end_line, function FROM spans WHERE kind = 'enqueue_launch'
  UNION ALL SELECT end, 'wait', process, device, async_queue, record, 0, 0, NULL, NULL, 0, 0, NULL FROM waits WHERE end IS NOT NULL
  UNION ALL SELECT time, 'follow', process, device, async_queue, 0, awaited_queue, 0, NULL, NULL, 0, 0, NULL FROM queue_dependencies
)`

func (o *ordering) take(s *sqlite.Stmt) {
	process, queue := s.ColumnInt64(2), deviceQueue{s.ColumnInt64(3), s.ColumnInt64(4)}
	t := touch{at: s.ColumnInt64(0), record: s.ColumnInt64(5), low: s.ColumnInt64(6), high: s.ColumnInt64(7),
		place: textPlace{s.ColumnText(9), s.ColumnText(12), s.ColumnInt64(10), s.ColumnInt64(11)}}
	switch what := s.ColumnText(1); what {
	case "create":
		o.create(queue.device, &data{low: t.low, high: t.high, name: s.ColumnText(8), made: t.place, wrote: map[int64]touch{}, read: map[int64]touch{}})
	case "delete":
		o.delete(queue.device, t.low, t.high)
	case "wait":
		o.waited(process, queue)
	case "follow":
		learn(o.knows(queue), o.knows(deviceQueue{queue.device, t.low}))
	case "kernel":
		o.enqueued(process, queue, t.at)
		t.kernel = true
		for name, a := range o.text(t.place) {
			d := o.devices[queue.device][name]
			if d == nil || !o.means(t.place, d) {
				d = o.aliases[alias{t.place.file, t.place.function, name}]
			}
			if d == nil {
				continue
			}
			t.low, t.high, t.guessed = d.low, d.high, false
			if b := o.blocks[queue]; b != nil && o.several[t.place] {
				t.low, t.high, t.guessed = min(d.low+b.low, d.high), min(d.low+b.high, d.high), true
			}
			o.touch(d, queue, t, a.writes)
		}
		delete(o.blocks, queue)
	default:
		o.enqueued(process, queue, t.at)
		if d := o.at(queue.device, t.low); d != nil && t.high <= d.high {
			o.section(d, queue, t, s.ColumnText(8), what == "upload")
			o.touch(d, queue, t, what == "upload")
		}
		if queue.queue == callbacks.AsyncSync {
			o.waited(process, queue)
		}
	}
}

// section notes which part of data a transfer is of, and by what name.
func (o *ordering) section(d *data, q deviceQueue, t touch, name string, upload bool) {
	part := section{low: t.low - d.low, high: t.high - d.low}
	if known := o.sections[t.place]; known == nil {
		o.sections[t.place] = &part
	} else if known.low != part.low || known.high != part.high {
		known.varies = true
	}
	if upload {
		o.blocks[q] = &part
	}
	if name != d.name {
		key := alias{t.place.file, t.place.function, name}
		if known, there := o.aliases[key]; there && known != d {
			d = nil
		}
		o.aliases[key] = d
	}
}

// knows is what will have finished, by queue, when the next operation of a queue begins:
// the time of the last operation of which that is so.
func (o *ordering) knows(q deviceQueue) map[deviceQueue]int64 {
	return lookup.Make(o.queues, q, func() map[deviceQueue]int64 { return map[deviceQueue]int64{} })
}

func learn(to, from map[deviceQueue]int64) {
	for q, at := range from {
		to[q] = max(to[q], at)
	}
}

// enqueued: an operation is put onto a queue by a thread that knows what it has waited
// for.
func (o *ordering) enqueued(process int64, q deviceQueue, at int64) {
	knows := o.knows(q)
	learn(knows, o.host[process])
	knows[q] = max(knows[q], at)
}

func (o *ordering) waited(process int64, q deviceQueue) {
	learn(lookup.Make(o.host, process, func() map[deviceQueue]int64 { return map[deviceQueue]int64{} }), o.knows(q))
}

func (o *ordering) create(device int64, d *data) {
	lying := o.lying[device]
	i, _ := slices.BinarySearchFunc(lying, d.low, func(d *data, low int64) int { return cmp.Compare(d.low, low) })
	o.lying[device] = slices.Insert(lying, i, d)
	if o.devices[device] == nil {
		o.devices[device] = map[string]*data{}
	}
	if _, there := o.devices[device][d.name]; there {
		o.devices[device][d.name] = nil // which of them a construct means is not known
		return
	}
	o.devices[device][d.name] = d
}

func (o *ordering) delete(device, low, high int64) {
	lying := o.lying[device]
	i, _ := slices.BinarySearchFunc(lying, low, func(d *data, low int64) int { return cmp.Compare(d.low, low) })
	if i == len(lying) || lying[i].low != low || lying[i].high != high {
		return
	}
	name := lying[i].name
	o.lying[device] = slices.Delete(lying, i, i+1)
	var others []*data // of the name
	for _, d := range o.lying[device] {
		if d.name == name {
			others = append(others, d)
		}
	}
	switch len(others) {
	case 0:
		delete(o.devices[device], name)
	case 1:
		o.devices[device][name] = others[0]
	}
}

// at is the data that an address lies in, nil where there are none.
func (o *ordering) at(device, address int64) *data {
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
func (o *ordering) text(place textPlace) map[string]access {
	if found, known := o.texts[place]; known {
		return found
	}
	lines := o.sources.Lines(place.file)
	var found map[string]access
	if place.line >= 1 && place.end >= place.line && place.end <= int64(len(lines)) {
		lines = lines[place.line-1 : place.end]
		found = accesses(lines, o.names, isFortran(lines[0]))
	}
	o.texts[place] = found
	return found
}

// means says whether a construct that has a name means the data of this name: they were
// mapped in the same function, or nothing of this name is declared in its own.
func (o *ordering) means(place textPlace, d *data) bool {
	asked := meaning{place, d.made, d.name}
	return lookup.Make(o.meanings, asked, func() bool { return o.mean(place, d) })
}

func (o *ordering) mean(place textPlace, d *data) bool {
	if place.file == d.made.file && place.function == d.made.function {
		return true
	}
	lines, begin := o.sources.Lines(place.file), o.begins[place]
	if begin < 1 || begin > place.line || place.line > int64(len(lines)) {
		return false
	}
	return !declares(lines[begin-1:place.line], d.name, isFortran(lines[place.line-1]))
}

// touch notes that an operation reads or writes data, and what it may race with: parts that
// overlap. Which part a kernel does no event tells. One that is launched on several queues does a
// part on each: what was sent just before on its queue, if that is known, else it is set against
// nothing but kernels of other places. One on a single queue may do all that it names.
func (o *ordering) touch(d *data, q deviceQueue, t touch, writes bool) {
	whole := t.low <= d.low && t.high >= d.high
	against := []map[int64]touch{d.wrote}
	if writes {
		against = append(against, d.read)
	}
	knows := o.knows(q)
	for _, list := range against {
		for queue, before := range list {
			other := deviceQueue{q.device, queue}
			if queue == q.queue || queue == callbacks.AsyncSync || knows[other] >= before.at || before.low >= t.high || t.low >= before.high {
				continue
			}
			wholeBefore := before.low <= d.low && before.high >= d.high
			if t.kernel && before.kernel && t.place == before.place {
				continue
			}
			p := racing{first: before.record, second: t.record, name: d.name, unsure: t.kernel && before.kernel || (t.kernel || before.kernel) && (!whole || !wholeBefore)}
			switch {
			case t.kernel && before.kernel || !t.kernel && !before.kernel || t.guessed || before.guessed:
			case o.several[t.place] || o.several[before.place]:
				continue // each launch does a part, and which one is not known
			case !t.kernel && !whole:
				p.part = t.place
			case !before.kernel && !wholeBefore:
				p.part = before.place
			}
			if places := (racingPlaces{before.place, t.place}); o.seen[places] < mostPairs {
				o.seen[places]++
				o.pairs = append(o.pairs, p)
			}
		}
	}
	if writes {
		d.wrote[q.queue] = t
	} else {
		d.read[q.queue] = t
	}
}
