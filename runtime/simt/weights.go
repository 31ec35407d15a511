package simt

/*
#include "caches.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/ptx"
)

// A weight is what an instruction of the text is to a GPU, where its times are modelled.
type weight struct {
	pipe    C.uint16_t
	machine int // instructions of the machine that it becomes
	latency int // cycles from its issue until its result can be used; of loads beside what memory takes
}

// Cycles from an instruction to one that needs its result, for GPUs of compute capability 7 to 9
// (Z. Jia and others, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018;
// H. Abdelkhalik and others, "Demystifying the Nvidia Ampere Architecture through
// Microbenchmarking", 2022).
const (
	simpleLatency   = 5
	doubleLatency   = 8
	convertLatency  = 12
	specialLatency  = 24
	exchangeLatency = 24
	barrierLatency  = 30
	callLatency     = 60 // with its return
	sharedLatency   = 24
)

// pipes are those of the kinds of instructions.
var pipes = map[kind]C.uint16_t{
	integer: C.PIPE_INTEGER, float32s: C.PIPE_FLOAT, float64s: C.PIPE_DOUBLE, conversion: C.PIPE_SPECIAL, load: C.PIPE_LOAD, store: C.PIPE_STORE,
	atomic: C.PIPE_ATOMIC, exchange: C.PIPE_EXCHANGE, barrier: C.PIPE_BARRIER,
}

// expansions are instructions that become sequences, by operation and type: how many
// instructions, and the cycles that they take one after the other (H. Abdelkhalik and others,
// above, have counts for some; the others are of the same kind).
var expansions = []struct {
	base, types      string
	machine, latency int
}{
	{"div", "f64", 30, 200}, {"rcp", "f64", 24, 160}, {"sqrt", "f64", 26, 180}, {"rsqrt", "f64", 20, 140},
	{"div", "f32", 9, 60}, {"rcp", "f32", 5, 40}, {"sqrt", "f32", 8, 50}, {"rsqrt", "f32", 2, 30},
	{"sin", "f32", 2, specialLatency}, {"cos", "f32", 2, specialLatency}, {"ex2", "f32", 2, specialLatency}, {"lg2", "f32", 2, specialLatency},
	{"div", "s64 u64", 70, 400}, {"rem", "s64 u64", 70, 400}, {"div", "s32 u32", 20, 120}, {"rem", "s32 u32", 20, 120},
	{"mul", "s64 u64", 4, 14}, {"mad", "s64 u64", 4, 14}, {"add", "s64 u64", 2, 8}, {"sub", "s64 u64", 2, 8}, {"neg", "s64", 2, 8},
	{"setp", "s64 u64 b64", 2, 10}, {"shl", "b64", 2, 8}, {"shr", "s64 u64 b64", 2, 8},
	{"and", "b64", 2, 6}, {"or", "b64", 2, 6}, {"xor", "b64", 2, 6}, {"min", "s64 u64", 3, 12}, {"max", "s64 u64", 3, 12}, {"min", "f64", 3, 12}, {"max", "f64", 3, 12},
}

func weigh(i *ptx.Instruction) weight {
	o, of := takeApart(i.Opcode), classOf(i.Opcode)
	w := weight{pipes[of.kind], 1, simpleLatency}
	switch of.kind {
	case float64s:
		w.latency = doubleLatency
	case conversion:
		w.latency = convertLatency
		if !strings.Contains(i.Opcode, "f") && !strings.Contains(i.Opcode, "64") {
			w.pipe, w.latency = C.PIPE_INTEGER, simpleLatency
		}
	case exchange:
		w.latency = exchangeLatency
	case barrier:
		w.latency = barrierLatency
	case load, atomic:
		w.latency = 0
		if o.has("shared") {
			w.latency = sharedLatency
		}
	case store:
		w.latency = 0
	case move:
		if o.base == "cvta" || o.has("param") {
			w.machine, w.latency = 0, 0
		}
	}
	switch o.base {
	case "pragma":
		w.machine = 0
	case "call":
		w.pipe, w.latency = C.PIPE_CALL, callLatency
	}
	for _, e := range expansions {
		if e.base == o.base && slices.Contains(strings.Fields(e.types), o.kind()) && !o.has("approx") {
			w.machine, w.latency = e.machine, e.latency
		}
	}
	switch {
	case (o.base == "mul" || o.base == "mad") && o.has("wide"):
		w.machine, w.latency = 1, simpleLatency
	case of.kind == float32s && slices.Contains([]string{"sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "tanh"}, o.base):
		w.pipe = C.PIPE_SPECIAL
	}
	return w
}

// waits is what an instruction's result takes in a chain.
func (w weight) waits(i *ptx.Instruction) ptx.Wait {
	wait := ptx.Wait{Cycles: w.latency}
	if (w.pipe == C.PIPE_LOAD || w.pipe == C.PIPE_ATOMIC) && w.latency == 0 {
		wait.Accesses = 1
	}
	return wait
}

// weights are C's, by the instructions of a function's code.
func (t *translation) weights() []C.struct_accscope_simt_weight {
	f := t.function
	count := len(t.code)
	list := unsafe.Slice((*C.struct_accscope_simt_weight)(t.program.zeroed(uintptr(count)*C.sizeof_struct_accscope_simt_weight)), count)
	chains := map[int]ptx.Chain{}
	for _, c := range t.body.Chains(func(i *ptx.Instruction) ptx.Wait { return weigh(i).waits(i) }) {
		chains[c.Begin] = c
	}
	for i := range t.body.Instructions {
		at := t.first(i)
		if at < 0 {
			continue
		}
		w := weigh(&t.body.Instructions[i])
		to := &list[at]
		to.pipe, to.machine = w.pipe, C.uint16_t(w.machine)
		if f.kinds[at].access >= 0 {
			to.access = C.uint32_t(f.kinds[at].access + 1)
		}
		if c, is := chains[i]; is {
			accesses := accessUnit * c.Accesses
			if t.overlaps(i) {
				accesses /= 2
			}
			to.cycles, to.accesses = C.uint16_t(min(c.Cycles, 1<<16-1)), C.uint16_t(min(accesses, 1<<16-1))
		}
	}
	return list
}

// accessUnit is how many C's weights have for an access.
const accessUnit = 2

// overlaps says whether a block is a loop that only reads: the driver's compiler unrolls it, so that the loads of
// one turn and the next are under way together.
func (t *translation) overlaps(begin int) bool {
	for i := begin; i < len(t.body.Instructions); i++ {
		at := &t.body.Instructions[i]
		switch classOf(at.Opcode).kind {
		case store, atomic, barrier, exchange:
			return false
		case branch:
			return at.Branch() == begin
		}
	}
	return false
}

// first is where C's code of an instruction begins, behind the meeting of lanes; -1: it has none.
func (t *translation) first(i int) int {
	meet := C.uint16_t(operations()["meet"])
	for at := int(t.starts[i]); at < int(t.starts[i+1]); at++ {
		if t.code[at].operation != meet {
			return at
		}
	}
	return -1
}

// Caches are those of a GPU that is modelled, for the memory of one device.
type Caches struct {
	c *C.struct_accscope_simt_caches
}

// NewCaches are empty, with a second level of some bytes. The error says what the host lacks.
func NewCaches(begin unsafe.Pointer, bytes, secondLevel uint64) (*Caches, error) {
	c := C.accscope_simt_caches_open(C.uintptr_t(uintptr(begin)), C.uint64_t(bytes), C.uint64_t(secondLevel))
	if c == nil {
		return nil, fmt.Errorf("no host memory or addresses left for the model of its caches")
	}
	return &Caches{c}, nil
}

// Close gives them back; no kernel runs.
func (c *Caches) Close() {
	if c != nil {
		C.accscope_simt_caches_close(c.c)
		c.c = nil
	}
}

// C is C's struct accscope_simt_caches.
func (c *Caches) C() unsafe.Pointer {
	if c == nil {
		return nil
	}
	return unsafe.Pointer(c.c)
}

// Begin makes them ready for a launch: each gang has some bytes of the first level.
func (c *Caches) Begin(firstLevel uint64) { C.accscope_simt_caches_begin(c.c, C.uint64_t(firstLevel)) }

// Met is the weight of the address that the most atomics of the launch have updated, in lanes of one request.
func (c *Caches) Met() uint64 { return uint64(C.accscope_simt_caches_met(c.c)) }

// Totals are what all launches of a kernel came to, in instructions and requests of warps.
type Totals struct {
	Launches, Gangs, Lanes, Work, MostWork                                                uint64
	Integer, Float, Double, Special, Load, Store, Atomic, Exchange, Barrier, Other        uint64 // instructions of the machine
	Cycles, Accesses                                                                      uint64 // along the chains of blocks
	LoadRequests, StoreRequests, AtomicRequests, SharedRequests, LocalRequests            uint64
	Sectors, Passed, Fetched                                                              uint64 // of memory; that the first level has not; that the second has not
	LoadPassing, LoadFetching, AtomicLanes, SharedPasses, LocalSectors, StoreLines, Calls uint64
}

// Totals of a kernel so far; none of its launches runs.
func (p *Program) Totals(kernel string) Totals {
	c := p.counters[kernel]
	if c == nil {
		return Totals{}
	}
	var s C.struct_accscope_simt_totals
	for index, f := range p.all {
		if f.weights != nil && C.accscope_simt_met(c, C.uint32_t(index)) != 0 {
			C.accscope_simt_add_totals(c, C.uint32_t(index), &f.weights[0], &s)
		}
	}
	l := C.accscope_simt_launches_of(c)
	n := func(v C.uint64_t) uint64 { return uint64(v) }
	return Totals{
		Launches: n(l.launches), Gangs: n(l.gangs), Lanes: n(l.lanes), Work: n(l.work), MostWork: n(l.most_work),
		Integer: n(s.machine[C.PIPE_INTEGER]), Float: n(s.machine[C.PIPE_FLOAT]), Double: n(s.machine[C.PIPE_DOUBLE]), Special: n(s.machine[C.PIPE_SPECIAL]),
		Load: n(s.machine[C.PIPE_LOAD]), Store: n(s.machine[C.PIPE_STORE]), Atomic: n(s.machine[C.PIPE_ATOMIC]),
		Exchange: n(s.machine[C.PIPE_EXCHANGE]), Barrier: n(s.machine[C.PIPE_BARRIER]), Other: n(s.machine[C.PIPE_OTHER]),
		Cycles: n(s.cycles), Accesses: n(s.accesses) / accessUnit,
		LoadRequests: n(s.load.requests), StoreRequests: n(s.store.requests), AtomicRequests: n(s.atomic.requests),
		SharedRequests: n(s.load.shared_requests + s.store.shared_requests + s.atomic.shared_requests),
		LocalRequests:  n(s.load.local_requests + s.store.local_requests),
		Sectors:        n(s.load.sectors + s.store.sectors + s.atomic.sectors),
		Passed:         n(s.load.passed + s.store.passed + s.atomic.passed), Fetched: n(s.load.fetched + s.store.fetched + s.atomic.fetched),
		LoadPassing: n(s.load.passing), LoadFetching: n(s.load.fetching), AtomicLanes: n(s.atomic.lanes), StoreLines: n(s.store.lines), Calls: n(s.machine[C.PIPE_CALL]),
		SharedPasses: n(s.load.shared_passes + s.store.shared_passes + s.atomic.shared_passes), LocalSectors: n(s.load.local_sectors + s.store.local_sectors),
	}
}

// reserved is how many registers the driver's compiler takes beside those that hold the text's values at
// once: in the middle, of the kernels of runtime/cuda/gputest/counters on an H200.
const reserved = 9

// Registers is how many a lane of a kernel may need, estimated from the text.
func (p *Program) Registers(kernel string) int {
	if f := p.names[kernel]; f != nil {
		return f.pressure + reserved
	}
	return 0
}
