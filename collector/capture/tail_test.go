package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// A copy of a capture that grows can be read at any time, and is the capture byte for
// byte in the end: whatever the pieces' size, when who reads the capture begins anew at
// what was copied, and when pieces come twice.
func TestTail(t *testing.T) {
	for _, limit := range []int{700, 100 << 10, 1 << 20} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			session := t.TempDir()
			command := raiser(t, session, "fill", fmt.Sprint(limit))
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- command.Wait() }()
			var folder string
			var tail *Tail
			waitFor(t, "the capture", func() bool {
				matches, _ := filepath.Glob(filepath.Join(session, "*-*"))
				if len(matches) == 1 {
					var err error
					folder = matches[0]
					if tail, err = OpenTail(folder, nil); err != nil && !errors.Is(err, ErrNotStarted) {
						t.Fatal(err)
					}
				}
				return tail != nil
			})
			to := filepath.Join(t.TempDir(), filepath.Base(folder))
			copied, err := MakeCopy(to)
			if err != nil {
				t.Fatal(err)
			}
			over, before := false, uint64(0)
			for round := 0; ; round++ {
				select {
				case err := <-ended:
					if over = true; err != nil {
						t.Fatal(err)
					}
				default:
				}
				pieces, err := tail.Next(limit)
				if err != nil {
					t.Fatal(err)
				}
				for range 1 + round%2 {
					for _, p := range pieces {
						if err := copied.Write(p); err != nil {
							t.Fatal(err)
						}
					}
				}
				if round%64 == 0 {
					n := readable(t, to)
					if n < before {
						t.Fatalf("%d events after %d", n, before)
					}
					before = n
				}
				if round%3 == 2 {
					at := tail.Positions()
					if err := tail.Close(); err != nil {
						t.Fatal(err)
					}
					if tail, err = OpenTail(folder, at); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if over && len(pieces) == 0 {
					break
				}
			}
			if err := tail.Close(); err != nil {
				t.Fatal(err)
			}
			same(t, folder, to)
			if n := readable(t, to); n != uint64(limit) {
				t.Errorf("%d events in the copy, want %d", n, limit)
			}
		})
	}
}

// readable reads a copy by now and gives the number of its events, which follow one
// another without a gap.
func readable(t *testing.T, folder string) (n uint64) {
	t.Helper()
	p, err := Open(folder)
	if errors.Is(err, ErrNotStarted) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, each := range counted(t, p) {
		n += each
	}
	return n
}

// same compares a copy with its capture, byte for byte as far as that holds.
func same(t *testing.T, from, to string) {
	t.Helper()
	p, err := Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, name := range []string{processFile, infoFile, modulesFile, sitesFile} {
		want, errWant := os.ReadFile(filepath.Join(from, name))
		got, errGot := os.ReadFile(filepath.Join(to, name))
		if (errWant == nil) != (errGot == nil) || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes (%v), want %d (%v), or others", name, len(got), errGot, len(want), errWant)
		}
	}
	streams, err := p.Streams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		got, err := os.ReadFile(filepath.Join(to, s.Name))
		if err != nil {
			t.Fatal(err)
		}
		for index := int64(0); ; {
			found, there, err := s.find(index)
			if err != nil {
				t.Fatal(err)
			}
			if !there {
				break
			}
			header := make([]byte, sizeOfChunk)
			if _, err := s.input.ReadAt(header, chunkOffset(found)); err != nil {
				t.Fatal(err)
			}
			want := make([]byte, committedIn(header, found))
			if _, err := s.input.ReadAt(want, chunkOffset(found)); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			end := min(chunkOffset(found)+int64(len(want)), int64(len(got)))
			if begin := min(chunkOffset(found), end); !bytes.Equal(got[begin:end], want) {
				t.Errorf("%s: chunk %d of %d bytes differs", s.Name, found, len(want))
			}
			index = found + 1
		}
	}
}

// What is to be seen of a copy, and what comes behind that, are all events, each once: wherever
// the sending ends.
func TestWhole(t *testing.T) {
	const all = 20000
	session := t.TempDir()
	run(t, raiser(t, session, "fill", fmt.Sprint(all)))
	from := openOne(t, session)
	for _, limit := range []int{700, 9000, 100 << 10} {
		to := filepath.Join(t.TempDir(), filepath.Base(from.Dir))
		copied, err := MakeCopy(to)
		if err != nil {
			t.Fatal(err)
		}
		tail, err := OpenTail(from.Dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		whole, between := Positions{}, 0
		for round := 0; ; round++ {
			pieces, err := tail.Next(limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pieces {
				if err := copied.Write(p); err != nil {
					t.Fatal(err)
				}
			}
			maps.Copy(whole, tail.Whole())
			if round%5 == 0 || len(pieces) == 0 {
				there, rest := readable(t, to), behind(t, from.Dir, whole)
				if there+rest != all {
					t.Fatalf("limit %d: %d events in the copy and %d behind them, want %d together", limit, there, rest, all)
				}
				if there > 0 && rest > 0 {
					between++
				}
			}
			if len(pieces) == 0 {
				break
			}
			if round%3 != 2 {
				continue
			}
			at := tail.Positions()
			if err := tail.Close(); err != nil {
				t.Fatal(err)
			}
			if tail, err = OpenTail(from.Dir, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := tail.Close(); err != nil {
			t.Fatal(err)
		}
		if limit < 10000 && between == 0 {
			t.Errorf("limit %d: at no time was a part in the copy", limit)
		}
	}
}

// behind is how many events a capture has behind positions.
func behind(t *testing.T, folder string, at Positions) (n uint64) {
	t.Helper()
	p, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	streams, err := p.Streams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if err := s.Resume(at[s.Name]); err != nil {
			t.Fatal(err)
		}
		for {
			item, err := s.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if item.Type == ItemEvent {
				n++
			}
		}
	}
	return n
}

// A ring's pieces that are older than what is there take nothing back, and those that are
// no capture's are refused.
func TestCopyRefuses(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "1000"))
	from := openOne(t, session)
	tail, err := OpenTail(from.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	pieces, err := tail.Next(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	copied, err := MakeCopy(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		if err := copied.Write(p); err != nil {
			t.Fatal(err)
		}
		if len(p.Data) == sizeOfChunk && chunkOffset(chunkAt(p.Offset)) == p.Offset && p.File != processFile {
			old := p
			old.Data = bytes.Clone(p.Data)
			clear(old.Data[atChunkCommitted:][:8])
			if err := copied.Write(old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := readable(t, to); n != 1000 {
		t.Errorf("%d events, want 1000", n)
	}
	for _, bad := range []Piece{
		{"../process", 0, nil}, {"/etc/passwd", 0, nil}, {"lock", 0, nil}, {"ring-0000", 0, nil}, {"ring-00000x", 0, nil},
		{"ring-00000", -1, nil}, {"ring-00000", 1 << 62, []byte("x")}, {"ring-00000", 0, []byte("no header")},
	} {
		if err := copied.Write(bad); err == nil {
			t.Errorf("%q at %d with %d bytes is written", bad.File, bad.Offset, len(bad.Data))
		}
	}
}

// What is given back is what lies before the positions, and nothing that is to be read.
func TestTailReleases(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "200000"))
	tail, err := OpenTail(openOne(t, session).Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	copied, err := MakeCopy(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stored := Positions{}
	for {
		pieces, err := tail.Next(64 << 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(pieces) == 0 {
			break
		}
		// One is always on its way.
		if err := tail.Release(stored); err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if err := copied.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		stored = maps.Clone(tail.Positions())
	}
	if n := readable(t, copied.dir); n != 200000 {
		t.Errorf("%d events, want 200000", n)
	}
	if c := counters(t, tail.Process()); c.ReleasedBytes == 0 || c.ReleasedBytes >= c.AllocatedBytes {
		t.Errorf("%d of %d bytes given back", c.ReleasedBytes, c.AllocatedBytes)
	}
}
