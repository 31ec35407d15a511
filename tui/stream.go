package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
)

// Reading is one object of accscope top --json: the state at a time, and how
// fast it changed since the reading before. Times are nanoseconds since the
// origin of the trace, sizes bytes, rates per second.
type Reading struct {
	Session   string              `json:"session"`
	Time      int64               `json:"time_ns"`
	State     State               `json:"state"`
	Interval  int64               `json:"interval_ns"` // what the rates are over
	Events    int64               `json:"events"`
	EventRate float64             `json:"events_per_second"`
	Lost      int64               `json:"lost_events"`
	Errors    int64               `json:"errors"`
	Newest    []state.Event       `json:"newest_errors"`
	Gaps      []store.Gap         `json:"newest_gaps"` // times of which not all is known
	Processes []model.ProcessInfo `json:"processes"`
	Threads   []state.Thread      `json:"threads"`
	Devices   []DeviceReading     `json:"devices"`
	Kernels   []KernelReading     `json:"kernels"`
	Counters  []state.Counter     `json:"counters"`
}

// DeviceReading is a device in a Reading.
type DeviceReading struct {
	model.DeviceInfo
	Used          int64           `json:"used"`
	Peak          int64           `json:"peak"`
	Mappings      int             `json:"mapping_count"`
	Largest       []state.Mapping `json:"largest_mappings"` // at most ten of the listed ones
	Leaked        int             `json:"leaked_count"`
	LeakedBytes   int64           `json:"leaked_bytes"`
	Launches      int64           `json:"launches"`
	LaunchRate    float64         `json:"launches_per_second"`
	UploadBytes   int64           `json:"upload_bytes"`
	UploadRate    float64         `json:"upload_bytes_per_second"`
	DownloadBytes int64           `json:"download_bytes"`
	DownloadRate  float64         `json:"download_bytes_per_second"`
	Queues        []QueueReading  `json:"queues"`
}

// QueueReading is a queue in a DeviceReading. Where Measured is false, Busy is
// the most that it may have been busy.
type QueueReading struct {
	Number   int64            `json:"number"`
	Measured bool             `json:"measured"`
	Depth    int64            `json:"depth"`
	Done     int64            `json:"done"`
	Busy     float64          `json:"busy_share"`
	Blocked  float64          `json:"host_wait_share"`
	Waiting  int64            `json:"threads_waiting"`
	Running  *state.Operation `json:"running"`
	Last     *state.Operation `json:"last"`
	// HeldBack is the part of the interval that dependencies which ended in it
	// held the queue back; Dependencies are the newest.
	HeldBack     float64            `json:"held_back_share"`
	Dependencies []state.Dependency `json:"dependencies"`
}

// KernelReading is a kernel in a Reading, with the times of those launches that the
// device measured.
type KernelReading struct {
	state.Kernel
	Measured int64 `json:"measured"` // launches
	Time     int64 `json:"time"`
	Minimum  int64 `json:"minimum"`
	Maximum  int64 `json:"maximum"`
}

// mostDependencies is how many of a queue's dependencies a Reading has.
const mostDependencies = 32

// onceWaits is how long a single object waits for a first event.
var onceWaits = 15 * time.Second

// Stream writes a JSON object per interval until the source ends or ctx is done;
// once: a single one, which says after onceWaits that nothing was seen yet. A replay is not paced: its intervals are those of the
// trace's time, and its single object is the end.
func Stream(ctx context.Context, source Source, interval time.Duration, once bool, w io.Writer) error {
	encoder := json.NewEncoder(w)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var previous, newest Frame
	var failure error
	written := false
	write := func(f Frame) {
		if failure = encoder.Encode(reading(source.Title(), &previous, &f)); failure != nil {
			cancel()
		}
		previous, written = f, true
	}
	if replay, ok := source.(*Replay); ok {
		err := replay.Step(ctx, interval, func(f Frame) {
			newest = f
			if !once && failure == nil {
				write(f)
			}
		})
		if once && err == nil {
			write(newest)
		}
		if failure != nil {
			return failure
		}
		return err
	}
	begun := time.Now()
	err := source.Run(ctx, interval, func(f Frame) {
		if once && !written && f.State == Waiting && time.Since(begun) > onceWaits {
			f.View = &state.State{}
			write(f)
			cancel()
		}
		if f.View == nil || written && ctx.Err() != nil {
			return
		}
		if once && previous.View == nil && f.State == Live { // rates need two
			previous = f
			return
		}
		write(f)
		if once || f.State == Ended {
			cancel()
		}
	})
	if failure != nil {
		return failure
	}
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// reading makes an object of a frame and the one before.
func reading(title string, before, f *Frame) *Reading {
	v := f.View
	old := before.View
	if old == nil {
		old = &state.State{}
		before = &Frame{Time: v.Now}
		for _, p := range v.Processes {
			before.Time = min(before.Time, p.Start)
		}
	}
	interval := max(f.Time-before.Time, 1)
	perSecond := func(now, then int64) float64 { return float64(now-then) / float64(interval) * 1e9 }
	portion := func(now, then int64) float64 { return max(min(float64(now-then)/float64(interval), 1), 0) }
	r := &Reading{Session: title, Time: f.Time, State: f.State, Interval: interval, Events: v.Events,
		EventRate: perSecond(v.Events, old.Events), Lost: v.Lost, Errors: v.ErrorSum,
		Newest: nonNil(v.Errors[max(len(v.Errors)-10, 0):]), Gaps: nonNil(v.Gaps[max(len(v.Gaps)-10, 0):]), Processes: nonNil(v.Processes), Threads: nonNil(v.Threads),
		Devices: []DeviceReading{}, Kernels: []KernelReading{}, Counters: nonNil(v.Counters)}
	for _, k := range v.Kernels {
		r.Kernels = append(r.Kernels, KernelReading{k, k.Timed.Count, k.Timed.Time, k.Timed.Shortest, k.Timed.Longest})
	}
	for i := range v.Devices {
		d := &v.Devices[i]
		was := &state.Device{}
		if j := slices.IndexFunc(old.Devices, func(x state.Device) bool { return x.ID == d.ID }); j >= 0 {
			was = &old.Devices[j]
		}
		x := DeviceReading{DeviceInfo: d.DeviceInfo, Used: d.Used, Peak: d.Peak, Mappings: d.MappingSum, Largest: largest(d.Mappings, 10),
			Leaked: len(d.Leaked), LeakedBytes: d.LeakedBytes, Launches: d.Launches, LaunchRate: perSecond(d.Launches, was.Launches),
			UploadBytes: d.Uploads.Bytes, UploadRate: perSecond(d.Uploads.Bytes, was.Uploads.Bytes),
			DownloadBytes: d.Downloads.Bytes, DownloadRate: perSecond(d.Downloads.Bytes, was.Downloads.Bytes), Queues: []QueueReading{}}
		for j := range d.Queues {
			q := &d.Queues[j]
			p := &state.Queue{}
			if k := slices.IndexFunc(was.Queues, func(x state.Queue) bool { return x.ID == q.ID }); k >= 0 {
				p = &was.Queues[k]
			}
			y := QueueReading{Number: q.Number, Measured: q.Measured, Depth: q.Depth, Done: q.Done,
				Busy: portion(q.Busy, p.Busy), Blocked: portion(q.WaitTime, p.WaitTime), Waiting: q.Waiting, Running: q.Next, Last: q.Last,
				HeldBack: portion(q.HeldBack, p.HeldBack), Dependencies: nonNil(q.Dependencies[max(len(q.Dependencies)-mostDependencies, 0):])}
			if !q.Measured {
				y.Busy = portion(q.Bound, p.Bound)
				if q.Depth > 0 {
					y.Busy = max(y.Busy, portion(f.Time, max(q.Since, before.Time)))
				}
			}
			x.Queues = append(x.Queues, y)
		}
		r.Devices = append(r.Devices, x)
	}
	return r
}

// nonNil makes an empty list an empty JSON array.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func largest(mappings []state.Mapping, n int) []state.Mapping {
	picked := append([]state.Mapping{}, mappings...)
	slices.SortStableFunc(picked, func(a, b state.Mapping) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return picked[:min(n, len(picked))]
}
