package elffile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
)

// SeparateFile is a place where a file of debug information was looked for.
type SeparateFile struct {
	Path   string
	Exists bool // it is there, but is not that of this program
}

// FindDebug looks for separate debug information: by build-id, then by the
// .gnu_debuglink name beside the file, in its .debug folder and below the roots.
// When there is none, it tells where it has looked.
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
			candidates = append(candidates, filepath.Join(root, abs, name))
		}
	}
	for _, path := range candidates {
		if d := try(path, func(d *File) bool { return checksum(d.Data) == sum }); d != nil {
			return d, nil
		}
	}
	return nil, looked
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
