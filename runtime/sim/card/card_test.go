package card

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDescriptions: what is built in can be read, and what is wrong in a file is told with its line.
func TestDescriptions(t *testing.T) {
	for _, name := range []string{"h100", "h200"} {
		if c, err := Load(name); err != nil || !strings.EqualFold(c.Name, "NVIDIA "+name) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	text, err := builtIn.ReadFile("h200.txt")
	if err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile("../../../docs/modelled.md"); err != nil || !strings.Contains(string(page), string(text)) {
		t.Errorf("docs/modelled.md does not have h200.txt as it is (%v)", err)
	}
	for change, want := range map[[2]string]string{
		{"clock = ", "clok = "}:                              `"clok" is nothing that a card's description has`,
		{"clock = 1.98 GHz", "clock = fast"}:                 `"fast" is no clock: write a number and its unit, as in "1.5 GHz"`,
		{"clock = 1.98 GHz", "clock = 1.98 GB"}:              `is no clock`,
		{"multiprocessors = 132", "multiprocessors = 0"}:     `"0" is no multiprocessors: write a number`,
		{"clock = 1.98 GHz\n", ""}:                           `has no line "clock"`,
		{"clock = 1.98 GHz", "clock = 1 GHz\nclock = 2 GHz"}: `"clock" is there twice`,
	} {
		if !strings.Contains(string(text), change[0]) {
			t.Fatalf("the description has no %q", change[0])
		}
		path := filepath.Join(t.TempDir(), "card.txt")
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %q and the file's name", change[1], err, want)
		}
	}
	if _, err := Load("nowhere"); err == nil || !strings.Contains(err.Error(), "h100, h200") {
		t.Errorf("%v", err)
	}
}

// TestKernelTimes: what is more of anything takes no less time, and what bounds a kernel by itself
// takes what the description says.
func TestKernelTimes(t *testing.T) {
	c, err := Load("h200")
	if err != nil {
		t.Fatal(err)
	}
	base := Counts{Gangs: 4224, Lanes: 32, Registers: 32, Work: 1e6, MostWork: 1e6 / 4224, Integer: 5e5, Double: 2e5, Load: 1e5, Cycles: 2e6, Accesses: 1e5,
		Requests: 1e5, Sectors: 8e5, Passed: 8e5, Fetched: 4e5, LoadRequests: 1e5, LoadPassing: 1e5, LoadFetching: 5e4}
	before, share := c.Kernel(base)
	if before <= 0 || share <= 0 || share > 1 {
		t.Fatalf("%v, %v of the card", before, share)
	}
	for name, change := range map[string]func(*Counts){
		"double": func(k *Counts) { k.Double *= 10 }, "sectors": func(k *Counts) { k.Fetched *= 10 }, "chains": func(k *Counts) { k.Cycles *= 10 },
		"accesses": func(k *Counts) { k.Accesses *= 10 }, "imbalance": func(k *Counts) { k.MostWork *= 20 }, "atomics": func(k *Counts) { k.AtomicsMeet = 1e6 },
		"registers": func(k *Counts) { k.Registers = 255 }, "one gang": func(k *Counts) { k.Gangs, k.MostWork = 1, k.Work },
	} {
		k := base
		change(&k)
		if after, _ := c.Kernel(k); after <= before {
			t.Errorf("%s: %v, and %v without", name, after, before)
		}
	}
	// A gigabyte that nothing else holds up goes at the memory's bandwidth.
	k := Counts{Gangs: 1 << 16, Lanes: 128, Registers: 32, Fetched: 1 << 25}
	got, _ := c.Kernel(k)
	if want := 32 * k.Fetched / c.MemoryBandwidth; got.Seconds() < want || got.Seconds() > 1.5*want {
		t.Errorf("a gigabyte takes %v, at %s a second it is %v s", got, fmt.Sprint(c.MemoryBandwidth), want)
	}
}
