package web

import (
	"fmt"
	"math"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// field is one line of a detail view, in the order to show.
type field struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // text, number or boolean
	Unit  string `json:"unit"`  // ns, bytes, time (since the trace's begin) or ""
	Raw   bool   `json:"raw"`   // as the runtime gave it; what it means stands in others, or matters little
}

// detail is everything that is known of a record or an activity.
type detail struct {
	Record   int64         `json:"record"`   // 0: an activity whose enqueue was not seen
	Activity int64         `json:"activity"` // 0: none, or not measured
	Title    string        `json:"title"`
	Kind     string        `json:"kind"`
	Name     string        `json:"name"`
	Start    int64         `json:"start"`
	End      int64         `json:"end"`
	Thread   int64         `json:"thread"`
	Depth    int           `json:"depth"`
	Queue    int64         `json:"queue"`
	File     string        `json:"file"`
	Line     int32         `json:"line"`
	Fields   []field       `json:"fields"`
	Parents  []ancestor    `json:"parents"` // innermost first
	Stack    []frame       `json:"stack"`
	Device   *activityInfo `json:"device"` // what the device did for it, null if not measured
}

type ancestor struct {
	Record int64  `json:"record"`
	Title  string `json:"title"`
	Start  int64  `json:"start"`
	End    int64  `json:"end"`
}

// frame is a place of a host call stack.
type frame struct {
	Address  string `json:"address"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int64  `json:"line"`
	Module   string `json:"module"`
}

type activityInfo struct {
	ID    int64  `json:"id"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Bytes int64  `json:"bytes"`
	Queue int64  `json:"queue"`
}

func recordDetail(r *request) (any, error) {
	id := r.values.required("id", 1, math.MaxInt64)
	if r.values.err != nil {
		return nil, r.values.err
	}
	record, err := r.trace.Record(id)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, notFound("the trace has no record %d", id)
	}
	return describe(r, record)
}

func describe(r *request, record *store.Record) (*detail, error) {
	site := record.Site
	d := &detail{Record: record.ID, Kind: site.Kind, Name: site.Name, Title: title(site), Start: record.Start, End: record.End(),
		Thread: int64(record.Thread), Depth: record.Depth, Queue: int64(site.Queue), File: site.File, Line: site.Line,
		Parents: []ancestor{}, Stack: []frame{}}
	add := func(name string, value any, unit string) {
		d.Fields = append(d.Fields, field{name, value, unit, false})
	}
	raw := func(name string, value any) { d.Fields = append(d.Fields, field{name, value, "", true}) }
	raw("record", record.ID)
	add("start", record.Start, "time")
	switch {
	case record.Open:
		add("end", "it goes on", "")
	case record.Unended:
		add("end", "cut off: its end was not seen", "")
	case record.Span:
		add("end", record.End(), "time")
	}
	if record.Span {
		add("duration", record.Duration, "ns")
		add("exclusive", record.Exclusive(), "ns")
	}
	if site.HasName {
		add(nameField(site), site.Name, "")
		if site.Symbol != site.Name {
			raw("linker's name", site.Symbol)
		}
	}
	if site.File != "" {
		add("source", place(site.File, site.Line), "")
	}
	if site.EndLine > 0 {
		raw("end line", site.EndLine)
	}
	if site.Function != "" {
		add("function", site.Function, "")
		raw("function lines", fmt.Sprintf("%d to %d", site.FunctionLine, site.FunctionEndLine))
	}
	if record.Bytes != 0 {
		if n := byteCount(record.Bytes); n >= 0 {
			add("bytes", n, "bytes")
		} else {
			add("bytes", "unknown to the runtime", "")
		}
	}
	for _, n := range record.Numbers() {
		add(n.Name, n.Value, "")
	}
	if !site.Own() {
		if err := d.runtime(r, record); err != nil {
			return nil, err
		}
	}
	for parent, n := record.Parent, 0; parent != 0 && n < 100; n++ {
		p, err := r.trace.Record(parent)
		if err != nil {
			return nil, err
		}
		if p == nil {
			break
		}
		d.Parents = append(d.Parents, ancestor{p.ID, title(p.Site), p.Start, p.End()})
		parent = p.Parent
	}
	if err := d.frames(r, site); err != nil {
		return nil, err
	}
	activity, err := r.trace.Correlated(record.ID)
	if err != nil {
		return nil, err
	}
	if activity != nil {
		d.Activity = activity.ID
		d.Device = &activityInfo{activity.ID, activity.Work.Kind, activity.Work.Name, activity.Start, activity.End(),
			byteCount(activity.Bytes), int64(activity.Work.Queue)}
		add("device start", activity.Start, "time")
		add("device end", activity.End(), "time")
		add("device time", activity.Duration, "ns")
		if by := activity.Work.By.String(); by != "" {
			add("geometry by", by, "")
		}
		add("waited in queue", max(activity.Start-record.End(), 0), "ns")
	}
	return d, nil
}

// runtime adds what only events of the runtime have.
func (d *detail) runtime(r *request, record *store.Record) error {
	site := record.Site
	add := func(name string, value any) { d.Fields = append(d.Fields, field{name, value, "", false}) }
	raw := func(name string, value any) { d.Fields = append(d.Fields, field{name, value, "", true}) }
	if record.Host != 0 {
		add("host address", address(record.Host))
	}
	if record.Address != 0 {
		add("device address", address(record.Address))
	}
	add("construct", constructText(site))
	if site.Implicit != 0 {
		add("implicit", "the compiler or runtime does it, no directive names it")
	}
	add("queue", callbacks.AsyncName(site.AsyncQueue))
	if name, err := deviceName(r, site); err != nil {
		return err
	} else if name != "" {
		add("device", name)
	}
	if site.Kind == "enqueue_launch" || site.Gangs != 0 {
		add("gangs × workers × vector", fmt.Sprintf("%d × %d × %d", site.Gangs, site.Workers, site.Vector))
		if site.HasDimensions {
			add("gangs by dimension", site.Dimensions)
		}
	}
	if site.Kind == "error" {
		add("error code", site.ErrorCode)
		raw("runtime info", address(site.RuntimeInfo))
	}
	raw("async argument", callbacks.AsyncName(site.Async))
	raw("device type", fmt.Sprintf("%d (%s)", site.DeviceType, callbacks.DeviceType(site.DeviceType)))
	raw("device number", site.DeviceNumber)
	raw("device API", site.DeviceAPI)
	raw("API device type", site.APIDeviceType)
	raw("vendor", site.Vendor)
	for _, handle := range []struct {
		name  string
		value uint64
	}{{"device handle", site.DeviceHandle}, {"context handle", site.ContextHandle}, {"async handle", site.AsyncHandle}} {
		if handle.value != 0 {
			raw(handle.name, address(handle.value))
		}
	}
	raw("thread number", site.ThreadID)
	raw("version", site.Version)
	raw("sequence", record.Sequence)
	raw("valid bytes", fmt.Sprintf("%d, %d, %d", site.ProfileBytes, site.EventBytes, site.APIBytes))
	if record.Opener != 0 {
		raw("ends the mapping of record", record.Opener)
	}
	return nil
}

// frames resolves the call stack.
func (d *detail) frames(r *request, site *store.Site) error {
	for _, at := range site.CallStack {
		f := frame{Address: address(at)}
		for s, err := range r.trace.Rows("reading the call stack", "SELECT module, function, file, line FROM frame WHERE process = ? AND address = ?", int64(site.Process), int64(at)) {
			if err != nil {
				return err
			}
			f.Module, f.Function, f.File, f.Line = s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnInt64(3)
		}
		d.Stack = append(d.Stack, f)
	}
	return nil
}

func activityDetail(r *request) (any, error) {
	id := r.values.required("id", 1, math.MaxInt64)
	if r.values.err != nil {
		return nil, r.values.err
	}
	var a *store.Activity
	if err := r.trace.Numbered().Activities(id, id, func(x *store.Activity) (bool, error) { a = x; return false, nil }); err != nil {
		return nil, err
	}
	if a == nil {
		return nil, notFound("the trace has no activity %d", id)
	}
	kind, name, symbol := a.Work.Kind, a.Work.Name, a.Work.Symbol
	enqueue, err := r.trace.Record(a.Record)
	if err != nil {
		return nil, err
	}
	if symbol == "" && enqueue != nil { // the runtime gave no name
		name, symbol = enqueue.Site.Name, enqueue.Site.Symbol
	}
	d := &detail{Activity: id, Kind: kind, Name: name, Title: kind, Start: a.Start, End: a.End(), Queue: int64(a.Work.Queue), Line: -1, Parents: []ancestor{}, Stack: []frame{}}
	if name != "" {
		d.Title = kind + " " + name
	}
	if a.Work.Peer != 0 {
		d.Title = export.WorkName(a.Work)
	}
	d.Device = &activityInfo{id, kind, name, d.Start, d.End, byteCount(a.Bytes), d.Queue}
	d.Fields = []field{{"start", d.Start, "time", false}, {"end", d.End, "time", false}, {"device time", d.End - d.Start, "ns", false}}
	if kind != "kernel" {
		d.Fields = append(d.Fields, field{"bytes", byteCount(a.Bytes), "bytes", false})
	}
	if a.Work.Peer != 0 {
		from, to := a.Work.DeviceTitle(), a.Work.PeerTitle()
		d.Fields = append(d.Fields, field{"from", from, "", false}, field{"to", to, "", false})
		if a.Duration > 0 {
			d.Fields = append(d.Fields, field{"rate", report.Show(float64(a.Bytes)*1e9/float64(a.Duration), report.BytesPerSecond), "", false})
		}
		if a.Work.File != "" {
			d.File, d.Line = a.Work.File, a.Work.Line
			d.Fields = append(d.Fields, field{"source", place(a.Work.File, a.Work.Line), "", false})
		}
	}
	d.Fields = append(d.Fields, field{"activity", id, "", true}, field{"async argument", callbacks.AsyncName(a.Work.Async), "", true},
		field{"device clock start", fmt.Sprint(a.DeviceStart), "", true}, field{"device clock end", fmt.Sprint(a.DeviceEnd), "", true},
		field{"recorded", a.Recorded, "time", true}, field{"correlation", fmt.Sprint(a.Correlation), "", true})
	if kind == "kernel" && symbol != "" {
		d.Fields = append(d.Fields, field{"linker's name", symbol, "", true})
	}
	if enqueue == nil {
		return d, nil
	}
	whole, err := describe(r, enqueue)
	if err != nil {
		return nil, err
	}
	whole.Title, whole.Start, whole.End, whole.Activity, whole.Device = d.Title, d.Start, d.End, id, d.Device
	for _, f := range whole.Fields {
		switch f.Name {
		case "device start", "device end", "device time":
			continue // as the activity has them
		case "start", "end", "duration", "exclusive":
			f.Name, f.Raw = "enqueue "+f.Name, true
		}
		d.Fields = append(d.Fields, f)
	}
	whole.Fields = d.Fields
	return whole, nil
}

// arrow leads from the end of an enqueue on a thread to the start of what it
// caused on a queue.
type arrow struct {
	Record   int64 `json:"record"`
	Activity int64 `json:"activity"`
	Thread   int64 `json:"thread"`
	Depth    int   `json:"depth"`
	From     int64 `json:"from"` // ns
	Queue    int64 `json:"queue"`
	To       int64 `json:"to"` // ns
}

// mostArrows is how many a picture can bear.
const mostArrows = 300

// arrows gives those of one record and what is nested in it, or of one activity.
func arrows(r *request) (any, error) {
	record := r.values.integer("record", 0, 0, math.MaxInt64)
	activity := r.values.integer("activity", 0, 0, math.MaxInt64)
	if r.values.err != nil {
		return nil, r.values.err
	}
	out := []arrow{}
	read := func(query string, args ...any) error {
		for s, err := range r.trace.Rows("reading arrows", `SELECT r.id, a.id, s.thread, s.depth, r.time + coalesce(r.duration, 0), w.queue, a.start
			FROM `+query+fmt.Sprintf(" LIMIT %d", mostArrows), args...) {
			if err != nil {
				return err
			}
			out = append(out, arrow{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt(3), s.ColumnInt64(4), s.ColumnInt64(5), s.ColumnInt64(6)})
		}
		return nil
	}
	var err error
	switch {
	case activity != 0:
		err = read("activity a JOIN record r ON r.id = a.record JOIN site s ON s.id = r.site JOIN work w ON w.id = a.work WHERE a.id = ?", activity)
	case record != 0:
		outer, failure := r.trace.Record(record)
		if failure != nil {
			return nil, failure
		}
		if outer == nil {
			return nil, notFound("the trace has no record %d", record)
		}
		// What is nested in it comes after it.
		last, failure := r.trace.RecordsUntil(outer.End())
		if failure != nil {
			return nil, failure
		}
		err = read(`record r CROSS JOIN site s ON s.id = r.site JOIN activity a ON a.id = r.link JOIN work w ON w.id = a.work
			WHERE r.id BETWEEN ? AND ? AND s.kind IN (18, 20, 22) AND s.thread = ? AND r.time >= ? AND r.time <= ? AND s.depth >= ?`,
			outer.ID, last, int64(outer.Thread), outer.Start, outer.End(), outer.Depth)
	default:
		return nil, badRequest("arrows of what? give record or activity")
	}
	return out, err
}

// deviceName is what people call the device of a site, "" where it has none.
func deviceName(r *request, site *store.Site) (string, error) {
	devices, err := r.trace.Devices()
	for i := range devices {
		if devices[i].ID == site.Device && !devices[i].Requested() {
			return export.DeviceName(&devices[i]), nil
		}
	}
	return "", err
}

func title(site *store.Site) string {
	if site.Own() && site.Name != "" {
		return site.Name
	}
	if site.HasName && site.Name != "" {
		return site.Kind + " " + site.Name
	}
	return site.Kind
}

func nameField(site *store.Site) string {
	switch {
	case site.Kind == "enqueue_launch":
		return "kernel"
	case site.Kind == "error":
		return "message"
	case site.Own():
		return "name"
	}
	return "variable"
}

func constructText(site *store.Site) string {
	if site.Construct == "" {
		return fmt.Sprintf("unknown (%d)", site.ParentConstruct)
	}
	return site.Construct
}
