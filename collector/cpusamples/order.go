package cpusamples

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// order brings the records of all rings into one order of time: what a process has mapped
// is told on whichever processor it runs.
type order struct {
	waiting   []record
	processes processes
	unwinder  *unwinder
}

// record is a record of a ring. Of what it is not, nothing is set.
type record struct {
	kind      uint32
	execs     bool // a COMM that is an exec
	time      int64
	pid, tid  int
	parent    int    // of a FORK
	lost      uint64 // samples
	pc        uint64 // of a SAMPLE
	registers registers
	memory    copied
	mapping   mapping // of a MMAP2
}

// take takes in a record of a ring: the fields are in the order of perf_event_open(2). At the
// end of all but samples are the process, the thread and the time that it is of.
func (o *order) take(kind uint32, misc uint16, body []byte) {
	r := record{kind: kind}
	in := fields{rest: body}
	if kind == unix.PERF_RECORD_SAMPLE {
		r.pc, r.pid, r.tid, r.time = in.u64(), in.i32(), in.i32(), int64(in.u64())
		if len(in.rest) > 0 { // else the rings have no room for stacks
			o.takeStack(&r, &in)
		}
	} else {
		if len(body) < 16 {
			return
		}
		end := fields{rest: body[len(body)-16:]}
		r.pid, r.tid, r.time = end.i32(), end.i32(), int64(end.u64())
		switch kind {
		case unix.PERF_RECORD_LOST:
			in.u64()
			r.lost = in.u64()
		case unix.PERF_RECORD_COMM:
			r.execs = misc&unix.PERF_RECORD_MISC_COMM_EXEC != 0
		case unix.PERF_RECORD_FORK, unix.PERF_RECORD_EXIT:
			r.pid, r.parent = in.i32(), in.i32()
		case unix.PERF_RECORD_MMAP2:
			in.u64() // process and thread
			start, length, offset := in.u64(), in.u64(), in.u64()
			in.skip(32) // device, inode, protection
			path, _, _ := bytes.Cut(in.rest[:max(len(in.rest)-16, 0)], []byte{0})
			r.mapping = mapping{start, start + length, offset, string(path)}
		default:
			return
		}
	}
	if !in.bad {
		o.waiting = append(o.waiting, r)
	}
}

// takeStack takes in the registers of a sample and the copy of its stack.
func (o *order) takeStack(r *record, in *fields) {
	abi := in.u64()
	if abi != unix.PERF_SAMPLE_REGS_ABI_NONE {
		r.registers = make(registers, len(own.registers))
		for bit := range uint(64) {
			if own.mask()&(1<<bit) == 0 {
				continue
			}
			value := in.u64()
			if i := slices.IndexFunc(own.registers, func(e register) bool { return e.bit == bit }); i >= 0 {
				r.registers[own.registers[i].number] = value
			}
		}
	}
	size := in.u64()
	if size == 0 || in.bad || size > uint64(len(in.rest)) {
		return
	}
	content := in.rest[:size]
	in.skip(int(size))
	if abi != unix.PERF_SAMPLE_REGS_ABI_64 { // a process of 32 bits
		r.registers = nil
		return
	}
	r.memory = copied{r.registers[own.stack], bytes.Clone(content[:min(in.u64(), size)])}
}

// settle handles the records up to a time.
func (o *order) settle(until int64, to *writer) {
	slices.SortStableFunc(o.waiting, func(a, b record) int { return cmp.Compare(a.time, b.time) })
	n, _ := slices.BinarySearchFunc(o.waiting, until, func(r record, until int64) int { return cmp.Compare(r.time, until) })
	var stack []uint64
	for i := range o.waiting[:n] {
		r := &o.waiting[i]
		switch r.kind {
		case unix.PERF_RECORD_SAMPLE:
			stack = o.unwinder.stack(stack[:0], o.processes[r.pid], r.pc, r.registers, r.memory)
			to.sample(Sample{PID: r.pid, TID: r.tid, Time: r.time, Stack: stack})
		case unix.PERF_RECORD_LOST:
			to.lose(r.pid, r.lost)
		case unix.PERF_RECORD_COMM:
			if r.execs {
				o.processes.replaced(r.pid)
			}
		case unix.PERF_RECORD_FORK:
			o.processes.forked(r.pid, r.parent)
		case unix.PERF_RECORD_EXIT:
			o.processes.exited(r.pid)
		case unix.PERF_RECORD_MMAP2:
			if strings.HasPrefix(r.mapping.path, "/") && r.mapping.end > r.mapping.start {
				o.processes.of(r.pid).add(r.mapping)
			}
		}
	}
	o.waiting = slices.Delete(o.waiting, 0, n)
}

// fields are those of a record. What is not there is 0, and bad.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) skip(n int) {
	if n > len(f.rest) {
		f.bad, n = true, len(f.rest)
	}
	f.rest = f.rest[n:]
}

func (f *fields) u64() (v uint64) {
	if len(f.rest) >= 8 {
		v = binary.NativeEndian.Uint64(f.rest)
	}
	f.skip(8)
	return v
}

func (f *fields) i32() (v int) {
	if len(f.rest) >= 4 {
		v = int(int32(binary.NativeEndian.Uint32(f.rest)))
	}
	f.skip(4)
	return v
}
