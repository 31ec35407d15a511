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

// Who gave a kernel's geometry, and which device a copy went to, is in the views, also of a
// merged trace, whose devices have other numbers.
func TestWorkDetails(t *testing.T) {
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
	source := s.Model.Intern("/program/halo.c")
	kernels, copies := int64(0), int64(0)
	s.Write = w.Write
	s.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
		if a.Kind == model.ActivityKernel && enqueue%3 == 0 {
			a.By = [3]model.Giver{model.GiverNamed("chosen"), 0, model.GiverNamed("compiler")}
			kernels++
		}
		if err := w.WriteActivity(a, enqueue, device, queue); err != nil || a.Kind != model.ActivityUpload {
			return err
		}
		sent := *a
		sent.Kind, sent.ToPeer, sent.Peer, sent.SourceFile, sent.Line = model.ActivityCopy, true, 1-a.DeviceNumber, source, int32(10+copies%2)
		copies++
		return w.WriteActivity(&sent, 0, device, queue)
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if kernels == 0 || copies < 2 {
		t.Fatalf("%d kernels and %d copies were written", kernels, copies)
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
			"SELECT count(*) FROM kernels WHERE gangs_by = 'chosen' AND workers_by IS NULL AND vector_by = 'compiler'":                                                                                                       times * kernels,
			"SELECT count(*) FROM kernels WHERE gangs_by IS NULL AND vector_by IS NOT NULL":                                                                                                                                  0,
			"SELECT count(*) FROM transfers t JOIN devices f USING (device) JOIN devices p ON p.device = t.peer WHERE direction = 'between' AND f.process = p.process AND f.process = t.process AND f.number = 1 - p.number": times * copies,
			"SELECT count(*) FROM transfers WHERE direction = 'between' AND source_file = '/program/halo.c' AND line = 11":                                                                                                   times * (copies / 2),
			"SELECT count(*) FROM transfers WHERE peer IS NOT NULL AND (record IS NOT NULL OR enqueued <> start OR end < start)":                                                                                             0,
			"SELECT count(*) FROM device_activity WHERE peer IS NOT NULL AND kind = 'copy'":                                                                                                                                  times * copies,
		} {
			if got, err := schema.Integer(trace.Conn(), query); err != nil || got != want {
				t.Errorf("%s: %s: %d, want %d (%v)", file, query, got, want, err)
			}
		}
		for a, err := range trace.Activities(store.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if w := a.Work; (w.Route() != "") != (w.Kind == "copy") || w.Kind == "copy" && w.File != "/program/halo.c" {
				t.Fatalf("%s goes from %q: %+v", w.Kind, w.Route(), w)
			}
		}
	}
}
