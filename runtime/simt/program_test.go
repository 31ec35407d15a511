package simt

import (
	"os"
	"strings"
	"testing"
	"unsafe"
)

// read links a text of testdata, or of a neighbour's.
func read(t testing.TB, d *testDevice, file string, kernels ...string) *Program {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return link(t, d, string(text), kernels...)
}

func link(t testing.TB, d *testDevice, text string, kernels ...string) *Program {
	t.Helper()
	p, err := Link([]string{text}, kernels, d.allocate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Forget)
	return p
}

// asWords has the bytes of a slice in memory of the device.
func asWords[T any](d *testDevice, count int) ([]T, uint64) {
	var one T
	words := d.words((count*int(unsafe.Sizeof(one)) + 7) / 8)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), count), address(words)
}

// What GCC makes of a sum over gangs, workers and lanes (runtime/cuda/testdata/reductions.c):
// shuffles, shared memory, barriers, and compare-and-swap between gangs on several threads.
func TestReduction(t *testing.T) {
	d := newDevice(t)
	p := read(t, d, "../cuda/testdata/reductions.ptx", "main$_omp_fn$0")
	const n = 10_000
	a, at := asWords[float64](d, n)
	want := 0.0
	for i := range a {
		a[i] = float64(i % 100)
		want += a[i]
	}
	sum, sumAt := asWords[float64](d, 1)
	count, countAt := asWords[int32](d, 1)
	count[0] = n
	block := d.words(3)
	copy(block, []uint64{sumAt, at, countAt})
	for _, gangs := range []uint32{1, 7, 64, 400} {
		sum[0] = 0
		if fault := d.run(p, "main$_omp_fn$0", gangs, 1, 32, address(block)); fault != nil || sum[0] != want {
			t.Errorf("%d gangs: %v, fault %v, want %v", gangs, sum[0], fault, want)
		}
	}
}

const head = ".version 7.0\n.target sm_80\n.address_size 64\n"

// TestFaults: what a GPU would suffer from is told with its place.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want string
	}{
		"behind the end":     {"ld.global.u32 %v,[%a+16];", "0 bytes behind the end of the 16 bytes"},
		"across the end":     {"ld.global.u64 %w,[%a+16];", "behind the end"},
		"null":               {"mov.u64 %a,0;\nst.global.u32 [%a],%v;", "a null pointer"},
		"misaligned":         {"ld.global.u32 %v,[%a+2];", "not a multiple of its size"},
		"a barrier of some":  {"setp.lt.u32 %p,%l,5;\n@%p bra L;\nbar.warp.sync 0xffffffff;\nL: bar.sync 1,96;", "barrier that not all threads of the gang reach"},
		"trap":               {"setp.eq.u32 %p,%l,7;\n@%p trap;", "lane 7 of worker 0 of gang 0 ends itself"},
		"call into nowhere":  {"{ .param .u64 %x; st.param.u64 [%x],%a; call %a,(%x),P;\nP: .callprototype _ (.param .u64 _); }", "calls a function at"},
		"freed twice":        {"{ .param .u64 %x; st.param.u64 [%x],%a; call free,(%x); }", "no memory of the device"},
		"never ends":         {"L: bra L;", "runs longer than ACCSCOPE_SIM_KERNEL_TIMEOUT"},
		"stack of recursion": {"call deep;", "set ACCSCOPE_SIM_STACK higher"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			d.Timeout = 50_000_000
			text := head + ".extern .func free (.param .u64 %p);\n.func deep;\n.func deep { .local .align 8 .b8 %f[1024]; .reg .u64 %r; cvta.local.u64 %r,%f; st.u64 [%r],%r; call deep; ret; }\n" +
				".file 1 \"/a/kernel.c\"\n.entry k (.param .u64 %in)\n{\n.reg .u64 %a, %w; .reg .u32 %v, %l; .reg .pred %p;\nld.param.u64 %a,[%in];\nmov.u32 %l,%tid.x;\n.loc 1 42 3\n" + c.body + "\nret;\n}\n"
			p := link(t, d, text, "k")
			fault := d.run(p, "k", 1, 1, 32, address(d.words(2)))
			if fault == nil || !strings.Contains(fault.Words(), c.want) || fault.Kernel == "k" && (fault.File != "/a/kernel.c" || fault.Line != 42) {
				t.Errorf("fault %+v, want %q at /a/kernel.c:42", fault, c.want)
			}
		})
	}
}

// TestDivergence: lanes that part meet again, in loops of different lengths, nested, in
// calls, by address and recursive.
func TestDivergence(t *testing.T) {
	text := head + `
.func (.param .u32 %o) down (.param .u32 %in)
{
 .reg .u32 %n, %r; .reg .pred %p;
 ld.param.u32 %n,[%in];
 mov.u32 %r,1;
 setp.lt.u32 %p,%n,2;
 @%p bra E;
 add.u32 %r,%n,-1;
 { .param .u32 %x; .param .u32 %y; st.param.u32 [%x],%r; call (%y),down,(%x); ld.param.u32 %r,[%y]; }
 mul.lo.u32 %r,%r,%n;
E:
 st.param.u32 [%o],%r;
 ret;
}
.func (.param .u32 %o) odd (.param .u32 %in)
{ .reg .u32 %r; ld.param.u32 %r,[%in]; mul.lo.u32 %r,%r,3; add.u32 %r,%r,1; st.param.u32 [%o],%r; ret; }
.func (.param .u32 %o) even (.param .u32 %in)
{ .reg .u32 %r; ld.param.u32 %r,[%in]; shr.u32 %r,%r,1; st.param.u32 [%o],%r; ret; }
.entry k (.param .u64 %in)
{
 .reg .u64 %a, %f, %g; .reg .u32 %l, %n, %steps, %d, %t; .reg .pred %p, %q;
 ld.param.u64 %a,[%in];
 mov.u32 %l,%tid.x;
 mad.wide.u32 %a,%l,8,%a;
 mov.u64 %f,odd;
 mov.u64 %g,even;
 add.u32 %n,%l,1;
 mov.u32 %steps,0;
L:
 setp.eq.u32 %p,%n,1;
 @%p bra D;
 and.b32 %t,%n,1;
 setp.eq.u32 %q,%t,1;
 { .reg .u64 %h; selp.u64 %h,%f,%g,%q;
   .param .u32 %x; .param .u32 %y; st.param.u32 [%x],%n;
   P: .callprototype (.param .u32 _) _ (.param .u32 _);
   call (%y),%h,(%x),P; ld.param.u32 %n,[%y]; }
 add.u32 %steps,%steps,1;
 bra L;
D:
 shfl.sync.idx.b32 %t,%steps,26,31,0xffffffff;
 and.b32 %d,%l,7;
 { .param .u32 %x; .param .u32 %y; st.param.u32 [%x],%d; call (%y),down,(%x); ld.param.u32 %d,[%y]; }
 st.u32 [%a],%steps;
 add.u32 %d,%d,%t;
 st.u32 [%a+4],%d;
 ret;
}
`
	steps := func(n int) (s int) {
		for ; n != 1; s++ {
			if n%2 == 1 {
				n = 3*n + 1
			} else {
				n /= 2
			}
		}
		return s
	}
	factorial := func(n int) int {
		r := 1
		for ; n > 1; n-- {
			r *= n
		}
		return r
	}
	d := newDevice(t)
	p := link(t, d, text, "k")
	got, at := asWords[[2]uint32](d, 64)
	if fault := d.run(p, "k", 1, 1, 64, at); fault != nil {
		t.Fatal(fault.Words())
	}
	for i := range got {
		from := i/32*32 + 26
		if want := [2]uint32{uint32(steps(i + 1)), uint32(factorial(i&7) + steps(from+1))}; got[i] != want {
			t.Errorf("lane %d: %v, want %v", i, got[i], want)
		}
	}
}

// TestLockWithinWarp: a lane that waits for another one of its warp ends, whatever way the
// branch is laid out.
func TestLockWithinWarp(t *testing.T) {
	text := head + `
.entry k (.param .u64 %in)
{
 .reg .u64 %a; .reg .u32 %old, %v; .reg .pred %p;
 ld.param.u64 %a,[%in];
L:
 atom.cas.b32 %old,[%a],0,1;
 setp.ne.u32 %p,%old,0;
 @%p bra L;
 ld.volatile.global.u32 %v,[%a+4];
 add.u32 %v,%v,1;
 st.volatile.global.u32 [%a+4],%v;
 membar.gl;
 atom.exch.b32 %old,[%a],0;
 ret;
}
`
	for _, seed := range []uint64{0, 1, 2} {
		d := newDevice(t)
		d.Seed = seed
		p := link(t, d, text, "k")
		got, at := asWords[uint32](d, 2)
		if fault := d.run(p, "k", 3, 2, 32, at); fault != nil || got[1] != 3*2*32 {
			t.Errorf("seed %d: %d lanes had the lock, fault %v, want %d", seed, got[1], fault, 3*2*32)
		}
	}
}

// TestGangsWait: a gang that waits for one with a later number ends.
func TestGangsWait(t *testing.T) {
	d := newDevice(t)
	d.Threads = 1
	p := link(t, d, head+`
.entry k (.param .u64 %in)
{
 .reg .u64 %a; .reg .u32 %g, %n, %v; .reg .pred %p;
 ld.param.u64 %a,[%in];
 mov.u32 %g,%ctaid.x;
 mov.u32 %n,%nctaid.x;
 atom.add.u32 %v,[%a],1;
L:
 ld.volatile.global.u32 %v,[%a];
 setp.lt.u32 %p,%v,%n;
 @%p bra L;
 ret;
}
`, "k")
	if fault := d.run(p, "k", 20, 1, 1, address(d.words(1))); fault != nil {
		t.Error(fault.Words())
	}
}

// TestRefused: what cannot be run is refused when it is linked, by name and place.
func TestRefused(t *testing.T) {
	for body, want := range map[string]string{
		"bfind.u32 %v,%v;":          "k: PTX, line 7 (byte 116): bfind.u32: this instruction is not known",
		"add.u64 %v,%v,%v;":         "the register %v has another size than the operation",
		"mov.u64 %a,nowhere;":       "nowhere is defined nowhere in the program's device code",
		"call nowhere;":             "the function nowhere is defined nowhere",
		"add.ftz.f32 %v,%v,%v;":     "ftz is not known",
		"mov.u32 %v,%pm0;":          "the special register %pm0 is not known",
		"bar.red.popc.u32 %v,0,%p;": "this barrier is not known",
		"ld.global.u32 {%v},[%v];":  "an operand has another size than the operation",
	} {
		d := newDevice(t)
		_, err := Link([]string{head + ".entry k (.param .u64 %in)\n{\n.reg .u64 %a; .reg .u32 %v; .reg .pred %p;\n" + body + "\nret;\n}\n"}, []string{"k"}, d.allocate)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", body, err, want)
		}
	}
}

// FuzzLink: no text makes the reader or the executor fail.
func FuzzLink(f *testing.F) {
	for _, file := range []string{"../cuda/testdata/reductions.ptx", "../nvidia/testdata/loops.ptx"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := newDevice(t)
		p, err := Link([]string{text}, []string{"main$_omp_fn$0"}, d.allocate)
		if err != nil {
			return
		}
		defer p.Forget()
		d.Timeout = 20_000_000
		d.run(p, "main$_omp_fn$0", 1, 1, 32, address(d.words(8)))
	})
}
