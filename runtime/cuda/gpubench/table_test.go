package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	list, err := figures("launch, synchronous              8.700 us\ndownload of 256 MiB, touched   33.5 GB/s\n")
	if err != nil || len(list) != 2 || list[0] != (figure{"launch, synchronous", "us", 8.7}) || list[1] != (figure{"download of 256 MiB, touched", "GB/s", 33.5}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, bad := range []string{"Segmentation fault\n", "copy  1.5\n", "copy  fast us\n", "copy  1 us more\n"} {
		if list, err := figures(bad); err == nil {
			t.Errorf("%q is %v", bad, list)
		}
	}
}

// The table has a row for each figure, its medians and ratios, and says what was not measured;
// it replaces the one before it.
func TestTable(t *testing.T) {
	b := bench{turns: 3, notes: []string{"One GPU."}}
	for _, value := range []float64{4, 2, 3} {
		b.take("launch", "us", native, value)
		b.take("launch", "us", ours, value/2)
	}
	b.take("copy", "GB/s", ours, 39.51)
	table := b.table("NVIDIA X, driver 1")
	for _, want := range []string{
		"NVIDIA X, driver 1; ",
		"| launch, µs | 3.00 (67 %) | 1.50 (67 %) | – | – | 0.50 | – |\n",
		"| copy, GB/s | – | 39.5 | – | – | – | – |\n",
		"\nOne GPU.\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%s\nwant in it %q", table, want)
		}
	}
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("before\n"+begins+"old\n"+ends+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceIn(file, table); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "before\n"+begins+table+ends+"after\n" {
		t.Errorf("%s, %v", text, err)
	}
	if err := os.WriteFile(file, []byte("no marks\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceIn(file, table); err == nil || !strings.Contains(err.Error(), "page.md") {
		t.Errorf("%v", err)
	}
}
