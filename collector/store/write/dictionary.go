package write

import (
	"maps"

	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// dictionary numbers the rows of a table whose contents repeat. A row is
// written the first time it is seen.
type dictionary[K comparable] struct {
	ids  map[K]int64
	last int64
}

// id gives the number of a row and whether it is new.
func (d *dictionary[K]) id(key K) (id int64, fresh bool) {
	if id, ok := d.ids[key]; ok {
		return id, false
	}
	if d.ids == nil {
		d.ids = make(map[K]int64)
	}
	d.last++
	d.ids[key] = d.last
	return d.last, true
}

type placeKey struct {
	file, function                       model.Name
	line, end, functionLine, functionEnd int32
}

type shapeKey struct {
	deviceHandle, contextHandle, asyncHandle uint64
	version, thread                          int32
	profile, event, api                      int32
	deviceAPI, apiDevice, vendor             int32
	missing                                  int32
}

type launchKey struct {
	gangs, workers, vector uint64
	dimensions             int64 // number in dictionaries.dimensions
}

type failureKey struct {
	info uint64
	code int32
}

// siteKey is everything of an event that repeats. It is flat, so that an event
// costs one look-up.
type siteKey struct {
	place    placeKey
	shape    shapeKey
	launch   launchKey
	failure  failureKey
	async    int64
	stack    int64
	kind     int32
	device   model.DeviceID
	queue    model.QueueID
	name     model.Name
	parent   int32
	implicit int32
	thread   model.ThreadID
	depth    int32
	own      int32 // enclosing spans that are the program's own
}

type workKey struct {
	async  int64
	kind   int32
	device model.DeviceID
	queue  model.QueueID
	name   model.Name
	workDetail
}

// workDetail is a row of work_detail: of works without one it is zero.
type workDetail struct {
	peer model.DeviceID
	file model.Name
	line int32
	by   [3]model.Giver
}

// What a site is looked up by at first: an odd number near the golden ratio of 2^32 spreads it.
const (
	lastSitesBits = 12
	lastSites     = 1 << lastSitesBits
	lastSitesMix  = 0x9e3779b1
)

// dictionaries are the tables of what repeats.
type dictionaries struct {
	conn       *sqlite.Conn
	places     dictionary[placeKey]
	shapes     dictionary[shapeKey]
	launches   dictionary[launchKey]
	failures   dictionary[failureKey]
	stacks     dictionary[store.StackFrame]
	dimensions dictionary[string]
	sites      dictionary[siteKey]
	works      dictionary[workKey]
	lastSites  [lastSites]struct {
		key siteKey
		id  int64
	}
	buffer []byte
}

// retire forgets the numbers of rows that nothing will name again.
func (d *dictionaries) retire(gone *model.Retired) {
	maps.DeleteFunc(d.sites.ids, func(key siteKey, _ int64) bool { return gone.Threads[key.thread] })
	maps.DeleteFunc(d.works.ids, func(key workKey, _ int64) bool { return gone.Devices[key.device] })
}

// site gives the site of an event whose kind is taken to be kind, within depth spans, of
// which own are the program's own.
func (d *dictionaries) site(e *model.Event, kind int32, depth, own int, device model.DeviceID, queue model.QueueID) (int64, error) {
	key := siteKey{
		place: placeKey{e.SourceFile, e.Function, e.Line, e.EndLine, e.FunctionLine, e.FunctionEnd},
		shape: shapeKey{e.DeviceHandle, e.ContextHandle, e.AsyncHandle, e.Version, e.ThreadID,
			e.ProfileBytes, e.EventBytes, e.APIBytes, e.API, e.APIDeviceType, e.Vendor, int32(e.Missing)},
		kind: kind, device: device, queue: queue, async: e.Async, name: e.Name, parent: e.Parent, implicit: e.Implicit,
		thread: e.Thread, depth: int32(depth), own: int32(own),
	}
	if model.IsLaunch(e.Kind) {
		key.launch = launchKey{e.Gangs, e.Workers, e.Vector, d.dimension(e.GangDimensions)}
	}
	if e.Kind == model.Error {
		key.failure = failureKey{e.RuntimeInfo, e.ErrorCode}
	}
	if len(e.CallStack) > 0 {
		id, err := d.stack(e.CallStack)
		if err != nil {
			return 0, err
		}
		key.stack = id
	}
	// What a loop's events say comes again soon: found without a hash of all of it.
	mixed := uint32(0)
	for _, part := range [...]uint32{uint32(key.name), uint32(key.place.line), uint32(kind), uint32(key.thread), uint32(key.queue), uint32(key.parent), uint32(key.depth)} {
		mixed = (mixed + part) * lastSitesMix
	}
	last := &d.lastSites[mixed>>(32-lastSitesBits)]
	if last.id != 0 && last.key == key {
		return last.id, nil
	}
	id, fresh := d.sites.id(key)
	last.key, last.id = key, id
	if !fresh {
		return id, nil
	}
	return id, d.addSite(id, &key, e)
}

func (d *dictionaries) addSite(id int64, key *siteKey, e *model.Event) error {
	place, err := d.place(&key.place)
	if err != nil {
		return err
	}
	shape, fresh := d.shapes.id(key.shape)
	if fresh {
		s := &key.shape
		if err := schema.Execute(d.conn, "INSERT INTO shape VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", shape, s.version, s.thread,
			s.profile, s.event, s.api, s.deviceAPI, s.apiDevice, s.vendor, int64(s.deviceHandle), int64(s.contextHandle),
			int64(s.asyncHandle), s.missing); err != nil {
			return err
		}
	}
	var launch, failure int64
	if model.IsLaunch(e.Kind) {
		if launch, fresh = d.launches.id(key.launch); fresh {
			if err := schema.Execute(d.conn, "INSERT INTO launch VALUES (?, ?, ?, ?, ?)", launch, int64(e.Gangs), int64(e.Workers),
				int64(e.Vector), orNull(joined(e.GangDimensions), e.GangDimensions != nil)); err != nil {
				return err
			}
		}
	}
	if e.Kind == model.Error {
		if failure, fresh = d.failures.id(key.failure); fresh {
			if err := schema.Execute(d.conn, "INSERT INTO failure VALUES (?, ?, ?)", failure, e.ErrorCode, int64(e.RuntimeInfo)); err != nil {
				return err
			}
		}
	}
	return schema.Execute(d.conn, "INSERT INTO site VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", id, key.kind, int64(key.device),
		int64(key.queue), key.async, place, shape, int64(key.name), key.parent, key.implicit, launch, failure, key.stack, int64(key.thread), key.depth, key.own)
}

func (d *dictionaries) place(key *placeKey) (int64, error) {
	id, fresh := d.places.id(*key)
	if !fresh {
		return id, nil
	}
	return id, schema.Execute(d.conn, "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)", id, int64(key.file), int64(key.function),
		key.line, key.end, key.functionLine, key.functionEnd)
}

func joined(numbers []uint64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatUint(n, 10)
	}
	return strings.Join(texts, ",")
}

func (d *dictionaries) pack(numbers []uint64) []byte {
	d.buffer = d.buffer[:0]
	for _, n := range numbers {
		d.buffer = binary.LittleEndian.AppendUint64(d.buffer, n)
	}
	return d.buffer
}

// dimension numbers the gang dimensions of launches; 0 where none were given.
func (d *dictionaries) dimension(numbers []uint64) int64 {
	if numbers == nil {
		return 0
	}
	packed := d.pack(numbers)
	if id, ok := d.dimensions.ids[string(packed)]; ok {
		return id
	}
	id, _ := d.dimensions.id(string(packed))
	return id
}

// stack gives the number of a call stack, innermost return address first.
func (d *dictionaries) stack(frames []uint64) (id int64, err error) {
	for i := len(frames) - 1; i >= 0; i-- {
		key := store.StackFrame{Parent: id, Address: frames[i]}
		fresh := false
		if id, fresh = d.stacks.id(key); !fresh {
			continue
		}
		if err := schema.Execute(d.conn, "INSERT INTO stack VALUES (?, ?, ?)", id, key.Parent, int64(key.Address)); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// work gives the number of what repeats in an activity; peer is the device that a copy went
// to, 0: none.
func (d *dictionaries) work(a *model.Activity, device model.DeviceID, queue model.QueueID, peer model.DeviceID) (int64, error) {
	kind := a.Kind
	if a.Pageable {
		kind |= schema.Pageable
	}
	key := workKey{a.Async, kind, device, queue, a.Name, workDetail{peer, a.SourceFile, a.Line, a.By}}
	id, fresh := d.works.id(key)
	if !fresh {
		return id, nil
	}
	if a.Pageable {
		if err := schema.Execute(d.conn, "INSERT OR IGNORE INTO activity_kind VALUES (?, ?)", kind, model.ActivityName(a.Kind)); err != nil {
			return 0, err
		}
	}
	if more := &key.workDetail; *more != (workDetail{}) {
		if err := schema.Execute(d.conn, "INSERT INTO work_detail VALUES (?, ?, ?, ?, ?, ?, ?)", id, int64(more.peer), int64(more.file), more.line,
			orNull(more.by[0].String(), more.by[0] != 0), orNull(more.by[1].String(), more.by[1] != 0), orNull(more.by[2].String(), more.by[2] != 0)); err != nil {
			return 0, err
		}
	}
	return id, schema.Execute(d.conn, "INSERT INTO work VALUES (?, ?, ?, ?, ?, ?)", id, kind, int64(device), int64(queue), a.Async, int64(a.Name))
}

// load fills the dictionaries from a trace that is to be continued. Only the
// site table is matched by content of other tables: what it refers to is read
// back into the flat key.
func (d *dictionaries) load() error {
	r := &rowReader{conn: d.conn}
	places := readRows(r, "SELECT * FROM place", func(s *sqlite.Stmt) placeKey {
		return placeKey{model.Name(s.ColumnInt64(1)), model.Name(s.ColumnInt64(2)), s.ColumnInt32(3), s.ColumnInt32(4), s.ColumnInt32(5), s.ColumnInt32(6)}
	})
	shapes := readRows(r, "SELECT * FROM shape", func(s *sqlite.Stmt) shapeKey {
		return shapeKey{version: s.ColumnInt32(1), thread: s.ColumnInt32(2), profile: s.ColumnInt32(3), event: s.ColumnInt32(4),
			api: s.ColumnInt32(5), deviceAPI: s.ColumnInt32(6), apiDevice: s.ColumnInt32(7), vendor: s.ColumnInt32(8),
			deviceHandle: uint64(s.ColumnInt64(9)), contextHandle: uint64(s.ColumnInt64(10)),
			asyncHandle: uint64(s.ColumnInt64(11)), missing: s.ColumnInt32(12)}
	})
	launches := readRows(r, "SELECT * FROM launch", func(s *sqlite.Stmt) launchKey {
		var dimensions []uint64
		if !s.ColumnIsNull(4) {
			dimensions = store.ParseDimensions(s.ColumnText(4))
		}
		return launchKey{uint64(s.ColumnInt64(1)), uint64(s.ColumnInt64(2)), uint64(s.ColumnInt64(3)), d.dimension(dimensions)}
	})
	failures := readRows(r, "SELECT * FROM failure", func(s *sqlite.Stmt) failureKey {
		return failureKey{uint64(s.ColumnInt64(2)), s.ColumnInt32(1)}
	})
	sites := readRows(r, "SELECT * FROM site", func(s *sqlite.Stmt) siteKey {
		return siteKey{kind: s.ColumnInt32(1), device: model.DeviceID(s.ColumnInt64(2)), queue: model.QueueID(s.ColumnInt64(3)),
			async: s.ColumnInt64(4), place: places[s.ColumnInt64(5)], shape: shapes[s.ColumnInt64(6)],
			name: model.Name(s.ColumnInt64(7)), parent: s.ColumnInt32(8), implicit: s.ColumnInt32(9),
			launch: launches[s.ColumnInt64(10)], failure: failures[s.ColumnInt64(11)], stack: s.ColumnInt64(12),
			thread: model.ThreadID(s.ColumnInt64(13)), depth: s.ColumnInt32(14), own: s.ColumnInt32(15)}
	})
	details := readRows(r, "SELECT * FROM work_detail", func(s *sqlite.Stmt) workDetail {
		return workDetail{model.DeviceID(s.ColumnInt64(1)), model.Name(s.ColumnInt64(2)), s.ColumnInt32(3),
			[3]model.Giver{model.GiverNamed(s.ColumnText(4)), model.GiverNamed(s.ColumnText(5)), model.GiverNamed(s.ColumnText(6))}}
	})
	works := readRows(r, "SELECT * FROM work", func(s *sqlite.Stmt) workKey {
		return workKey{kind: s.ColumnInt32(1), device: model.DeviceID(s.ColumnInt64(2)), queue: model.QueueID(s.ColumnInt64(3)),
			async: s.ColumnInt64(4), name: model.Name(s.ColumnInt64(5)), workDetail: details[s.ColumnInt64(0)]}
	})
	stacks, err := store.ReadStacks(d.conn)
	if err := errors.Join(r.err, err); err != nil {
		return err
	}
	delete(launches, 0)
	delete(failures, 0)
	d.places.fill(places)
	d.shapes.fill(shapes)
	d.launches.fill(launches)
	d.failures.fill(failures)
	d.stacks.fill(stacks)
	d.sites.fill(sites)
	d.works.fill(works)
	return nil
}

func (d *dictionary[K]) fill(rows map[int64]K) {
	d.ids = make(map[K]int64, len(rows))
	for id, key := range rows {
		d.ids[key] = id
		d.last = max(d.last, id)
	}
}

// rowReader reads tables, until that fails.
type rowReader struct {
	conn *sqlite.Conn
	err  error
}

// readRows reads a dictionary table by its first column.
func readRows[K any](r *rowReader, query string, row func(*sqlite.Stmt) K) map[int64]K {
	rows := make(map[int64]K)
	if r.err == nil {
		r.err = sqlitex.ExecuteTransient(r.conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			rows[stmt.ColumnInt64(0)] = row(stmt)
			return nil
		}})
	}
	return rows
}
