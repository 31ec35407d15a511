package callbacks

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/accscope/accscope/callbacks/callbackstest"
)

// TestSixtyFourThreads dispatches on 32 goroutines while 32 others register,
// unregister and toggle. A and Z are left alone: each instance must run both
// once, A first; the callbacks between them may run or not.
func TestSixtyFourThreads(t *testing.T) {
	registry := NewRegistry(callbackstest.NewDispatch(t))
	tool := callbackstest.NewTool(t)
	var running [32]struct {
		a, z, others int
		_            [64]byte
	}
	count := func(f func(thread int)) Callback {
		return callbackOf(tool, func(i *Info, _ *EventInfo, _ *APIInfo) { f(int(i.ThreadID)) })
	}
	must(t, registry.Register(nil, UpdateStart, count(func(n int) {
		if running[n].z != 0 {
			t.Error("Z ran before A")
		}
		running[n].a++
	}), Reg))
	changing := make([]Callback, 32)
	for i := range changing {
		changing[i] = count(func(n int) { running[n].others++ })
		must(t, registry.Register(nil, UpdateStart, changing[i], Reg))
	}
	must(t, registry.Register(nil, UpdateStart, count(func(n int) { running[n].z++ }), Reg))

	const instances = 300
	var dispatching, changers sync.WaitGroup
	var done atomic.Bool
	for n := range running {
		dispatching.Go(func() {
			thread := &Thread{ThreadID: int32(n)}
			var event EventInfo
			var api APIInfo
			for range instances {
				running[n].a, running[n].z, running[n].others = 0, 0, 0
				dispatch(registry, thread, &Pair{}, &Info{EventType: UpdateStart}, &event, &api)
				if r := running[n]; r.a != 1 || r.z != 1 {
					t.Errorf("one instance ran A %d times and Z %d times", r.a, r.z)
					return
				}
			}
		})
	}
	for i, c := range changing {
		changers.Go(func() {
			thread := &Thread{ThreadID: int32(100 + i)}
			for !done.Load() {
				registry.Unregister(thread, UpdateStart, c, Toggle)
				if err := registry.Register(thread, UpdateStart, c, Reg); err != nil {
					t.Error(err)
				}
				registry.Unregister(thread, UpdateStart, c, Reg)
				registry.Unregister(thread, UpdateStart, c, Reg)
				if err := registry.Register(thread, UpdateStart, c, Reg); err != nil {
					t.Error(err)
				}
			}
		})
	}
	dispatching.Wait()
	done.Store(true)
	changers.Wait()
}

// TestDispatchUnderSanitizers runs testdata/stress.c, in which the C side alone
// is read and rewritten by several threads.
func TestDispatchUnderSanitizers(t *testing.T) {
	for _, variant := range []struct {
		name, options     string
		threads, rewrites int
	}{
		{"plain", "-O2", 4, 200_000},
		{"thread", "-O1 -g -fsanitize=thread", 4, 10_000},
		{"address and undefined", "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all", 4, 20_000},
	} {
		t.Run(variant.name, func(t *testing.T) {
			binary := compileFiles(t, append(strings.Fields(variant.options), "testdata/stress.c", "dispatch.c")...)
			// Without address randomisation: the thread sanitizer of GCC 12
			// does not know the address ranges of recent kernels.
			command := exec.Command("setarch", "-R", binary, fmt.Sprint(variant.threads), fmt.Sprint(variant.rewrites))
			if variant.name != "thread" {
				command = exec.Command(binary, command.Args[3:]...)
			}
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

// BenchmarkDispatch is the cost of one event raised and dispatched in C
// (testdata/bench.c), per thread.
func BenchmarkDispatch(b *testing.B) {
	binary := compileFiles(b, "testdata/bench.c", "dispatch.c")
	for _, threads := range []int{1, 2} {
		for _, callbacks := range []int{0, 1, 4} {
			b.Run(fmt.Sprintf("threads=%d/callbacks=%d", threads, callbacks), func(b *testing.B) {
				out, err := exec.Command(binary, fmt.Sprint(threads), fmt.Sprint(callbacks), fmt.Sprint(b.N)).Output()
				must(b, err)
				var nanoseconds float64
				_, err = fmt.Sscan(string(out), &nanoseconds)
				must(b, err)
				b.ReportMetric(nanoseconds, "ns/op")
			})
		}
	}
}

// BenchmarkDispatchFromGo is the cost of one event raised in Go: nothing
// registered, and one Go callback.
func BenchmarkDispatchFromGo(b *testing.B) {
	for _, callbacks := range []int{0, 1} {
		b.Run(fmt.Sprintf("callbacks=%d", callbacks), func(b *testing.B) {
			registry := NewRegistry(callbackstest.NewDispatch(b))
			for range callbacks {
				must(b, registry.Register(nil, UpdateStart, callbackOf(callbackstest.NewTool(b), func(*Info, *EventInfo, *APIInfo) {}), Reg))
			}
			thread, pair := &Thread{}, &Pair{}
			info, event, api := &Info{EventType: UpdateStart}, &EventInfo{}, &APIInfo{}
			for b.Loop() {
				dispatch(registry, thread, pair, info, event, api)
			}
		})
	}
}

// BenchmarkRegister is the cost of one registration and its end.
func BenchmarkRegister(b *testing.B) {
	registry := NewRegistry(callbackstest.NewDispatch(b))
	c := callbackOf(callbackstest.NewTool(b), func(*Info, *EventInfo, *APIInfo) {})
	for b.Loop() {
		must(b, registry.Register(nil, UpdateStart, c, Reg))
		registry.Unregister(nil, UpdateStart, c, Reg)
	}
}
