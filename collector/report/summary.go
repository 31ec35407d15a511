package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/store"
)

// Summary is what a run ends with: where the time went, what cost most, and what
// stands out. Times are nanoseconds, sizes bytes.
type Summary struct {
	Wall       int64 // from the begin of capture to the end of the last process
	Device     DeviceTime
	Host       HostTime
	MPI        Communication
	Peak       Peak
	Simulated  bool // operations ran on the simulated device
	Kernels    []Cost
	Variables  []Cost
	Constructs []Cost   // where no device did anything
	Findings   []string // warnings, errors, data that were left
	Hints      []string // what sums alone tell of what could be better
	Gains      []Gain   // what could be better, where a caller has looked for it
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
	Devices  int   // that did something measured
	Busy     int64 // over all of them; a lower bound where AtLeast
	AtLeast  bool  // too much activity on several queues to tell what ran at once: that of the busiest
	Kernels  int64
	Transfer int64
}

// HostTime is what the threads that use OpenACC did with their processes' time.
type HostTime struct {
	Threads int
	Time    int64 // all of it, over the threads
	Waits   int64 // blocked in waits
	Calls   int64 // in other OpenACC constructs and routines
}

// Outside is the time outside of OpenACC.
func (h HostTime) Outside() int64 { return max(h.Time-h.Waits-h.Calls, 0) }

// Peak is the most memory that a device had in use.
type Peak struct {
	Device          string // "" where none was used
	Bytes, Capacity int64  // Capacity 0: not known
	Others          int    // devices that had less
}

// Cost is a line of what cost most.
type Cost struct {
	Name, Place string
	Time        int64
	Timed       bool    // Time is known
	Share       float64 // of the time of all kernels, variables or constructs
	Bytes       int64
	Count       int64
}

// summaryRows is how many kernels, variables or constructs a summary names.
const summaryRows = 3

// Summarize sums a trace up.
func Summarize(trace *store.Trace) (*Summary, error) {
	f, err := load(trace, Filter{})
	if err != nil {
		return nil, err
	}
	s := &Summary{Kernels: f.costlyKernels(), Variables: f.costlyVariables()}
	if err := s.readTimes(trace, f); err != nil {
		return nil, err
	}
	if err := s.readDevices(trace); err != nil {
		return nil, err
	}
	if err := s.readPeak(trace); err != nil {
		return nil, err
	}
	calls, err := f.messages(trace, Filter{})
	if err != nil {
		return nil, err
	}
	s.MPI = communicated(calls)
	if len(s.Kernels)+len(s.Variables) == 0 {
		s.Constructs = f.costlyConstructs()
	}
	s.Hints = f.repeated()
	s.Findings, err = f.findings(trace)
	return s, err
}

// readTimes finds the wall time and what the host did with it. Of a process that
// was not recorded from its begin, or of which only the newest was kept, the time
// from the first to the last event counts.
func (s *Summary) readTimes(trace *store.Trace, f *facts) error {
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	part := meta.Facts["filter_last_bytes"] != "" || meta.Facts["filter_last_ns"] != ""
	lengths := map[int64]int64{} // of processes
	begin, end := int64(math.MaxInt64), int64(math.MinInt64)
	err = sqlitex.Execute(trace.Conn(), `SELECT process, start, coalesce(end, ?), since_attach FROM processes`,
		&sqlitex.ExecOptions{Args: []any{f.last}, ResultFunc: func(r *sqlite.Stmt) error {
			from, to := r.ColumnInt64(1), r.ColumnInt64(2)
			lengths[r.ColumnInt64(0)] = to - from
			begin, end = min(begin, from), max(end, to)
			part = part || r.ColumnInt64(3) != 0
			return nil
		}})
	if err == nil {
		err = sqlitex.Execute(trace.Conn(), `SELECT coalesce(sum(inclusive_time) FILTER (WHERE kind = 'wait'), 0), coalesce(sum(exclusive_time), 0) FROM sources`,
			&sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
				s.Host.Waits = r.ColumnInt64(0)
				s.Host.Calls = max(r.ColumnInt64(1)-s.Host.Waits, 0)
				return nil
			}})
	}
	if err != nil {
		return fmt.Errorf("reading times: %w", err)
	}
	s.Wall = max(end-begin, 0)
	if part {
		s.Wall = f.wall
	}
	threads := map[int64]bool{}
	for _, t := range f.totals {
		if !spanKind(t.site.kind) || threads[t.thread] {
			continue
		}
		threads[t.thread] = true
		s.Host.Threads++
		if part {
			s.Host.Time += f.wall
		} else {
			s.Host.Time += lengths[t.site.process]
		}
	}
	return nil
}

// readPeak finds the device that had the most memory in use.
func (s *Summary) readPeak(trace *store.Trace) error {
	err := sqlitex.Execute(trace.Conn(), `SELECT type, number, peak_bytes, coalesce(capacity, 0) FROM devices WHERE peak_bytes > 0 ORDER BY peak_bytes DESC, device`,
		&sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
			if s.Peak.Device != "" {
				s.Peak.Others++
				return nil
			}
			s.Peak = Peak{Device: deviceName(r.ColumnInt64(0), r.ColumnInt64(1)), Bytes: r.ColumnInt64(2), Capacity: r.ColumnInt64(3)}
			return nil
		}})
	if err != nil {
		return fmt.Errorf("reading device memory: %w", err)
	}
	return nil
}

// mostIntervals is how many operations of a device are put in order to find out
// what ran at once: about a second's work.
const mostIntervals = 1_000_000

// readDevices adds up what each device did.
func (s *Summary) readDevices(trace *store.Trace) error {
	type used struct{ device, queues, operations, busy, busiest int64 }
	var devices []used
	err := sqlitex.Execute(trace.Conn(), `SELECT device, device_type, count(*) FILTER (WHERE measured), sum(operations),
			coalesce(sum(busy_time), 0), coalesce(max(busy_time), 0)
		FROM queues WHERE operations > 0 OR measured GROUP BY device`,
		&sqlitex.ExecOptions{ResultFunc: func(r *sqlite.Stmt) error {
			s.Simulated = s.Simulated || callbacks.DeviceType(r.ColumnInt64(1)) == callbacks.DeviceSim
			if r.ColumnInt64(2) > 0 {
				devices = append(devices, used{r.ColumnInt64(0), r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnInt64(4), r.ColumnInt64(5)})
			}
			return nil
		}})
	if err != nil {
		return fmt.Errorf("reading queues: %w", err)
	}
	s.Device.Devices = len(devices)
	for _, d := range devices {
		switch {
		case d.queues == 1: // its operations come one after the other
			s.Device.Busy += d.busy
			err = s.addSums(trace, d.device)
		case d.operations <= mostIntervals:
			err = s.addIntervals(trace, d.device)
		default:
			s.Device.AtLeast = true
			s.Device.Busy += d.busiest
		}
		if err != nil {
			return fmt.Errorf("reading device activity: %w", err)
		}
	}
	return nil
}

// addSums adds the sums of a device of one queue.
func (s *Summary) addSums(trace *store.Trace, device int64) error {
	return sqlitex.Execute(trace.Conn(), `SELECT k.name, sum(t.time) FROM work_total t JOIN work w ON w.id = t.work
		JOIN activity_kind k ON k.code = w.kind WHERE w.device = ? GROUP BY k.name`,
		&sqlitex.ExecOptions{Args: []any{device}, ResultFunc: func(r *sqlite.Stmt) error {
			switch r.ColumnText(0) {
			case "kernel":
				s.Device.Kernels += r.ColumnInt64(1)
			case "upload", "download", "copy":
				s.Device.Transfer += r.ColumnInt64(1)
			}
			return nil
		}})
}

// addIntervals adds the time in which a device did anything, ran kernels, and
// transferred.
func (s *Summary) addIntervals(trace *store.Trace, device int64) error {
	var all, kernels, transfers []Interval
	err := sqlitex.Execute(trace.Conn(), `SELECT kind, start, end FROM device_activity WHERE device = ?`,
		&sqlitex.ExecOptions{Args: []any{device}, ResultFunc: func(r *sqlite.Stmt) error {
			at := Interval{r.ColumnInt64(1), r.ColumnInt64(2)}
			all = append(all, at)
			switch r.ColumnText(0) {
			case "kernel":
				kernels = append(kernels, at)
			case "upload", "download", "copy":
				transfers = append(transfers, at)
			}
			return nil
		}})
	s.Device.Busy += Covered(all)
	s.Device.Kernels += Covered(kernels)
	s.Device.Transfer += Covered(transfers)
	return err
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
	type key struct{ symbol, place string }
	return costs(group(f.totals, func(t *total) (any, bool) {
		place, _ := t.site.place().(string)
		return key{t.site.symbol, place}, t.site.kind == kindLaunch
	}, func(r *row) int64 { return r.device.Time }), func(r *row) Cost {
		return Cost{Name: r.site.name, Place: r.key.(key).place, Time: r.device.Time, Timed: r.device.Count > 0, Count: r.Count}
	})
}

// costlyVariables are those whose transfers took most, by bytes where no time is
// measured. The place is where most of it was transferred.
func (f *facts) costlyVariables() []Cost {
	weight := func(r *row) int64 { return r.device.Time }
	if !slices.ContainsFunc(f.totals, func(t *total) bool { return isTransfer(t.site.kind) && t.device.Count > 0 }) {
		weight = func(r *row) int64 { return r.Bytes }
	}
	type key struct{ name, place string }
	places := map[string]string{}
	for _, r := range group(f.totals, func(t *total) (any, bool) {
		place, _ := t.site.place().(string)
		return key{t.site.variable, place}, isTransfer(t.site.kind)
	}, weight) {
		if at := r.key.(key); places[at.name] == "" {
			places[at.name] = at.place
		}
	}
	return costs(group(f.totals, func(t *total) (any, bool) { return t.site.variable, isTransfer(t.site.kind) }, weight), func(r *row) Cost {
		return Cost{Name: r.site.variable, Place: places[r.site.variable], Time: r.device.Time, Timed: r.device.Count > 0, Bytes: r.Bytes, Count: r.Count}
	})
}

// costlyConstructs are those with the most host time of their own.
func (f *facts) costlyConstructs() []Cost {
	type key struct{ name, place string }
	return costs(group(f.totals, func(t *total) (any, bool) {
		place, _ := t.site.place().(string)
		name := t.site.construct
		if t.site.kind == kindInit || t.site.kind == kindShutdown {
			name = t.site.span // whatever construct it happens in
		}
		return key{name, place}, spanKind(t.site.kind)
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
