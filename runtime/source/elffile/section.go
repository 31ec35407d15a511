package elffile

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unsafe"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// Section is one section of a mapped file.
type Section struct {
	Header     *elf.Section
	Raw        []byte // as stored
	Size       uint64 // uncompressed
	Compressed bool
	method     elf.CompressionType
	skip       int // header before the compressed stream

	content []byte // uncompressed, nil until asked for
	failed  error
}

// Compressed sections above this size are decompressed into an unlinked file
// that is mapped, so that only what is read of them is resident.
const spillAbove = 4 << 20

// A section claiming to be larger than this after decompression is damaged.
const maxSection = 8 << 30

func (f *File) addSection(s *elf.Section) {
	if s.Type == elf.SHT_NOBITS || s.Type == elf.SHT_NULL {
		return
	}
	n := uint64(len(f.Data))
	if s.Offset > n || s.FileSize > n-s.Offset {
		return
	}
	sec := &Section{Header: s, Raw: f.Data[s.Offset : s.Offset+s.FileSize], Size: s.FileSize}
	name := s.Name
	switch {
	case s.Flags&elf.SHF_COMPRESSED != 0:
		if len(sec.Raw) < 24 {
			return
		}
		sec.Compressed, sec.skip = true, 24
		sec.method = elf.CompressionType(binary.LittleEndian.Uint32(sec.Raw))
		sec.Size = binary.LittleEndian.Uint64(sec.Raw[8:])
	case len(name) > 7 && name[:7] == ".zdebug":
		if len(sec.Raw) < 12 || string(sec.Raw[:4]) != "ZLIB" {
			return
		}
		sec.Compressed, sec.skip, sec.method = true, 12, elf.COMPRESS_ZLIB
		sec.Size = binary.BigEndian.Uint64(sec.Raw[4:])
		name = ".debug" + name[7:]
	}
	if f.Sections[name] == nil {
		f.Sections[name] = sec
	}
}

// Bytes gives a section's uncompressed content, nil when there is none or it
// is damaged. The slice must not be written.
func (f *File) Bytes(name string) []byte {
	s := f.Sections[name]
	if s == nil {
		return nil
	}
	if !s.Compressed {
		return s.Raw
	}
	if s.content == nil && s.failed == nil {
		s.failed = f.decompress(s)
	}
	return s.content
}

func (f *File) decompress(s *Section) error {
	// Deflate cannot expand more than 1032 times, so larger claims are damage.
	if s.Size > maxSection || s.Size/1100 > uint64(len(s.Raw)) && s.method == elf.COMPRESS_ZLIB {
		return fmt.Errorf("%s: %s claims %d bytes", f.Path, s.Header.Name, s.Size)
	}
	var r io.Reader
	switch s.method {
	case elf.COMPRESS_ZLIB:
		z, err := zlib.NewReader(newForgettingReader(s.Raw[s.skip:]))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	case elf.COMPRESS_ZSTD:
		z, err := zstd.NewReader(newForgettingReader(s.Raw[s.skip:]), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	default:
		return fmt.Errorf("%s: %s is compressed with unknown method %d", f.Path, s.Header.Name, s.method)
	}
	if s.Size <= spillAbove {
		b := make([]byte, s.Size)
		if _, err := io.ReadFull(r, b); err != nil {
			return err
		}
		s.content = b
		return nil
	}
	out, err := scratchFile()
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.CopyBuffer(struct{ io.Writer }{out}, io.LimitReader(r, int64(s.Size)), make([]byte, 256<<10)); err != nil {
		return err
	}
	st, err := out.Stat()
	if err != nil {
		return err
	}
	if uint64(st.Size()) != s.Size {
		return fmt.Errorf("%s: %s ends early", f.Path, s.Header.Name)
	}
	m, err := unix.Mmap(int(out.Fd()), 0, int(s.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	f.mapped = append(f.mapped, m)
	s.content = m
	return nil
}

// forgettingReader reads a mapped slice and gives its pages back as it goes.
type forgettingReader struct {
	rest []byte
	read []byte // before rest, and still resident
}

func newForgettingReader(b []byte) *forgettingReader { return &forgettingReader{rest: b, read: b[:0]} }

func (r *forgettingReader) Read(to []byte) (int, error) {
	if len(r.rest) == 0 {
		forget(r.read)
		return 0, io.EOF
	}
	n := copy(to, r.rest)
	r.read = r.read[: len(r.read)+n : len(r.read)+len(r.rest)]
	r.rest = r.rest[n:]
	if len(r.read) >= 4<<20 {
		forget(r.read)
		r.read = r.rest[:0]
	}
	return n, nil
}

// scratchFile gives a file without a name: in the folder for temporary files,
// else in memory.
func scratchFile() (*os.File, error) {
	fd, err := unix.Open(os.TempDir(), unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		fd, err = unix.MemfdCreate("accscope-debug", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("no room to decompress debug information: %w", err)
	}
	return os.NewFile(uintptr(fd), "accscope-debug"), nil
}

// Forget gives the resident pages of a piece of a section back, where it is mapped. One
// that was decompressed into memory would be lost.
func (f *File) Forget(b []byte) {
	for _, m := range f.mapped {
		if at := addressOf(b) - addressOf(m); addressOf(b) >= addressOf(m) && at <= uintptr(len(m)) && uintptr(len(b)) <= uintptr(len(m))-at {
			forget(b)
		}
	}
}

// forget gives the resident pages of a mapped slice back; they are read again
// when touched.
func forget(b []byte) {
	if len(b) == 0 {
		return
	}
	page := os.Getpagesize()
	skip := -int(addressOf(b)) & (page - 1)
	if len(b)-skip < page {
		return
	}
	b = b[skip : len(b)-(len(b)-skip)%page]
	// Failure costs memory, nothing else.
	_ = unix.Madvise(b, unix.MADV_DONTNEED)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
