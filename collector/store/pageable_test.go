package store_test

import (
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/write"
)

// What is told of transfers' memory and of devices is in the views, also of a merged
// trace, and changes nothing about the kinds of activity.
func TestPageableTransfers(t *testing.T) {
	folder := t.TempDir()
	path, merged := filepath.Join(folder, "one.db"), filepath.Join(folder, "merged.db")
	s := generate.New(generate.Options{Spans: 900, Threads: 1, Activity: true, Seed: 6})
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.SetMultiprocessors("sim", 132); err != nil {
		t.Fatal(err)
	}
	pageable := map[int32]int64{}
	s.Write = w.Write
	s.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
		if a.Kind != model.ActivityKernel && enqueue%3 == 0 {
			a.Pageable = true
			pageable[a.Kind]++
		}
		return w.WriteActivity(a, enqueue, device, queue)
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := write.Merge(merged, []write.Input{{Path: path}, {Path: path}}); err != nil {
		t.Fatal(err)
	}
	for file, times := range map[string]int64{path: 1, merged: 2} {
		trace, err := store.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		for query, want := range map[string]int64{
			"SELECT count(*) FROM transfers WHERE pageable = 1 AND direction = 'upload'":                          times * pageable[model.ActivityUpload],
			"SELECT count(*) FROM transfers WHERE pageable = 1 AND direction = 'download'":                        times * pageable[model.ActivityDownload],
			"SELECT count(*) FROM transfers WHERE pageable IS NULL":                                               0,
			"SELECT count(DISTINCT kind) FROM device_activity":                                                    3,
			"SELECT count(*) FROM device_activity WHERE kind IS NULL":                                             0,
			"SELECT sum(multiprocessors) FROM devices WHERE name = 'sim'":                                         times * 132,
			"SELECT count(*) - (SELECT count(*) FROM devices WHERE multiprocessors = 132) FROM devices":           0,
			"SELECT count(*) FROM kernels k JOIN device_activity a ON a.record = k.record AND a.kind <> 'kernel'": 0,
		} {
			if got, err := schema.Integer(trace.Conn(), query); err != nil || got != want {
				t.Errorf("%s: %s: %d, want %d (%v)", file, query, got, want, err)
			}
		}
		for a, err := range trace.Activities(store.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if code := a.Work.KindCode; code >= schema.Pageable || a.Work.Pageable && code == model.ActivityKernel {
				t.Fatalf("%+v", a.Work)
			}
		}
	}
	if pageable[model.ActivityUpload] == 0 || pageable[model.ActivityDownload] == 0 {
		t.Error("no such transfers were written")
	}
}
