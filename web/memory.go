package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// series is memory in use, bytes, or a sampled figure, as columns: between time and end
// it was from low to high, from end on it is last.
type series struct {
	Time []int64 `json:"time"`
	End  []int64 `json:"end"`
	Low  []int64 `json:"low"`
	High []int64 `json:"high"`
	Last []int64 `json:"last"`
}

func seriesOf(points []store.MemoryPoint) series {
	s := series{Time: []int64{}, End: []int64{}, Low: []int64{}, High: []int64{}, Last: []int64{}}
	for _, p := range points {
		s.Time, s.End, s.Low = append(s.Time, p.Time), append(s.End, p.End), append(s.Low, p.Low)
		s.High, s.Last = append(s.High, p.High), append(s.Last, p.Last)
	}
	return s
}

// rateSeries is what moved in equal parts of the window, bytes a second.
type rateSeries struct {
	Begin    int64     `json:"begin"` // ns
	Step     float64   `json:"step"`  // ns
	Upload   []float64 `json:"upload"`
	Download []float64 `json:"download"`
	// Mixed is what is not known to go one way: groups narrower than a pixel.
	Mixed []float64 `json:"mixed"`
	// Measured: times are those of the device, else those of the enqueue calls.
	Measured bool `json:"measured"`
}

type countersAnswer struct {
	Device int64      `json:"device"`
	Memory series     `json:"memory"`
	Rates  rateSeries `json:"rates"`
}

// counters gives a device's memory and transfer rates in a window.
func counters(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	device := model.DeviceID(r.values.required("device", 1, math.MaxUint32))
	if r.values.err != nil {
		return nil, r.values.err
	}
	points, err := r.trace.Memory().Curve(device, w.from, w.to, w.pixels)
	if err != nil {
		return nil, err
	}
	a := countersAnswer{Device: int64(device), Memory: seriesOf(points)}
	a.Rates, err = rates(r.trace, device, w)
	return &a, err
}

// mostApart is about how many operations of a device are read one by one for its rates: of
// neighbours together, which may have gone either way, only the sum is known.
const mostApart = 200_000

// rates spreads the bytes of transfers over the pixels that they cover.
func rates(trace *store.Trace, device model.DeviceID, w window) (rateSeries, error) {
	pixels := max(w.pixels/3, 1)
	s := rateSeries{Begin: w.from, Step: float64(w.to-w.from) / float64(pixels),
		Upload: make([]float64, pixels), Download: make([]float64, pixels), Mixed: make([]float64, pixels)}
	lanes, err := trace.Lanes().All()
	if err != nil {
		return s, err
	}
	for _, lane := range lanes {
		s.Measured = s.Measured || lane.Type == store.LaneQueue && lane.Device == device
	}
	own, all := int64(0), int64(0)
	if !s.Measured {
		if own, all, err = moved(trace, device); err != nil || own == 0 && all > 0 {
			return s, err
		}
	}
	lanes = slices.DeleteFunc(lanes, func(l store.Lane) bool {
		return l.Bytes == 0 || s.Measured && (l.Type != store.LaneQueue || l.Device != device) || !s.Measured && l.Type != store.LaneSpans
	})
	for _, lane := range lanes {
		// At a pixel a nanosecond neighbours are taken apart wherever that costs no more rows.
		blocks, err := trace.Lanes().BlocksOfRows(lane, w.from, w.to, int(w.to-w.from), mostApart/len(lanes))
		if err != nil {
			return s, err
		}
		for i := range blocks {
			b := &blocks[i]
			// A group has the site of its longest member, which need not move data.
			if b.Bytes <= 0 || b.Site != nil && b.Site.Device != device && (b.Count == 1 || own != all) {
				continue
			}
			end := max(b.End, b.Start+1)
			report.Spread(s.series(b), s.Begin, s.Step, b.Start, end, float64(b.Bytes)*1e9/float64(end-b.Start))
		}
	}
	return s, nil
}

// moved is how many bytes were moved to and from a device, and all devices.
func moved(trace *store.Trace, device model.DeviceID) (own, all int64, err error) {
	totals, err := trace.Sums().Totals(store.Filter{Kinds: []string{"enqueue_upload", "enqueue_download"}})
	for i := range totals {
		all += totals[i].Bytes
		if totals[i].Site.Device == device {
			own += totals[i].Bytes
		}
	}
	return own, all, err
}

func (s *rateSeries) series(b *store.Block) []float64 {
	kind := ""
	switch {
	case b.Count != 1:
	case b.Work != nil:
		kind = b.Work.Kind
	case b.Site != nil:
		kind = b.Site.Kind
	}
	switch kind {
	case "upload", "enqueue_upload":
		return s.Upload
	case "download", "enqueue_download":
		return s.Download
	}
	return s.Mixed
}

// prompt is how many milliseconds an answer may take to read the trace's mappings,
// unless its request says otherwise.
const prompt = 700

// reading bounds how long an answer reads the trace.
type reading struct {
	end   time.Time
	until int64 // all before it was read; -1: everything
}

// reading takes the bound from the request's parameters.
func (r *request) reading() *reading {
	within := r.values.integer("within", prompt, 0, int64(patience/time.Millisecond))
	return &reading{time.Now().Add(time.Duration(within) * time.Millisecond), -1}
}

func (r *reading) enough(at int64) bool {
	if time.Now().Before(r.end) {
		return false
	}
	r.until = bounded(at)
	return true
}

// variableSeries is the memory of a variable at the ends of equal parts of the
// window.
type variableSeries struct {
	Name string  `json:"name"`
	Peak int64   `json:"peak"` // bytes, in the window
	Used []int64 `json:"used"`
}

type variablesAnswer struct {
	From      int64            `json:"from"`
	To        int64            `json:"to"`
	Variables []variableSeries `json:"variables"` // highest peak first; the last may sum the others
	Peak      int64            `json:"peak"`      // the device's high-water mark, of the whole trace
	PeakTime  int64            `json:"peak_time"` // when it was reached
	PeakEnd   int64            `json:"peak_end"`  // when there was less again
	// Until is how far the variables were read, ns; -1: to the end.
	Until int64 `json:"until"`
}

// mostVariables is how many variables a stacked chart can tell apart.
const mostVariables = 11

// variables gives the device's memory by variable.
func variables(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	device := model.DeviceID(r.values.required("device", 1, math.MaxUint32))
	reading := r.reading()
	if r.values.err != nil {
		return nil, r.values.err
	}
	a := variablesAnswer{From: w.from, To: w.to, Variables: []variableSeries{}}
	parts := min(w.pixels, 2000)
	step := float64(w.to-w.from) / float64(parts)
	byName := make(map[string]*variableSeries)
	if err := r.trace.Memory().Mappings(store.Filter{Device: device, From: w.from, To: w.to, Enough: reading.enough}, func(m *store.Mapping) bool {
		name := variableOf(r.trace, m)
		v := lookup.Make(byName, name, func() *variableSeries { return &variableSeries{Name: name, Used: make([]int64, parts+1)} })
		bytes := byteCount(m.Bytes)
		if bytes < 0 {
			return true
		}
		v.Used[min(max(int(float64(m.Start-w.from)/step), 0), parts)] += bytes
		if m.End < w.to {
			v.Used[min(max(int(float64(m.End-w.from)/step), 0), parts)] -= bytes
		}
		return true
	}); err != nil {
		return nil, err
	}
	a.Until = reading.until
	for _, v := range byName {
		used := int64(0)
		for i := range v.Used {
			used += v.Used[i]
			v.Used[i] = used
			v.Peak = max(v.Peak, used)
		}
		v.Used = v.Used[:parts]
		v.Name = shortened(v.Name)
		a.Variables = append(a.Variables, *v)
	}
	slices.SortFunc(a.Variables, func(x, y variableSeries) int { return cmp.Or(cmp.Compare(y.Peak, x.Peak), cmp.Compare(x.Name, y.Name)) })
	if len(a.Variables) > mostVariables+1 {
		rest := variableSeries{Name: "(others)", Used: make([]int64, parts)}
		for _, v := range a.Variables[mostVariables:] {
			for i, used := range v.Used {
				rest.Used[i] += used
				rest.Peak = max(rest.Peak, rest.Used[i])
			}
		}
		a.Variables = append(a.Variables[:mostVariables:mostVariables], rest)
	}
	points, err := r.trace.Memory().Curve(device, 0, 0, 2000)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		if p.High > a.Peak {
			a.Peak, a.PeakTime, a.PeakEnd = p.High, p.Time, p.End
		}
	}
	return &a, a.peak(r, device)
}

// peak finds within the part of the trace that has the peak when it was reached
// and left.
func (a *variablesAnswer) peak(r *request, device model.DeviceID) error {
	for s, err := range r.trace.Memory().Changes(a.PeakTime, a.PeakEnd+1) {
		if err != nil {
			return fmt.Errorf("looking for the peak of device %d: %w", device, err)
		}
		if s.Device == device && s.Used >= a.Peak {
			a.PeakTime = s.Time
			break
		}
	}
	for s, err := range r.trace.Memory().Changes(a.PeakTime+1, 0) {
		if err != nil {
			return fmt.Errorf("looking for the end of the peak of device %d: %w", device, err)
		}
		if s.Device == device && s.Used < a.Peak {
			a.PeakEnd = s.Time
			break
		}
	}
	a.PeakEnd = max(a.PeakEnd, a.PeakTime)
	return nil
}

// mapping is device memory at a time.
type mapping struct {
	Record  int64  `json:"record"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Device  int64  `json:"device"`
	Source  string `json:"source"`
	Host    string `json:"host"`
	Address string `json:"address"`
	Bytes   int64  `json:"bytes"` // -1: unknown
	Start   int64  `json:"start"`
	End     int64  `json:"end"` // ns; -1: not deleted
}

type mappingsAnswer struct {
	At       int64     `json:"at"`
	Mappings []mapping `json:"mappings"`
	Omitted  int       `json:"omitted"`
	Bytes    int64     `json:"bytes"`
	Until    int64     `json:"until"` // how far the trace was read, ns; -1: as far as it matters
}

type leaksAnswer struct {
	Mappings []mapping `json:"mappings"` // never deleted or freed
	Omitted  int       `json:"omitted"`
	Empty    string    `json:"empty"` // what it means that there are none
	Open     []mapping `json:"open"`  // of regions that were open when their process ended
	More     int       `json:"open_omitted"`
	Until    int64     `json:"until"` // how far the trace was read, ns; -1: as far as it matters
}

// mostMappings is how many mappings an answer lists.
const mostMappings = 2000

// mappings gives the present table at a time.
func mappings(r *request) (any, error) {
	at := r.values.required("at", -timeLimit, timeLimit)
	reading := r.reading()
	if r.values.err != nil {
		return nil, r.values.err
	}
	var list []store.Mapping
	if err := r.trace.Memory().Mappings(store.Filter{From: at, To: at + 1, Enough: reading.enough}, func(m *store.Mapping) bool {
		list = append(list, *m)
		return true
	}); err != nil {
		return nil, err
	}
	return r.listed(at, reading.until, list), nil
}

// variableOf is what a mapping counts under.
func variableOf(trace *store.Trace, m *store.Mapping) string {
	if m.Site == nil {
		return "(unknown)"
	}
	return trace.Variable(m.Site)
}

func (r *request) listed(at, until int64, list []store.Mapping) *mappingsAnswer {
	a := &mappingsAnswer{At: at, Mappings: []mapping{}, Until: until}
	for i := range list {
		m := &list[i]
		if n := byteCount(m.Bytes); n > 0 {
			a.Bytes += n
		}
		if len(a.Mappings) == mostMappings {
			a.Omitted++
			continue
		}
		line := mapping{Record: m.Record, Kind: m.Kind, Name: variableOf(r.trace, m), Host: address(m.Host), Address: address(m.Address), Bytes: byteCount(m.Bytes),
			Start: m.Start, End: m.End}
		if m.End == math.MaxInt64 {
			line.End = -1
		}
		if m.Site != nil {
			line.Device, line.Source = int64(m.Site.Device), place(m.Site.File, m.Site.Line)
		}
		a.Mappings = append(a.Mappings, line)
	}
	return a
}

// leaks gives what programs that ended by themselves never deleted or freed, and what
// belonged to regions that they were in when they ended.
func leaks(r *request) (any, error) {
	reading := r.reading()
	if r.values.err != nil {
		return nil, r.values.err
	}
	left, err := r.trace.Memory().Left(math.MinInt64, math.MaxInt64, reading.enough)
	if err != nil {
		return nil, err
	}
	_, last, err := r.trace.Extent()
	never, open := r.listed(bounded(last), reading.until, left.NeverDeleted), r.listed(bounded(last), reading.until, left.Open)
	return &leaksAnswer{never.Mappings, never.Omitted, left.Nothing(), open.Mappings, open.Omitted, never.Until}, err
}
