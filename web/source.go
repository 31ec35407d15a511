package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// lineCost is what a line of a source cost.
type lineCost struct {
	Line      int32 `json:"line"`
	Count     int64 `json:"count"`
	Exclusive int64 `json:"exclusive"` // ns of the host
	Device    int64 `json:"device"`    // ns
	Bytes     int64 `json:"bytes"`     // moved
	Sampled   int64 `json:"sampled"`   // ns of processor time at the line itself, by samples
}

type sourceFile struct {
	File      string     `json:"file"`
	Readable  bool       `json:"readable"`
	Exclusive int64      `json:"exclusive"`
	Device    int64      `json:"device"`
	Bytes     int64      `json:"bytes"`
	Sampled   int64      `json:"sampled"`
	Lines     []lineCost `json:"lines"` // by number
	// Counted is what the lines' code did in kernels, of all kernels together, by number; of devices that count.
	Counted []report.CountedLine `json:"counted"`
}

// sources lists the sources that the trace names, with what their lines cost: first
// those that took most of the host's time, of the devices', which pass side by side, or of
// processors as they were sampled.
func sources(r *request) (any, error) {
	files := make(map[string]map[int32]*lineCost)
	at := func(file string, line int32) *lineCost {
		lines := lookup.Make(files, file, func() map[int32]*lineCost { return map[int32]*lineCost{} })
		return lookup.Make(lines, line, func() *lineCost { return &lineCost{Line: line} })
	}
	totals, err := r.trace.Sums().Totals(store.Filter{})
	if err != nil {
		return nil, err
	}
	for i := range totals {
		t := &totals[i]
		if t.Site.File == "" || t.Site.Own() {
			continue
		}
		c := at(t.Site.File, t.Site.Line)
		c.Count += t.Count
		c.Exclusive += t.Exclusive()
		c.Device += t.Device.Time
		if t.Site.Kind == "enqueue_upload" || t.Site.Kind == "enqueue_download" {
			c.Bytes += max(t.Bytes, 0)
		}
	}
	for s, err := range r.trace.Rows("reading samples", `SELECT source_file, line, sum(weight) FROM cpu_samples WHERE source_file IS NOT NULL AND line > 0 AND weight + 0 > 0
		AND module NOT LIKE '%/libopenacc%' AND module NOT LIKE '%/libacc%' AND `+r.trace.ChosenSQL("process")+` GROUP BY 1, 2`) {
		if err != nil {
			return nil, err
		}
		if file := s.ColumnText(0); isSource(file) {
			at(file, s.ColumnInt32(1)).Sampled += s.ColumnInt64(2)
		}
	}
	counted, err := report.CountedSources(r.trace)
	if err != nil {
		return nil, err
	}
	for name := range counted {
		if name != "" && files[name] == nil {
			files[name] = map[int32]*lineCost{} // what kernels have from a header
		}
	}
	out := []sourceFile{}
	for name, lines := range files {
		f := sourceFile{File: name, Lines: []lineCost{}, Counted: present(counted[name])}
		_, err := r.reader.findSource(name)
		f.Readable = err == nil
		for _, c := range lines {
			f.Lines = append(f.Lines, *c)
			f.Exclusive, f.Device, f.Bytes, f.Sampled = f.Exclusive+c.Exclusive, f.Device+c.Device, f.Bytes+c.Bytes, f.Sampled+c.Sampled
		}
		slices.SortFunc(f.Lines, func(a, b lineCost) int { return cmp.Compare(a.Line, b.Line) })
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b sourceFile) int {
		return cmp.Or(cmp.Compare(max(b.Exclusive, b.Device, b.Sampled), max(a.Exclusive, a.Device, a.Sampled)), cmp.Compare(a.File, b.File))
	})
	return out, nil
}

type sourceAnswer struct {
	File  string   `json:"file"`
	First int64    `json:"first"` // number of the first line
	Lines []string `json:"lines"`
	Total int64    `json:"total"` // lines of the file
	// Newer: the file was changed after the program ran, so lines may differ.
	Newer bool `json:"newer"`
}

// source gives the text around a line, or all of a file (around 0).
func source(r *request) (any, error) {
	name := r.values.text("file")
	line := r.values.integer("line", 1, -1, 1<<31)
	around := r.values.integer("around", 0, 0, 10_000)
	if r.values.err != nil {
		return nil, r.values.err
	}
	named, err := r.names(name)
	if err != nil {
		return nil, err
	}
	if !named {
		return nil, notFound("the trace names no source %q", name)
	}
	path, err := r.reader.findSource(name)
	if err != nil {
		return nil, notFound("%v", err)
	}
	text, changed, err := readSource(path)
	if err != nil {
		return nil, notFound("%v", err)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	a := sourceAnswer{File: name, First: 1, Total: int64(len(lines))}
	last := a.Total
	if around > 0 {
		a.First = max(line-around, 1)
		last = min(line+around, a.Total)
	}
	a.Lines = []string{}
	if a.First <= last {
		a.Lines = lines[a.First-1 : last]
	}
	meta, err := r.trace.Meta()
	a.Newer = meta.Realtime > 0 && changed > meta.Realtime
	return &a, err
}

// names says whether an event of the trace, a function that was sampled, or a line of a kernel has this source.
func (r *request) names(file string) (bool, error) {
	if file == "" {
		return false, nil
	}
	there, err := r.trace.Number("reading places", "SELECT 1 FROM place p JOIN string s ON s.id = p.file WHERE s.text = ?1 UNION ALL SELECT 1 FROM frame WHERE file = ?1 AND EXISTS (SELECT 1 FROM cpu_sample) UNION ALL SELECT 1 FROM line_count WHERE file = ?1 LIMIT 1", file)
	return there != 0, err
}

// longestSource is the size, bytes, up to which sources are shown.
const longestSource = 4 << 20

// sourceEndings are the names of files that OpenACC programs are written in. A
// trace from elsewhere may name any file as its source; others are not shown.
var sourceEndings = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".cu", ".cuh",
	".f", ".for", ".ftn", ".f77", ".f90", ".f95", ".f03", ".f08", ".f18", ".fpp"}

// isSource says whether a file is named as a source is.
func isSource(name string) bool {
	return slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(name)))
}

// findSource gives the path of a source that a trace names.
func (s *reader) findSource(name string) (string, error) {
	if strings.ContainsRune(name, 0) || !isSource(name) {
		return "", fmt.Errorf("%q does not end like a C, C++ or Fortran source", name)
	}
	var candidates []string
	if filepath.IsAbs(name) {
		candidates = append(candidates, name)
	}
	for _, folder := range s.sources {
		// Rooted first: a name cannot lead out of the folder.
		inside := filepath.Clean("/" + name)
		candidates = append(candidates, filepath.Join(folder, inside), filepath.Join(folder, filepath.Base(inside)))
	}
	for _, candidate := range candidates {
		// A link is what it leads to.
		path, err := filepath.EvalSymlinks(candidate)
		if err != nil || !isSource(path) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= longestSource {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not readable here; --source-dir names folders to look in: %w", name, fs.ErrNotExist)
}

func readSource(path string) (text string, changed int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	content, err := io.ReadAll(io.LimitReader(file, longestSource+1))
	if err != nil {
		return "", 0, err
	}
	if len(content) > longestSource || bytes.IndexByte(content, 0) >= 0 {
		return "", 0, errors.New("the source is no text, or too long to be shown")
	}
	if !utf8.Valid(content) {
		content = bytes.ToValidUTF8(content, []byte("\uFFFD"))
	}
	return string(content), info.ModTime().UnixNano(), nil
}
