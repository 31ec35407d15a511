package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/perfetto/perfettotest"
)

// names lists a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// The Perfetto file of each example passes the importer's rules and shows what
// the program did, without times and numbers that differ from run to run.
func TestPerfettoFilesOfTheExamples(t *testing.T) {
	for _, test := range []struct {
		example   string
		command   []string
		arguments []string
	}{
		{example: "jacobi", arguments: []string{"64", "3"}},
		{example: "pipeline", arguments: []string{"4", "4096"}},
		{example: "stencil"},
		{example: "particles", arguments: []string{"1000"}},
		{example: "heat-mpi", command: []string{"mpirun", "-n", "2"}, arguments: []string{"1000", "2"}},
	} {
		t.Run(test.example, func(t *testing.T) {
			program := build(t, test.example)
			folder := t.TempDir()
			args := []string{"run", "-o", "trace.db", "--no-summary", "--device", "sim"}
			if len(test.command) > 0 { // taken only where MPI's headers were found
				args = append(args, "--events", "-mpi")
			}
			args = append(append(append(args, "--"), test.command...), program)
			invoke(t, folder, append(args, test.arguments...)...).must(t)
			for _, compress := range []bool{false, true} {
				args := []string{"export", "--to", "perfetto", "-o", "trace.pftrace", "--force", "trace.db"}
				if compress {
					args = append(args, "--compress")
				}
				invoke(t, folder, args...).must(t)
				data, err := os.ReadFile(filepath.Join(folder, "trace.pftrace"))
				if err != nil {
					t.Fatal(err)
				}
				trace, err := perfettotest.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				compareGolden(t, filepath.Join("testdata", test.example+".pftrace.golden"), mask(sampledTracks.ReplaceAllString(dumpTrace(trace), "")))
			}
		})
	}
}

// sampledTracks are there only where a run lasts until something is sampled.
var sampledTracks = regexp.MustCompile(`(?m)^counter in .* > (cpu|resident memory)\n`)

// Each format is written whole under its name, or to standard output, and
// leaves nothing else.
func TestExportWritesEveryFormat(t *testing.T) {
	folder := filepath.Dir(tracetest.File(t, 300, 1))
	for name, format := range exportFormats {
		if format.write == nil { // OTF2 is a folder: TestExportFolder
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := invoke(t, folder, "export", "--to", name, "trace.db").must(t)
			file := "trace" + format.extension
			if !strings.Contains(r.stderr, "wrote "+file+"; open it ") {
				t.Errorf("standard error: %s", r.stderr)
			}
			data, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil || len(data) == 0 {
				t.Fatalf("%d bytes, %v", len(data), err)
			}
			if r := invoke(t, folder, "export", "--to", name, "trace.db"); r.status == 0 || !strings.Contains(r.stderr, "--force") {
				t.Errorf("overwrote %s: %s", file, r.stderr)
			}
			streamed := invoke(t, folder, "export", "--to", name, "-o", "-", "trace.db").must(t)
			if name != "html" && streamed.stdout != string(data) { // the page has its date
				t.Errorf("standard output gets %d bytes, the file has %d", len(streamed.stdout), len(data))
			}
			compressed := invoke(t, folder, "export", "--to", name, "--compress", "-o", "-", "trace.db")
			switch format.compress {
			case gzipped:
				r, err := gzip.NewReader(strings.NewReader(compressed.must(t).stdout))
				if err != nil {
					t.Fatal(err)
				}
				if inflated, err := io.ReadAll(r); err != nil || !bytes.Equal(inflated, data) {
					t.Errorf("compressed: %d bytes, want %d, error %v", len(inflated), len(data), err)
				}
			case inside:
				if n := len(compressed.must(t).stdout); n == 0 || n > len(data)/2 {
					t.Errorf("compressed %d bytes, else %d", n, len(data))
				}
			case never:
				if compressed.status != exitUsage {
					t.Errorf("--compress: status %d", compressed.status)
				}
			}
			if err := os.Remove(filepath.Join(folder, file)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if left := names(t, folder); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// What cannot be done says so, with the remedy, and leaves no file.
func TestExportRefuses(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	folder := filepath.Dir(path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "cut.db"), data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, folder)
	for _, test := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--to", "perfume", "trace.db"}, exitUsage, "allowed are"},
		{[]string{"--to", "perfetto", "none.db"}, exitFailure, "none.db"},
		{[]string{"--to", "perfetto", "-o", "trace.db", "--force", "trace.db"}, exitFailure, "trace itself"},
		{[]string{"--to", "perfetto", "-o", "no/such/folder/x", "trace.db"}, exitFailure, "cannot write no/such/folder/x: no such file or directory; choose another place with -o\n"},
		{[]string{"--to", "perfetto", "cut.db"}, exitFailure, "damaged"},
		{[]string{"--to", "csv", "cut.db"}, exitFailure, "damaged"},
		{[]string{"--to", "parquet", "cut.db"}, exitFailure, "damaged"},
		{[]string{"--to", "chrome", "--endpoint", "http://localhost:1", "trace.db"}, exitUsage, "--to otlp"},
		{[]string{"--to", "otlp", "-o", "x", "trace.db"}, exitUsage, "--endpoint"},
		{[]string{"--to", "otf2", "-o", "-", "trace.db"}, exitUsage, "a folder of files"},
		{[]string{"--to", "otf2", "-o", "no/such/folder/x", "trace.db"}, exitFailure, "cannot write no/such/folder/x: no such file or directory; choose another place with -o\n"},
		{[]string{"--to", "otf2", "-o", "trace.db", "--force", "trace.db"}, exitFailure, "trace.db is no folder"},
		{[]string{"--to", "otf2", "-o", ".", "--force", "trace.db"}, exitFailure, "no part of such an export"},
		{[]string{"--to", "otf2", "cut.db"}, exitFailure, "damaged"},
		{[]string{"--to", "otf2", "--compress", "trace.db"}, exitUsage, "no compressed form"},
		{[]string{"--to", "otf2", "--full", "trace.db"}, exitUsage, "always whole"},
		{[]string{"--to", "otlp", "--span-limit", "0", "trace.db"}, exitUsage, "--full"},
		{[]string{"--to", "csv", "--since", "2s", "--until", "1s", "trace.db"}, exitUsage, "--until"},
		{[]string{"--to", "csv", "--rank", "7", "trace.db"}, exitFailure, "no rank 7"},
	} {
		r := invoke(t, folder, append([]string{"export"}, test.args...)...)
		if r.status != test.status || !strings.Contains(r.stderr, test.says) {
			t.Errorf("%v: status %d, %q", test.args, r.status, r.stderr)
		}
	}
	if after := names(t, folder); len(after) != len(before) {
		t.Errorf("left %v", after)
	}
}

// An export that is interrupted leaves no file.
func TestInterruptedExportLeavesNothing(t *testing.T) {
	path := tracetest.File(t, 20_000, 1)
	folder := filepath.Dir(path)
	trace := tracetest.Open(t, path)
	for name, format := range exportFormats {
		if format.sent() {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		options := export.Options{Progress: func(int64, int64) { cancel() }}
		cancel()
		var err error
		if format.folder != nil {
			err = writeFolder(filepath.Join(folder, "out"), func(folder string) error {
				return untilInterrupted(ctx, trace, func() error { return format.folder(folder, trace, options) })
			})
		} else {
			err = writeAtomically(filepath.Join(folder, "out"), func(w io.Writer) error { return writeFormat(ctx, w, format, trace, options) })
		}
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%s: %v", name, err)
		}
		trace.Interrupt(nil)
	}
	if left := names(t, folder); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// A failing writer leaves no file, a succeeding one the whole.
func TestWriteAtomically(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	failure := errors.New("failure")
	if err := writeAtomically(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return failure
	}); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if left := names(t, folder); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if err := writeAtomically(path, func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "whole" {
		t.Errorf("%q, %v", data, err)
	}
	for _, umask := range []int{0o022, 0o077} {
		before := syscall.Umask(umask)
		err := writeAtomically(path, func(io.Writer) error { return nil })
		syscall.Umask(before)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || int(info.Mode().Perm()) != 0o644&^umask {
			t.Errorf("umask %03o: %v, %v, %v", umask, info.Mode(), err, statErr)
		}
	}
}

func TestProgressBar(t *testing.T) {
	for _, test := range []struct {
		done, total int64
		took        time.Duration
		want        string
	}{
		{0, 100, 0, `^accscope: exported \[\.{30}\] 0%$`},
		{50, 100, 10 * time.Second, `^accscope: exported \[#{15}\.{15}\] 50%, 10 s left$`},
		{100, 100, 10 * time.Second, `^accscope: exported \[#{30}\] 100%$`},
		{7, 0, time.Second, `^accscope: 7 rows exported$`},
	} {
		if got := progressBar("exported", test.done, test.total, test.took); !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%d of %d: %q", test.done, test.total, got)
		}
	}
}
