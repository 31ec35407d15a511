package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// The units of metrics that count nothing.
const (
	sized = report.Bytes
	timed = report.Nanoseconds
)

// metric is a figure of a run that conditions are on.
type metric struct {
	name, about string
	unit        report.Unit // "" of what counts
	filters     []string    // by which it can be limited
	// sum is that of a total of a site, device: only where a device measured
	// something; whole is the metric of a run.
	site   func(*store.Site) bool
	sum    func(*store.Total) int64
	device bool
	whole  func(*run) int64
}

func kinds(names ...string) func(*store.Site) bool {
	return func(s *store.Site) bool { return slices.Contains(names, s.Kind) }
}

func count(t *store.Total) int64 { return t.Count }
func bytes(t *store.Total) int64 { return t.Bytes }

func onDevice(t *store.Total) int64 { return t.Device.Time }

var (
	ofKernels   = []string{"kernel", "queue", "rank", "source"}
	ofVariables = []string{"variable", "queue", "rank", "source"}
	ofPlaces    = []string{"queue", "rank", "source"}
)

// metrics are all there are.
var metrics = []*metric{
	{name: "launches", about: "kernels launched", filters: ofKernels, site: kinds("enqueue_launch"), sum: count},
	{name: "transfers.count", about: "uploads and downloads", filters: ofVariables, site: transfer, sum: count},
	{name: "transfers.bytes", about: "their bytes", unit: sized, filters: ofVariables, site: transfer, sum: bytes},
	{name: "uploads.count", about: "transfers to devices", filters: ofVariables, site: kinds("enqueue_upload"), sum: count},
	{name: "uploads.bytes", about: "their bytes", unit: sized, filters: ofVariables, site: kinds("enqueue_upload"), sum: bytes},
	{name: "downloads.count", about: "transfers from devices", filters: ofVariables, site: kinds("enqueue_download"), sum: count},
	{name: "downloads.bytes", about: "their bytes", unit: sized, filters: ofVariables, site: kinds("enqueue_download"), sum: bytes},
	{name: "mappings", about: "data mapped (create events)", filters: ofVariables, site: kinds("create"), sum: count},
	{name: "allocations", about: "device memory taken (alloc events)", filters: ofVariables, site: kinds("alloc"), sum: count},
	{name: "peak_memory", about: "most memory in use on a device", unit: sized, whole: func(r *run) int64 { return r.peak }},
	{name: "waits", about: "waits of threads", filters: ofPlaces, site: kinds("wait"), sum: count},
	{name: "errors", about: "errors of the runtime", filters: ofPlaces, site: kinds("error"), sum: count},
	{name: "kernel_time", about: "device time of kernels", unit: timed, filters: ofKernels, site: kinds("enqueue_launch"), sum: onDevice, device: true},
	{name: "transfer_time", about: "device time of transfers", unit: timed, filters: ofVariables, site: transfer, sum: onDevice, device: true},
	{name: "wait_time", about: "time that threads were blocked", unit: timed, filters: ofPlaces, site: kinds("wait"), sum: func(t *store.Total) int64 { return t.Time }},
	{name: "host_time", about: "time of threads in OpenACC", unit: timed, filters: ofPlaces,
		site: func(s *store.Site) bool { return s.Outermost() }, sum: func(t *store.Total) int64 { return t.Time }},
	{name: "wall_time", about: "from the begin to the end", unit: timed, whole: func(r *run) int64 { return r.wall }},
}

// MetricList is what conditions may name, a line each, for help.
func MetricList() string {
	var b strings.Builder
	for _, m := range metrics {
		limits := ""
		if len(m.filters) > 0 {
			limits = " [" + strings.Join(m.filters, "=, ") + "=]"
		}
		fmt.Fprintf(&b, "  %-16s %s%s\n", m.name, m.about, limits)
	}
	return b.String()
}

// MetricNames are their names.
func MetricNames() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// limit is what stands in the brackets behind a metric.
type limit struct {
	filter report.Filter
	rank   *int64
}

// value is what a condition is on, of a run. What a limit names may be there and have none of
// what the metric counts: that is 0.
type value struct {
	condition            *Condition
	sum                  int64
	named                bool // something of the run is within the limit, whatever the metric counts
	operations, measured bool // devices did something; and somebody measured it
}

// take adds a total of a run.
func (v *value) take(r *run, t *store.Total) {
	m, l := v.condition.metric, v.condition.limit
	if rank, has := r.ranks[int64(t.Site.Process)]; m.whole != nil || l.rank != nil && (!has || rank != *l.rank) || !l.filter.Matches(t.Site) {
		return
	}
	v.named = true
	switch {
	case !m.site(t.Site):
	case m.device && t.Device.Count == 0:
		v.operations = true
	default:
		v.sum, v.measured = v.sum+m.sum(t), true
	}
}

// end completes it when the run has been read.
func (v *value) end(r *run) {
	if whole := v.condition.metric.whole; whole != nil {
		v.sum, v.named = whole(r), true
	}
}

// unmeasured says that devices did something, and nobody measured any of it.
func (v *value) unmeasured() bool { return v.operations && !v.measured }
