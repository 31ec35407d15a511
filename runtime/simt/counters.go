package simt

/*
#include "counters.h"
*/
import "C"

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/ptx"
)

// A class is what kind of instruction one of the text's is, and how many operations of
// floating point each lane does by it.
type class struct {
	kind       kind
	double     bool // the operations are of 64 bits
	operations int64
	access     int // of loads, stores and atomics: the number of the first among the function's; -1: it is none
}

// A kind is the name of the column that counts such instructions; "" of what translation has
// added.
type kind string

const (
	integer    kind = "integers"
	float32s   kind = "floats32"
	float64s   kind = "floats64"
	conversion kind = "conversions"
	move       kind = "moves"
	load       kind = "loads"
	store      kind = "stores"
	atomic     kind = "atomics"
	branch     kind = "branches"
	exchange   kind = "exchanges"
	barrier    kind = "barriers"
	other      kind = "others"
)

// bases are the classes of instructions whose types do not matter.
var bases = map[string]kind{
	"ld": load, "st": store, "atom": atomic, "red": atomic,
	"bra": branch, "call": branch, "ret": branch, "exit": branch, "trap": branch,
	"bar": barrier, "barrier": barrier, "shfl": exchange, "vote": exchange, "activemask": exchange,
	"cvt": conversion, "cvta": move, "mov": move, "selp": move,
	"membar": other, "fence": other, "nanosleep": other, "pragma": other, "prefetch": other, "prefetchu": other,
}

// arithmetic are the operations of floating point that are counted as such.
var arithmetic = map[string]int64{
	"add": 1, "sub": 1, "mul": 1, "div": 1, "rcp": 1, "sqrt": 1, "rsqrt": 1, "sin": 1, "cos": 1, "ex2": 1, "lg2": 1, "tanh": 1,
	"fma": 2, "mad": 2,
}

// classOf is an instruction's class.
func classOf(opcode string) class {
	o := takeApart(opcode)
	c := class{kind: integer, access: -1}
	switch known, is := bases[o.base]; {
	case is && o.has("param") || o.base == "cvta":
		c.kind = move
	case o.base == "bar" && o.has("warp"):
		c.kind = exchange
	case is:
		c.kind = known
	case o.kind() == "f32":
		c = class{kind: float32s, access: -1, operations: arithmetic[o.base]}
	case o.kind() == "f64":
		c = class{kind: float64s, access: -1, double: true, operations: arithmetic[o.base]}
	}
	return c
}

// classify notes the class of the instruction in progress at the first of C's that it has become,
// from some place on.
func (t *translation) classify(from int) {
	f := t.function
	f.kinds = append(f.kinds, make([]class, len(t.code)-len(f.kinds))...)
	meet := C.uint16_t(operations()["meet"])
	for from < len(t.code) && t.code[from].operation == meet {
		from++
	}
	if from == len(t.code) {
		return
	}
	f.kinds[from] = classOf(t.here.Opcode)
	if at, _ := slices.BinarySearch(t.accesses, from); at < len(t.accesses) {
		f.kinds[from].access = at
	}
}

// count has the launches of a kernel counted, where that is set. Nothing is where no memory is left.
func (p *Program) count(kernel string, s Settings) *C.struct_accscope_simt_counters {
	if !s.Count {
		return nil
	}
	if p.counters == nil {
		p.counters = map[string]*C.struct_accscope_simt_counters{}
	}
	c := p.counters[kernel]
	if c == nil {
		c = C.accscope_simt_counters_open(&p.functions[0], C.uint32_t(len(p.functions)))
		p.counters[kernel] = c
	}
	return c
}

// Counts are those of all kernels that have been run, by name. None runs meanwhile.
func (p *Program) Counts() []device.KernelCounts {
	var all []device.KernelCounts
	for _, name := range slices.Sorted(maps.Keys(p.counters)) {
		c := p.counters[name]
		if c == nil {
			continue
		}
		l := C.accscope_simt_launches_of(c)
		if l.launches == 0 {
			continue
		}
		all = append(all, device.KernelCounts{Kernel: name, Lines: p.linesOf(c), Values: map[string]int64{
			"launches": int64(l.launches), "gangs": int64(l.geometry[0]), "workers": int64(l.geometry[1]), "vector": int64(l.geometry[2]),
			"all_gangs": int64(l.gangs), "all_lanes": int64(l.lanes), "shared_memory": int64(p.Shared),
			"gangs_touching": int64(l.gangs_touching), "workers_touching": int64(l.workers_touching), "lanes_touching": int64(l.lanes_touching),
			"work": int64(l.work), "least_work": int64(l.least_work), "median_work": int64(l.median_work), "most_work": int64(l.most_work),
		}})
	}
	return all
}

// A line is a source line's counts while they are added up.
type line struct {
	device.LineCounts
	worst map[string]int64 // sectors of the accesses whose strides it has
}

func (p *Program) linesOf(c *C.struct_accscope_simt_counters) []device.LineCounts {
	lines := map[ptx.Line]*line{}
	files := map[string]int{} // units have lists of their own
	for index, f := range p.all {
		if f.ptx == nil || C.accscope_simt_met(c, C.uint32_t(index)) == 0 {
			continue
		}
		for n, class := range f.kinds {
			tally := C.accscope_simt_tally_of(c, C.uint32_t(index), C.uint32_t(n))
			if class.kind == "" || tally.issued == 0 {
				continue
			}
			l := f.lineOf(n)
			if l.Line == 0 {
				l = f.begins() // what GCC puts before the first statement is the directive's
			}
			file := ""
			if l.Line != 0 {
				file = f.unit.module.Files[l.File]
			}
			if _, known := files[file]; !known {
				files[file] = len(files)
			}
			at := ptx.Line{File: files[file], Line: l.Line}
			if lines[at] == nil {
				lines[at] = &line{device.LineCounts{File: file, Line: l.Line, Values: map[string]int64{}}, map[string]int64{}}
			}
			lines[at].instruction(class, tally)
			if class.access >= 0 {
				lines[at].memory(class.kind, C.accscope_simt_requests_of(c, C.uint32_t(index), C.uint32_t(class.access)))
			}
		}
	}
	var list []device.LineCounts
	for _, l := range lines {
		list = append(list, l.LineCounts)
	}
	slices.SortFunc(list, func(a, b device.LineCounts) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

func (l *line) instruction(of class, t C.struct_accscope_simt_tally) {
	v := l.Values
	v["instructions"] += int64(t.issued)
	v["active_lanes"] += int64(t.lanes)
	v[string(of.kind)] += int64(t.issued)
	if of.kind == branch {
		v["divergent_branches"] += int64(t.parted)
	}
	if of.double {
		v["operations64"] += int64(t.lanes) * of.operations
	} else {
		v["operations32"] += int64(t.lanes) * of.operations
	}
}

// accessNames begin the names of columns of requests.
var accessNames = map[kind]string{load: "load_", store: "store_", atomic: "atomic_"}

func (l *line) memory(of kind, r C.struct_accscope_simt_requests) {
	v, name := l.Values, accessNames[of]
	v[name+"requests"] += int64(r.requests)
	v[name+"lanes"] += int64(r.lanes)
	v[name+"bytes"] += int64(r.bytes)
	v[name+"sectors"] += int64(r.sectors)
	v["shared_requests"] += int64(r.shared_requests)
	v["shared_bytes"] += int64(r.shared_bytes)
	v["shared_passes"] += int64(r.shared_passes)
	v["shared_least_passes"] += int64(r.shared_least)
	v["local_requests"] += int64(r.local_requests)
	v["local_bytes"] += int64(r.local_bytes)
	if of == atomic {
		v["atomic_lanes"] += int64(r.shared_lanes)
		v["atomic_addresses"] += int64(r.addresses)
		v["atomic_most"] = max(v["atomic_most"], int64(r.most))
		return
	}
	v[name+"uniform"] += int64(r.uniform)
	v[name+"contiguous"] += int64(r.contiguous)
	v[name+"strided"] += int64(r.strided)
	if r.strided > 0 && int64(r.sectors) > l.worst[name] {
		l.worst[name], v[name+"stride"] = int64(r.sectors), int64(r.stride)
	}
}
