package store

import (
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// Total sums the records of one site on one thread. Grouping totals by what
// their Site says (kernel, variable, source, queue, device) or by Thread gives
// every table of a report without reading the records.
type Total struct {
	Thread   model.ThreadID
	Site     *Site
	Count    int64
	Ended    int64 // how many have a duration
	Time     int64 // ns, inclusive, of those
	Inner    int64 // ns in direct children: Time-Inner is exclusive
	Shortest int64
	Longest  int64
	Bytes    int64
}

// Exclusive is the time without what direct children took, ns.
func (t *Total) Exclusive() int64 { return t.Time - t.Inner }

// Totals reads the sums of all records, those of the whole trace: of the
// filter, From and To make it read the records themselves.
func (t *Trace) Totals(f Filter) ([]Total, error) {
	if f.From > 0 || f.To > 0 {
		return t.totalsWithin(f)
	}
	var out []Total
	err := t.query("SELECT thread, site, count, ended, time, inner_time, shortest, longest, bytes FROM total", nil, func(s *sqlite.Stmt) error {
		site, err := t.Site(s.ColumnInt64(1))
		if err != nil {
			return err
		}
		thread := model.ThreadID(s.ColumnInt64(0))
		if f.site(site) && (f.Thread == 0 || f.Thread == thread) {
			out = append(out, Total{thread, site, s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5),
				s.ColumnInt64(6), s.ColumnInt64(7), s.ColumnInt64(8)})
		}
		return nil
	})
	return out, err
}

// totalsWithin sums the records that start in the window, or run into it.
func (t *Trace) totalsWithin(f Filter) ([]Total, error) {
	type key struct {
		thread model.ThreadID
		site   int64
	}
	at := make(map[key]int)
	var out []Total
	for r, err := range t.Records(f) {
		if err != nil {
			return nil, err
		}
		k := key{r.Thread, r.Site.ID}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Total{Thread: r.Thread, Site: r.Site})
		}
		x := &out[i]
		x.Count++
		x.Bytes += model.Size(r.Bytes)
		if !r.Span || r.Unended {
			continue
		}
		if x.Ended == 0 || r.Duration < x.Shortest {
			x.Shortest = r.Duration
		}
		x.Ended++
		x.Time += r.Duration
		x.Inner += r.Inner
		x.Longest = max(x.Longest, r.Duration)
	}
	return out, nil
}

// WorkTotal sums the device activities of one work that one site caused on one
// thread.
type WorkTotal struct {
	Work     *Work
	Thread   model.ThreadID // 0 where Site is nil
	Site     *Site          // nil: what enqueued it was not seen
	Count    int64
	Time     int64 // ns on the device
	Shortest int64
	Longest  int64
	Bytes    int64
}

// Name is the kernel's or variable's: as the activity has it, else as the
// enqueue has.
func (w *WorkTotal) Name() string {
	if w.Work.Name == "" && w.Site != nil {
		return w.Site.Name
	}
	return w.Work.Name
}

// Symbol is the name before it was made readable.
func (w *WorkTotal) Symbol() string {
	if w.Work.Symbol == "" && w.Site != nil {
		return w.Site.Symbol
	}
	return w.Work.Symbol
}

// WorkTotals reads the sums of all device activity. Of the filter, From and To
// make it read the activities themselves, those whose enqueue Records gives for
// the window; Process, Device, Queue and Thread apply too.
func (t *Trace) WorkTotals(f Filter) ([]WorkTotal, error) {
	query, args := "SELECT work, site, count, time, shortest, longest, bytes, thread FROM work_total", []int64(nil)
	if f.From > 0 || f.To > 0 {
		query = `SELECT a.work, r.site, count(*), sum(a.duration), min(a.duration), max(a.duration), ` + sumOfBytes("a.bytes") + `, r.thread
			FROM activity a JOIN record r ON r.id = a.record
			WHERE (?1 = 0 OR r.time >= ?1 OR r.time + r.duration > ?1 OR r.end_sequence < 0) AND (?2 = 0 OR r.time < ?2) GROUP BY a.work, r.thread, r.site`
		args = []int64{f.From, f.To}
	}
	var out []WorkTotal
	err := t.query(query, args, func(s *sqlite.Stmt) error {
		x := WorkTotal{Count: s.ColumnInt64(2), Time: s.ColumnInt64(3), Shortest: s.ColumnInt64(4), Longest: s.ColumnInt64(5), Bytes: s.ColumnInt64(6),
			Thread: model.ThreadID(s.ColumnInt64(7))}
		var err error
		if x.Work, err = t.Work(s.ColumnInt64(0)); err != nil {
			return err
		}
		if id := s.ColumnInt64(1); id != 0 {
			if x.Site, err = t.Site(id); err != nil {
				return err
			}
		}
		if f.Thread != 0 && x.Thread != f.Thread || f.Process != 0 && x.Work.Process != f.Process || f.Device != 0 && x.Work.Device != f.Device || f.Queue != 0 && x.Work.Queue != f.Queue {
			return nil
		}
		out = append(out, x)
		return nil
	})
	return out, err
}

// KernelSummary is a kernel at its place in the source.
type KernelSummary struct {
	Name     string         `json:"name"`
	Symbol   string         `json:"symbol"` // as the events have it
	File     string         `json:"file"`
	Line     int32          `json:"line"`
	Function string         `json:"function"`
	Device   model.DeviceID `json:"device"`
	Count    int64          `json:"count"`
	HostTime int64          `json:"host_time"` // ns in the enqueue calls
	HostMin  int64          `json:"host_min"`
	HostMax  int64          `json:"host_max"`
	Measured int64          `json:"measured"` // launches with device time
	Time     int64          `json:"time"`     // ns on the device
	Minimum  int64          `json:"minimum"`
	Maximum  int64          `json:"maximum"`
}

// Kernels sums launches by kernel, place and device, in order of first use.
func (t *Trace) Kernels(f Filter) ([]KernelSummary, error) {
	f.Kinds = []string{model.SpanName(model.EnqueueLaunchStart)}
	type key struct {
		symbol, file, function string
		line                   int32
		device                 model.DeviceID
	}
	at := make(map[key]int)
	var out []KernelSummary
	find := func(s *Site) *KernelSummary {
		k := key{s.Symbol, s.File, s.Function, s.Line, s.Device}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, KernelSummary{Name: s.Name, Symbol: s.Symbol, File: s.File, Line: s.Line, Function: s.Function, Device: s.Device})
		}
		return &out[i]
	}
	totals, err := t.Totals(f)
	if err != nil {
		return nil, err
	}
	for _, x := range totals {
		k := find(x.Site)
		if x.Ended > 0 && (k.HostTime == 0 || x.Shortest < k.HostMin) {
			k.HostMin = x.Shortest
		}
		k.Count += x.Count
		k.HostTime += x.Time
		k.HostMax = max(k.HostMax, x.Longest)
	}
	works, err := t.WorkTotals(f)
	if err != nil {
		return nil, err
	}
	for _, w := range works {
		if w.Work.KindCode != model.ActivityKernel {
			continue
		}
		site := w.Site
		if site == nil {
			site = &Site{Name: w.Work.Name, Symbol: w.Work.Symbol, Device: w.Work.Device}
		}
		k := find(site)
		if k.Measured == 0 || w.Shortest < k.Minimum {
			k.Minimum = w.Shortest
		}
		k.Measured += w.Count
		k.Time += w.Time
		k.Maximum = max(k.Maximum, w.Longest)
	}
	return out, nil
}

// TransferSummary sums uploads or downloads of a variable at its place.
type TransferSummary struct {
	Direction string         `json:"direction"` // upload, download
	Variable  string         `json:"variable"`
	File      string         `json:"file"`
	Line      int32          `json:"line"`
	Function  string         `json:"function"`
	Device    model.DeviceID `json:"device"`
	Implicit  bool           `json:"implicit"`
	Count     int64          `json:"count"`
	Bytes     int64          `json:"bytes"`
	HostTime  int64          `json:"host_time"` // ns in the enqueue calls
	Measured  int64          `json:"measured"`  // transfers with device time
	Time      int64          `json:"time"`      // ns on the device
	Minimum   int64          `json:"minimum"`
	Maximum   int64          `json:"maximum"`
}

// Transfers sums uploads and downloads by variable, place and device, in order
// of first use.
func (t *Trace) Transfers(f Filter) ([]TransferSummary, error) {
	f.Kinds = []string{model.SpanName(model.EnqueueUploadStart), model.SpanName(model.EnqueueDownloadStart)}
	type key struct {
		kind                 int32
		name, file, function string
		line                 int32
		device               model.DeviceID
		implicit             bool
	}
	at := make(map[key]int)
	var out []TransferSummary
	find := func(s *Site) *TransferSummary {
		k := key{s.KindCode, s.Name, s.File, s.Function, s.Line, s.Device, s.Implicit == 1}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			direction := "upload"
			if s.KindCode == model.EnqueueDownloadStart {
				direction = "download"
			}
			out = append(out, TransferSummary{Direction: direction, Variable: s.Name, File: s.File, Line: s.Line,
				Function: s.Function, Device: s.Device, Implicit: s.Implicit == 1})
		}
		return &out[i]
	}
	totals, err := t.Totals(f)
	if err != nil {
		return nil, err
	}
	for _, x := range totals {
		s := find(x.Site)
		s.Count += x.Count
		s.Bytes += x.Bytes
		s.HostTime += x.Time
	}
	works, err := t.WorkTotals(f)
	if err != nil {
		return nil, err
	}
	for _, w := range works {
		site := w.Site
		switch {
		case w.Work.KindCode != model.ActivityUpload && w.Work.KindCode != model.ActivityDownload:
			continue
		case site == nil:
			site = &Site{Name: w.Work.Name, Device: w.Work.Device, KindCode: model.EnqueueUploadStart}
			if w.Work.KindCode == model.ActivityDownload {
				site.KindCode = model.EnqueueDownloadStart
			}
		}
		s := find(site)
		if s.Measured == 0 || w.Shortest < s.Minimum {
			s.Minimum = w.Shortest
		}
		s.Measured += w.Count
		s.Time += w.Time
		s.Maximum = max(s.Maximum, w.Longest)
	}
	return out, nil
}
