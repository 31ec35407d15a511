package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Summary is what a run ends with: where the time went, what cost most, and what
// stands out. Times are nanoseconds, sizes bytes.
type Summary struct {
	Wall       int64 // from the begin of capture to the end of the last process; of chosen times theirs
	Device     DeviceTime
	Host       HostTime
	MPI        Communication
	Peak       Peak
	Frames     []Frames // of the program's own, by name, those that took most first
	Idle       string   // a device that was opened, where none did anything
	Simulated  bool     // operations ran on the simulated device
	Modelled   string   // the GPU whose times it gave them, "" where it gave others
	Kernels    []Cost
	Variables  []Cost
	Between    []Cost   // copies from one device to another
	Constructs []Cost   // where no device did anything
	Code       []Cost   // functions outside of OpenACC, where processors were sampled
	Findings   []string // warnings, errors, data that were left
	Errors     int
	Hints      []string // what sums alone tell of what could be better
	Gains      []Gain   // what could be better, where a caller has looked for it
}

// Frames are what the program calls frames of a name: turns of a loop, mostly.
type Frames struct {
	Name          string
	Count         int64 // with those that did not end
	Ended         int64
	Time, Longest int64 // of those that ended
}

// Gain is something that could be better, in words.
type Gain struct {
	Place string // "" where it is not known
	What  string
	Cost  string // what it gains or holds, "" where that is not known
}

// DeviceTime is how long devices were busy. The parts may overlap, and their sum
// exceed Busy, where queues ran at once.
type DeviceTime struct {
	Devices  int   `json:"devices"`  // that did something measured
	Busy     int64 `json:"busy"`     // over all of them; a lower bound where AtLeast
	AtLeast  bool  `json:"at_least"` // too much activity on several queues to tell what ran at once: that of the busiest
	Kernels  int64 `json:"kernels"`  // over all of them, if not AtLeast
	Transfer int64 `json:"transfers"`
}

// HostTime is what the threads that use OpenACC did with their processes' time.
type HostTime struct {
	Threads int   `json:"threads"` // that use OpenACC
	All     int64 `json:"host"`    // their processes' time, over them
	Waits   int64 `json:"waits"`   // in waits, and in synchronous operations while the device was at them, or until they were cut off
	Calls   int64 `json:"calls"`   // in other OpenACC constructs and routines
}

// Outside is the time outside of OpenACC.
func (h HostTime) Outside() int64 { return max(h.All-h.Waits-h.Calls, 0) }

// Peak is the most memory that a device had in use.
type Peak struct {
	Device   string `json:"peak_device"` // "" where none was used
	Bytes    int64  `json:"peak"`
	Capacity int64  `json:"capacity"` // 0: not known
	Others   int    `json:"-"`        // devices that had less
}

// Cost is a line of what cost most.
type Cost struct {
	Name  string  `json:"name"`
	Place string  `json:"place"`
	Time  int64   `json:"time"`
	Timed bool    `json:"timed"` // time is known
	Share float64 `json:"share"` // of the time of all kernels, variables or constructs
	Bytes int64   `json:"bytes"`
	Count int64   `json:"count"`
}

// summaryRows is how many kernels, variables or constructs a summary names.
const summaryRows = 3

// Summarize sums a trace up, or what of it a filter of times, ranges and ranks lets
// through: what begins there, on devices what was enqueued there. The filter's other fields
// do not apply.
func Summarize(trace *store.Trace, filter Filter) (*Summary, error) {
	filter = Filter{From: filter.From, To: filter.To, Exactly: filter.Exactly, Within: filter.Within, Rank: filter.Rank, Ranks: filter.Ranks}
	f, err := load(trace, filter)
	if err != nil {
		return nil, err
	}
	s := &Summary{Kernels: f.costlyKernels(), Variables: f.costlyVariables()}
	calls, err := f.messages(trace, filter)
	if err != nil {
		return nil, err
	}
	if err := s.readFigures(f, filter, calls); err != nil {
		return nil, err
	}
	if len(s.Kernels)+len(s.Variables) == 0 {
		s.Constructs = f.costlyConstructs()
	}
	if s.Code, err = costlyCode(trace, filter); err != nil {
		return nil, err
	}
	if s.Between, err = f.costlyRoutes(filter); err != nil {
		return nil, err
	}
	s.Hints = f.repeated()
	s.Findings, s.Errors, err = f.findings(trace, filter)
	return s, err
}

// readFigures finds where the time went, and how much memory was in use.
func (s *Summary) readFigures(f *facts, filter Filter, calls *messages) error {
	if err := s.readTimes(f, filter); err != nil {
		return err
	}
	if err := s.readDevices(f, filter); err != nil {
		return err
	}
	if err := s.readPeak(f, filter); err != nil {
		return err
	}
	s.MPI = f.communicated(calls, filter)
	s.Frames = f.frames()
	return nil
}

// chosen are the times of a process that count, within those that it has: none where its
// rank is not wanted.
func (f *facts) chosen(filter Filter, process int64, of Interval) (list []Interval) {
	if !filter.wantsRank(f.rankOf(process)) {
		return nil
	}
	for _, at := range filter.times(model.ProcessID(process)) {
		if at = (Interval{max(at.Start, of.Start), min(at.End, of.End)}); at.Start < at.End {
			list = append(list, at)
		}
	}
	return list
}

// processTimes are the times of processes that count, and the wall time. Of a process that
// was not recorded from begin to end, part, it is what was recorded.
func (f *facts) processTimes(filter Filter) (whole map[int64][]Interval, wall int64, part bool, err error) {
	meta, err := f.trace.Meta()
	if err != nil {
		return nil, 0, false, err
	}
	part = meta.Facts["filter_last_bytes"] != "" || meta.Facts["filter_last_ns"] != ""
	whole = map[int64][]Interval{}
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	for r, err := range f.trace.Rows("reading times", `SELECT process, start, coalesce(end, ?), since_attach FROM processes`, f.last) {
		if err != nil {
			return nil, 0, false, err
		}
		times := f.chosen(filter, r.ColumnInt64(0), Interval{r.ColumnInt64(1), r.ColumnInt64(2)})
		for _, at := range times {
			begin, end = min(begin, at.Start), max(end, at.End)
		}
		whole[r.ColumnInt64(0)] = times
		part = part || r.ColumnInt64(3) != 0
	}
	if part || filter.Within != nil {
		return whole, f.wall, part, nil
	}
	return whole, max(end-begin, 0), part, nil
}

// readTimes finds the wall time and what the host did with it.
func (s *Summary) readTimes(f *facts, filter Filter) error {
	missing, err := f.trace.Partial()
	if err != nil {
		return err
	}
	whole, wall, part, err := f.processTimes(filter)
	if err != nil {
		return err
	}
	s.Wall = wall
	for _, t := range f.totals {
		if !model.IsStart(t.site.KindCode) {
			continue
		}
		s.Host.Calls += t.Exclusive()
	}
	for _, time := range f.waited.Times() {
		s.Host.Waits += time
	}
	s.Host.Calls = max(s.Host.Calls-s.Host.Waits, 0)
	// Threads that use OpenACC somewhere are there all the time.
	users, err := f.trace.Users()
	if err != nil {
		return err
	}
	for thread, process := range users {
		times := whole[int64(process)]
		length := Covered(times)
		if length == 0 {
			continue
		}
		s.Host.Threads++
		if part && filter.Within == nil {
			length, times = f.wall, []Interval{{f.first, f.last}}
		}
		// What the host did while nothing was recorded is not known.
		s.Host.All += length - unseen(missing, process, thread, times)
	}
	return nil
}

// readPeak finds the device that had the most memory in use.
func (s *Summary) readPeak(f *facts, filter Filter) error {
	for r, err := range f.trace.Rows("reading device memory", `SELECT type, number, peak_bytes, coalesce(capacity, 0), device, process, vendor FROM devices WHERE peak_bytes > 0 ORDER BY device`) {
		if err != nil {
			return err
		}
		bytes, process := r.ColumnInt64(2), r.ColumnInt64(5)
		times := f.chosen(filter, process, Interval{math.MinInt64, math.MaxInt64})
		if len(times) == 0 {
			continue
		}
		if filter.limitsTime() {
			use, err := f.memoryOf(r.ColumnInt64(4))
			if err != nil {
				return err
			}
			if bytes = use.peak; bytes == 0 {
				continue
			}
		}
		if s.Peak.Device != "" {
			s.Peak.Others++
		}
		if bytes > s.Peak.Bytes {
			title := (&model.DeviceInfo{Type: r.ColumnInt32(0), Number: r.ColumnInt32(1), Vendor: r.ColumnText(6)}).Title()
			s.Peak = Peak{Device: title, Bytes: bytes, Capacity: r.ColumnInt64(3), Others: s.Peak.Others}
		}
	}
	return nil
}

// mostIntervals is how many operations of a device are put in order to find out
// what ran at once: about a second's work.
const mostIntervals = 1_000_000

// readDevices adds up what each device did.
func (s *Summary) readDevices(f *facts, filter Filter) error {
	simulated, card, err := simulatedDevices(f.trace)
	if err != nil {
		return err
	}
	opened, err := f.trace.Devices()
	if err != nil {
		return err
	}
	for i := range opened {
		if d := &opened[i]; s.Idle == "" && d.Type != int32(callbacks.DeviceHost) && !d.Requested() {
			s.Idle = d.Title()
		}
	}
	type used struct{ device, queues, operations, busy, busiest int64 }
	var devices []used
	for r, err := range f.trace.Rows("reading queues", `SELECT device, device_type, count(*) FILTER (WHERE measured), sum(operations),
			coalesce(sum(busy_time), 0), coalesce(max(busy_time), 0), process
		FROM queues WHERE operations > 0 OR measured GROUP BY device`) {
		if err != nil {
			return err
		}
		if len(f.chosen(filter, r.ColumnInt64(6), Interval{math.MinInt64, math.MaxInt64})) == 0 {
			continue
		}
		if simulated[model.DeviceID(r.ColumnInt64(0))] {
			s.Simulated, s.Modelled = true, card
		}
		if r.ColumnInt64(2) > 0 {
			devices = append(devices, used{r.ColumnInt64(0), r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnInt64(4), r.ColumnInt64(5)})
		}
	}
	s.Device.Devices = len(devices)
	// What is read of a device is read of many at once: a job has as many as ranks.
	single, several := map[int64]bool{}, map[model.DeviceID]bool{}
	together := int64(0) // operations of several
	for _, d := range devices {
		switch {
		case filter.limitsTime():
			several[model.DeviceID(d.device)] = true
		case d.queues == 1: // its operations come one after the other
			s.Device.Busy += d.busy
			single[d.device] = true
		case d.operations <= mostIntervals:
			if together += d.operations; together > mostIntervals {
				if err := s.addChosen(f.trace, filter, several); err != nil {
					return fmt.Errorf("reading device activity: %w", err)
				}
				together = d.operations
				clear(several)
			}
			several[model.DeviceID(d.device)] = true
		default:
			s.Device.AtLeast = true
			s.Device.Busy += d.busiest
		}
	}
	if err := errors.Join(s.addSums(f.trace, single), s.addChosen(f.trace, filter, several)); err != nil {
		return fmt.Errorf("reading device activity: %w", err)
	}
	return nil
}

// simulatedDevices are those of a trace, and the GPU whose times they have, "" where one of them has
// others.
func simulatedDevices(trace *store.Trace) (map[model.DeviceID]bool, string, error) {
	devices, err := trace.Devices()
	simulated, cards := map[model.DeviceID]bool{}, map[string]bool{}
	for i := range devices {
		if simulated[devices[i].ID] = devices[i].Simulated(); devices[i].Simulated() && devices[i].Type != int32(callbacks.DeviceSim) {
			cards[devices[i].Modelled()] = true
		}
	}
	if len(cards) != 1 {
		return simulated, "", err
	}
	return simulated, slices.Collect(maps.Keys(cards))[0], err
}

// addChosen adds the time in which each of some devices did anything, ran kernels, and
// transferred, of what a filter lets through.
func (s *Summary) addChosen(trace *store.Trace, filter Filter, wanted map[model.DeviceID]bool) error {
	if len(wanted) == 0 {
		return nil
	}
	did := map[model.DeviceID]*doing{}
	busy := map[model.DeviceID]map[model.QueueID]int64{}
	for a, err := range trace.Activities(filter.stored()) {
		if err != nil {
			return err
		}
		device := a.Work.Device
		if !wanted[device] {
			continue
		}
		if did[device] == nil {
			did[device], busy[device] = &doing{}, map[model.QueueID]int64{}
		}
		busy[device][a.Work.Queue] += a.Duration
		if d := did[device]; len(d.all) <= mostIntervals {
			d.add(a.Work.Kind, Interval{a.Start, a.End()})
		}
	}
	for device, d := range did {
		if len(d.all) <= mostIntervals {
			s.Device.Busy += Covered(d.all)
			s.Device.Kernels += Covered(d.kernels)
			s.Device.Transfer += Covered(d.transfers)
			continue
		}
		s.Device.AtLeast = true
		s.Device.Busy += slices.Max(slices.Collect(maps.Values(busy[device])))
	}
	return nil
}

// doing is when a device did what.
type doing struct{ all, kernels, transfers []Interval }

func (d *doing) add(kind string, at Interval) {
	d.all = append(d.all, at)
	switch kind {
	case "kernel":
		d.kernels = append(d.kernels, at)
	case "upload", "download", "copy":
		d.transfers = append(d.transfers, at)
	}
}

// addSums adds the sums of devices of one queue.
func (s *Summary) addSums(trace *store.Trace, devices map[int64]bool) error {
	if len(devices) == 0 {
		return nil
	}
	for r, err := range trace.Rows("reading device activity", `SELECT w.device, k.name, sum(t.time) FROM work_total t JOIN work w ON w.id = t.work
		JOIN activity_kind k ON k.code = w.kind GROUP BY w.device, k.name`) {
		if err != nil {
			return err
		}
		if !devices[r.ColumnInt64(0)] {
			continue
		}
		switch r.ColumnText(1) {
		case "kernel":
			s.Device.Kernels += r.ColumnInt64(2)
		case "upload", "download", "copy":
			s.Device.Transfer += r.ColumnInt64(2)
		}
	}
	return nil
}

// Interval is a time from Start to End, in nanoseconds of the trace.
type Interval struct{ Start, End int64 }

// Covered is the time that lies in at least one of the intervals.
func Covered(intervals []Interval) (sum int64) {
	for _, at := range Merge(slices.Clone(intervals)) {
		sum += at.End - at.Start
	}
	return sum
}

// Merge makes one of intervals that overlap or touch, in the place of those given,
// and gives what is left, in order.
func Merge(intervals []Interval) []Interval {
	slices.SortFunc(intervals, func(a, b Interval) int { return cmp.Compare(a.Start, b.Start) })
	merged := intervals[:0]
	for _, at := range intervals {
		if last := len(merged) - 1; last >= 0 && at.Start <= merged[last].End {
			merged[last].End = max(merged[last].End, at.End)
		} else {
			merged = append(merged, at)
		}
	}
	return merged
}

// costlyKernels are those with the most device time, by host time where none is
// measured.
func (f *facts) costlyKernels() []Cost {
	type key struct{ program, symbol, place string }
	return costs(group(f.totals, func(t *total) (any, bool) {
		return key{t.site.Program, t.site.Symbol, t.site.place()}, t.site.KindCode == model.EnqueueLaunchStart
	}, func(r *row) int64 { return r.device.Time }), func(r *row) Cost {
		return Cost{Name: r.site.Name, Place: r.key.(key).place, Time: r.device.Time, Timed: r.device.Count > 0, Count: r.Count}
	})
}

// costlyVariables are those whose transfers took most, by bytes where no time is
// measured. The place is where most of it was transferred.
func (f *facts) costlyVariables() []Cost {
	weight := func(r *row) int64 { return r.device.Time }
	if !slices.ContainsFunc(f.totals, func(t *total) bool { return isTransfer(t.site.KindCode) && t.device.Count > 0 }) {
		weight = func(r *row) int64 { return r.Bytes }
	}
	type data struct{ program, name string }
	type key struct {
		data
		place string
	}
	places := map[data]string{}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		return key{data{t.site.program, t.site.variable}, t.site.place()}, isTransfer(t.site.KindCode)
	}, weight) {
		if at := r.key.(key); places[at.data] == "" {
			places[at.data] = at.place
		}
	}
	return costs(group(f.totals, func(t *total) (any, bool) { return data{t.site.program, t.site.variable}, isTransfer(t.site.KindCode) }, weight), func(r *row) Cost {
		return Cost{Name: f.variable(r.site), Place: places[r.key.(data)], Time: r.device.Time, Timed: r.device.Count > 0, Bytes: r.Bytes, Count: r.Count}
	})
}

// costlyConstructs are those with the most host time of their own.
func (f *facts) costlyConstructs() []Cost {
	type key struct{ name, place string }
	return costs(group(f.totals, func(t *total) (any, bool) {
		name := t.site.Construct
		if t.site.KindCode == model.DeviceInitStart || t.site.KindCode == model.DeviceShutdownStart {
			name = t.site.Kind // whatever construct it happens in
		}
		return key{name, t.site.place()}, model.IsStart(t.site.KindCode)
	}, func(r *row) int64 { return r.Exclusive() }), func(r *row) Cost {
		return Cost{Name: r.key.(key).name, Place: r.key.(key).place, Time: r.Exclusive(), Timed: r.Ended > 0, Count: r.Count}
	})
}

// costs are the first of the rows.
func costs(rows []*row, cost func(*row) Cost) (list []Cost) {
	all := int64(0)
	for i, r := range rows {
		c := cost(r)
		all += c.Time
		if i < summaryRows {
			list = append(list, c)
		}
	}
	for i := range list {
		list[i].Share = float64(list[i].Time) / float64(max(all, 1))
	}
	return list
}
