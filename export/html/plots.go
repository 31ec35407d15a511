package html

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

const plotHeight = 140

// memoryPlot is a device's memory in use over time.
type memoryPlot struct {
	Title, Peak   string
	Path          string // of an SVG path element
	Width, Height float64
	Ticks         []tick
}

func memoryPlots(trace *store.Trace, filter store.Filter, w window) ([]*memoryPlot, error) {
	all, err := trace.Directory()
	if err != nil {
		return nil, err
	}
	titles := export.ProcessTitles(all.Processes)
	var plots []*memoryPlot
	for i := range all.Devices {
		d := &all.Devices[i]
		if filter.Process != 0 && d.Process != filter.Process || filter.Device != 0 && d.ID != filter.Device {
			continue
		}
		points, err := trace.Memory().Curve(d.ID, w.from, w.to, plotWidth)
		if err != nil {
			return nil, err
		}
		var peak int64
		for _, p := range points {
			peak = max(peak, p.High)
		}
		if peak == 0 {
			continue
		}
		y := func(v int64) float64 { return plotHeight * (1 - float64(v)/float64(peak)) }
		var path strings.Builder
		fmt.Fprintf(&path, "M0 %d", plotHeight)
		for _, p := range points {
			fmt.Fprintf(&path, "H%.1fV%.1fV%.1fH%.1fV%.1f", w.x(p.Time, plotWidth), y(p.Low), y(p.High), w.x(p.End, plotWidth), y(p.Last))
		}
		fmt.Fprintf(&path, "H%dV%dZ", plotWidth, plotHeight)
		plots = append(plots, &memoryPlot{Title: titles[d.Process] + export.DeviceName(d), Peak: report.ShowBytes(float64(peak)), Path: path.String(),
			Width: plotWidth, Height: plotHeight, Ticks: w.ticks(plotWidth)})
	}
	return plots, nil
}

// histogram counts transfers by size, in powers of two.
type histogram struct {
	Width, Height float64
	Bars          []bar
	Labels        []tick
	Most          int64
}

type bar struct {
	X, Y, Width, Height float64
	Class, About        string
}

func newHistogram(trace *store.Trace, options *export.Options) (*histogram, error) {
	var counts [2][65]int64
	var sums [2][65]int64
	transfers := *options
	transfers.Filter.Kinds = []string{"enqueue_upload", "enqueue_download"}
	low, high := 65, 0
	for r, err := range transfers.Records(trace) {
		if err != nil {
			return nil, err
		}
		if r.Bytes >= model.UnknownSize {
			continue
		}
		way, size := 0, bits.Len64(r.Bytes)
		if r.Site.Kind == "enqueue_download" {
			way = 1
		}
		counts[way][size]++
		sums[way][size] += int64(r.Bytes)
		low, high = min(low, size), max(high, size)
	}
	if low > high {
		return nil, nil
	}
	h := &histogram{Width: plotWidth, Height: plotHeight}
	for way := range counts {
		for _, n := range counts[way] {
			h.Most = max(h.Most, n)
		}
	}
	step := plotWidth / float64(high-low+1)
	each := min(step*0.45, 40)
	for size := low; size <= high; size++ {
		middle := (float64(size-low) + 0.5) * step
		least := uint64(0)
		if size > 0 {
			least = 1 << (size - 1)
		}
		h.Labels = append(h.Labels, tick{middle, report.ShowBytes(float64(least))})
		for way, name := range []string{"upload", "download"} {
			n := counts[way][size]
			if n == 0 {
				continue
			}
			height := max(plotHeight*float64(n)/float64(h.Most), 1)
			h.Bars = append(h.Bars, bar{X: middle + float64(way-1)*each, Y: plotHeight - height, Width: each, Height: height, Class: name,
				About: fmt.Sprintf("%d %ss of %s and more, together %s", n, name, report.ShowBytes(float64(least)), report.ShowBytes(float64(sums[way][size])))})
		}
	}
	return h, nil
}
