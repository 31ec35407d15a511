package units

import (
	"debug/dwarf"
	"io"
	"path/filepath"
	"sort"
)

// row is one row of a line table.
type row struct {
	address uint64
	File    int32 // index in LineTable.files, -1 when unknown
	Line    int32
	Column  int32
	end     bool // one past the last instruction of a sequence
}

// LineTable is the line table of one unit, its sequences sorted by address.
type LineTable struct {
	rows      []row
	sequences []sequence
	files     []string // by DWARF file number
}

type sequence struct {
	low, high   uint64
	first, last int // rows, the end row included
}

// A line table of more rows is cut.
const maxRows = 8 << 20

// Lines is the unit's line table, empty where it has none or that is damaged.
func (u *Unit) Lines() *LineTable {
	if u.lineTable != nil {
		return u.lineTable
	}
	t := &LineTable{}
	u.lineTable = t
	data, root := u.data, u.root
	if u.skeleton != nil {
		data, root = u.skeleton.data, u.skeleton.root
	}
	r, err := data.LineReader(root)
	if err != nil || r == nil {
		return t
	}
	index := map[*dwarf.LineFile]int32{}
	first := 0
	for len(t.rows) < maxRows {
		var e dwarf.LineEntry
		if err := r.Next(&e); err != nil {
			if err != io.EOF {
				// What was read before the damage stays usable.
				t.rows = t.rows[:first]
			}
			break
		}
		file := int32(-1)
		if e.File != nil {
			n, ok := index[e.File]
			if !ok {
				for i, f := range r.Files() {
					if f != nil {
						index[f] = int32(i)
					}
				}
				n = index[e.File]
			}
			file = n
		}
		t.rows = append(t.rows, row{e.Address, file, int32(e.Line), int32(e.Column), e.EndSequence})
		if e.EndSequence {
			seq := t.rows[first:]
			sort.SliceStable(seq, func(i, j int) bool { return seq[i].address < seq[j].address })
			// A sequence at 0 belongs to a function the linker dropped.
			if low := seq[0].address; low != 0 && e.Address > low {
				t.sequences = append(t.sequences, sequence{low, e.Address, first, len(t.rows) - 1})
			}
			first = len(t.rows)
		}
	}
	t.files = fileNames(r, u.folder)
	sort.Slice(t.sequences, func(i, j int) bool { return t.sequences[i].low < t.sequences[j].low })
	return t
}

// fileNames are the paths of a line table's files, "" for those without a name.
func fileNames(r *dwarf.LineReader, folder string) []string {
	var names []string
	for _, f := range r.Files() {
		if f == nil || f.Name == "" {
			names = append(names, "")
			continue
		}
		name := f.Name
		if !filepath.IsAbs(name) && folder != "" {
			name = filepath.Join(folder, name)
		}
		names = append(names, filepath.Clean(name))
	}
	return names
}

// FileName is the file of a number that an entry has.
func (u *Unit) FileName(n int64) string {
	if u.skeleton != nil && u.declared == nil {
		u.declared = u.declarationFiles()
	}
	files := u.declared
	if u.skeleton == nil {
		files = u.Lines().files
	}
	if n < 0 || n >= int64(len(files)) {
		return ""
	}
	return files[n]
}

func (t *LineTable) Name(file int32) string {
	if file < 0 || int(file) >= len(t.files) {
		return ""
	}
	return t.files[file]
}

// At gives the row in force at pc. Rows of line 0 belong to no line; the row
// before them is not taken instead.
func (t *LineTable) At(pc uint64) (row, bool) {
	i := sort.Search(len(t.sequences), func(i int) bool { return t.sequences[i].low > pc })
	if i == 0 || pc >= t.sequences[i-1].high {
		return row{}, false
	}
	s := t.sequences[i-1]
	rows := t.rows[s.first : s.last+1]
	j := sort.Search(len(rows), func(j int) bool { return rows[j].address > pc })
	if j == 0 {
		return row{}, false
	}
	r := rows[j-1]
	return r, !r.end && r.Line > 0
}

// Has says whether lines of a file, from a first to a last one, are among the rows at some addresses,
// also of those without code.
func (t *LineTable) Has(file string, first, last int, at func(pc uint64) bool) bool {
	for _, r := range t.rows {
		if !r.end && int(r.Line) >= first && int(r.Line) <= last && t.Name(r.File) == file && at(r.address) {
			return true
		}
	}
	return false
}

// span calls f for every row in force somewhere in the range.
func (t *LineTable) span(low, high uint64, f func(row)) {
	for _, s := range t.sequences {
		if s.high <= low || s.low >= high {
			continue
		}
		rows := t.rows[s.first : s.last+1]
		j := sort.Search(len(rows), func(j int) bool { return rows[j].address > low })
		for j = max(j-1, 0); j < len(rows) && rows[j].address < high; j++ {
			// A row that the next one replaces at once has no code.
			if !rows[j].end && rows[j].Line > 0 && j+1 < len(rows) && rows[j+1].address > max(rows[j].address, low) {
				f(rows[j])
			}
		}
	}
}
