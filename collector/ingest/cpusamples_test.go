package ingest_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Samples are those of processes and threads that are known, each in its span, with what was
// lost of them; others are counted. Of a file that is damaged there is what stands before.
func TestCPUSamples(t *testing.T) {
	session, _ := capture(t, buildExample(t, compilers.C(), "jacobi/jacobi.c", "-O2"), []string{"32", "2"}, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=host")
	var pid, time uint64
	err := sqlitex.Execute(finish(t, session, filepath.Join(t.TempDir(), "before.db")).Conn(),
		"SELECT pid, s.start + (SELECT value FROM meta WHERE key = 'origin') FROM spans s JOIN processes USING (process) WHERE kind = 'compute_construct' ORDER BY s.start LIMIT 1",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			pid, time = uint64(s.ColumnInt64(0)), uint64(s.ColumnInt64(1))
			return nil
		}})
	if err != nil || pid == 0 {
		t.Fatal(pid, err)
	}
	file := binary.LittleEndian.AppendUint64([]byte("accsmp01"), 5_000_000)
	record := func(kind byte, numbers ...uint64) {
		file = append(file, kind)
		for _, n := range numbers {
			file = binary.AppendUvarint(file, n)
		}
	}
	const signed = 2 // a difference that is not negative is written twice as large
	record('k', 1, signed*0x10)
	record('s', pid, pid, signed*time, 0)
	record('s', pid, 1, 0, 0)       // a thread without events
	record('s', pid+1, pid+1, 0, 0) // a process without a capture
	record('l', pid, 3)
	record('l', pid+1, 4)
	record('?')
	record('s', pid, pid, 0, 0)
	if err := os.WriteFile(filepath.Join(session, "cpusamples-1"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	var warned []string
	trace := ingested(t, ingest.Options{Session: session, Warn: func(line string) { warned = append(warned, line) }})
	if len(warned) != 1 || !strings.Contains(warned[0], "cpusamples-1") {
		t.Errorf("%q", warned)
	}
	for query, want := range map[string]string{
		"SELECT group_concat(doing || ' ' || weight || ' ' || (thread IS NULL), ', ') FROM (SELECT * FROM cpu_samples ORDER BY sample)": "OpenACC 5000000 0, else 5000000 1",
		"SELECT s.kind FROM cpu_samples c JOIN spans s USING (record) WHERE s.start = c.time":                                           "compute_construct",
		"SELECT samples FROM loss WHERE reason = 'samples'":                                                                             "3",
		"SELECT value FROM meta WHERE key = 'samples_of_others'":                                                                        "5",
	} {
		if got := answered(t, trace, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// answered is the first column of a query's first row.
func answered(t *testing.T, trace *store.Trace, query string) (text string) {
	t.Helper()
	err := sqlitex.Execute(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if text == "" {
			text = s.ColumnText(0)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
