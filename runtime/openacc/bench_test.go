package openacc

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/sim"
)

func quiet(o *sim.Options) { o.Poison = false }

// BenchmarkConstructs times directives and routines on the sim device, without
// registered callbacks.
func BenchmarkConstructs(b *testing.B) {
	p := newProgram(b, nil, quiet)
	thread := p.newThread()
	values, n, more := words(make([]int64, 64)...), words(1), words(1)
	nothing := devicetest.HostKernels().Nothing
	present := directive(AsyncSync, span8(goacc.ForcePresent, values))
	present.Function = nothing
	presentAsync := directive(1, span8(goacc.ForcePresent, values))
	presentAsync.Function = nothing
	private := directive(AsyncSync, span8(goacc.ForcePresent, values), span8(goacc.To, n), span8(goacc.To, more))
	private.Function = nothing
	scalars := make([]entry, 0, 15)
	arrays, numbers := words(make([]int64, 3*64)...), words(make([]int64, 12)...)
	for i := range 3 {
		scalars = append(scalars, span8(goacc.ForcePresent, arrays[i*512:(i+1)*512]))
	}
	for i := range 12 {
		scalars = append(scalars, span8(goacc.To, numbers[i*8:(i+1)*8]))
	}
	many, manyAsync := directive(AsyncSync, scalars...), directive(1, scalars...)
	many.Function, manyAsync.Function = nothing, nothing
	region := directive(AsyncSync, span8(goacc.ToFrom, values))
	enter, exit := directive(AsyncSync, span8(goacc.To, n)), directive(AsyncSync, span8(goacc.From, n))
	update := directive(AsyncSync, span8(goacc.ForceTo, values))
	for _, c := range []struct {
		name   string
		before func()
		do     func()
	}{
		{"data", nil, func() { thread.DataStart(region); thread.DataEnd() }},
		{"enter-exit", nil, func() { thread.EnterData(enter); thread.ExitData(exit) }},
		{"create-delete", nil, func() {
			thread.Create(pointerTo(n), 8, AsyncSync)
			thread.Delete(pointerTo(n), 8, AsyncSync, false)
		}},
		{"update", nil, func() { thread.Update(update) }},
		{"launch", nil, func() { thread.Parallel(present) }},
		{"launch-firstprivate", nil, func() { thread.Parallel(private) }},
		{"launch-async", nil, func() { thread.Parallel(presentAsync) }},
		{"launch-scalars", nil, func() { put(numbers, 3, get(numbers, 3)+1); thread.Parallel(many) }},
		{"launch-scalars-async", nil, func() { put(numbers, 3, get(numbers, 3)+1); thread.Parallel(manyAsync) }},
		{"is-present", nil, func() { thread.IsPresent(pointerTo(values), 8) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			if c.name != "data" {
				thread.Create(pointerTo(values), uintptr(len(values)), AsyncSync)
				defer thread.Delete(pointerTo(values), uintptr(len(values)), AsyncSync, true)
				for i := range 3 {
					thread.Create(pointerTo(arrays[i*512:]), 512, AsyncSync)
					defer thread.Delete(pointerTo(arrays[i*512:]), 512, AsyncSync, true)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				c.do()
			}
			thread.WaitAll(CurrentDevice)
		})
	}
	// The directives have their addresses as numbers.
	runtime.KeepAlive([]any{values, n, more, arrays, numbers})
}

// BenchmarkLaunchCallbacks times a synchronous launch with callbacks for every
// event.
func BenchmarkLaunchCallbacks(b *testing.B) {
	for _, count := range []int{0, 1, 4} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			p := newProgram(b, nil, quiet)
			thread := p.newThread()
			for range count {
				nothing := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {})
				for _, e := range callbacks.Events() {
					if err := p.registry.Register(nil, e, nothing, callbacks.Reg); err != nil {
						b.Fatal(err)
					}
				}
			}
			values := words(1)
			c := directive(AsyncSync, span8(goacc.ToFrom, values))
			c.Function = devicetest.HostKernels().Nothing
			b.ReportAllocs()
			for b.Loop() {
				thread.Parallel(c)
			}
			runtime.KeepAlive(values)
		})
	}
}

// TestAllocations: with nothing registered, a construct on present data makes no
// garbage.
func TestAllocations(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values := words(1, 2)
	thread.Create(pointerTo(values), 16, AsyncSync)
	launch := directive(AsyncSync, span8(goacc.ForcePresent, values))
	launch.Function = devicetest.HostKernels().Nothing
	update := directive(AsyncSync, span8(goacc.ForceTo, values))
	for name, do := range map[string]func(){
		"launch": func() { thread.Parallel(launch) },
		"update": func() { thread.Update(update) },
		"region": func() { thread.DataStart(launch); thread.DataEnd() },
	} {
		if got := testing.AllocsPerRun(100, do); got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	runtime.KeepAlive(values)
}
