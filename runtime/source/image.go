package source

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/accscope/accscope/runtime/source/cfi"
	"github.com/accscope/accscope/runtime/source/elffile"
	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/units"
)

// ErrBinaryChanged reports a file whose build-id is not the recorded one.
// Resolving against it would give wrong answers.
var ErrBinaryChanged = errors.New("binary changed")

// Image is one ELF file, opened lazily: Open reads headers only. It is safe
// for use by several goroutines.
type Image struct {
	path      string
	buildID   string
	roots     []string      // folders of separate debug files
	main      *elffile.File // code and unwind tables
	processor *machine.Processor
	segment   []segment

	mu      sync.Mutex
	closed  bool
	sought  bool          // debug has been looked for
	debug   *elffile.File // debug information: main itself, a separate file, or nil
	looked  []elffile.SeparateFile
	shared  *sharedFile      // nil until asked for
	symbols *elffile.Symbols // nil until asked for
	units   *units.Index     // nil until asked for
	frames  *cfi.Table       // nil until asked for
	statics [][2]uint64      // nil until asked for

	// The function that was last run over symbolic values.
	recentFunction *units.Scope
	recentFlow     *machine.Flow
}

// sharedFile is the file in which the debug information has what it shares with other files.
type sharedFile struct {
	file   *elffile.File // nil where it shares none, or its file is not there
	named  string
	looked []elffile.SeparateFile
}

// segment is one loadable piece: file offsets to addresses.
type segment struct {
	offset, size, address uint64
	executable, writable  bool
}

// Open maps the file and finds its debug information: in itself, in a file
// named by build-id in a folder .build-id below one of the debug roots, or in the file
// that .gnu_debuglink names when its build-id or checksum agrees.
func Open(path string) (*Image, error) {
	return OpenWithDebugRoots(path, debugRoots())
}

// debugRoots are the folders that files of debug information are below: those that the
// user names, then the one where packages have them.
func debugRoots() (roots []string) {
	for _, folder := range filepath.SplitList(os.Getenv("ACCSCOPE_DEBUG_PATH")) {
		if folder != "" {
			roots = append(roots, folder)
		}
	}
	return append(roots, "/usr/lib/debug")
}

// OpenWithDebugRoots is Open with the folders that are searched for separate
// debug files given.
func OpenWithDebugRoots(path string, roots []string) (*Image, error) {
	im := &Image{path: path, roots: roots}
	err := elffile.Guard(path, func() error {
		f, err := elffile.Open(path)
		if err != nil {
			return err
		}
		im.main = f
		if im.processor = machine.Processors[f.ELF.Machine]; im.processor == nil {
			return fmt.Errorf("%s: not a file of x86-64 or AArch64", path)
		}
		im.buildID = f.BuildID()
		for _, p := range f.ELF.Progs {
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
		im.units.Close()
	}
	im.units, im.symbols, im.frames = nil, nil, nil
	if im.debug != nil && im.debug != im.main {
		im.debug.Close()
	}
	if im.shared != nil && im.shared.file != nil {
		im.shared.file.Close()
	}
	if im.main != nil {
		im.main.Close()
	}
	im.main, im.debug, im.shared = nil, nil, nil
}

// read looks something up: alone, and not in an image that is closed. Damaged debug
// information is an error.
func (im *Image) read(look func() error) error {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.closed {
		return errors.New(im.path + ": closed")
	}
	return elffile.Guard(im.path, look)
}

// Path is the file's name as it was given to Open.
func (im *Image) Path() string { return im.path }

// BuildID is the GNU build-id in hexadecimal, "" when the file has none.
func (im *Image) BuildID() string { return im.buildID }

// debugLocked finds the file with the debug information when first asked.
func (im *Image) debugLocked() *elffile.File {
	if im.sought {
		return im.debug
	}
	im.sought = true
	if im.main.HasDebug() {
		im.debug = im.main
	} else {
		im.debug, im.looked = elffile.FindDebug(im.main, im.roots)
	}
	return im.debug
}

// sharedLocked finds the file that the debug information shares with others when first asked.
func (im *Image) sharedLocked() *sharedFile {
	if im.shared == nil {
		im.shared = &sharedFile{}
		if f := im.debugLocked(); f != nil {
			im.shared.file, im.shared.named, im.shared.looked = elffile.FindShared(f, im.roots)
		}
	}
	return im.shared
}

// DebugInfo says how the debug information is stored, for a diagnosis of slow
// first look-ups.
type DebugInfo struct {
	Path       string // file that holds it, "" when there is none
	Bytes      uint64 // of .debug_info, uncompressed
	Compressed bool   // the section must be decompressed before the first look-up
	Indexed    bool   // .debug_aranges is there; without, all units are visited once
	Variables  bool   // it tells of variables, not of functions and lines alone

	Symbols bool                   // there is a symbol table: functions have names without debug information
	Linked  string                 // the separate file that .gnu_debuglink names, "" when it names none
	Looked  []elffile.SeparateFile // where a separate file was sought in vain

	Shared       string                 // the file with what is shared with other programs, as the debug information names it; "" for none
	SharedPath   string                 // where it is, "" where it is not there
	SharedLooked []elffile.SeparateFile // where it was sought in vain
}

// DebugInfo describes the image's debug information.
func (im *Image) DebugInfo() DebugInfo {
	var d DebugInfo
	// A debug file that cannot be read counts as none.
	_ = im.read(func() error {
		d.Symbols = im.main.Sections[".symtab"] != nil
		d.Linked, _, _ = elffile.DebugLink(im.main.Bytes(".gnu_debuglink"))
		f := im.debugLocked()
		d.Looked = im.looked
		if f == nil {
			return nil
		}
		d.Symbols = d.Symbols || f.Sections[".symtab"] != nil
		d.Path = f.Path
		if s := f.Sections[".debug_info"]; s != nil {
			d.Bytes, d.Compressed = s.Size, s.Compressed
		}
		s := im.sharedLocked()
		if d.Shared, d.SharedLooked = s.named, s.looked; s.file != nil {
			d.SharedPath = s.file.Path
		}
		d.Indexed = f.Sections[".debug_aranges"] != nil
		d.Variables = units.DescribesVariables(f.Bytes(".debug_abbrev"))
		return nil
	})
	return d
}

// Lack says why variables have no names, "" where the debug information is whole.
func (d *DebugInfo) Lack() string {
	existing := func(looked []elffile.SeparateFile) string {
		for _, f := range looked {
			if f.Exists {
				return f.Path
			}
		}
		return ""
	}
	switch {
	case d.Path == "" && existing(d.Looked) != "":
		return "its debug file " + existing(d.Looked) + " is not of this build"
	case d.Path == "" && d.Linked != "":
		return "its debug file " + d.Linked + " was not found"
	case d.Path == "":
		return "it has no debug information"
	case d.Shared != "" && d.SharedPath == "" && existing(d.SharedLooked) != "":
		return "its shared debug file " + existing(d.SharedLooked) + " is not the one that it was made with"
	case d.Shared != "" && d.SharedPath == "":
		return "its shared debug file " + d.Shared + " was not found"
	case !d.Variables:
		return "its debug information has lines alone: compile with -g, not -g1"
	}
	return ""
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

// symbolsLocked is .symtab of the image or its debug file, or else .dynsym.
func (im *Image) symbolsLocked() *elffile.Symbols {
	if im.symbols != nil {
		return im.symbols
	}
	im.symbols = &elffile.Symbols{}
	for _, f := range []*elffile.File{im.main, im.debugLocked()} {
		if f == nil {
			continue
		}
		if t := elffile.ReadSymbols(f, elf.SHT_SYMTAB); len(t.All) > 0 {
			im.symbols = t
			return t
		}
	}
	if im.main != nil {
		im.symbols = elffile.ReadSymbols(im.main, elf.SHT_DYNSYM)
	}
	return im.symbols
}

// framesLocked is the table of the program's frames.
func (im *Image) framesLocked() *cfi.Table {
	if im.frames == nil {
		im.frames = cfi.Read(im.main)
	}
	return im.frames
}

// unitsLocked are the units of debug information, nil where there is none.
func (im *Image) unitsLocked() (*units.Index, error) {
	if im.units != nil {
		return im.units, nil
	}
	f := im.debugLocked()
	if f == nil {
		return nil, nil
	}
	ix, err := units.NewIndex(im.path, f, im.symbolsLocked, func() *elffile.File { return im.sharedLocked().file })
	im.units = ix
	return ix, err
}

// unitAtLocked gives the decoded unit that holds the address, nil where there is none.
func (im *Image) unitAtLocked(pc uint64) (*units.Unit, error) {
	ix, err := im.unitsLocked()
	if ix == nil || err != nil {
		return nil, err
	}
	u, err := ix.At(pc)
	if errors.Is(err, units.ErrNoUnit) {
		return nil, nil
	}
	return u, err
}

// functionAtLocked gives the unit and the function that hold the address, nil where there
// is none.
func (im *Image) functionAtLocked(pc uint64) (*units.Unit, *units.Scope, error) {
	u, err := im.unitAtLocked(pc)
	if u == nil || err != nil {
		return nil, nil, err
	}
	if err := u.Tree(); err != nil {
		return nil, nil, err
	}
	return u, u.FunctionAt(pc), nil
}

// code gives the bytes of the program at a range of addresses.
func (im *Image) code(low, high uint64) []byte {
	if im.main == nil || high <= low || high-low > 16<<20 {
		return nil
	}
	for _, s := range im.segment {
		if s.executable && low >= s.address && high-s.address <= s.size {
			at := s.offset + low - s.address
			n := uint64(len(im.main.Data))
			if at > n || high-low > n-at {
				return nil
			}
			return im.main.Data[at : at+high-low]
		}
	}
	return nil
}

// extent is the range of addresses that the file's segments take.
func (im *Image) extent() (low, high uint64) {
	for i, s := range im.segment {
		if i == 0 || s.address < low {
			low = s.address
		}
		high = max(high, s.address+s.size)
	}
	return low, high
}

// isFortran tells whether the image needs the Fortran library, which is how a
// file without debug information shows that names end in an underscore.
func (im *Image) isFortran() bool { return im.main != nil && im.main.Needs("libgfortran.so") }
