package simt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestCounters: what a warp asks of memory is counted as a GPU's memory sees it, by line.
func TestCounters(t *testing.T) {
	for name, c := range map[string]struct {
		body string // %a: the memory, %l: the lane
		want string
	}{
		"neighbours":            {"mad.wide.u32 %a,%l,4,%a;\n.loc 1 7 1\nld.u32 %v,[%a];", "load_bytes=128 load_contiguous=1 load_lanes=32 load_requests=1 load_sectors=4"},
		"doubles":               {"mad.wide.u32 %a,%l,8,%a;\n.loc 1 7 1\nld.u64 %w,[%a];", "load_bytes=256 load_contiguous=1 load_lanes=32 load_requests=1 load_sectors=8"},
		"not aligned":           {"mad.wide.u32 %a,%l,4,%a;\n.loc 1 7 1\nld.u32 %v,[%a+4];", "load_bytes=128 load_contiguous=1 load_lanes=32 load_requests=1 load_sectors=5"},
		"backwards":             {"mul.wide.u32 %w,%l,4;\nsub.u64 %a,%a,%w;\n.loc 1 7 1\nld.u32 %v,[%a+124];", "load_bytes=128 load_lanes=32 load_requests=1 load_sectors=4 load_stride=-4 load_strided=1"},
		"one value":             {".loc 1 7 1\nld.u64 %w,[%a];", "load_bytes=256 load_lanes=32 load_requests=1 load_sectors=1 load_uniform=1"},
		"every other":           {"mad.wide.u32 %a,%l,8,%a;\n.loc 1 7 1\nst.u32 [%a],%l;", "store_bytes=128 store_lanes=32 store_requests=1 store_sectors=8 store_stride=8 store_strided=1"},
		"a row each":            {"mad.wide.u32 %a,%l,128,%a;\n.loc 1 7 1\nld.u32 %v,[%a];", "load_bytes=128 load_lanes=32 load_requests=1 load_sectors=32 load_stride=128 load_strided=1"},
		"scattered":             {"mul.lo.u32 %v,%l,%l;\nand.b32 %v,%v,31;\nmad.wide.u32 %a,%v,32,%a;\n.loc 1 7 1\nld.u32 %v,[%a];", "load_bytes=128 load_lanes=32 load_requests=1 load_sectors=7"},
		"a vector":              {"mad.wide.u32 %a,%l,16,%a;\n.loc 1 7 1\nld.v2.u64 {%w,%w},[%a];", "load_bytes=512 load_contiguous=1 load_lanes=32 load_requests=1 load_sectors=16"},
		"eight lanes":           {"mad.wide.u32 %a,%l,4,%a;\nsetp.lt.u32 %p,%l,8;\n.loc 1 7 1\n@%p st.u32 [%a],%l;", "store_bytes=32 store_contiguous=1 store_lanes=8 store_requests=1 store_sectors=1"},
		"none":                  {"setp.gt.u32 %p,%l,32;\n.loc 1 7 1\n@%p st.u32 [%a],%l;", ""},
		"its stack":             {"{ .local .align 8 .b8 %f[8]; cvta.local.u64 %a,%f; }\n.loc 1 7 1\nst.u64 [%a],%w;", "local_bytes=256 local_requests=1"},
		"banks":                 {"mov.u64 %a,s;\nmad.wide.u32 %a,%l,4,%a;\n.loc 1 7 1\nst.shared.u32 [%a],%l;", "shared_bytes=128 shared_least_passes=1 shared_passes=1 shared_requests=1"},
		"banks of two":          {"mov.u64 %a,s;\nmad.wide.u32 %a,%l,8,%a;\n.loc 1 7 1\nst.shared.u32 [%a],%l;", "shared_bytes=128 shared_least_passes=1 shared_passes=2 shared_requests=1"},
		"banks of doubles":      {"mov.u64 %a,s;\nmad.wide.u32 %a,%l,8,%a;\n.loc 1 7 1\nst.shared.u64 [%a],%w;", "shared_bytes=256 shared_least_passes=2 shared_passes=2 shared_requests=1"},
		"one bank":              {"mov.u64 %a,s;\nmad.wide.u32 %a,%l,128,%a;\n.loc 1 7 1\nst.shared.u32 [%a],%l;", "shared_bytes=128 shared_least_passes=1 shared_passes=32 shared_requests=1"},
		"one word of a bank":    {"mov.u64 %a,s;\n.loc 1 7 1\nld.shared.u32 %v,[%a];", "shared_bytes=128 shared_least_passes=1 shared_passes=1 shared_requests=1"},
		"all meet":              {".loc 1 7 1\natom.global.add.u32 %v,[%a],1;", "atomic_addresses=1 atomic_bytes=128 atomic_lanes=32 atomic_most=32 atomic_requests=1 atomic_sectors=32"},
		"pairs meet":            {"shr.u32 %v,%l,1;\nmad.wide.u32 %a,%v,8,%a;\n.loc 1 7 1\natom.global.add.u64 %w,[%a],1;", "atomic_addresses=16 atomic_bytes=256 atomic_lanes=32 atomic_most=2 atomic_requests=1 atomic_sectors=20"},
		"a branch of some":      {"setp.lt.u32 %p,%l,8;\n.loc 1 7 1\n@%p bra E;", "branches=1 divergent_branches=1"},
		"a branch of all":       {"setp.lt.u32 %p,%l,32;\n.loc 1 7 1\n@%p bra E;", "branches=1"},
		"multiply and add":      {".loc 1 7 1\nfma.rn.f64 %d,%d,%d,%d;\nadd.f32 %f,%f,%f;", "floats32=1 floats64=1 operations32=32 operations64=64"},
		"lanes that went ahead": {"setp.ge.u32 %p,%l,8;\n@%p bra E;\n.loc 1 7 1\nadd.u32 %v,%v,1;", "active_lanes=8 instructions=1 integers=1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			d.Count = true
			p := link(t, d, head+".file 1 \"/a/kernel.c\"\n.shared .align 128 .b8 s[4096];\n.entry k (.param .u64 %in)\n{\n.reg .u64 %a, %w; .reg .u32 %v, %l; .reg .f64 %d; .reg .f32 %f; .reg .pred %p;\n"+
				".loc 1 6 1\nld.param.u64 %a,[%in];\nld.u64 %a,[%a];\nmov.u32 %l,%laneid;\n"+c.body+"\n.loc 1 8 1\nE: ret;\n}\n", "k")
			memory := d.words(1024)
			for uintptr(address(memory))%128 != 0 {
				memory = d.words(1024)
			}
			block := d.words(1)
			block[0] = address(memory)
			if fault := d.run(p, "k", 1, 1, 32, address(block)); fault != nil {
				t.Fatal(fault.Words())
			}
			counts := p.Counts()
			if len(counts) != 1 {
				t.Fatalf("%d kernels", len(counts))
			}
			got := ""
			for _, l := range counts[0].Lines {
				if l.Line == 7 {
					got = said(l.Values, strings.Contains(c.want, "instructions"), strings.Contains(c.want, "branches"), strings.Contains(c.want, "operations"))
				}
			}
			if got != c.want {
				t.Errorf("counted %q, want %q", got, c.want)
			}
		})
	}
}

// TestCountsBeforeALine: what stands before the first note of a line is the function's first line's.
func TestCountsBeforeALine(t *testing.T) {
	d := newDevice(t)
	d.Count = true
	p := link(t, d, head+".file 1 \"/a/kernel.c\"\n.entry k (.param .u64 %in)\n{\n.reg .u64 %a;\n"+
		"ld.param.u64 %a,[%in];\nld.u64 %a,[%a];\n.loc 1 7 1\nst.u64 [%a],%a;\n.loc 1 8 1\nret;\n}\n", "k")
	block := d.words(2)
	block[0] = address(block)
	if fault := d.run(p, "k", 1, 1, 32, address(block)); fault != nil {
		t.Fatal(fault.Words())
	}
	for _, l := range p.Counts()[0].Lines {
		if l.Line != 7 && l.Line != 8 {
			t.Errorf("line %d", l.Line)
		}
		if got := said(l.Values, false, false, false); l.Line == 7 && !strings.HasPrefix(got, "load_bytes=256 ") {
			t.Errorf("line 7: %s", got)
		}
	}
}

// said are the counts that are not 0, by name: of instructions only where they are asked for.
func said(values map[string]int64, instructions, branches, operations bool) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		asked := true
		switch name {
		case "instructions", "active_lanes", "integers":
			asked = instructions
		case "branches", "divergent_branches":
			asked = branches
		case "floats32", "floats64", "operations32", "operations64":
			asked = operations
		case "loads", "stores", "atomics", "moves", "others", "barriers", "exchanges", "conversions":
			asked = false
		}
		if asked && values[name] != 0 {
			list = append(list, fmt.Sprintf("%s=%d", name, values[name]))
		}
	}
	return strings.Join(list, " ")
}
