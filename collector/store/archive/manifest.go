// Package archive reads and writes a run as a folder of Parquet files that everybody's
// tools read, too (docs/archive.md): the tables that grow with the run (record, activity,
// datum, ending) cut into files by ranks and time, the others beside them, and an index in
// SQLite with what is small and with the summaries of timelines at several zooms. A manifest
// says which files there are, and what rows they hold.
//
// SQL finds the rows in virtual tables over the files: package store opens an archive as it
// opens a trace, with the same views.
package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/collector/store/schema"
)

// ManifestFile is the file of an archive that describes it, and IndexFile the one in SQLite.
const (
	ManifestFile = "archive.json"
	IndexFile    = "index.db"
)

// Version is that of the archives that this package writes. A file or a table more needs no
// new one, since readers look only for what they know.
const Version = 1

// format is what the manifest calls itself.
const format = "accscope archive"

// Manifest describes an archive.
type Manifest struct {
	Format   string            `json:"format"`
	Version  int               `json:"version"`
	Schema   int               `json:"schema"`     // version of the trace's tables
	Writer   string            `json:"written_by"` // the accscope that wrote it
	Run      string            `json:"run"`        // identity of the trace, "" where it has none
	Complete bool              `json:"complete"`   // false: the run had not ended, or its collector was killed
	Index    File              `json:"index"`
	Tables   map[string][]Part `json:"tables"`            // the files of the tables that are cut
	Copies   map[string]File   `json:"copies"`            // the other tables, for other readers
	Growing  *Growing          `json:"growing,omitempty"` // how far it has come while it is written; there is no index then
}

// Growing is how far an archive has come that is written while its trace is.
type Growing struct {
	Width int              `json:"width"` // how many ranks a range has
	Next  map[string]int64 `json:"next"`  // by table: the key from which on rows are in no file yet
}

// File is a file of an archive.
type File struct {
	Name  string `json:"file"`  // below the folder, with slashes
	Bytes int64  `json:"bytes"` // its size
	Rows  int64  `json:"rows"`
}

// Part is a file of a table: neighbouring rows of some ranks.
type Part struct {
	File
	Ranks string `json:"ranks"`          // those of its processes: a range, or "none" where they have no rank
	Late  bool   `json:"late,omitempty"` // rows that could still change when those around them were written
	First int64  `json:"first"`          // key of its first row
	Last  int64  `json:"last"`           // and of its last
	From  *int64 `json:"from,omitempty"` // the earliest time of a row, ns since the trace's origin
	To    *int64 `json:"to,omitempty"`   // the latest
}

// ranked are ranks whose files hold rows in order of their keys, one file after another.
type ranked struct {
	ranks string
	late  bool
}

func (p *Part) ranked() ranked { return ranked{p.Ranks, p.Late} }

// ErrGrowing is wrapped by errors about archives that are still written.
var ErrGrowing = errors.New("archive is still written")

// ErrVersion is wrapped by errors about archives of a later version.
var ErrVersion = errors.New("archive was written by a later accscope")

// Remedy is what helps where a file of an archive is damaged.
const Remedy = "write the archive again if the trace it was made of is still there"

// mostParts is more than the files of any table, and mostManifest than the bytes of any
// manifest: both come from elsewhere.
const (
	mostParts    = 1 << 20
	mostManifest = 1 << 30
)

// Is says whether path is the folder of an archive.
func Is(path string) bool {
	info, err := os.Stat(filepath.Join(path, ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

// Holds are the names in an archive's folder that are the archive's, nothing where path is
// none that can be read.
func Holds(path string) []string {
	m, err := readManifest(path)
	if err != nil {
		return nil
	}
	names := []string{ManifestFile, IndexFile}
	for _, parts := range m.Tables {
		for _, part := range parts {
			first, _, _ := strings.Cut(part.Name, "/")
			names = append(names, first)
		}
	}
	for _, file := range m.Copies {
		names = append(names, file.Name)
	}
	return names
}

// readManifest reads the manifest of the archive at path.
func readManifest(path string) (*Manifest, error) {
	name := filepath.Join(path, ManifestFile)
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("cannot open archive %s: %w", path, err)
	}
	if info.Size() > mostManifest {
		return nil, fmt.Errorf("%s: %w: it has %d B; %s", name, schema.ErrDamaged, info.Size(), Remedy)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot open archive %s: %w", path, err)
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ParseManifest reads a manifest and checks what it says: its errors wrap schema.ErrNotATrace
// where the text is of another format, ErrVersion where it is of a later version, and
// schema.ErrDamaged where it contradicts itself.
func ParseManifest(text []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%w: %w; %s", schema.ErrDamaged, err, Remedy)
	}
	switch {
	case m.Format != format:
		return nil, fmt.Errorf("%w: it says that it is %.40q", schema.ErrNotATrace, m.Format)
	case m.Version > Version:
		return nil, fmt.Errorf("%w: its version is %d, this program knows %d; use a newer accscope", ErrVersion, m.Version, Version)
	case m.Schema > schema.Version:
		return nil, fmt.Errorf("%w: its tables are of version %d, this program knows %d; use a newer accscope", ErrVersion, m.Schema, schema.Version)
	case m.Version < 1 || m.Schema < 1:
		return nil, damagedManifest("version %d with tables of version %d", m.Version, m.Schema)
	}
	if m.Growing == nil {
		if err := m.Index.check(); err != nil {
			return nil, err
		}
	} else if m.Complete || m.Growing.Width < 1 || m.Growing.Next == nil {
		return nil, damagedManifest("it is complete and still written, or does not say how far it has come")
	}
	for _, table := range Tables {
		if err := checkParts(table, m.Tables[table.Name]); err != nil {
			return nil, err
		}
	}
	for _, file := range m.Copies {
		if err := file.check(); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

func damagedManifest(what string, args ...any) error {
	return fmt.Errorf("%w: %s; %s", schema.ErrDamaged, fmt.Sprintf(what, args...), Remedy)
}

// check refuses names that lead out of the archive.
func (f *File) check() error {
	if f.Name == "" || !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.ContainsRune(f.Name, 0) {
		return damagedManifest("the file %.80q does not lie in the archive", f.Name)
	}
	if f.Bytes < 0 || f.Rows < 0 {
		return damagedManifest("the file %.80q has %d rows in %d B", f.Name, f.Rows, f.Bytes)
	}
	return nil
}

// checkParts refuses files of a table whose rows are out of order: those of the same ranks
// follow one another.
func checkParts(table *Table, parts []Part) error {
	if len(parts) > mostParts {
		return damagedManifest("the table %s has %d files", table.Name, len(parts))
	}
	last := map[ranked]int64{}
	for i := range parts {
		p := &parts[i]
		if err := p.check(); err != nil {
			return err
		}
		before, later := last[p.ranked()]
		switch {
		case p.Rows < 1 || p.First > p.Last || p.First == math.MinInt64 || uint64(p.Last-p.First) < uint64(p.Rows-1):
			return damagedManifest("the file %.80q has %d rows from %d to %d", p.Name, p.Rows, p.First, p.Last)
		case later && p.First <= before:
			return damagedManifest("the file %.80q begins with row %d, and one before it ends with %d", p.Name, p.First, before)
		case table.Time >= 0 && (p.From == nil || p.To == nil || *p.From > *p.To):
			return damagedManifest("the file %.80q has no time", p.Name)
		}
		last[p.ranked()] = p.Last
	}
	return nil
}

// write makes the manifest the one of the archive at path, whole or not at all.
func (m *Manifest) write(path string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomically(filepath.Join(path, ManifestFile), func(file *os.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// atomically makes a file that appears under its name when it is whole.
func atomically(path string, fill func(*os.File) error) (err error) {
	file, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if gone := os.Remove(path + unfinished); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}()
	if err := errors.Join(fill(file), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+unfinished, path)
}

// unfinished ends the names of files that are not whole.
const unfinished = ".unfinished"
