package main

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/turns"
)

// series are the runs of one workload on one runtime; alone[i] and profiled[i]
// are of one turn.
type series struct {
	alone, profiled []sample
	trace           traceFigures
}

// header and the rows are columns of fixed width: rows come minutes apart.
var header = strings.Join([]string{
	"Medians of the turns; a ratio is profiled by alone, the median of each turn's, with its 95 % interval (all of them where there",
	"are fewer than six turns). The loop is from the first launch to the last wait; the collector's time is that of processors, and",
	"so is CPU; \"after\" is from the program's end to the finished trace.",
	fmt.Sprintf(columns, "program", "runtime", "launches", "events", "transfers", "alone", "alone", "profiled", "profiled",
		"ratio", "ratio", "ratio", "kernel", "loop/kernels", "profiled", "collector", "after", "trace", "trace"),
	fmt.Sprintf(columns, "", "", "", "a launch", "a launch", "wall s", "CPU s", "wall s", "CPU s", "wall", "CPU", "loop",
		"us", "alone", "", "us/launch", "s", "B/launch", "B/event"),
}, "\n")

const columns = "%-30s %-15s %8s %8s %9s %7s %7s %8s %8s %19s %19s %19s %7s %12s %8s %9s %6s %8s %7s"

// row is one line of the table.
func row(w workload, r runtime, s series) string {
	if len(s.alone) == 0 {
		return fmt.Sprintf("%-30s %-15s not measured", w.name, r)
	}
	wall := func(s sample) float64 { return s.wall }
	processor := func(s sample) float64 { return s.cpu }
	loop := func(s sample) float64 { return s.loop }
	launches, events := float64(s.trace.launches), float64(s.trace.events)
	counted := fmt.Sprint(s.trace.launches)
	// On the host device there are no launches but the program's constructs.
	if told := s.alone[0].launches; s.trace.launches == 0 {
		launches, counted = float64(told), fmt.Sprint(told)
	} else if told != 0 && told != s.trace.launches {
		counted += fmt.Sprintf(" of %d", told)
	}
	return fmt.Sprintf(columns, w.name, r, counted, number(events, launches, 1), number(float64(s.trace.transfers), launches, 2),
		number(middle(s.alone, wall), 1, 3), number(middle(s.alone, processor), 1, 3),
		number(middle(s.profiled, wall), 1, 3), number(middle(s.profiled, processor), 1, 3),
		s.ratio(wall), s.ratio(processor), s.ratio(loop),
		number(1e6*s.trace.kernelSeconds, launches, 1), number(middle(s.alone, loop), s.trace.kernelSeconds, 3), number(middle(s.profiled, loop), s.trace.kernelSeconds, 3),
		number(1e6*middle(s.profiled, func(s sample) float64 { return s.collector }), launches, 1),
		number(middle(s.profiled, func(s sample) float64 { return s.finishing }), 1, 2),
		number(float64(s.trace.bytes), launches, 0), number(float64(s.trace.bytes), events, 1))
}

// number is a quotient as text, "-" where there is nothing to divide or to divide by.
func number(value, by float64, digits int) string {
	if value == 0 || by == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, value/by)
}

func middle(samples []sample, of func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	return turns.Median(values)
}

// ratio is the median of profiled by alone, turn for turn, with its interval.
func (s series) ratio(of func(sample) float64) string {
	ratios := make([]float64, 0, len(s.alone))
	for i := range s.alone {
		if below := of(s.alone[i]); below > 0 {
			ratios = append(ratios, of(s.profiled[i])/below)
		}
	}
	if len(ratios) == 0 {
		return "-"
	}
	low, high := turns.Interval(ratios)
	return fmt.Sprintf("%.3f (%.3f-%.3f)", turns.Median(ratios), low, high)
}
