package store

import (
	"maps"
	"testing"

	"github.com/accscope/accscope/collector/model"
)

func TestWaited(t *testing.T) {
	type row struct {
		kind                    int32
		thread                  model.ThreadID
		queue                   model.QueueID
		async                   int64
		host, device, cutOffFor int64
	}
	const sync, launch, wait = model.AsyncSync, model.EnqueueLaunchStart, model.WaitStart
	for _, c := range []struct {
		name string
		rows []row
		want map[model.QueueID]int64
	}{
		{"waits", []row{{wait, 1, 2, 5, 100, 0, 0}, {wait, 2, 2, 5, 10, 0, 0}, {wait, 1, 3, 6, 1, 0, 0}}, map[model.QueueID]int64{2: 110, 3: 1}},
		{"inside a launch, as long as the device", []row{{launch, 1, 1, sync, 100, 70, 0}}, map[model.QueueID]int64{1: 70}},
		{"behind a launch", []row{{launch, 1, 1, sync, 5, 70, 0}, {wait, 1, 1, sync, 68, 0, 0}}, map[model.QueueID]int64{1: 70}},
		{"asynchronous launches", []row{{launch, 1, 2, 5, 100, 70, 0}}, map[model.QueueID]int64{}},
		{"cut off inside", []row{{launch, 1, 1, sync, 500, 40, 450}}, map[model.QueueID]int64{1: 490}},
		{"another thread's waits", []row{{launch, 1, 1, sync, 100, 70, 0}, {wait, 2, 1, sync, 70, 0, 0}}, map[model.QueueID]int64{1: 140}},
		{"other constructs", []row{{model.ComputeConstructStart, 1, 1, sync, 100, 0, 100}}, map[model.QueueID]int64{}},
	} {
		w := Waited{}
		for _, r := range c.rows {
			w.Add(&Site{Thread: r.thread, Queue: r.queue, Description: &Description{KindCode: r.kind, AsyncQueue: r.async}},
				&Sum{Time: r.host, CutTime: r.cutOffFor}, &Sum{Time: r.device})
		}
		if got := w.Times(); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
