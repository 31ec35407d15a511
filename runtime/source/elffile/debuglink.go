package elffile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/cursor"
)

// SeparateFile is a place where a file of debug information was looked for.
type SeparateFile struct {
	Path   string
	Exists bool // it is there, but is not that of this program
}

// FindDebug looks for separate debug information: by build-id, then by the
// .gnu_debuglink name beside the file, in its .debug folder, in the roots and below them. One
// found by name has the file's build-id, or the checksum, which does not hold any more where
// its debug information was shared with others later (dwz -m). When there is none, it tells
// where it has looked.
func FindDebug(f *File, roots []string) (*File, []SeparateFile) {
	var looked []SeparateFile
	try := func(path string, matches func(*File) bool) *File {
		d, err := Open(path)
		if err == nil && d.HasDebug() && matches(d) {
			return d
		}
		looked = append(looked, SeparateFile{path, err == nil})
		if err == nil {
			d.Close()
		}
		return nil
	}
	id := f.BuildID()
	if len(id) > 2 {
		for _, root := range roots {
			path := filepath.Join(root, ".build-id", id[:2], id[2:]+".debug")
			if d := try(path, func(d *File) bool { return d.BuildID() == id }); d != nil {
				return d, nil
			}
		}
	}
	name, sum, ok := DebugLink(f.Bytes(".gnu_debuglink"))
	if !ok {
		return nil, looked
	}
	dir := filepath.Dir(f.Path)
	if real, err := filepath.EvalSymlinks(f.Path); err == nil {
		dir = filepath.Dir(real)
	}
	candidates := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
	if abs, err := filepath.Abs(dir); err == nil {
		for _, root := range roots {
			candidates = append(candidates, filepath.Join(root, name), filepath.Join(root, abs, name))
		}
	}
	for _, path := range candidates {
		if d := try(path, func(d *File) bool { return id != "" && d.BuildID() == id || checksum(d.Data) == sum }); d != nil {
			return d, nil
		}
	}
	return nil, looked
}

// FindShared looks for the file in which f has part of its debug information, shared with
// other files (DWARF 5 §7.3.6): where f says, then below the roots, by build-id and by name.
// named is what f calls it, "" where f has all itself. When there is none, it tells where
// it has looked.
func FindShared(f *File, roots []string) (shared *File, named string, looked []SeparateFile) {
	named, id := f.sharedName()
	if named == "" {
		return nil, "", nil
	}
	dir := filepath.Dir(f.Path)
	if real, err := filepath.EvalSymlinks(f.Path); err == nil {
		dir = filepath.Dir(real)
	}
	candidates := []string{named}
	if !filepath.IsAbs(named) {
		candidates[0] = filepath.Join(dir, named)
	}
	candidates = append(candidates, filepath.Join(dir, filepath.Base(named)))
	// Distributions keep these files in a folder .dwz, and a file may stand in a folder for
	// each architecture there.
	_, below, ok := strings.Cut(named, ".dwz/")
	if !ok {
		below = filepath.Base(named)
	}
	for _, root := range roots {
		if len(id) > 2 {
			candidates = append(candidates, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
		}
		candidates = append(candidates, filepath.Join(root, ".dwz", below), filepath.Join(root, filepath.Base(named)))
	}
	for i, path := range candidates {
		if slices.Contains(candidates[:i], path) {
			continue
		}
		d, err := Open(path)
		if err == nil && id != "" && d.sharedID() == id {
			return d, named, nil
		}
		looked = append(looked, SeparateFile{path, err == nil})
		if err == nil {
			d.Close()
		}
	}
	return nil, named, looked
}

// sharedName is the file that f shares debug information in, and the build-id of that.
func (f *File) sharedName() (name, id string) {
	if name, sum, ok := bytes.Cut(f.Bytes(".gnu_debugaltlink"), []byte{0}); ok && len(name) > 0 {
		return string(name), hex.EncodeToString(sum)
	}
	name, id, supplementary := supplement(f.Bytes(".debug_sup"))
	if supplementary {
		return "", ""
	}
	return name, id
}

// sharedID is the number that files which share f know it by.
func (f *File) sharedID() string {
	if _, id, supplementary := supplement(f.Bytes(".debug_sup")); supplementary {
		return id
	}
	return f.BuildID()
}

// supplement takes a section .debug_sup apart, which a shared file has as well as those
// that share it.
func supplement(b []byte) (name, id string, supplementary bool) {
	in := cursor.Cursor{Rest: b}
	if in.Fixed(2) < 2 { // the version
		return "", "", false
	}
	supplementary = in.Fixed(1) == 1
	file, rest, _ := bytes.Cut(in.Rest, []byte{0})
	in.Rest = rest
	return string(file), hex.EncodeToString(in.Block(in.Unsigned())), supplementary
}

// DebugLink takes the section apart: a name, zero padding to four bytes, the
// checksum of the debug file.
func DebugLink(b []byte) (name string, sum uint32, ok bool) {
	n := bytes.IndexByte(b, 0)
	if n <= 0 {
		return "", 0, false
	}
	at := (n + 4) &^ 3
	if at+4 > len(b) {
		return "", 0, false
	}
	name = string(b[:n])
	if name != filepath.Base(name) || name == ".." || name == "." {
		return "", 0, false
	}
	return name, binary.LittleEndian.Uint32(b[at:]), true
}

// checksum is the debuglink CRC of the file. Pages are given back as they are
// read: a debug file may be larger than the memory we may use.
func checksum(data []byte) uint32 {
	const step = 8 << 20
	sum := uint32(0)
	for len(data) > 0 {
		n := min(step, len(data))
		sum = crc32.Update(sum, crc32.IEEETable, data[:n])
		forget(data[:n])
		data = data[n:]
	}
	return sum
}
