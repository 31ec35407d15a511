package cpusamples

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"
)

// told is a record as the kernel writes it, behind its header.
type told struct {
	kind uint32
	misc uint16
	body []byte
}

// body puts numbers one behind the other, each in its size.
func body(of ...any) []byte {
	var b bytes.Buffer
	for _, x := range of {
		binary.Write(&b, binary.NativeEndian, x) //nolint:errcheck // into memory
	}
	return b.Bytes()
}

// sampleOf is a sample with the thread's frame and stack pointers and the copy of its stack, behind
// which what was there before is left.
func sampleOf(pid int32, time, abi, pc, frame, stack uint64, memory ...uint64) told {
	registers := map[uint]uint64{own.counter: pc}
	for _, r := range own.registers {
		registers[r.bit] = map[int]uint64{own.frame: frame, own.stack: stack}[r.number]
	}
	b := body(pc, pid, pid, time, abi)
	for bit := range uint(64) {
		if own.mask()&(1<<bit) != 0 {
			b = append(b, body(registers[bit])...)
		}
	}
	size := uint64(8 * len(memory))
	return told{unix.PERF_RECORD_SAMPLE, 0, append(b, body(size+16, memory, [2]uint64{0x7040, 0x400400}, size)...)}
}

// Records of several rings are handled in their order of time: a sample has what its process had
// mapped then, its own or its parent's, and nothing of what it was before an exec. What is told of
// a time that is not settled waits.
func TestOrder(t *testing.T) {
	if own == nil {
		t.Skip("stacks are not unwound on this processor")
	}
	const pc = 0x400100
	// A frame has its caller's, and where that goes on; the last one's caller's is none: it lies
	// below, or where nothing was copied.
	const below, behind = 0x7010, 0x7030
	sample := func(pid int32, time, abi, last uint64) told {
		return sampleOf(pid, time, abi, pc, 0x7010, 0x7000, 1, 1, 0x7020, 0x400200, last, 0x400300)
	}
	id := func(pid int32, time uint64) []byte { return body(pid, pid, time) }
	path := append([]byte("/no/such/program"), make([]byte, 8)...)
	records := []told{
		sample(8, 70, unix.PERF_SAMPLE_REGS_ABI_64, below),
		{unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC, body([2]int32{8, 8}, []byte("other\x00\x00\x00"), id(8, 60))},
		sample(7, 30, unix.PERF_SAMPLE_REGS_ABI_64, below),
		{unix.PERF_RECORD_LOST, 0, body([2]uint64{1, 5}, id(7, 35))},
		sample(8, 50, unix.PERF_SAMPLE_REGS_ABI_64, behind),
		{unix.PERF_RECORD_COMM, 0, body([2]int32{8, 8}, []byte("renamed\x00"), id(8, 45))},
		{unix.PERF_RECORD_FORK, 0, body([4]int32{8, 7, 8, 7}, uint64(40), id(7, 40))},
		sample(7, 38, unix.PERF_SAMPLE_REGS_ABI_32, below),
		{unix.PERF_RECORD_MMAP2, 0, body([2]int32{7, 7}, [3]uint64{0x400000, 0x100000, 0}, [4]uint64{}, path, id(7, 10))},
	}
	file := filepath.Join(t.TempDir(), prefix+"1")
	w, err := create(file, 1000)
	if err != nil {
		t.Fatal(err)
	}
	o, cut := order{processes: processes{}, unwinder: newUnwinder()}, order{}
	for _, r := range records {
		for n := range r.body { // the kernel cuts none off: it is enough that nothing goes wrong
			cut.take(r.kind, r.misc, r.body[:n])
		}
		o.take(r.kind, r.misc, r.body)
	}
	whole, alone := []uint64{pc + 1, 0x400200, 0x400300}, []uint64{pc + 1}
	want := []Sample{{7, 7, 30, whole}, {7, 7, 38, alone}, {8, 8, 50, whole}, {8, 8, 70, alone}}
	for _, settled := range []struct {
		until   int64
		samples int
	}{{10, 0}, {50, 2}, {math.MaxInt64, 4}} {
		o.settle(settled.until, w)
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		_, samples, lost, err := contents(t, file)
		if err != nil || len(samples) != settled.samples || len(samples) > 0 && !reflect.DeepEqual(samples, want[:len(samples)]) {
			t.Errorf("until %d: %+v, %v", settled.until, samples, err)
		}
		if settled.until > 35 && lost[7] != 5 {
			t.Errorf("until %d: lost %v", settled.until, lost)
		}
	}
	if err := w.close(); err != nil || len(o.waiting) != 0 {
		t.Errorf("%v, left are %v", err, o.waiting)
	}
}
