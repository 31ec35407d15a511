package ingest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/write"
)

// However many processes had a file loaded, and wherever, each place in it is looked up once.
// An address in no file, or in one that has no build-id to be known by, stands for itself.
func TestAlike(t *testing.T) {
	const processes = 100
	at := func(process model.ProcessID) uint64 { return 0x400000 + uint64(process)<<32 }
	build := func(process model.ProcessID) string { return fmt.Sprint("build ", process%2) }
	modulesOf := func(process model.ProcessID) []capture.Module {
		base := at(process)
		return []capture.Module{
			{Start: base, End: base + 0x1000, Offset: 0x1000, BuildID: build(process), Path: "/a/program"},
			{Start: base + 0x4000, End: base + 0x5000, Offset: 0x3000, BuildID: build(process), Path: "/a/program"},
			{Start: base + 0x8000, End: base + 0x9000, Path: "/a/without"},
		}
	}
	var returns []write.Return
	for process := model.ProcessID(1); process <= processes; process++ {
		// Two places in the first segment, the second one its end; one in the other one; one in a
		// file without a build-id, and one in none.
		for _, offset := range []uint64{0x10, 0x1000, 0x4010, 0x8010, 0xa000} {
			returns = append(returns, write.Return{Process: process, Address: at(process) + offset})
		}
	}
	found := alike(returns, modulesOf)
	if want := 2*3 + 2*processes; len(found) != want {
		t.Errorf("%d addresses are looked up, want %d", len(found), want)
	}
	for stands, list := range found {
		offset, build := stands.Address-at(stands.Process), build(stands.Process)
		for _, r := range list {
			if r.Address-at(r.Process) != offset || len(list) > 1 && fmt.Sprint("build ", r.Process%2) != build {
				t.Errorf("%+v stands for %+v", stands, r)
			}
		}
		if want := map[bool]int{true: processes / 2, false: 1}[offset < 0x8000]; len(list) != want || !slices.Contains(list, stands) {
			t.Errorf("%+v stands for %d addresses, want %d with itself", stands, len(list), want)
		}
	}
}
