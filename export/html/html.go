// Package html writes a report of a trace as one self-contained page that opens
// offline: an overview of the timeline, device memory over time, a histogram of
// transfers, and the tables of collector/report. The plots are SVG; the page
// loads nothing and runs no script.
package html

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// rows is how many rows each table has at most.
const rows = 30

//go:embed page.html
var source string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"show": report.Show,
	"right": func(unit report.Unit) bool {
		return unit != report.Text && unit != report.Address && unit != report.Variables
	},
}).Parse(source))

// content is what the page shows.
type content struct {
	Name     string
	Report   *report.Document
	Timeline *timeline
	Memory   []*memoryPlot
	Transfer *histogram
}

// Write exports a trace. Options.Report filters the tables, Options.Filter the
// plots.
func Write(w io.Writer, trace *store.Trace, options export.Options) error {
	c := content{Name: filepath.Base(trace.Path())}
	var err error
	if c.Report, err = report.Build(trace, report.Options{Filter: options.Report, Top: rows}); err != nil {
		return err
	}
	for i, table := range c.Report.Tables {
		c.Report.Tables[i] = table.ForPeople()
	}
	window, err := windowOf(trace, options.Filter)
	if err != nil {
		return err
	}
	if c.Timeline, err = newTimeline(trace, options.Filter, window); err != nil {
		return err
	}
	if c.Memory, err = memoryPlots(trace, options.Filter, window); err != nil {
		return err
	}
	if c.Transfer, err = newHistogram(trace, &options); err != nil {
		return err
	}
	if err := page.Execute(w, &c); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// window is the time that the plots show, ns since the trace's origin.
type window struct{ from, to int64 }

func windowOf(trace *store.Trace, filter store.Filter) (window, error) {
	first, last, err := trace.Extent()
	if err != nil {
		return window{}, err
	}
	w := window{max(first, filter.From), last}
	if filter.To > 0 {
		w.to = min(w.to, filter.To)
	}
	w.to = max(w.to, w.from+1)
	return w, nil
}

// x is the place of a moment in a plot of a width.
func (w window) x(time int64, width float64) float64 {
	time = min(max(time, w.from), w.to)
	return float64(time-w.from) / float64(w.to-w.from) * width
}

// tick is a mark of an axis.
type tick struct {
	At    float64
	Label string
}

// ticks are the marks of the time axis, at round times since the window's
// start.
func (w window) ticks(width float64) []tick {
	step := int64(1)
	for (w.to-w.from)/step > 10 {
		switch {
		case (w.to-w.from)/(2*step) <= 10:
			step *= 2
		case (w.to-w.from)/(5*step) <= 10:
			step *= 5
		default:
			step *= 10
		}
	}
	var list []tick
	for time := w.from; time <= w.to; time += step {
		label := "0"
		if time > w.from {
			label = report.ShowDuration(float64(time - w.from))
		}
		list = append(list, tick{w.x(time, width), label})
	}
	return list
}

// Legend names the colours.
func (c *content) Legend() map[string]string {
	names := map[string]string{"kernel": "kernels", "upload": "uploads", "download": "downloads", "wait": "waits", "other": "everything else"}
	if c.Timeline.gaps {
		names["gap"] = export.GapTitle
	}
	return names
}

// letter is the room that a letter of a title takes, user units: a wide one of the
// plots' font.
const letter = 6.5

// margin is the room left of the plots, for the longest title of a lane.
func (c *content) margin() float64 {
	longest := 0
	if c.Timeline != nil {
		for i := range c.Timeline.Lanes {
			longest = max(longest, utf8.RuneCountInString(c.Timeline.Lanes[i].Title))
		}
	}
	return max(100, letter*float64(longest)+16)
}

// Left is where the drawing of a plot begins: its titles are left of it.
func (c *content) Left() float64 { return -c.margin() }

// Wide is the width of a plot with its margins.
func (c *content) Wide() float64 { return plotWidth + c.margin() + 40 }

// Below is the height of a plot with its axis.
func (c *content) Below(height float64) float64 { return height + 24 }

// Label is where the labels of the axis below a plot are.
func (c *content) Label(height float64) float64 { return height + 14 }
