package tui

import (
	"sort"

	"github.com/accscope/accscope/collector/model"
)

// history keeps the sums that frames have told, for how fast they grow. Its size does
// not depend on how many events there are, only on how many frames were seen, and the
// oldest make room.
type history struct {
	devices map[model.DeviceID][]sample
	kernels map[string][]sample // by kernelKey
	rates   []sample            // of the whole
}

const (
	maxSamples = 4096
	maxKernels = 64 // whose time is kept: those that were launched first
)

// sample is cumulative figures at a time.
type sample struct {
	time     int64
	up, down int64 // bytes
	events   int64
	kernel   int64 // ns that it was measured to run
}

func newHistory() *history {
	return &history{devices: map[model.DeviceID][]sample{}, kernels: map[string][]sample{}}
}

// add takes a frame in.
func (h *history) add(f *Frame) {
	for i := range f.View.Devices {
		d := &f.View.Devices[i]
		h.devices[d.ID] = appendSample(h.devices[d.ID], sample{time: f.Time, up: d.Uploads.Bytes, down: d.Downloads.Bytes})
	}
	for i := range f.View.Kernels {
		key := kernelKey(&f.View.Kernels[i])
		if samples, known := h.kernels[key]; known || len(h.kernels) < maxKernels {
			h.kernels[key] = appendSample(samples, sample{time: f.Time, kernel: f.View.Kernels[i].Timed.Time})
		}
	}
	h.rates = appendSample(h.rates, sample{time: f.Time, events: f.View.Events})
}

func appendSample(samples []sample, s sample) []sample {
	if len(samples) > 0 && samples[len(samples)-1].time >= s.time {
		samples[len(samples)-1] = s
		return samples
	}
	if len(samples) >= maxSamples {
		samples = append(samples[:0], samples[maxSamples/4:]...)
	}
	return append(samples, s)
}

// rate gives a cumulative figure's growth a second over [from, to) in n cells.
func rate(samples []sample, figure func(*sample) int64, from, to int64, n int) []float64 {
	values := make([]float64, n)
	if len(samples) < 2 || to <= from {
		return values
	}
	at := func(time int64) float64 {
		i := sort.Search(len(samples), func(i int) bool { return samples[i].time >= time })
		switch {
		case i == 0:
			return float64(figure(&samples[0]))
		case i == len(samples):
			return float64(figure(&samples[i-1]))
		}
		a, b := &samples[i-1], &samples[i]
		part := float64(time-a.time) / float64(b.time-a.time)
		return float64(figure(a)) + part*float64(figure(b)-figure(a))
	}
	before := at(from)
	for c := range values {
		end := from + (to-from)*int64(c+1)/int64(n)
		after := at(end)
		values[c] = max(after-before, 0) / (float64(to-from) / float64(n) / 1e9)
		before = after
	}
	return values
}

// perSecond is a figure's growth a second in the last second before time, or in
// the window if that is shorter.
func perSecond(samples []sample, figure func(*sample) int64, time, window int64) float64 {
	return rate(samples, figure, time-min(window, 1e9), time, 1)[0]
}

func upBytes(s *sample) int64    { return s.up }
func downBytes(s *sample) int64  { return s.down }
func kernelTime(s *sample) int64 { return s.kernel }
func eventCount(s *sample) int64 { return s.events }
