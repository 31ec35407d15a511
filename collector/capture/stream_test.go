package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Reading may stop anywhere and go on there, in another process too.
func TestResume(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "5000"))
	p := openOne(t, session)
	want := events(t, p)
	for _, stop := range []int{0, 1, 2, 1000, 1100, 1200, 4999, 5000} {
		again := openOne(t, session)
		streams, err := again.Streams()
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		var offset int64
		for offset = streams[0].Offset(); read < stop; offset = streams[0].Offset() {
			item, err := streams[0].Next()
			if err != nil {
				t.Fatal(err)
			}
			if item.Type == ItemEvent {
				read++
			}
		}
		resumed := openOne(t, session)
		streams, err = resumed.Streams()
		if err != nil {
			t.Fatal(err)
		}
		if err := streams[0].Resume(offset); err != nil {
			t.Fatal(err)
		}
		for {
			item, err := streams[0].Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if item.Type != ItemEvent {
				continue
			}
			a, b := item.Event, want[read].Event
			if a.Sequence != b.Sequence || a.Line != b.Line || resumed.String(a.Function) != p.String(b.Function) ||
				item.Thread.Number != want[read].Thread.Number {
				t.Fatalf("resumed at %d: event %+v, want %+v", offset, a, b)
			}
			read++
		}
		if read != len(want) {
			t.Errorf("resumed after %d: %d events in all, want %d", stop, read, len(want))
		}
	}
}

// A reader follows a program that runs, and what it gives back lets the program
// go on beyond its ceiling.
func TestFollowAndRelease(t *testing.T) {
	session := t.TempDir()
	lock, err := os.Create(filepath.Join(session, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := lockFile(lock); err != nil {
		t.Fatal(err)
	}
	const events = 1000000
	command := raiser(t, session, "fill", fmt.Sprint(events))
	command.Env = append(command.Env, "ACCSCOPE_CAPTURE_LIMIT=4MiB")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	var p *Process
	waitFor(t, "the capture", func() bool {
		matches, _ := filepath.Glob(filepath.Join(session, "*-*"))
		if len(matches) == 1 {
			if p, err = Open(matches[0]); err != nil && !errors.Is(err, ErrNotStarted) {
				t.Fatal(err)
			}
		}
		return p != nil
	})
	defer p.Close()
	var stream *Stream
	waitFor(t, "the ring file", func() bool {
		streams, err := p.Streams()
		if err != nil {
			t.Fatal(err)
		}
		if len(streams) > 0 {
			stream = streams[0]
		}
		return stream != nil
	})
	// On a busy machine the program may wait its 100 ms in vain; what it drops
	// then leaves a gap of as many numbers.
	var next, read, gaps uint64
	drain := func() {
		for {
			item, err := stream.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if item.Type == ItemEvent {
				if item.Event.Sequence < next {
					t.Fatalf("event %d follows event %d", item.Event.Sequence, next)
				}
				gaps += item.Event.Sequence - next
				next = item.Event.Sequence + 1
				read++
			}
			if _, err := stream.Release(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		drain()
	}
	c := counters(t, p)
	if read+c.DroppedSpace != events || gaps > c.DroppedSpace || c.AllocatedBytes-c.ReleasedBytes > 4<<20 || c.ReleasedBytes == 0 {
		t.Errorf("%d events followed, %d missing between them, %+v", read, gaps, c)
	}
	if c.Waits == 0 && c.DroppedSpace > 0 {
		t.Errorf("events were dropped without a wait: %+v", c)
	}
}

// A damaged file gives an error that says where, and all that is whole.
func TestDamage(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "60000"))
	p := openOne(t, session)
	whole, err := os.ReadFile(filepath.Join(p.Dir, "ring-00000"))
	if err != nil {
		t.Fatal(err)
	}
	second := int(chunkOffset(1))
	for _, c := range []struct {
		name   string
		damage func(data []byte) []byte
		offset int64 // of the error; -1: none
		least  int   // events read
	}{
		{"whole", func(d []byte) []byte { return d }, -1, 60000},
		{"cut at a chunk", func(d []byte) []byte { return d[:second] }, -1, 4000},
		{"cut in a header", func(d []byte) []byte { return d[:second+20] }, int64(second + 20), 4000},
		{"another magic", func(d []byte) []byte { d[second]++; return d }, int64(second), 40000},
		{"a size of 0", func(d []byte) []byte { copy(d[second+sizeOfChunk+4:], make([]byte, 4)); return d },
			int64(second + sizeOfChunk), 40000},
		{"too much committed", func(d []byte) []byte { d[second+atChunkCommitted+5] = 1; return d },
			int64(second + atChunkCommitted), 40000},
		{"a hole", func(d []byte) []byte { copy(d[second:], make([]byte, chunkSmall)); return d }, -1, 40000},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.damage(bytes.Clone(whole))
			s := newStream(p, bytes.NewReader(data), "ring-00000")
			read, offset := 0, int64(-1)
			for {
				item, err := s.Next()
				if err == io.EOF {
					break
				}
				var corrupt *CorruptError
				if errors.As(err, &corrupt) {
					if offset < 0 {
						offset = corrupt.Offset
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if item.Type == ItemEvent {
					read++
				}
			}
			if offset != c.offset || read < c.least {
				t.Errorf("error at %d, want %d; %d events, want at least %d", offset, c.offset, read, c.least)
			}
		})
	}
}

// givenBack is a ring file of which a chunk becomes a hole before a certain read.
type givenBack struct {
	data  []byte
	chunk int64
	after int // reads
}

func (g *givenBack) ReadAt(b []byte, offset int64) (int, error) {
	if g.after--; g.after == 0 {
		clear(g.data[chunkOffset(g.chunk):chunkOffset(g.chunk+1)])
	}
	return bytes.NewReader(g.data).ReadAt(b, offset)
}

// The flight recorder may give a chunk back at any moment of its being read: its
// events are there or not, and nothing is damaged.
func TestGivenBackWhileRead(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "60000"))
	p := openOne(t, session)
	whole, err := os.ReadFile(filepath.Join(p.Dir, "ring-00000"))
	if err != nil {
		t.Fatal(err)
	}
	const all = 60000
	seen := map[int]bool{}
	for after := 1; ; after++ {
		source := &givenBack{bytes.Clone(whole), 1, after}
		s := newStream(p, source, "ring-00000")
		read, last := 0, uint64(0)
		for {
			item, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("before read %d: %v", after, err)
			}
			if item.Type == ItemEvent {
				read++
				last = item.Event.Sequence
			}
		}
		if seen[read] = true; last != all-1 || len(seen) > 2 {
			t.Fatalf("before read %d: %d events, the last is %d", after, read, last)
		}
		if source.after > 0 {
			break
		}
	}
	if !seen[all] || len(seen) != 2 {
		t.Errorf("events read: %v", seen)
	}
}

// Files that claim to be large are not read into memory.
func TestHugeFiles(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fields"))
	p := openOne(t, session)
	for name, read := range map[string]func() error{
		modulesFile: func() error { _, err := p.Modules(); return err },
		infoFile:    func() error { _, err := Open(p.Dir); return err },
	} {
		path := filepath.Join(p.Dir, name)
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Fatal(err)
		}
		var corrupt *CorruptError
		if err := read(); !errors.As(err, &corrupt) || corrupt.File != path {
			t.Errorf("a file of a terabyte: %v", err)
		}
	}
}

// FuzzStream reads arbitrary bytes as a ring file: no panic, no endless loop,
// and errors only of the documented kinds.
func FuzzStream(f *testing.F) {
	seeds, err := filepath.Glob("testdata/rings/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		data, err := os.ReadFile(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	control, err := os.CreateTemp(f.TempDir(), "process")
	if err != nil {
		f.Fatal(err)
	}
	if err := control.Truncate(processSize); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := &Process{control: &handle{path: control.Name()}, streams: map[string]*Stream{}, names: stringTable{ids: map[string]StringID{}}}
		p.clock.Store(&clock{counter: true, slope: 1})
		s := newStream(p, bytes.NewReader(data), "ring-00000")
		for steps := 0; ; steps++ {
			_, err := s.Next()
			if err == io.EOF {
				return
			}
			var corrupt *CorruptError
			if err != nil && !errors.As(err, &corrupt) {
				t.Fatal(err)
			}
			if corrupt != nil && (corrupt.Offset < 0 || corrupt.Offset > chunkOffset(chunkAt(int64(len(data)))+1)) {
				t.Fatalf("an error at %d of %d bytes", corrupt.Offset, len(data))
			}
			if steps > len(data)/4+16 {
				t.Fatalf("%d items in %d bytes", steps, len(data))
			}
		}
	})
}

// FuzzOpen reads an arbitrary control file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{}, []byte("program=/bin/true\x00argument=true\x00"), []byte(""))
	f.Add([]byte("ACCCPRC1\x02\x00\x00\x00"), []byte("x"), []byte("0 1 0 - /bin/true\n"))
	header := make([]byte, processSize)
	copy(header, "ACCCPRC1\x02\x00\x00\x00")
	f.Add(header, []byte(""), []byte("1 0 0 - x\n"))
	f.Fuzz(func(t *testing.T, process, info, modules []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{processFile: process, infoFile: info, modulesFile: modules} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, err := Open(dir)
		if err != nil {
			return
		}
		defer p.Close()
		if _, err := p.Counters(); err != nil {
			t.Fatal(err)
		}
		_, _ = p.Modules() // an error or modules, both are fine
		p.Alive()
		p.Realtime(1)
	})
}

func BenchmarkStream(b *testing.B) {
	session := b.TempDir()
	run(b, raiser(b, session, "fill", "1000000"))
	p := openOne(b, session)
	data, err := os.ReadFile(filepath.Join(p.Dir, "ring-00000"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var s *Stream
	read := 0
	for b.Loop() {
		if s == nil {
			s = newStream(p, bytes.NewReader(data), "ring-00000")
		}
		if _, err := s.Next(); err == io.EOF {
			s = nil
		} else if err != nil {
			b.Fatal(err)
		}
		read++
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "events/s")
}
