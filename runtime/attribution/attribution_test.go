package attribution

import (
	"debug/elf"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/source"
)

// inside is an address in a function of the C library: a test program itself has
// no symbols. The tests with programs look at lines and variables.
func inside(t testing.TB, function string) Place {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if len(fields) != 6 || fields[2] != "00000000" || !strings.HasPrefix(filepath.Base(fields[5]), "libc.so") {
			continue
		}
		low, _, _ := strings.Cut(fields[0], "-")
		base, err := strconv.ParseUint(low, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		file, err := elf.Open(fields[5])
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		symbols, err := file.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			if s.Name == function && s.Section != elf.SHN_UNDEF {
				return Place{ReturnAddress: uintptr(base + s.Value + 1)}
			}
		}
	}
	t.Fatalf("no C library with a function %s is loaded", function)
	return Place{}
}

func textOf(c callbacks.CString) string {
	if c == 0 {
		return ""
	}
	address := uintptr(c)
	start := *(**byte)(unsafe.Pointer(&address))
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(start), n)) != 0 {
		n++
	}
	return unsafe.String(start, n)
}

// TestAttribute attributes from many threads at a time, and again after the
// caches were dropped.
func TestAttribute(t *testing.T) {
	process := source.NewProcess()
	defer process.Close()
	a := New(process)
	place := inside(t, "qsort")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				var info callbacks.Info
				a.Attribute(place, 0, &info)
				if name := textOf(info.FuncName); name != "qsort" {
					t.Errorf("function %q", name)
					return
				}
			}
			a.Forget()
		})
	}
	wait.Wait()
}

// TestAttributeNowhere leaves events without a known place as they are or says
// that nothing is known.
func TestAttributeNowhere(t *testing.T) {
	process := source.NewProcess()
	defer process.Close()
	a := New(process)
	for _, place := range []Place{{}, {ReturnAddress: 1}, {ReturnAddress: ^uintptr(0)},
		{ReturnAddress: 0x1000, StackPointer: 8, FramePointer: ^uintptr(7)}} {
		for _, function := range []uintptr{0, 2, ^uintptr(0)} {
			info := callbacks.Info{LineNo: -1, EndLineNo: -1, FuncLineNo: -1, FuncEndLineNo: -1}
			a.Attribute(place, function, &info)
			if info.SrcFile != 0 || info.FuncName != 0 || info.LineNo != -1 || info.EndLineNo != -1 ||
				info.FuncLineNo != -1 || info.FuncEndLineNo != -1 {
				t.Errorf("place %#x, function %#x: %+v", place.ReturnAddress, function, info)
			}
			arguments := goacc.Arguments{Hosts: []uintptr{0x10, ^uintptr(0)}, Sizes: []uintptr{8, 16},
				Kinds: []uint16{uint16(goacc.To), uint16(goacc.Pointer)}}
			for range 2 * attempts {
				names, _ := a.NameDirective(place, function, arguments)
				for _, name := range names {
					if name != "" {
						t.Errorf("place %#x, function %#x: a variable %q", place.ReturnAddress, function, name)
					}
				}
			}
			if name := a.NameData(place, 0x10, 8); name != "" {
				t.Errorf("place %#x: an argument %q", place.ReturnAddress, name)
			}
		}
	}
}

// BenchmarkAttribute is what every event pays for its place.
func BenchmarkAttribute(b *testing.B) {
	process := source.NewProcess()
	defer process.Close()
	a := New(process)
	place := inside(b, "qsort")
	var info callbacks.Info
	b.ReportAllocs()
	for b.Loop() {
		a.Attribute(place, 0, &info)
	}
}
