package compare_test

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/compare"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// A kernel whose line moved is one on both sides; bytes are those transferred, whatever
// they are given by.
func TestDifferences(t *testing.T) {
	base, other := tracetest.File(t, 2000, 1), tracetest.File(t, 2000, 1)
	tracetest.Change(t, other, "UPDATE place SET line = line + 3", "UPDATE site_detail SET line = line + 3")
	c := compare.New([2]string{"base", "other"}, nil)
	for side, path := range []string{base, other} {
		if err := c.Add(side, tracetest.Open(t, path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range compare.By() {
		list := c.Differences(by)
		if len(list) == 0 {
			t.Errorf("by %s there is nothing", by)
		}
		for _, d := range list {
			a, b := d.Sides[0], d.Sides[1]
			switch by {
			case "kernel":
				if !strings.Contains(d.Name, " -> ") || a != b || a.Count == 0 || a.Device == 0 || a.Host == 0 {
					t.Errorf("kernel %+v", d)
				}
			case "source":
				if !strings.HasPrefix(d.Name, "jacobi.c:") {
					t.Errorf("source %+v", d)
				}
			default:
				if a != b {
					t.Errorf("%s %+v", by, d)
				}
			}
		}
	}
	var transferred int64
	for _, d := range c.Differences("variable") {
		transferred += d.Sides[0].Bytes
	}
	var bySource int64
	for _, d := range c.Differences("source") {
		bySource += d.Sides[0].Bytes
	}
	if transferred == 0 || bySource != transferred {
		t.Errorf("variables moved %d bytes, lines %d", transferred, bySource)
	}
}

// What devices did for launches that were not recorded counts for the kernel's name.
func TestDifferencesOfTheUnseen(t *testing.T) {
	path := tracetest.File(t, 500, 1)
	tracetest.Change(t, path, "UPDATE OR REPLACE work_total SET thread = 0, site = 0")
	c := compare.New([2]string{"base", "other"}, nil)
	for side := range 2 {
		if err := c.Add(side, tracetest.Open(t, path)); err != nil {
			t.Fatal(err)
		}
	}
	var device int64
	for _, d := range c.Differences("kernel") {
		device += d.Sides[0].Device
		if d.Sides[0] != d.Sides[1] {
			t.Errorf("%+v", d)
		}
	}
	if device == 0 {
		t.Error("kernels took no time")
	}
}
