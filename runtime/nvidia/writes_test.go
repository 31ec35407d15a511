package nvidia

import (
	"os"
	"slices"
	"testing"

	"github.com/accscope/accscope/runtime/ptx"
)

// What GCC made of testdata/arguments.c: GCC passes the variables of a construct in the
// order of its own, so each is told by what the kernel does to it.
func TestArgumentWrites(t *testing.T) {
	data, err := os.ReadFile("testdata/arguments.ptx")
	check(t, err)
	m, err := ptx.Parse(string(data))
	check(t, err)
	got := FactsOf(m)
	for name, want := range map[string][]int{
		"main$_omp_fn$0": {0},    // result
		"main$_omp_fn$1": {1, 2}, // written, result
		"main$_omp_fn$2": {0, 1}, // result and passed
		"main$_omp_fn$3": {0},    // counted
		"main$_omp_fn$4": {0, 3}, // result and sum
	} {
		if about := got[name]; !about.Known || !slices.Equal(about.Writes, want) {
			t.Errorf("%s may write to arguments %v (known %v), want %v", name, about.Writes, about.Known, want)
		}
	}
}

// TestArgumentWritesOfInstructions: what follows ld.param.u64 %a, [%in], of a block with
// arguments loaded from %a.
func TestArgumentWritesOfInstructions(t *testing.T) {
	for name, c := range map[string]struct {
		code  string
		want  []int
		known bool
	}{
		"only read":                 {"ld.u64 %r1,[%a+8];\nld.u32 %r2,[%r1];\n", nil, true},
		"written":                   {"ld.u64 %r1,[%a+8];\nst.u32 [%r1],%r2;\n", []int{1}, true},
		"with a guard":              {"ld.u64 %r1,[%a+8];\n@!%p1 st.u32 [%r1+4],%r2;\n", []int{1}, true},
		"by way of other places":    {"ld.u64 %r1,[%a];\nmov.b64 {%h,%l},%r1;\nshfl.sync.idx.b32 %h,%h,0,31,-1;\nmov.b64 %r3,{%h,%l};\nadd.u64 %r4,%r3,%r9;\nst.u8 [%r4],%r2;\n", []int{0}, true},
		"before it is loaded":       {"st.u32 [%r1],%r2;\nld.u64 %r1,[%a+16];\n", []int{2}, true},
		"two of them at once":       {"ld.v2.u64 {%r1,%r2},[%a+8];\nst.u32 [%r2],0;\n", []int{2}, true},
		"either of two":             {"ld.u64 %r1,[%a];\nld.u64 %r2,[%a+8];\nselp.u64 %r3,%r1,%r2,%p;\nred.add.u32 [%r3],1;\n", []int{0, 1}, true},
		"atomically":                {"ld.u64 %r1,[%a];\natom.add.u32 %r2,[%r1],1;\n", []int{0}, true},
		"through what it points to": {"ld.u64 %r1,[%a];\nld.u64 %r2,[%r1];\nst.u32 [%r2],1;\n", nil, true},
		"kept in memory":            {"ld.u64 %r1,[%a];\nst.u64 [%stack],%r1;\n", []int{0}, true},
		"kept in shared memory":     {"ld.u64 %r1,[%a];\nst.shared.u64 [__bcast],%r1;\n", []int{0}, true},
		"given to a function":       {"ld.u64 %r1,[%a];\nst.param.u64 [%out_arg1],%r1;\ncall f,(%out_arg1);\n", []int{0}, true},
		"in a remark":               {"ld.u64 %r1,[%a];\n// st.u32 [%r1],%r2;\n", nil, true},
		"handed to other workers":   {"cvta.shared.u64 %s,__oacc_bcast;\nst.u64 [%s+16],%a;\nld.u64 %b,[%s+16];\nld.u64 %r1,[%b+8];\nst.u32 [%r1],1;\n", []int{1}, true},
		"at another offset":         {"cvta.shared.u64 %s,__oacc_bcast;\nld.u64 %r1,[%a];\nst.u64 [%s+16],%r1;\nld.u64 %b,[%s+8];\nst.u32 [%b],1;\n", nil, true},
		"by the variable's name":    {"cvta.shared.u64 %s,__oacc_bcast;\nst.u64 [%s+16],%a;\nld.u64 %b,[__oacc_bcast+16];\nld.u64 %r1,[%b];\nst.u32 [%r1],1;\n", []int{0}, true},
		"before the block":          {"ld.u64 %r1,[%a+-8];\n", nil, false},
		"by an index":               {"cvta.shared.u64 %s,__oacc_bcast;\nst.u64 [%s+16],%a;\nadd.u64 %t,%s,%i;\nld.u64 %b,[%t];\n", nil, false},
		"the block is kept":         {"st.shared.u64 [__bcast],%a;\n", nil, false},
		"the block is written":      {"st.u64 [%a],%r1;\n", nil, false},
		"the block is given away":   {"call f,(%a);\n", nil, false},
		"an argument by a number":   {"add.u64 %r2,%a,%r9;\nld.u64 %r1,[%r2];\n", nil, false},
		"half of an address":        {"ld.u32 %r1,[%a];\n", nil, false},
		"the block by another way":  {"mov.u64 %r7,%a;\nld.u64 %r1,[%r7+24];\nst.f64 [%r1],%r2;\n", []int{3}, true},
	} {
		m, err := ptx.Parse(".entry k (.param.u64 %in)\n{\n.local .u64 %stack;\n.param .u64 %out_arg1;\nld.param.u64 %a, [%in];\n" + c.code + "}")
		check(t, err)
		if about := FactsOf(m)["k"]; about.Known != c.known || !slices.Equal(about.Writes, c.want) {
			t.Errorf("%s: arguments %v, known %v; want %v, %v", name, about.Writes, about.Known, c.want, c.known)
		}
	}
}

func FuzzArgumentWrites(f *testing.F) {
	for _, file := range []string{"testdata/arguments.ptx", "../cuda/testdata/kernels.ptx"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if m, err := ptx.Parse(text); err == nil {
			FactsOf(m)
		}
	})
}
