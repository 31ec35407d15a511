package state

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What is told of some processes is what is told of them among all, and nothing is told of
// the others.
func TestOnlySomeProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 6, Threads: 2, Queues: 2, Activity: true, Own: true, Seed: 4}); err != nil {
		t.Fatal(err)
	}
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 2, NULL, NULL, 'cpu', 'percent'), (2, 1, 3, NULL, NULL, 'cpu', 'percent'), (3, 1, NULL, 0, 'GPU', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 5, 40), (2, 5, 50), (3, 5, 60)",
		"INSERT INTO sample SELECT id, 1000, 4096, 0 FROM device", "INSERT INTO dependency (id, queue, awaited, time, delay, file, line) SELECT 100 + id, id, id, 2000, 10, 0, 0 FROM queue",
		"INSERT INTO existing SELECT id, id, 0, 100, 200, 8, 1, 0, 1, 0, NULL, NULL FROM device")
	whole, some := tracetest.Open(t, path), tracetest.Open(t, path)
	chosen := []model.ProcessID{2, 5}
	some.OnlyProcesses(chosen)
	of := map[model.ProcessID]bool{2: true, 5: true}
	all, only := New(whole), New(some)
	first, last, err := whole.Extent()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{first + (last-first)/3, first + (last-first)/2, last} {
		want, err := all.At(at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := only.At(at)
		if err != nil {
			t.Fatal(err)
		}
		devices := map[model.DeviceID]bool{}
		var expected State
		for _, p := range want.Processes {
			if of[p.ID] {
				expected.Processes = append(expected.Processes, p)
			}
		}
		events := int64(0)
		for _, x := range want.Threads {
			if of[x.Process] {
				expected.Threads = append(expected.Threads, x)
				events += x.Events
			}
		}
		for _, d := range want.Devices {
			if of[d.Process] {
				expected.Devices = append(expected.Devices, d)
				devices[d.ID] = true
			}
		}
		for _, k := range want.Kernels {
			if devices[k.Device] {
				expected.Kernels = append(expected.Kernels, k)
			}
		}
		for _, c := range want.Counters {
			if c.Process == 0 || of[c.Process] {
				expected.Counters = append(expected.Counters, c)
			}
		}
		if len(got.Processes) != 2 || len(got.Threads) != 4 || len(got.Kernels) == 0 || len(got.Counters) != 2 || len(got.Log) == 0 {
			t.Fatalf("%d processes, %d threads, %d kernels, %d counters, %d events", len(got.Processes), len(got.Threads), len(got.Kernels), len(got.Counters), len(got.Log))
		}
		if got.Events != events {
			t.Errorf("%d events, want %d", got.Events, events)
		}
		for what, pair := range map[string][2]any{"processes": {got.Processes, expected.Processes}, "threads": {got.Threads, expected.Threads},
			"devices": {got.Devices, expected.Devices}, "kernels": {got.Kernels, expected.Kernels}, "counters": {got.Counters, expected.Counters}} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("at %d: %s are\n%+v\nwant\n%+v", at, what, pair[0], pair[1])
			}
		}
		for _, e := range got.Log {
			if !of[e.Process] {
				t.Errorf("an event of process %d", e.Process)
			}
		}
	}
}
