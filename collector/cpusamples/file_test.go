package cpusamples

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// contents reads a file whole.
func contents(t *testing.T, path string) (period int64, samples []Sample, lost map[int]uint64, err error) {
	t.Helper()
	lost = map[int]uint64{}
	err = Reader{
		Begin:  func(p int64) { period = p },
		Sample: func(s Sample) error { samples = append(samples, s); return nil },
		Lost:   func(pid int, n uint64) error { lost[pid] += n; return nil },
	}.Read(path)
	return period, samples, lost, err
}

var written = []Sample{
	{PID: 10, TID: 11, Time: 5_000_000_000, Stack: []uint64{0x7f0000001000, 0x400123, 0x400001}},
	{PID: 10, TID: 12, Time: 4_999_999_000, Stack: []uint64{0xffffffffff600001}},
	{PID: 20, TID: 20, Time: 6_000_000_000, Stack: []uint64{0x7f0000001000, 0x400123, 0x400001}},
	{PID: 20, TID: 20, Time: 6_000_000_001},
}

func write(t *testing.T, samples []Sample) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), prefix+"1")
	w, err := create(path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		w.sample(s)
	}
	w.lose(20, 7)
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is written is read again, with what was lost.
func TestFile(t *testing.T) {
	period, samples, lost, err := contents(t, write(t, written))
	if err != nil || period != 1_000_000 || !reflect.DeepEqual(samples, written) || !reflect.DeepEqual(lost, map[int]uint64{20: 7}) {
		t.Errorf("each %d ns %+v, lost %v, %v", period, samples, lost, err)
	}
}

// The files of a session are found whatever its folder is called, and no others.
func TestFilesOfFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "job[1", "*")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{prefix + "1", "lock"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := Files(folder); err != nil || !reflect.DeepEqual(files, []string{filepath.Join(folder, prefix+"1")}) {
		t.Errorf("%q, %v", files, err)
	}
}

// More stacks than are remembered: the numbers begin anew, for writer and reader.
func TestFileOfManyStacks(t *testing.T) {
	var many []Sample
	for i := range mostStacks + 10 {
		many = append(many, Sample{PID: 1, TID: 1, Time: int64(i), Stack: []uint64{uint64(i) * 16, 0x400000}})
	}
	if _, samples, _, err := contents(t, write(t, many)); err != nil || !reflect.DeepEqual(samples, many) {
		t.Errorf("%d samples of %d, %v", len(samples), len(many), err)
	}
}

// A file whose writer was killed has the samples before; one of somebody else is refused.
func TestFileThatEndsEarly(t *testing.T) {
	path := write(t, written)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		_, samples, _, err := contents(t, path)
		if err != nil || len(samples) < before || !reflect.DeepEqual(samples, append([]Sample(nil), written[:len(samples)]...)) {
			t.Fatalf("of %d bytes %+v, %v", n, samples, err)
		}
		before = len(samples)
	}
	for name, damage := range map[string][]byte{
		"another file": []byte("#!/bin/sh\necho a script of somebody\n"), "no such record": append(bytes.Clone(whole), 'x'),
		"no such stack": append(bytes.Clone(whole), 's', 1, 1, 1, 100), "depth": append(bytes.Clone(whole), 'k', 0xff, 0xff, 0x7f),
	} {
		if err := os.WriteFile(path, damage, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := contents(t, path); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(magic + "\x40\x42\x0f\x00\x00\x00\x00\x00k\x01\x02s\x01\x01\x02\x00l\x01\x07f"))
	path := filepath.Join(f.TempDir(), "samples")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := contents(t, path); err != nil && !errors.Is(err, ErrFile) {
			t.Error(err)
		}
	})
}
