package cpusamples

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/turns"
)

// BenchmarkCost runs a program by turns without samples and with 199 and 1,000 in a second, and
// reports by how much its processor time grows, in percent: the median of the turns' ratios, and
// between which two it lies with a probability of 95 %.
func BenchmarkCost(b *testing.B) {
	if err := Available(); err != nil {
		b.Skip(err)
	}
	program := compile(b, "work.c")
	rates := []int{0, DefaultRate, 1000}
	took := map[int][]float64{}
	for range b.N {
		for _, rate := range rates {
			took[rate] = append(took[rate], processorTimeOf(b, program, rate))
		}
	}
	for _, rate := range rates[1:] {
		var ratios []float64
		for i, with := range took[rate] {
			ratios = append(ratios, 100*(with/took[0][i]-1))
		}
		low, high := turns.Interval(ratios)
		for unit, value := range map[string]float64{"%": turns.Median(ratios), "%least": low, "%most": high} {
			b.ReportMetric(value, unit+"@"+strconv.Itoa(rate)+"Hz")
		}
	}
}

// processorTimeOf runs a program that prints the processor time that it took.
func processorTimeOf(b *testing.B, program string, rate int) float64 {
	b.Helper()
	command := exec.Command(program)
	var out bytes.Buffer
	command.Stdout = &out
	var r *Recorder
	var err error
	if rate > 0 {
		if r, err = New(b.TempDir(), rate); err != nil {
			b.Fatal(err)
		}
	}
	start := command.Start
	if r != nil {
		start = func() error { return r.Start(command.Start) }
	}
	if err := start(); err != nil {
		b.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		b.Fatal(err)
	}
	if r != nil {
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
	took, err := strconv.ParseFloat(strings.TrimSpace(out.String()), 64)
	if err != nil {
		b.Fatal(err)
	}
	return took
}
