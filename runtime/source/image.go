package source

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrBinaryChanged reports a file whose build-id is not the recorded one.
// Resolving against it would give wrong answers.
var ErrBinaryChanged = errors.New("binary changed")

// Image is one ELF file, opened lazily: Open reads headers only. It is safe
// for use by several goroutines.
type Image struct {
	path      string
	buildID   string
	roots     []string // folders of separate debug files
	main      *elfFile // code and unwind tables
	processor *Processor
	segment   []segment

	mu      sync.Mutex
	closed  bool
	sought  bool     // debug has been looked for
	debug   *elfFile // debug information: main itself, a separate file, or nil
	looked  []SeparateFile
	symbols *symbolTable // nil until asked for
	units   *unitIndex   // nil until asked for
	frames  *frameTable  // nil until asked for
	statics [][2]uint64  // nil until asked for

	// The function that was last run over symbolic values.
	recentFunction *scope
	recentFlow     *flow
}

// segment is one loadable piece: file offsets to addresses.
type segment struct {
	offset, size, address uint64
	executable, writable  bool
}

// elfFile is one mapped file.
type elfFile struct {
	path     string
	data     []byte // the whole file, mapped
	elf      *elf.File
	sections map[string]*section
	mapped   [][]byte // all mappings, data included
}

// Open maps the file and finds its debug information: in itself, in a file
// named by build-id below /usr/lib/debug/.build-id, or in the file that
// .gnu_debuglink names when its checksum agrees.
func Open(path string) (*Image, error) {
	return OpenWithDebugRoots(path, []string{"/usr/lib/debug"})
}

// OpenWithDebugRoots is Open with the folders that are searched for separate
// debug files in place of /usr/lib/debug.
func OpenWithDebugRoots(path string, roots []string) (*Image, error) {
	im := &Image{path: path, roots: roots}
	err := guard(path, func() error {
		f, err := openELF(path)
		if err != nil {
			return err
		}
		im.main, im.processor = f, processors[f.elf.Machine]
		im.buildID = f.buildID()
		for _, p := range f.elf.Progs {
			if p.Type == elf.PT_LOAD {
				im.segment = append(im.segment, segment{p.Off, p.Memsz, p.Vaddr, p.Flags&elf.PF_X != 0, p.Flags&elf.PF_W != 0})
			}
		}
		return nil
	})
	if err != nil {
		im.Close()
		return nil, err
	}
	return im, nil
}

// Close unmaps the file. The image resolves nothing afterwards.
func (im *Image) Close() {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return
	}
	im.closed = true
	if im.units != nil {
		for _, f := range im.units.split {
			if f != nil {
				f.close()
			}
		}
	}
	im.units, im.symbols, im.frames = nil, nil, nil
	if im.debug != nil && im.debug != im.main {
		im.debug.close()
	}
	if im.main != nil {
		im.main.close()
	}
	im.main, im.debug = nil, nil
}

// Path is the file's name as it was given to Open.
func (im *Image) Path() string { return im.path }

// BuildID is the GNU build-id in hexadecimal, "" when the file has none.
func (im *Image) BuildID() string { return im.buildID }

// DebugPath names the file that holds the debug information, "" when there is
// none.
func (im *Image) DebugPath() string { return im.DebugInfo().Path }

// debugLocked finds the file with the debug information when first asked.
func (im *Image) debugLocked() *elfFile {
	if im.sought || im.main == nil {
		return im.debug
	}
	im.sought = true
	if im.main.hasDebug() {
		im.debug = im.main
	} else {
		im.debug, im.looked = findDebugFile(im.main, im.roots)
	}
	return im.debug
}

// DebugInfo says how the debug information is stored, for a diagnosis of slow
// first look-ups.
type DebugInfo struct {
	Path       string // file that holds it, "" when there is none
	Bytes      uint64 // of .debug_info, uncompressed
	Compressed bool   // the section must be decompressed before the first look-up
	Indexed    bool   // .debug_aranges is there; without, all units are visited once

	Symbols bool           // there is a symbol table: functions have names without debug information
	Linked  string         // the separate file that .gnu_debuglink names, "" when it names none
	Looked  []SeparateFile // where a separate file was sought in vain
}

// DebugInfo describes the image's debug information.
func (im *Image) DebugInfo() DebugInfo {
	im.mu.Lock()
	defer im.mu.Unlock()
	var d DebugInfo
	// A debug file that cannot be read counts as none.
	_ = guard(im.path, func() error {
		if im.main == nil {
			return nil
		}
		d.Symbols = im.main.sections[".symtab"] != nil
		d.Linked, _, _ = debugLink(im.main.bytes(".gnu_debuglink"))
		f := im.debugLocked()
		d.Looked = im.looked
		if f == nil {
			return nil
		}
		d.Symbols = d.Symbols || f.sections[".symtab"] != nil
		d.Path = f.path
		if s := f.sections[".debug_info"]; s != nil {
			d.Bytes, d.Compressed = s.size, s.compressed
		}
		d.Indexed = f.sections[".debug_aranges"] != nil
		return nil
	})
	return d
}

// Address translates a file offset, as /proc/PID/maps gives it, to an address
// in the terms of the file.
func (im *Image) Address(offset uint64) (uint64, bool) {
	for _, s := range im.segment {
		if offset >= s.offset && offset-s.offset < s.size {
			return s.address + (offset - s.offset), true
		}
	}
	return 0, false
}

func openELF(path string) (*elfFile, error) {
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
	ef := &elfFile{path: path, data: data, mapped: [][]byte{data}, sections: map[string]*section{}}
	if err := guard(path, ef.readHeaders); err != nil {
		ef.close()
		return nil, err
	}
	return ef, nil
}

func (f *elfFile) readHeaders() error {
	e, err := elf.NewFile(bytes.NewReader(f.data))
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if e.Class != elf.ELFCLASS64 || e.Data != elf.ELFDATA2LSB || processors[e.Machine] == nil {
		return fmt.Errorf("%s: not a 64-bit file of x86-64 or little-endian AArch64", f.path)
	}
	f.elf = e
	for _, s := range e.Sections {
		f.addSection(s)
	}
	return nil
}

func (f *elfFile) hasDebug() bool {
	return f.sections[".debug_info"] != nil && f.sections[".debug_abbrev"] != nil
}

func (f *elfFile) close() {
	for _, m := range f.mapped {
		unix.Munmap(m)
	}
	f.mapped, f.data, f.sections = nil, nil, nil
}

// buildID reads the NT_GNU_BUILD_ID note.
func (f *elfFile) buildID() string {
	for _, p := range f.elf.Progs {
		if p.Type == elf.PT_NOTE && p.Off <= uint64(len(f.data)) && p.Filesz <= uint64(len(f.data))-p.Off {
			if id := buildIDNote(f.data[p.Off:p.Off+p.Filesz], p.Align); id != "" {
				return id
			}
		}
	}
	// A file that holds debug information only may have no note segment.
	if b := f.bytes(".note.gnu.build-id"); b != nil {
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
