package ingest_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The folders testdata/COMMIT hold, each made by that commit: the capture of
// testdata/ocean.c on the sim device, the trace that import made of it, and what the views
// answered. From 2e356fc on the program is there, too, which the capture names as
// /ocean/ocean: its debug information says what the places mean. A commit that raises the
// version of the trace or of the capture format adds one, by `-run Versions -record COMMIT`
// and those files.
var record = flag.String("record", "", "write what the views answer to the traces in testdata/`COMMIT`")

// A trace and a capture of each version open, and every documented view answers
// what it answered then.
func TestVersionsAnswerAlike(t *testing.T) {
	if *record != "" {
		trace, err := store.Open(unzip(t, filepath.Join("testdata", *record, "trace.db.gz")))
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		var out strings.Builder
		for _, view := range views(t, trace) {
			fmt.Fprint(&out, answer(t, trace, view.name, view.columns))
		}
		zip(t, filepath.Join("testdata", *record, "answers.txt.gz"), out.String())
	}
	folders, err := filepath.Glob("testdata/*/answers.txt.gz")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no versions: %v", err)
	}
	of := map[int]string{} // version of a trace: its folder
	for _, answers := range folders {
		folder := filepath.Dir(answers)
		t.Run(filepath.Base(folder)+"/trace", func(t *testing.T) {
			file := unzip(t, filepath.Join(folder, "trace.db.gz"))
			of[version(t, file)] = folder
			trace, err := store.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer trace.Close()
			compare(t, trace, answers)
		})
		t.Run(filepath.Base(folder)+"/capture", func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.db")
			unpacked := unpack(t, filepath.Join(folder, "capture.tar.gz"))
			if program := filepath.Join(folder, "program.gz"); exists(program) {
				find(t, filepath.Join(unpacked, "modules"), unzip(t, program))
			}
			in, err := ingest.Open(ingest.Options{Captures: []string{unpacked}, Trace: path})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Finish(); err != nil {
				t.Fatal(err)
			}
			trace, err := store.Open(path, store.Checked())
			if err != nil {
				t.Fatal(err)
			}
			defer trace.Close()
			compare(t, trace, answers)
		})
	}
	for v := 1; v <= schema.Version; v++ {
		if of[v] == "" {
			t.Errorf("no folder has a trace of version %d", v)
		}
	}
}

// version is that of a trace's schema.
func version(t *testing.T, file string) int {
	t.Helper()
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	v, err := schema.CheckVersion(conn, file)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// find has a capture's list of modules name the program where it lies.
func find(t *testing.T, modules, program string) {
	t.Helper()
	list, err := os.ReadFile(modules)
	if err != nil {
		t.Fatal(err)
	}
	found := bytes.Replace(list, []byte(" /ocean/ocean\n"), []byte(" "+program+"\n"), 1)
	if bytes.Equal(found, list) {
		t.Fatalf("%s does not name the program", modules)
	}
	if err := os.WriteFile(modules, found, 0o600); err != nil {
		t.Fatal(err)
	}
}

// compare asks the views for the columns that they had.
func compare(t *testing.T, trace *store.Trace, answers string) {
	t.Helper()
	want, err := os.ReadFile(unzip(t, answers))
	if err != nil {
		t.Fatal(err)
	}
	for section := range strings.SplitSeq(strings.TrimPrefix(string(want), "view "), "\nview ") {
		section = strings.TrimSuffix(section, "\n") + "\n"
		name, rest, _ := strings.Cut(section, "\n")
		columns, _, _ := strings.Cut(rest, "\n")
		if got := answer(t, trace, name, strings.Split(columns, "|")); got != "view "+section {
			t.Errorf("view %s differs:%s", name, firstDifference("view "+section, got))
		}
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			line := ""
			if i < len(b) {
				line = b[i]
			}
			return fmt.Sprintf(" %d lines where it had %d; line %d\nhad %s\nhas %s", len(b), len(a), i+1, a[i], line)
		}
	}
	return fmt.Sprintf(" %d lines where it had %d", len(b), len(a))
}

type view struct {
	name    string
	columns []string
}

func views(t *testing.T, trace *store.Trace) (all []view) {
	t.Helper()
	err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			v := view{name: s.ColumnText(0)}
			columns, _, err := trace.Conn().PrepareTransient("SELECT * FROM " + v.name)
			if err != nil {
				return err
			}
			for i := range columns.ColumnCount() {
				v.columns = append(v.columns, columns.ColumnName(i))
			}
			all = append(all, v)
			return columns.Finalize()
		}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// answer is a view's rows, in an order of their own, as SQL literals.
func answer(t *testing.T, trace *store.Trace, view string, columns []string) string {
	t.Helper()
	quoted := make([]string, len(columns))
	for i, column := range columns {
		quoted[i] = `quote("` + column + `")`
	}
	var rows []string
	err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT "+strings.Join(quoted, " || '|' || ")+" FROM "+view, &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			rows = append(rows, s.ColumnText(0))
			return nil
		}})
	if err != nil {
		t.Fatalf("view %s: %v", view, err)
	}
	slices.Sort(rows)
	return "view " + view + "\n" + strings.Join(append([]string{strings.Join(columns, "|")}, rows...), "\n") + "\n"
}

func zip(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	content := gzip.NewWriter(file)
	_, err = io.WriteString(content, text)
	if err := errors.Join(err, content.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func unzip(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	to, err := os.Create(filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, content)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return to.Name()
}

// unpack gives the folder that an archive holds.
func unpack(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(unzip(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	folder, top := t.TempDir(), ""
	archive := tar.NewReader(bufio.NewReader(file))
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(folder, top)
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(folder, filepath.Clean("/"+entry.Name))
		if entry.Typeflag == tar.TypeDir {
			top = filepath.Clean(entry.Name)
			err = os.MkdirAll(name, 0o700)
		} else {
			var content []byte
			if content, err = io.ReadAll(archive); err == nil {
				err = os.WriteFile(name, content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
