package store_test

import (
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
)

// Data that existed before capture is ended by its delete, and once: the free of
// the memory under it names it too.
func TestExistingDataEndsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	session := generate.New(generate.Options{})
	w, err := write.Create(path, 0, session.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, session); err != nil {
		t.Fatal(err)
	}
	x := model.Existing{Process: 1, Mapping: capture.Mapping{DeviceType: 4, Host: 4096, Device: 8192, Bytes: 77, Dynamic: 1}}
	id, device := session.Model.Existing(&x)
	if err := w.WriteExisting(id, &x, device); err != nil {
		t.Fatal(err)
	}
	for i, kind := range []int32{model.Delete, model.Free} {
		e := model.Event{Process: 1, Thread: 1, Event: capture.Event{Kind: kind, DeviceType: 4, Host: 4096, Device: 8192, Bytes: 77,
			Sequence: uint64(i), Time: int64(1000 * (i + 1))}}
		if err := w.Write(session.Model.Apply(&e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for time, want := range map[int64]int{999: 1, 1000: 0, 2500: 0} {
		got := 0
		for _, m := range presentAt(t, trace, time) {
			if m.Record == -1 {
				got++
			}
		}
		if got != want {
			t.Errorf("at %d ns it is present %d times, want %d", time, got, want)
		}
	}
	var ends []int64
	if err := sqlitex.Execute(trace.Conn(), "SELECT ended FROM existing_data", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		ends = append(ends, s.ColumnInt64(0))
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if len(ends) != 1 || ends[0] != 1000 {
		t.Errorf("the view has it end at %v, want 1000 once", ends)
	}
}
