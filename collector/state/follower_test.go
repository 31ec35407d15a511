package state_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
)

// A follower sees each commit, whenever it looks, and does not keep the writer from
// finishing the trace.
func TestFollowerSeesEachCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	f, err := state.Follow(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := f.Now(); s != nil || err != nil {
		t.Fatalf("before there is a trace: %+v, %v", s, err)
	}
	session := generate.New(generate.Options{Spans: 600, Activity: true})
	w, err := write.Create(path, 0, session.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, session); err != nil {
		t.Fatal(err)
	}
	events := int64(0)
	session.Write = func(step *model.Step) error {
		events++
		if err := w.Write(step); err != nil || events%50 != 0 {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
		s, err := f.Now()
		if err == nil && s.Events != events {
			t.Errorf("%d events, it sees %d", events, s.Events)
		}
		return err
	}
	session.Activity = w.WriteActivity
	if err := errors.Join(session.Run(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	if s, err := f.Now(); err != nil || s.Events != events {
		t.Errorf("of the finished trace with %d events: %+v, %v", events, s, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
