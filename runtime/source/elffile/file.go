// Package elffile reads ELF files, mapped: their sections, which may be compressed, their
// symbols, and where a program's debug information lies if not in its own file. Of a large
// file only what is read becomes resident, and is given back.
package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// File is one mapped file.
type File struct {
	Path     string
	Data     []byte // the whole file, mapped
	ELF      *elf.File
	Sections map[string]*Section
	mapped   [][]byte // all mappings, data included
}

// Open maps a file and reads its headers.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() < 64 {
		return nil, fmt.Errorf("%s: not an ELF file", path)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%s: map: %w", path, err)
	}
	ef := &File{Path: path, Data: data, mapped: [][]byte{data}, Sections: map[string]*Section{}}
	if err := Guard(path, ef.readHeaders); err != nil {
		ef.Close()
		return nil, err
	}
	return ef, nil
}

func (f *File) readHeaders() error {
	e, err := elf.NewFile(bytes.NewReader(f.Data))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB {
		return fmt.Errorf("%s: not a 64-bit little-endian file", f.Path)
	}
	f.ELF = e
	for _, s := range e.Sections {
		f.addSection(s)
	}
	return nil
}

// HasDebug tells whether the file has debug information.
func (f *File) HasDebug() bool {
	return f.Sections[".debug_info"] != nil && f.Sections[".debug_abbrev"] != nil
}

// Close unmaps the file. No section of it may be read afterwards.
func (f *File) Close() {
	for _, m := range f.mapped {
		unix.Munmap(m)
	}
	f.mapped, f.Data, f.Sections = nil, nil, nil
}

// BuildID reads the NT_GNU_BUILD_ID note.
func (f *File) BuildID() string {
	for _, p := range f.ELF.Progs {
		if p.Type == elf.PT_NOTE && p.Off <= uint64(len(f.Data)) && p.Filesz <= uint64(len(f.Data))-p.Off {
			if id := buildIDNote(f.Data[p.Off:p.Off+p.Filesz], p.Align); id != "" {
				return id
			}
		}
	}
	// A file that holds debug information only may have no note segment.
	if b := f.Bytes(".note.gnu.build-id"); b != nil {
		return buildIDNote(b, 4)
	}
	return ""
}

func buildIDNote(b []byte, align uint64) string {
	if align != 8 {
		align = 4
	}
	pad := func(n uint64) uint64 { return (n + align - 1) &^ (align - 1) }
	for len(b) >= 12 {
		nameSize := uint64(binary.LittleEndian.Uint32(b))
		descSize := uint64(binary.LittleEndian.Uint32(b[4:]))
		kind := binary.LittleEndian.Uint32(b[8:])
		desc := pad(12 + nameSize)
		if desc+descSize > uint64(len(b)) {
			return ""
		}
		if kind == 3 && string(b[12:12+nameSize]) == "GNU\x00" {
			return hex.EncodeToString(b[desc : desc+descSize])
		}
		next := pad(desc + descSize)
		if next > uint64(len(b)) {
			return ""
		}
		b = b[next:]
	}
	return ""
}

// Needs tells whether the file needs a library of a name that begins so.
func (f *File) Needs(library string) bool {
	libraries, err := f.ELF.ImportedLibraries()
	if err != nil {
		return false
	}
	for _, l := range libraries {
		if strings.HasPrefix(l, library) {
			return true
		}
	}
	return false
}
