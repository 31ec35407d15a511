package state

import (
	"cmp"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// sum is of the records of a site.
type sum struct {
	store.Sum
	last    int64   // when the newest began
	squares float64 // of the durations
	number  int64   // of the frame that took longest
}

// workAt is a work and the site that caused it, 0 where that was not seen.
type workAt struct{ work, site int64 }

func (s *sum) begin(x *store.Record) {
	s.Count++
	s.last = x.Start
}

func (s *sum) end(x *store.Record) {
	s.squares += float64(x.Duration) * float64(x.Duration)
	if s.Ended == 0 || x.Duration > s.Longest {
		s.number = int64(x.Host)
	}
	cut, cutTime := int64(0), int64(0)
	if x.Unended {
		cutTime = x.Duration
		if !x.Open {
			cut = 1
		}
	}
	s.Add(&store.Sum{Cut: cut, CutTime: cutTime, Ended: 1, Time: x.Duration, Inner: x.Inner, Shortest: x.Duration, Longest: x.Duration, Bytes: model.Size(x.Bytes)})
}

// kernelAt is a kernel at its place on a device.
type kernelAt struct {
	program, symbol, file string
	line                  int32
	device                model.DeviceID
}

// sums fills in what is summed up: of kernels, transfers, the host's waits, and the lines of the source.
func (r *Reader) sums(v *State) error {
	devices := map[model.DeviceID]*Device{}
	for i := range v.Devices {
		devices[v.Devices[i].ID] = &v.Devices[i]
	}
	none := new(Device) // stands for one that is not shown
	deviceOf := func(id model.DeviceID) *Device {
		if d := devices[id]; d != nil {
			return d
		}
		return none
	}
	kernels := map[kernelAt]*Kernel{}
	kernel := func(key kernelAt, name string, at Source) *Kernel {
		return lookup.Make(kernels, key, func() *Kernel {
			return &Kernel{Name: name, Symbol: key.symbol, Program: key.program, Source: at, Device: key.device}
		})
	}
	kernelOf := func(s *store.Site) *Kernel {
		return kernel(kernelAt{s.Program, s.Symbol, s.File, s.Line, s.Device}, s.Name, sourceOf(s))
	}
	type line struct {
		Source
		kind string
	}
	lines := map[line]*SourceTime{}
	caused := map[int64]*store.Sum{} // by site
	for key, x := range r.works {
		lookup.New(caused, key.site).Add(x)
	}
	waited := store.Waited{}
	for id, x := range r.untilNow() {
		s, err := r.trace.Site(id)
		if err != nil {
			return err
		}
		if model.IsStart(s.KindCode) && !s.Own() && x.Ended > 0 {
			key := line{sourceOf(s), s.Kind}
			at := lookup.Make(lines, key, func() *SourceTime { return &SourceTime{Source: key.Source, Kind: key.kind} })
			at.Count += x.Ended
			at.CutOff += x.Cut
			at.Inclusive += x.Time
			at.Exclusive += max(x.Exclusive(), 0)
		}
		waited.Add(s, &x.Sum, lookup.New(caused, id))
		d := deviceOf(s.Device)
		switch s.KindCode {
		case model.EnqueueLaunchStart:
			d.Launches += x.Ended
			if k := kernelOf(s); x.Ended > 0 {
				k.Count += x.Ended
				k.CutOff += x.Cut
				k.HostTime += x.Time
				if x.last >= k.Last {
					k.Gangs, k.Workers, k.Vector, k.Last = s.Gangs, s.Workers, s.Vector, x.last
				}
			}
		case model.EnqueueUploadStart:
			d.Uploads.host(x)
		case model.EnqueueDownloadStart:
			d.Downloads.host(x)
		}
	}
	for key, x := range r.works {
		w, err := r.trace.Work(key.work)
		if err != nil {
			return err
		}
		d := deviceOf(w.Device)
		switch w.KindCode {
		case model.ActivityKernel:
			d.KernelTime += x.Time
			k := (*Kernel)(nil)
			if key.site != 0 {
				s, err := r.trace.Site(key.site)
				if err != nil {
					return err
				}
				k = kernelOf(s)
			} else {
				k = kernel(kernelAt{program: w.Program, symbol: w.Symbol, device: w.Device}, w.Name, Source{})
			}
			k.Timed.Add(x)
			if w.By != (store.Givers{}) {
				k.By = w.By
			}
		case model.ActivityUpload:
			d.Uploads.Timed.Add(x)
		case model.ActivityDownload:
			d.Downloads.Timed.Add(x)
		case model.ActivityCopy:
			if w.Peer != 0 {
				d.send(w, x)
			}
		}
	}
	times := waited.Times()
	for _, d := range devices {
		for i := range d.Queues {
			d.Queues[i].WaitTime = times[d.Queues[i].ID]
		}
	}
	for _, k := range kernels {
		if k.Count > 0 || k.Timed.Count > 0 {
			v.Kernels = append(v.Kernels, *k)
		}
	}
	slices.SortFunc(v.Kernels, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(b.Timed.Time, a.Timed.Time), cmp.Compare(b.HostTime, a.HostTime), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Source.Line, b.Source.Line),
			cmp.Compare(a.Device, b.Device), cmp.Compare(a.Program, b.Program))
	})
	v.Kernels = v.Kernels[:min(len(v.Kernels), mostKernels)]
	for _, s := range lines {
		v.Sources = append(v.Sources, *s)
	}
	slices.SortFunc(v.Sources, func(a, b SourceTime) int {
		return cmp.Or(cmp.Compare(b.Exclusive, a.Exclusive), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Function, b.Function))
	})
	v.Sources = v.Sources[:min(len(v.Sources), mostSources)]
	return nil
}

// untilNow are the sums of the records by site, with what goes on until now.
func (r *Reader) untilNow() map[int64]*sum {
	sums := r.sites
	for _, t := range r.threads {
		for i := range t.stack {
			x := &t.stack[i]
			if !x.Open || !r.counts(&x.Record) {
				continue
			}
			if len(sums) > 0 && sums[x.Site.ID] == r.sites[x.Site.ID] {
				sums = maps.Clone(sums)
				of := *sums[x.Site.ID]
				sums[x.Site.ID] = &of
			}
			sums[x.Site.ID].end(&x.Record)
		}
	}
	return sums
}

// send adds copies to another device.
func (d *Device) send(w *store.Work, x *store.Sum) {
	at, known := slices.BinarySearchFunc(d.Sent, w.PeerNumber(), func(s Sent, number int64) int { return cmp.Compare(s.to, number) })
	if !known {
		d.Sent = slices.Insert(d.Sent, at, Sent{To: w.PeerTitle(), to: w.PeerNumber()})
	}
	s := &d.Sent[at]
	s.Count += x.Count
	s.Bytes += x.Bytes
	s.Timed.Add(x)
}

func (t *Transfers) host(x *sum) {
	t.Count += x.Ended
	t.Bytes += x.Bytes
	t.HostTime += x.Time
}
