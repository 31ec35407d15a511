package cuda

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// stampText is a text with the instructions that take times, and the kernels that have them.
func stampText(text string) (result string, kernels []string, ok bool) {
	m, err := ptx.Parse(text)
	if err != nil {
		return text, nil, false
	}
	edits, kernels, ok := stamps(m)
	return nvidia.Edited(text, edits), kernels, ok
}

// What GCC made of testdata/kernels.c, and what becomes of it.
func TestStampText(t *testing.T) {
	text, err := os.ReadFile("testdata/kernels.ptx")
	check(t, err)
	got, kernels, ok := stampText(string(text))
	if want := []string{"main$_omp_fn$0", "main$_omp_fn$1", "main$_omp_fn$2"}; !ok || !slices.Equal(kernels, want) {
		t.Errorf("kernels %q, %v, want %q", kernels, ok, want)
	}
	const golden = "testdata/kernels.stamped.ptx"
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	check(t, err)
	if got != string(want) {
		t.Errorf("%s is another text; see the difference with -update", golden)
	}
}

func TestStampTextOfOthers(t *testing.T) {
	const openMP = ".visible .entry omp (.param.u64 %arg, .param.u64 %stack, .param.u64 %sz)\n{\n\tret;\n}\n"
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"no kernel":               {".func f\n{\n\tret;\n}\n", true},
		"only a declaration":      {".entry k (.param.u64 %in_ar0);\n", true},
		"a kernel of OpenMP's":    {openMP, true},
		"no return":               {".entry k (.param.u64 %in_ar0)\n{\n\ttrap;\n}\n", false},
		"a return with a guard":   {".entry k (.param.u64 %in_ar0)\n{\n\t@%r1 ret;\n\tret;\n}\n", false},
		"no end":                  {".entry k (.param.u64 %in_ar0)\n{\n\tret;\n", false},
		"no body":                 {".entry k (.param.u64 %in_ar0)\n", false},
		"a brace in a remark":     {".entry k (.param.u64 %in_ar0)\n{\n\t// }\n\ttrap;\n}\n", false},
		"names that we would use": {".entry k (.param.u64 %accscope_stamp)\n{\n\tret;\n}\n", false},
	} {
		got, kernels, ok := stampText(c.text)
		declared := strings.ReplaceAll(got, stampParameter, "")
		if ok != c.ok || len(kernels) != 0 || declared != c.text {
			t.Errorf("%s: kernels %q, %v, text\n%s", name, kernels, ok, got)
		}
	}
}

// Without what was put in, the text is what it was.
func FuzzStampText(f *testing.F) {
	text, err := os.ReadFile("testdata/kernels.ptx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(".entry k (.param.u64 %in_ar0)\n{\n{ret;}\n\tret;\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, _, ok := stampText(text)
		if ok && !strings.Contains(text, "%accscope_") {
			for _, put := range []string{stampParameter, stampStart, stampEnd} {
				got = strings.ReplaceAll(got, put, "")
			}
		}
		if got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// observed is a device that is observed before its image comes, and what it
// reports, by correlation.
func observed(t *testing.T, variables map[string]string) (*cudaDevice, func() map[uint64]device.Activity) {
	t.Helper()
	var mutex sync.Mutex
	seen := map[uint64]device.Activity{}
	opened, err := loaded{with(t, variables), true}.Open(0, func(a device.Activity, _ bool) {
		mutex.Lock()
		defer mutex.Unlock()
		if _, again := seen[a.Correlation]; again {
			t.Errorf("operation %d is reported again: %+v", a.Correlation, a)
		}
		seen[a.Correlation] = a
	})
	check(t, err)
	d := opened.(*cudaDevice)
	t.Cleanup(func() { check(t, d.Close()) })
	d.Observe(true)
	return d, func() map[uint64]device.Activity {
		mutex.Lock()
		defer mutex.Unlock()
		return seen
	}
}

// takesTimes fails the test if the kernel does not take its own times, or does.
func takesTimes(t *testing.T, d *cudaDevice, want bool) device.Kernel {
	t.Helper()
	k, err := d.Kernel(kernels().Nothing)
	check(t, err)
	if k.(*kernel).stamps != want {
		t.Fatalf("the kernel takes its own times: %v", !want)
	}
	return k
}

// More kernels than there are pages for: none waits for another one's page, and events measure the rest.
// Those that take their times do not overlap.
func TestStampsOfManyKernels(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"events": {"ACCSCOPE_ACTIVITY": "runtime"},
		"CUPTI":  {"ACCSCOPE_CUPTI": cupti}, // which measures the transfers only
	} {
		// Of pinned memory there is a word for the clock and the first pages, no more.
		var faults []string
		for n := 3; n < 200; n++ {
			faults = append(faults, fmt.Sprintf("cuMemHostAlloc:%d:2", n))
		}
		variables["ACCSCOPE_STANDIN_FAIL"] = strings.Join(faults, ",")
		t.Run(name, func(t *testing.T) { stampsOfManyKernels(t, variables) })
	}
}

func stampsOfManyKernels(t *testing.T, variables map[string]string) {
	d, seen := observed(t, variables)
	nothing := takesTimes(t, d, true)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	q := newQueue(t, d)
	flags := newFlags()
	const many, stamped = 20_000, 16_000
	check(t, devicetest.Launch(q, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
	for i := range uint64(many) {
		check(t, devicetest.Launch(q, 2+i, nothing, device.Geometry{}, device.ArgumentBlock{}, false))
	}
	time.Sleep(5 * time.Millisecond) // so long the first runs at least
	setFlag(&flags[0])
	check(t, q.Synchronize())
	d.Flush()
	check(t, devicetest.Launch(q, many+2, nothing, device.Geometry{}, device.ArgumentBlock{}, false))
	check(t, q.Synchronize())
	d.Flush()
	got := seen()
	if len(got) != many+2 {
		t.Errorf("%d kernels reported, want %d", len(got), many+2)
	}
	if a := got[1]; a.End-a.Start < 5e6 {
		t.Errorf("the first is %+v", a)
	}
	var end int64
	for i := range uint64(stamped) {
		a := got[1+i]
		if a.Kind != device.ActivityKernel || a.Start < end || a.End < a.Start {
			t.Fatalf("%+v follows the one that ends at %d", a, end)
		}
		end = a.End
	}
}

// The times of a queue's kernels and transfers, which others measure, are of one
// clock. (That no operation begins before the one before it has ended, a GPU shows:
// package gputest/traces.)
func TestStampsAmongTransfers(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"events":      {"ACCSCOPE_ACTIVITY": "runtime"},
		"CUPTI":       {"ACCSCOPE_CUPTI": cupti},
		"CUPTI alone": {"ACCSCOPE_CUPTI": cupti, "ACCSCOPE_ACTIVITY": "cupti"},
	} {
		t.Run(name, func(t *testing.T) {
			d, seen := observed(t, variables)
			nothing := takesTimes(t, d, name != "CUPTI alone")
			q := newQueue(t, d)
			a, err := d.Alloc(8)
			check(t, err)
			n := uint64(0)
			for n < 3000 {
				check(t, devicetest.Fill(q, n+1, a, 0, 8, false))
				check(t, devicetest.Launch(q, n+2, nothing, device.Geometry{}, device.ArgumentBlock{}, false))
				check(t, q.Synchronize())
				n += 2
			}
			d.Flush()
			if d.records.tracing() != (variables["ACCSCOPE_CUPTI"] != "") {
				t.Errorf("CUPTI measures: %v", d.records.tracing())
			}
			all := make([]device.Activity, 0, n)
			for _, a := range seen() {
				all = append(all, a)
			}
			if uint64(len(all)) != n {
				t.Errorf("%d operations reported, want %d", len(all), n)
			}
			slices.SortFunc(all, func(a, b device.Activity) int { return cmp.Compare(a.Correlation, b.Correlation) })
			// The stand-in's clocks are related by threads, which may be late.
			const late = int64(20 * time.Millisecond)
			for i := range all[1:] {
				if all[i+1].Start < all[i].End-late {
					t.Fatalf("%+v follows %+v", all[i+1], all[i])
				}
			}
		})
	}
}

// What is enqueued behind a kernel that still runs begins when the kernel ends, by the
// kernel's own time; where that is lost, it is told all the same.
func TestTransferBehindKernel(t *testing.T) {
	for name, c := range map[string]struct {
		failure string
		kernels int // reported, of each two operations
	}{
		"read": {kernels: 1},
		"lost": {failure: "cuMemcpyDtoHAsync_v2:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			d, seen := observed(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime", "ACCSCOPE_STANDIN_FAIL": c.failure})
			takesTimes(t, d, true)
			gate, err := d.Kernel(kernels().Gate)
			check(t, err)
			q := newQueue(t, d)
			memory, err := d.Alloc(8)
			check(t, err)
			flags := newFlags()
			check(t, devicetest.Launch(q, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
			check(t, devicetest.Fill(q, 2, memory, 1, 8, false))
			check(t, devicetest.Fill(q, 3, memory, 2, 8, false))
			setFlag(&flags[0])
			check(t, q.Synchronize())
			d.Flush()
			got := seen()
			if len(got) != 2+c.kernels {
				t.Fatalf("reported are %v", got)
			}
			switch first := got[2]; {
			case c.kernels == 1 && first.Start != got[1].End:
				t.Errorf("%+v follows %+v", first, got[1])
			case c.kernels == 0 && first.Start != first.End:
				t.Errorf("begins at a time that nobody knows: %+v", first)
			case got[3].Start < first.End:
				t.Errorf("%+v follows %+v", got[3], first)
			}
		})
	}
}

// Events are late where the GPU is full of others: those too by which the clocks are
// related, all of two times. What an earlier one tells keeps a transfer from ending
// before the kernel that it is behind.
func TestTransfersBehindKernelsWhereEventsAreLate(t *testing.T) {
	var late []string
	for n := 9; n <= 24; n++ { // the second and the third time, of eight tries each
		late = append(late, fmt.Sprintf("late:%d:100", n))
	}
	d, seen := observed(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime", "ACCSCOPE_STANDIN_FAIL": strings.Join(late, ",")})
	takesTimes(t, d, true)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	q := newQueue(t, d)
	const bytes = 1 << 20 // the stand-in takes some ten microseconds for as many
	memory, err := d.Alloc(bytes)
	check(t, err)
	rounds := uint64(0)
	for began := time.Now(); time.Since(began) < 100*time.Millisecond; rounds++ {
		flags := newFlags()
		check(t, devicetest.Launch(q, 2*rounds+1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
		check(t, devicetest.Fill(q, 2*rounds+2, memory, 1, bytes, false))
		setFlag(&flags[0])
		check(t, q.Synchronize())
	}
	d.Flush()
	got := seen()
	for i := range rounds {
		if kernel, fill := got[2*i+1], got[2*i+2]; fill.Start != kernel.End || fill.End <= fill.Start {
			t.Fatalf("of %d the %dth: %+v follows %+v", rounds, i, fill, kernel)
		}
	}
}

// A thread that waits often reads what has piled up, kernels' times before those of the
// transfers behind them.
func TestTransfersBehindKernelsAreReadByWaits(t *testing.T) {
	d, seen := observed(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime"})
	takesTimes(t, d, true)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	q := newQueue(t, d)
	memory, err := d.Alloc(8)
	check(t, err)
	const rounds = 5 * many
	for i := range uint64(rounds) {
		flags := newFlags()
		check(t, devicetest.Launch(q, 2*i+1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
		check(t, devicetest.Fill(q, 2*i+2, memory, 1, 8, false))
		setFlag(&flags[0])
		check(t, q.Synchronize())
	}
	d.Flush()
	got := seen()
	if len(got) != 2*rounds {
		t.Fatalf("%d operations reported, want %d", len(got), 2*rounds)
	}
	for i := range uint64(rounds) {
		if kernel, fill := got[2*i+1], got[2*i+2]; fill.Start != kernel.End || fill.End < fill.Start {
			t.Fatalf("%+v follows %+v", fill, kernel)
		}
	}
}

// CUPTI measures the transfers from when it would have paid: not where there are many
// launches for each. Every operation is reported once, whoever measured it.
func TestCUPTIWhenItPays(t *testing.T) {
	defer func(cost time.Duration) { cuptiCost = cost }(cuptiCost)
	cuptiCost = time.Millisecond
	for name, c := range map[string]struct {
		launches int // for each transfer
		failure  string
		measures bool
	}{
		"few launches":     {launches: 1, measures: true},
		"many launches":    {launches: 40},
		"without its time": {launches: 1, failure: "timestamp"},
	} {
		t.Run(name, func(t *testing.T) {
			d, seen := observed(t, map[string]string{"ACCSCOPE_CUPTI": cupti, "ACCSCOPE_STANDIN_CUPTI_FAIL": c.failure})
			nothing := takesTimes(t, d, true)
			q := newQueue(t, d)
			a, err := d.Alloc(8)
			check(t, err)
			n := 0
			for range 1000 {
				check(t, devicetest.Fill(q, uint64(n+1), a, 0, 8, false))
				n++
				if n == 1 && d.records.tracing() {
					t.Error("CUPTI measures from the beginning")
				}
				for range c.launches {
					check(t, devicetest.Launch(q, uint64(n+1), nothing, device.Geometry{}, device.ArgumentBlock{}, false))
					n++
				}
				check(t, q.Synchronize())
			}
			d.Flush()
			if d.records.tracing() != c.measures {
				t.Errorf("CUPTI measures: %v", d.records.tracing())
			}
			if got := seen(); len(got) != n {
				t.Errorf("%d operations reported, want %d", len(got), n)
			}
		})
	}
}

// CUPTI does not begin while another thread is in the middle of using a queue.
func TestCUPTIWaitsForOtherThreads(t *testing.T) {
	defer func(cost time.Duration) { cuptiCost = cost }(cuptiCost)
	cuptiCost = time.Millisecond
	d, seen := observed(t, map[string]string{"ACCSCOPE_CUPTI": cupti})
	q, other := newQueue(t, d), newQueue(t, d)
	a, err := d.Alloc(8)
	check(t, err)
	n := uint64(0)
	fills := func() {
		for range 500 {
			n++
			check(t, devicetest.Fill(q, n, a, 0, 8, false))
			check(t, q.Synchronize())
		}
	}
	_, err = other.(*queue).use("test")
	check(t, err)
	fills()
	if d.records.tracing() || !d.records.pays() {
		t.Errorf("CUPTI measures: %v, pays: %v", d.records.tracing(), d.records.pays())
	}
	other.(*queue).done()
	fills()
	if !d.records.tracing() {
		t.Error("CUPTI does not measure")
	}
	d.Flush()
	if got := seen(); uint64(len(got)) != n {
		t.Errorf("%d operations reported, want %d", len(got), n)
	}
}

// Whatever is in the way of kernels that take their times, programs run and are
// measured as well as can be.
func TestStampsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		fault  string
		stamps bool
	}{
		"no kernel for the clock": {"cuModuleLoadDataEx:1:999,cuLinkCreate_v2:1:999", false},
		"no pinned memory":        {"cuMemHostAlloc:1:2", false},
		"no memory":               {"cuMemAlloc_v2:1:2", false},
		"kernels are refused":     {"cuModuleLoadDataEx:2:218,cuLinkComplete:1:218", false},
		"nothing":                 {"cuLinkComplete:9:218", true},
	} {
		t.Run(name, func(t *testing.T) {
			d, seen := observed(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime", "ACCSCOPE_STANDIN_FAIL": c.fault})
			nothing := takesTimes(t, d, c.stamps)
			q := newQueue(t, d)
			check(t, devicetest.Launch(q, 7, nothing, device.Geometry{}, device.ArgumentBlock{}, false))
			check(t, q.Synchronize())
			d.Flush()
			if a := seen()[7]; a.Kind != device.ActivityKernel || a.End < a.Start {
				t.Errorf("reported: %+v", seen())
			}
		})
	}
}

// A queue is idle as soon as the program's operations are done, though the times of
// its kernels are on their way.
func TestStampsLeaveTheQueueIdle(t *testing.T) {
	d, _ := observed(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime"})
	nothing := takesTimes(t, d, true)
	own := newQueue(t, d)
	q, err := d.AdoptQueue(own.Handle())
	check(t, err)
	for i := range uint64(2000) {
		check(t, devicetest.Launch(q, i+1, nothing, device.Geometry{}, device.ArgumentBlock{}, false))
		check(t, q.Synchronize())
		if idle, err := q.Idle(); err != nil || !idle {
			t.Fatalf("after launch %d: %v, %v", i, idle, err)
		}
	}
	check(t, q.Close())
}
