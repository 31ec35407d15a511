package archive_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// made writes a trace, and as an archive with files of few rows.
func made(t testing.TB, o generate.Options, rows int64) (trace, folder string) {
	t.Helper()
	trace = filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(trace, o); err != nil {
		t.Fatal(err)
	}
	return trace, converted(t, trace, rows)
}

func converted(t testing.TB, trace string, rows int64) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "archive")
	if err := convert.Trace(folder, tracetest.Open(t, trace), convert.Options{By: "test", FileRows: rows}); err != nil {
		t.Fatal(err)
	}
	return folder
}

func answer(t testing.TB, conn *sqlite.Conn, query string, args ...any) (rows []string) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		var row strings.Builder
		for i := range s.ColumnCount() {
			fmt.Fprintf(&row, "%v %q|", s.ColumnType(i), s.ColumnText(i))
		}
		rows = append(rows, row.String())
		return nil
	}}); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

// SQL finds the same rows in an archive as in the trace, in the same order, by whatever they
// are looked for.
func TestSQLFindsTheSameRows(t *testing.T) {
	path, folder := made(t, generate.Options{Spans: 3000, Ranks: 11, Threads: 2, Activity: true, Own: true, Seed: 3}, 700)
	trace, archived := tracetest.Open(t, path), tracetest.Open(t, folder)
	files := map[string]bool{}
	for _, table := range archive.Tables {
		key := table.Columns[0]
		last, err := schema.Integer(trace.Conn(), fmt.Sprintf("SELECT coalesce(max(%s), 0) FROM %s", key, table.Name))
		if err != nil {
			t.Fatal(err)
		}
		if last < 10 && table != archive.Ending {
			t.Fatalf("%s ends with %d", table.Name, last)
		}
		conditions := []string{"", fmt.Sprintf("WHERE %s = %d", key, last/2), fmt.Sprintf("WHERE %s = %d", key, last+1), fmt.Sprintf("WHERE %s IS NULL", key),
			fmt.Sprintf("WHERE %s = %d.5", key, last/2), fmt.Sprintf("WHERE %s = '%d'", key, last/2), fmt.Sprintf("WHERE %s > %d", key, last/2),
			fmt.Sprintf("WHERE %s >= %d.5", key, last/3), fmt.Sprintf("WHERE %s < %d AND %[1]s > %d", key, last-7, last-100),
			fmt.Sprintf("WHERE %s BETWEEN %d AND %d", key, last/3, last/3+5), fmt.Sprintf("WHERE rowid <= %d", last/4), fmt.Sprintf("WHERE %s IN (1, %d, %d)", key, last, last/5),
			fmt.Sprintf("WHERE %s > -9223372036854775808 AND %[1]s <= 9223372036854775807", key), fmt.Sprintf("WHERE %s < 0", key)}
		if table.Time >= 0 {
			time := table.Columns[table.Time]
			conditions = append(conditions, fmt.Sprintf("WHERE %s BETWEEN 1000000 AND 2000000", time), fmt.Sprintf("WHERE %s > 1e6 AND %[1]s <= 1500000", time),
				fmt.Sprintf("WHERE %s = (SELECT max(%[1]s) FROM %s)", time, table.Name), fmt.Sprintf("WHERE %s < 3000000 AND %s > %d", time, key, last/2))
		}
		if table == archive.Record {
			conditions = append(conditions, "WHERE duration IS NULL", "WHERE duration = 0", "WHERE site = 5")
		}
		for _, condition := range conditions {
			for _, order := range []string{"", " ORDER BY " + key, " ORDER BY " + key + " DESC", " ORDER BY " + key + " DESC LIMIT 3", " LIMIT 4"} {
				query := fmt.Sprintf("SELECT * FROM %s %s%s", table.Name, condition, order)
				got, want := answer(t, archived.Conn(), query), answer(t, trace.Conn(), query)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d rows, want %d; the first are\n%.200q\n%.200q", query, len(got), len(want), got, want)
				}
			}
			query := fmt.Sprintf("SELECT count(*), min(%s), max(%[1]s) FROM %s %s", key, table.Name, condition)
			if got, want := answer(t, archived.Conn(), query), answer(t, trace.Conn(), query); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		for _, part := range manifest(t, folder).Tables[table.Name] {
			files[part.Ranks] = true
		}
	}
	if len(files) != 7 { // 6 ranges of two ranks and fewer, and what all share
		t.Errorf("the ranks are cut into %v", files)
	}
}

func manifest(t testing.TB, folder string) *archive.Manifest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, archive.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What Go reads without SQL is the same, too, and an archive of an archive is the same archive.
func TestReadersReadTheSame(t *testing.T) {
	path, folder := made(t, generate.Options{Spans: 2000, Threads: 2, Activity: true, Own: true, Seed: 5}, 500)
	want := readings(t, tracetest.Open(t, path))
	for name, other := range map[string]string{"archive": folder, "archive of the archive": converted(t, folder, 900)} {
		if got := readings(t, tracetest.Open(t, other)); !reflect.DeepEqual(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("%s: %.500s\nwant %.500s", name, got[i], want[i])
				}
			}
		}
	}
}

// readings are what the readers of a trace give, as text.
func readings(t testing.TB, trace *store.Trace) (all []string) {
	t.Helper()
	say := func(what any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	meta, err := trace.Meta()
	say(meta, err)
	for _, filter := range []store.Filter{{}, {From: 1_000_000, To: 3_000_000}, {Kinds: []string{"enqueue_launch"}}, {Thread: 2, From: 2_000_000}} {
		for r, err := range trace.Records(filter) {
			say(*r, err)
		}
		for a, err := range trace.Activities(filter) {
			say(*a, err)
		}
	}
	lanes, err := trace.Lanes().All()
	say(lanes, err)
	for _, lane := range lanes {
		for _, width := range []int{10, 1000} {
			blocks, err := trace.Lanes().Blocks(lane, lane.First, lane.Last, width)
			say(blocks, err)
		}
	}
	if len(all) < 3000 {
		t.Fatalf("%d readings", len(all))
	}
	return all
}

// What is damaged, missing or from a later accscope is refused by an error that names the
// file and says what helps.
func TestRefusals(t *testing.T) {
	_, whole := made(t, generate.Options{Spans: 800, Activity: true}, 1000)
	record := manifest(t, whole).Tables["record"][0].Name
	change := func(from, to string) func(string) error {
		return func(folder string) error {
			name := filepath.Join(folder, archive.ManifestFile)
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			changed := strings.Replace(string(text), from, to, 1)
			if changed == string(text) {
				return fmt.Errorf("the manifest has no %q", from)
			}
			return os.WriteFile(name, []byte(changed), 0o666)
		}
	}
	for name, c := range map[string]struct {
		harm  func(folder string) error
		wraps error
		says  []string
	}{
		"a later version":      {change(`"version": 1,`, `"version": 2,`), archive.ErrVersion, []string{archive.ManifestFile, "use a newer accscope"}},
		"a later schema":       {change(`"schema": `, `"schema": 9`), archive.ErrVersion, []string{archive.ManifestFile, "use a newer accscope"}},
		"another format":       {change(`"accscope archive"`, `"tables"`), schema.ErrNotATrace, []string{archive.ManifestFile}},
		"no JSON":              {change(`{`, `<`), schema.ErrDamaged, []string{archive.ManifestFile, archive.Remedy}},
		"a way out":            {change(`"file": "record/`, `"file": "../../record/`), schema.ErrDamaged, []string{archive.ManifestFile, "does not lie in the archive"}},
		"too many rows":        {change(`"rows": 1000`, `"rows": 100000`), schema.ErrDamaged, []string{archive.ManifestFile, archive.Remedy}},
		"other rows":           {change(`"first": 1,`, `"first": 0,`), schema.ErrDamaged, []string{"part-000000.parquet", "its rows are not those", archive.Remedy}},
		"a file that is gone":  {func(folder string) error { return os.Remove(filepath.Join(folder, record)) }, os.ErrNotExist, []string{record, archive.Remedy}},
		"a file that is short": {func(folder string) error { return os.Truncate(filepath.Join(folder, record), 1000) }, schema.ErrDamaged, []string{record, "it has 1000 B, the manifest says", archive.Remedy}},
		"a file of zeros": {func(folder string) error {
			info, err := os.Stat(filepath.Join(folder, record))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, record), make([]byte, info.Size()), 0o666)
		}, schema.ErrDamaged, []string{record, archive.Remedy}},
		"a changed page": {func(folder string) error { return flip(filepath.Join(folder, record), 600) }, schema.ErrDamaged, []string{record, archive.Remedy}},
		"other sums": {func(folder string) error {
			return sums(folder, "UPDATE total SET time = time + 1 WHERE site = (SELECT max(site) FROM total WHERE ended > 0)")
		}, schema.ErrDamaged, []string{archive.IndexFile, "have other sums", archive.Remedy}},
		"sums of no rows": {func(folder string) error {
			return sums(folder, "INSERT INTO work_total SELECT work + 1000, thread, site, count, time, shortest, longest, bytes FROM work_total LIMIT 1")
		}, schema.ErrDamaged, []string{archive.IndexFile, "have other sums", archive.Remedy}},
		"no index": {func(folder string) error { return os.Remove(filepath.Join(folder, archive.IndexFile)) }, os.ErrNotExist, []string{archive.IndexFile, archive.Remedy}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "archive")
			if err := errors.Join(os.CopyFS(folder, os.DirFS(whole)), c.harm(folder)); err != nil {
				t.Fatal(err)
			}
			trace, err := store.Open(folder, store.Checked())
			if err == nil {
				err = errors.Join(errors.New("it was opened"), trace.Close())
			}
			if !errors.Is(err, c.wraps) {
				t.Errorf("%v does not wrap %v", err, c.wraps)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not say %q", err, part)
				}
			}
		})
	}
}

// sums changes the sums of an archive's index.
func sums(folder, change string) error {
	conn, err := sqlite.OpenConn(filepath.Join(folder, archive.IndexFile), sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(sqlitex.ExecuteTransient(conn, change, nil), conn.Close())
}

// flip changes a byte of a file.
func flip(path string, at int) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[at] ^= 0x20
	return os.WriteFile(path, data, 0o666)
}

// A query over a damaged file fails with its name; wherever the damage is, nothing worse.
func TestDamageIsNamed(t *testing.T) {
	_, whole := made(t, generate.Options{Spans: 500, Activity: true}, 100_000)
	name := manifest(t, whole).Tables["record"][0].Name
	folder := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, name)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for at := 0; at < int(info.Size()); at += max(int(info.Size())/150, 1) {
		if err := flip(file, at); err != nil {
			t.Fatal(err)
		}
		trace, err := store.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		err = sqlitex.ExecuteTransient(trace.Conn(), "SELECT sum(time), sum(duration), sum(site), sum(link) FROM record", nil)
		if err != nil {
			failed++
			if !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), archive.Remedy) {
				t.Errorf("byte %d: %v", at, err)
			}
		}
		if err := errors.Join(trace.Close(), flip(file, at)); err != nil {
			t.Fatal(err)
		}
	}
	if failed < 10 {
		t.Errorf("%d damages were found", failed)
	}
}

// Rows that are no numbers do not become an archive, and leave none behind.
func TestDamagedTrace(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "UPDATE record SET time = 'noon' WHERE id = 7")
	folder := filepath.Join(t.TempDir(), "archive")
	err := convert.Trace(folder, tracetest.Open(t, path), convert.Options{})
	if !errors.Is(err, schema.ErrDamaged) || !strings.Contains(err.Error(), "table record, row 7: its time is no number") {
		t.Errorf("%v", err)
	}
	if archive.Is(folder) {
		t.Error("there is a manifest")
	}
}

func FuzzManifest(f *testing.F) {
	_, folder := made(f, generate.Options{Spans: 50, Activity: true}, 60)
	text, err := os.ReadFile(filepath.Join(folder, archive.ManifestFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format": "accscope archive", "version": 1, "schema": 4, "index": {"file": "index.db"}}`))
	f.Add([]byte(`{"format": "accscope archive", "version": 1, "schema": 4, "index": {"file": "/etc/passwd"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := archive.ParseManifest(text)
		if err != nil {
			return
		}
		for name, parts := range m.Tables {
			for _, table := range archive.Tables {
				if table.Name != name {
					continue
				}
				for _, p := range parts {
					if !filepath.IsLocal(p.Name) || p.Rows < 1 || p.First > p.Last || p.First == math.MinInt64 {
						t.Errorf("%+v", p)
					}
				}
			}
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := archive.ParseManifest(again); err != nil {
			t.Errorf("what was read is refused: %v", err)
		}
	})
}
