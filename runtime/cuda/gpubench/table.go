package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/turns"
)

// A figure is a line that a program prints.
type figure struct {
	name, unit string
	value      float64
}

// figures reads lines of a name, a value and a unit, which two blanks or more separate from the
// name.
func figures(text string) (list []figure, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		name, rest, found := strings.Cut(line, "  ")
		fields := strings.Fields(rest)
		if !found || len(fields) != 2 {
			return nil, fmt.Errorf("a line that is no figure: %q", line)
		}
		value, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return nil, fmt.Errorf("a line that is no figure: %q", line)
		}
		list = append(list, figure{name, fields[1], value})
	}
	return list, nil
}

// card describes the GPU, and counts those of its machine.
func card() (string, error) {
	output, err := exec.Command("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").Output()
	if err != nil {
		return "", fmt.Errorf("nvidia-smi: %w: there is no NVIDIA GPU here, or no driver", err)
	}
	cards := strings.Split(strings.TrimSpace(string(output)), "\n")
	name, driver, _ := strings.Cut(cards[0], ", ")
	if len(cards) > 1 {
		name = fmt.Sprintf("%d × %s", len(cards), name)
	}
	return fmt.Sprintf("%s, driver %s", name, driver), nil
}

// table is the rows as Markdown, medians with the ratio to GCC's runtime.
func (b *bench) table(card string) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s; %s; medians of %d turns, with the width of their 95 %% interval where that is more than 5 %%.\n\n",
		card, time.Now().Format("January 2006"), b.turns)
	fmt.Fprintf(&t, "| | %s | accscope by GCC's runtime | profiled by not |\n|---|%s---|---|\n", strings.Join(columns[:], " | "), strings.Repeat("---|", ways))
	for _, r := range b.rows {
		fmt.Fprintf(&t, "| %s, %s |", r.name, strings.Replace(r.unit, "us", "µs", 1))
		for way := range ways {
			t.WriteString(" " + told(r.values[way]) + " |")
		}
		fmt.Fprintf(&t, " %s | %s |\n", ratio(r.values[ours], r.values[native]), ratio(r.values[profiled], r.values[ours]))
	}
	for _, n := range b.notes {
		t.WriteString("\n" + n + "\n")
	}
	return t.String()
}

// told is the median of values, "–" of none, and the width of its interval in percent.
func told(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	middle := turns.Median(values)
	low, high := turns.Interval(values)
	text := short(middle)
	if spread := 100 * (high - low) / middle; spread > 5 {
		text += fmt.Sprintf(" (%.0f %%)", spread)
	}
	return text
}

func ratio(values, by []float64) string {
	if len(values) == 0 || len(by) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", turns.Median(values)/turns.Median(by))
}

// short has three digits or more.
func short(value float64) string {
	switch {
	case value < 10:
		return fmt.Sprintf("%.2f", value)
	case value < 100:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.0f", value)
}

// Between these lines of a file stands the table.
const (
	begins = "<!-- make bench-gpu -->\n"
	ends   = "<!-- end of make bench-gpu -->\n"
)

// replaceIn puts the table between the marks of a file.
func replaceIn(path, table string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !begun || !ended {
		return fmt.Errorf("%s: the lines %q and %q, between which the table goes, are not there", path, strings.TrimSpace(begins), strings.TrimSpace(ends))
	}
	return os.WriteFile(path, []byte(before+begins+table+ends+after), 0o644)
}
