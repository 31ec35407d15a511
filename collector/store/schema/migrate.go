package schema

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/accscope/accscope/collector/store/rollup"
	"golang.org/x/sys/unix"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A trace of an earlier version is read through a copy of this one, in the
// temporary folder, that lives as long as somebody in this process has the trace
// open. The trace itself is not changed.

// migration is such a copy.
type migration struct {
	once  sync.Once
	path  string
	err   error
	users int
}

// original is a file as it was at a moment.
type original struct {
	device, inode  uint64
	size, modified int64
}

var migrations = struct {
	sync.Mutex
	of map[original]*migration
}{of: make(map[original]*migration)}

// Migrated gives a copy of the current version, and what to call when it is not
// read any more.
func Migrated(path string) (copied string, done func() error, err error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	of := original{s.Dev, s.Ino, s.Size, s.Mtim.Nano()}
	migrations.Lock()
	m := migrations.of[of]
	if m == nil {
		m = new(migration)
		migrations.of[of] = m
	}
	m.users++
	migrations.Unlock()
	m.once.Do(func() { m.path, m.err = migrate(path) })
	done = func() error {
		migrations.Lock()
		defer migrations.Unlock()
		if m.users--; m.users > 0 {
			return nil
		}
		delete(migrations.of, of)
		if m.path == "" {
			return nil
		}
		return os.RemoveAll(filepath.Dir(m.path))
	}
	if m.err != nil {
		return "", nil, errors.Join(m.err, done())
	}
	return m.path, done, nil
}

// version1SQL fills a trace from one of version 1.
//
//go:embed version1.sql
var version1SQL string

// unchanged are the tables of version 1 that have the same columns in this one.
var unchanged = []string{"host", "process", "thread", "queue", "place", "shape", "launch", "failure", "stack", "frame", "work", "dependency",
	"occupancy", "lost", "position"}

// migrate writes what the trace at path holds into a new one, in which processes,
// threads, devices, queues and records keep their numbers.
func migrate(path string) (copied string, err error) {
	from, err := OpenReadOnly(path)
	if err != nil {
		return "", Explain(path, err)
	}
	version, err := CheckVersion(from, path)
	if err == nil {
		err = checkVersion1(from, path)
	}
	if err = errors.Join(err, Explain(path, from.Close())); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "accscope-")
	if err != nil {
		return "", fmt.Errorf("%s: a trace of version %d is read through a copy: %w", path, version, err)
	}
	copied = filepath.Join(folder, "trace.db")
	if err := copyVersion1(path, copied); err != nil {
		return "", errors.Join(fmt.Errorf("%s: cannot read version %d of the schema: %w", path, version, Explain(path, err)), os.RemoveAll(folder))
	}
	return copied, nil
}

// changed are the columns of its other tables.
var changed = map[string]string{
	"meta": "key,value", "string": "id,text",
	"device":    "id,process,type,number,name,capacity,vendor",
	"site":      "id,kind,device,queue,async,place,shape,name,parent_construct,implicit,launch,failure,stack",
	"located":   "site,place",
	"record":    "id,thread,site,sequence,time,duration,end_sequence,parent,depth,inner_time,bytes,host,address,opener,correlation",
	"ending":    "record,site,bytes,host,address,correlation",
	"sample":    "device,time,used",
	"open_span": "record,pair",
	"existing":  "id,device,time,host,address,bytes,name,attached,structured,dynamic",
	"activity":  "id,work,record,start,duration,delay,device_start,device_excess,bytes,correlation",
}

// checkVersion1 refuses a file where what is read as a table is none, and could be
// anybody's SQL, or has other columns.
func checkVersion1(conn *sqlite.Conn, path string) error {
	have, err := tables(conn)
	if err != nil {
		return Explain(path, err)
	}
	now, err := ownTables()
	if err != nil {
		return err
	}
	want := maps.Clone(changed)
	for _, table := range unchanged {
		want[table] = now[table]
	}
	for _, table := range slices.Sorted(maps.Keys(want)) {
		if have[table] != want[table] {
			return otherTable(path, table)
		}
	}
	return nil
}

// copyVersion1 makes a trace of one of version 1.
func copyVersion1(from, to string) (err error) {
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := Protect(conn); err != nil {
		return err
	}
	absolute, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	conn.Limit(sqlite.LimitAttached, 1)
	// Nobody needs the copy if we do not get to its end.
	for _, pragma := range []string{"query_only = OFF", "journal_mode = OFF", "synchronous = OFF", fmt.Sprintf("application_id = %d", ApplicationID)} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	if err := Create(conn); err != nil {
		return err
	}
	if err := Execute(conn, "ATTACH ? AS old", URI(absolute)+"?mode=ro"); err != nil {
		return err
	}
	return fillFromVersion1(conn)
}

// fillFromVersion1 fills a new trace from the one that is attached as old.
func fillFromVersion1(conn *sqlite.Conn) (err error) {
	defer sqlitex.Save(conn)(&err)
	copying := "INSERT OR REPLACE INTO meta SELECT * FROM old.meta; INSERT INTO string SELECT * FROM old.string WHERE id > 0;"
	for _, table := range unchanged {
		copying += "INSERT OR REPLACE INTO " + table + " SELECT * FROM old." + table + ";"
	}
	if err := sqlitex.ExecuteScript(conn, copying+version1SQL, nil); err != nil {
		return err
	}
	if err := Execute(conn, SiteDetail, 0); err != nil {
		return err
	}
	complete, err := Integer(conn, "SELECT value FROM meta WHERE key = 'complete'")
	if err != nil {
		return err
	}
	if err := RebuildTotals(conn, complete != 0); err != nil {
		return err
	}
	roll := rollup.New()
	if err := roll.Rebuild(conn); err != nil {
		return err
	}
	roll.Finish()
	return roll.Save(conn)
}
