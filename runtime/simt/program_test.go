package simt

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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
	p, err := Link([]string{text}, kernels, Needs{Weights: true}, d.allocate)
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

// print calls vprintf with registers.
func print(format, values string) string {
	return "{ .param .u64 %x; .param .u64 %y; .param .u32 %z; st.param.u64 [%x]," + format + "; st.param.u64 [%y]," + values + "; call (%z),vprintf,(%x,%y); }"
}

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
		"call with more":     {"mov.u64 %a,free; { .param .u64 %x; st.param.u64 [%x],%a; call %a,(%x,%x),P;\nP: .callprototype _ (.param .u64 _, .param .u64 _); }", "calls the function free with other arguments than it has"},
		"call with less":     {"mov.u64 %a,wants; { .param .u32 %x; st.param.u32 [%x],%v; call %a,(%x),P;\nP: .callprototype _ (.param .u32 _); }", "calls the function wants with other arguments than it has"},
		"call for more":      {"mov.u64 %a,gives; { .param .u64 %x; call (%x),%a,P;\nP: .callprototype (.param .u64 _) _; }", "calls the function gives with other arguments than it has"},
		"the last address":   {"mov.u64 %a,-8;\nld.u64 %w,[%a];", "an address of the host's"},
		"to the last one":    {"setp.eq.u32 %p,%l,31;\n@%p mov.u64 %a,-8;\nld.u64 %w,[%a];", "lane 31 of worker 0 of gang 0 reads 8 bytes at 0xfffffffffffffff8"},
		"below the stack":    {"{ .local .align 8 .b8 %f[8]; cvta.local.u64 %a,%f; }\nsetp.eq.u32 %p,%l,31;\n@%p sub.u64 %a,%a,8;\nld.u64 %w,[%a];", "lane 31"},
		"freed twice":        {"{ .param .u64 %x; st.param.u64 [%x],%a; call free,(%x); }", "frees 0x"},
		"text without end":   {"mov.u32 %v,0x41414141;\nst.u32 [%a],%v;\nst.u32 [%a+4],%v;\nst.u32 [%a+8],%v;\nst.u32 [%a+12],%v;\n" + print("%a", "%a"), "reads 1 bytes"},
		"values that end":    {"mov.u64 %w,0x64256425;\nst.u64 [%a],%w;\nadd.u64 %w,%a,12;\n" + print("%a", "%w"), "reads 4 bytes"},
		"width without end":  {"mov.u64 %w,0x642a25;\nst.u64 [%a],%w;\nadd.u64 %w,%a,16;\n" + print("%a", "%w"), "reads 4 bytes"},
		"no values":          {"mov.u64 %w,0x7325;\nst.u64 [%a],%w;\nmov.u64 %w,0;\n" + print("%a", "%w"), "a null pointer"},
		"never ends":         {"L: bra L;", "runs longer than ACCSCOPE_SIM_KERNEL_TIMEOUT"},
		"stack of recursion": {"call deep;", "set ACCSCOPE_SIM_STACK higher"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice(t)
			d.Timeout = 50_000_000
			text := head + ".extern .func free (.param .u64 %p);\n.extern .func (.param .u32 %o) vprintf (.param .u64 %f, .param .u64 %v);\n" +
				".func wants (.param .u64 %x) { ret; }\n.func (.param .u32 %o) gives { ret; }\n.func deep;\n.func deep { .local .align 8 .b8 %f[1024]; .reg .u64 %r; cvta.local.u64 %r,%f; st.u64 [%r],%r; call deep; ret; }\n" +
				".file 1 \"/a/kernel.c\"\n.entry k (.param .u64 %in)\n{\n.reg .u64 %a, %w; .reg .u32 %v, %l; .reg .pred %p;\nld.param.u64 %a,[%in];\nmov.u32 %l,%tid.x;\n.loc 1 42 3\n" + c.body + "\nret;\n}\n"
			p := link(t, d, text, "k")
			fault := d.run(p, "k", 1, 1, 32, address(d.words(2)))
			if fault == nil || !strings.Contains(fault.Words(), c.want) || fault.Kernel == "k" && (fault.File != "/a/kernel.c" || fault.Line != 42) {
				t.Errorf("fault %+v, want %q at /a/kernel.c:42", fault, c.want)
			}
		})
	}
}

// TestTimeoutOfLaterWarp: what is told of a kernel that takes too long is of a warp that
// has not ended.
func TestTimeoutOfLaterWarp(t *testing.T) {
	d := newDevice(t)
	d.Timeout = 50_000_000
	p := link(t, d, head+".entry k (.param .u64 %in)\n{\n.reg .u32 %l; .reg .pred %p;\nmov.u32 %l,%tid.x;\nsetp.lt.u32 %p,%l,32;\n@%p ret;\nL: bra L;\n}\n", "k")
	if fault := d.run(p, "k", 1, 1, 64, 0); fault == nil || fault.Lane != 32 || !strings.Contains(fault.Words(), "runs longer") {
		t.Errorf("fault %+v, want one of lane 32", fault)
	}
}

// TestGuardedTogether: lanes whose guard is off take no part in what lanes do together, and
// keep what they have.
func TestGuardedTogether(t *testing.T) {
	for instruction, want := range map[string]uint32{
		"shfl.sync.idx.b32 %v,%l,3,31,0xff": 3, "shfl.idx.b32 %v,%l,3,31": 3, "vote.sync.ballot.b32 %v,%q,0xff": 0xaa,
		"vote.ballot.b32 %v,%q": 0xaa, "activemask.b32 %v": 0xff,
	} {
		d := newDevice(t)
		p := link(t, d, head+`.entry k (.param .u64 %in)
{
 .reg .u64 %a; .reg .u32 %l, %v; .reg .pred %p, %q;
 ld.param.u64 %a,[%in];
 mov.u32 %l,%tid.x;
 mad.wide.u32 %a,%l,4,%a;
 and.b32 %v,%l,1;
 setp.ne.u32 %q,%v,0;
 setp.lt.u32 %p,%l,8;
 mov.u32 %v,77;
 @%p `+instruction+`;
 st.u32 [%a],%v;
 setp.gt.u32 %p,%l,99;
 @%p `+instruction+`;
 ret;
}
`, "k")
		got, at := asWords[uint32](d, 32)
		fault := d.run(p, "k", 1, 1, 32, at)
		for lane, v := range got {
			if is := lane < 8; fault != nil || v != want && is || v != 77 && !is {
				t.Errorf("%s: lane %d: %#x, fault %v", instruction, lane, v, fault)
			}
		}
	}
}

// TestOtherLanesSync: lanes that wait for some at an instruction do not go on with those that
// wait there for others.
func TestOtherLanesSync(t *testing.T) {
	d := newDevice(t)
	p := link(t, d, head+`.entry k (.param .u64 %in)
{
 .reg .u64 %a; .reg .u32 %l, %m, %n, %v; .reg .pred %p;
 ld.param.u64 %a,[%in];
 mov.u32 %l,%tid.x;
 mad.wide.u32 %a,%l,4,%a;
 mov.u32 %v,%l;
 add.u32 %n,%l,1;
 and.b32 %n,%n,3;
 mul.lo.u32 %n,%n,5000;
L: // the last lane comes first, the one that it waits for last
 setp.eq.u32 %p,%n,0;
 @%p bra S;
 add.u32 %n,%n,-1;
 bra L;
S:
 shr.u32 %m,%l,1;
 shl.b32 %m,%m,1;
 shl.b32 %m,3,%m;
 shfl.sync.bfly.b32 %v,%v,1,31,%m;
 st.u32 [%a],%v;
 ret;
}
`, "k")
	got, at := asWords[uint32](d, 4)
	if fault := d.run(p, "k", 1, 1, 4, at); fault != nil || !slices.Equal(got, []uint32{1, 0, 3, 2}) {
		t.Errorf("%v, fault %v, want [1 0 3 2]", got, fault)
	}
}

// TestClocks: time goes on within a lane's run, whatever it does.
func TestClocks(t *testing.T) {
	d := newDevice(t)
	p := link(t, d, head+`.entry k (.param .u64 %in)
{
 .reg .u64 %a, %c, %d, %t, %u; .reg .u32 %n, %e, %f; .reg .pred %p;
 ld.param.u64 %a,[%in];
 mov.u64 %t,%globaltimer;
 mov.u32 %e,%clock;
 mov.u64 %c,%clock64;
 mov.u32 %n,100;
L:
 nanosleep.u32 10;
 add.u32 %n,%n,-1;
 setp.ne.u32 %p,%n,0;
 @%p bra L;
 mov.u64 %d,%clock64;
 mov.u32 %f,%clock;
 mov.u64 %u,%globaltimer;
 sub.u64 %d,%d,%c;
 sub.u32 %f,%f,%e;
 sub.u64 %u,%u,%t;
 st.u64 [%a],%d;
 st.u32 [%a+8],%f;
 st.u64 [%a+16],%u;
 ret;
}
`, "k")
	got, at := asWords[uint64](d, 3)
	if fault := d.run(p, "k", 1, 1, 1, at); fault != nil || got[0] < 400 || got[0] > 1000 || got[1] < got[0] || got[2] == 0 || got[2] > uint64(time.Minute) {
		t.Errorf("clock64, clock, globaltimer %v, fault %v", got, fault)
	}
}

// TestWindow: addresses of lanes' stacks are kept free for them when there is a memory for
// kernels, not in a process that has none.
func TestWindow(t *testing.T) {
	if os.Getenv("SIMT_WINDOW") == "" {
		command := exec.Command(os.Args[0], "-test.run", "^TestWindow$")
		command.Env = append(os.Environ(), "SIMT_WINDOW=1")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	maps := func() string {
		text, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	mapped := func(maps string, address uint64) bool {
		for line := range strings.Lines(maps) {
			var begin, end uint64
			if n, _ := fmt.Sscanf(line, "%x-%x", &begin, &end); n == 2 && begin <= address && address < end {
				return true
			}
		}
		return false
	}
	before := maps()
	d := newDevice(t)
	after := maps()
	p := link(t, d, head+".entry k (.param .u64 %in)\n{\n.local .align 8 .b8 %f[8]; .reg .u64 %a, %r;\nld.param.u64 %a,[%in];\ncvta.local.u64 %r,%f;\nst.u64 [%a],%r;\nret;\n}\n", "k")
	got, at := asWords[uint64](d, 1)
	if fault := d.run(p, "k", 1, 1, 1, at); fault != nil || mapped(before, got[0]) || !mapped(after, got[0]) {
		t.Errorf("a lane's stack at %#x: kept free %v, and with a memory %v, want false and true; fault %v", got[0], mapped(before, got[0]), mapped(after, got[0]), fault)
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

// TestGangThreadsLeaveSignals: threads that run gangs are kept, and leave the program's signals
// to the program's threads.
func TestGangThreadsLeaveSignals(t *testing.T) {
	d := newDevice(t)
	p := link(t, d, head+".entry k (.param .u64 %in) { ret; }\n", "k")
	kept := func() (blocked []uint64) {
		tasks, err := filepath.Glob("/proc/self/task/*/status")
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			text, err := os.ReadFile(task)
			if err != nil {
				continue // a thread that has ended since
			}
			if name, rest, _ := strings.Cut(string(text), "\n"); strings.HasSuffix(name, "\taccscope-gangs") {
				_, mask, _ := strings.Cut(rest, "SigBlk:\t")
				var signals uint64
				if _, err := fmt.Sscanf(mask, "%x", &signals); err != nil {
					t.Fatal(err)
				}
				blocked = append(blocked, signals)
			}
		}
		return blocked
	}
	for range 20 {
		if fault := d.run(p, "k", 1000, 1, 32, 0); fault != nil {
			t.Fatal(fault.Words())
		}
	}
	bit := func(signal syscall.Signal) uint64 { return 1 << (signal - 1) }
	want := bit(syscall.SIGUSR1) | bit(syscall.SIGTERM) | bit(syscall.SIGALRM) | bit(syscall.SIGPROF)
	blocked := kept()
	for begin := time.Now(); len(blocked) == 0 && time.Since(begin) < time.Minute; blocked = kept() {
		time.Sleep(time.Millisecond) // until it has its name
	}
	if len(blocked) != 1 {
		t.Errorf("%d threads are kept, want 1", len(blocked))
	}
	for _, signals := range blocked {
		if signals&want != want || signals&bit(syscall.SIGSEGV) != 0 {
			t.Errorf("a thread of gangs blocks %#x, want %#x among them, and not a crash's", signals, want)
		}
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
		"mov %v,%v;":                "mov: it has no type",
		"mov {%v,%v},%a;":           "mov: it has no type",
		"ld.param %v,[%in];":        "ld.param: it has no type",
		"vote.sync.all %p,%p,1;":    "vote.sync.all: it has no type",
		"setp.lt %p,%v,%v;":         "setp.lt: it has no type",
		"activemask %v;":            "activemask: it has no type",
		"mov.u32 %v,%pm0;":          "the special register %pm0 is not known",
		"bar.red.popc.u32 %v,0,%p;": "this barrier is not known",
		"ld.global.u32 {%v},[%v];":  "an operand has another size than the operation",
	} {
		d := newDevice(t)
		_, err := Link([]string{head + ".entry k (.param .u64 %in)\n{\n.reg .u64 %a; .reg .u32 %v; .reg .pred %p;\n" + body + "\nret;\n}\n"}, []string{"k"}, Needs{}, d.allocate)
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
		p, err := Link([]string{text}, []string{"main$_omp_fn$0"}, Needs{}, d.allocate)
		if err != nil {
			return
		}
		defer p.Forget()
		d.Timeout = 20_000_000
		d.run(p, "main$_omp_fn$0", 1, 1, 32, address(d.words(8)))
	})
}
