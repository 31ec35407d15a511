package openacc

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/sim"
)

// TestControlVariablesAreAThreadsOwn: what one host thread sets changes nothing for
// others, whether they have read their values yet or begin later (OpenACC 3.3
// §2.3.1).
func TestControlVariablesAreAThreadsOwn(t *testing.T) {
	p := newProgram(t, nil, nil)
	first, quiet := p.newThread(), p.newThread()
	first.SetDeviceType(DeviceHost)
	first.SetDefaultAsync(7)
	for name, thread := range map[string]*Thread{"a thread that has read nothing": quiet, "a thread that begins later": p.newThread()} {
		if kind := thread.DeviceType(); kind != DeviceSim {
			t.Errorf("%s has device type %d, want %d", name, kind, DeviceSim)
		}
		if async := thread.DefaultAsync(); async != callbacks.DefaultQueue {
			t.Errorf("%s has the default queue %d, want %d", name, async, callbacks.DefaultQueue)
		}
	}
	if kind := first.DeviceType(); kind != DeviceHost {
		t.Errorf("the thread that chose has device type %d, want %d", kind, DeviceHost)
	}
}

// TestThreads uses one runtime from 64 host threads at once: data of their own
// and data they share, queues of their own and queues they share, routines,
// directives, snapshots and changes of the registry, with results checked.
func TestThreads(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	p := newProgram(t, nil, func(o *sim.Options) { o.Memory = 256 << 20; o.Devices = 2; o.Queues = 3 })
	shared, one := words(1, 2, 3, 4, 5, 6, 7, 8), words(1)
	var launches atomic.Int64
	count := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) { launches.Add(1) })
	var reported atomic.Int64
	number := p.Subscribe(1<<callbacks.ActivityKernel, func(*callbacks.ActivityRecord) { reported.Add(1) })

	var group sync.WaitGroup
	for worker := range 64 {
		group.Go(func() {
			thread := p.newThread()
			defer thread.Close()
			if worker%8 == 7 {
				thread.SetDeviceNum(1, DeviceSim)
			}
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			own, n, more := words(0, 0, 0, 0), words(4), words(1)
			sum := int64(0)
			line := failure(func() {
				for round := range rounds {
					switch random.IntN(10) {
					case 0: // synchronous
						thread.Parallel(adding(AsyncSync, goacc.ToFrom, own, n, more))
						sum++
					case 1: // a queue of this thread
						for range 3 {
							thread.Parallel(adding(100+worker, goacc.ToFrom, own, n, more))
						}
						thread.WaitFor(100+worker, CurrentDevice)
						sum += 3
					case 2: // a queue that all use
						thread.Parallel(adding(round%3, goacc.ToFrom, own, n, more))
						thread.Wait(&Construct{Async: AsyncSync, Waits: []int32{int32(round % 3)}})
						sum++
					case 3: // data that all read
						thread.DataStart(directive(AsyncSync, span8(goacc.To, shared)))
						into := hostMemory(len(shared), 0)
						thread.MemcpyFromDevice(pointerTo(into), thread.DevicePtr(pointerTo(shared)), uintptr(len(shared)), AsyncSync)
						thread.DataEnd()
						for i := range 8 {
							if get(into, i) != int64(i+1) {
								t.Errorf("shared value %d is %d", i, get(into, i))
							}
						}
					case 4: // dynamic lifetimes, partly asynchronous
						thread.Copyin(pointerTo(own), uintptr(len(own)), 200+worker)
						thread.Parallel(adding(200+worker, goacc.ToFrom, own, n, more))
						thread.Copyout(pointerTo(own), uintptr(len(own)), 200+worker, false)
						thread.WaitAll(CurrentDevice)
						sum++
					case 5: // registry
						if err := p.registry.Register(thread.events, callbacks.EnqueueLaunchEnd, count, callbacks.Reg); err != nil {
							t.Error(err)
						}
						thread.Parallel(adding(AsyncSync, goacc.ToFrom, own, n, more))
						p.registry.Unregister(thread.events, callbacks.EnqueueLaunchEnd, count, callbacks.Reg)
						sum++
					case 7, 8, 9: // a kernel that reads what all map and unmap
						async := AsyncSync
						if round%2 == 0 {
							async = 300 + worker%5
						}
						thread.Parallel(adding(async, goacc.ToFrom, own, n, one))
						thread.WaitFor(async, CurrentDevice)
						sum++
					case 6: // what only looks
						thread.IsPresent(pointerTo(shared), 8)
						thread.Property(0, DeviceSim, PropertyFreeMemory)
						p.Mappings(DeviceSim, 0)
						p.Queues(DeviceSim, 1)
					}
				}
			})
			if line != "" {
				t.Error(line)
			}
			for i := range 4 {
				if get(own, i) != sum {
					t.Errorf("thread %d: value %d is %d, want %d", worker, i, get(own, i), sum)
				}
			}
		})
	}
	group.Wait()
	p.Unsubscribe(number, false)
	if launches.Load() == 0 || reported.Load() == 0 {
		t.Errorf("%d launches seen, %d kernels reported", launches.Load(), reported.Load())
	}
	for device := range 2 {
		list, _ := p.Mappings(DeviceSim, device)
		for _, m := range list {
			t.Errorf("device %d: a mapping of %d bytes is left, counters %d and %d", device, m.Bytes, m.Structured, m.Dynamic)
		}
	}
	if queues := p.device(DeviceSim, 0).idle; len(queues) > 64 {
		t.Errorf("%d synchronous queues for 64 threads", len(queues))
	}
}

// TestShortThreads: the synchronous queues of threads that have ended serve the
// next ones.
func TestShortThreads(t *testing.T) {
	p := newProgram(t, nil, nil)
	x := hostMemory(16, 1)
	for range 1000 {
		thread := p.newThread()
		thread.Copyin(pointerTo(x), 16, AsyncSync)
		thread.Delete(pointerTo(x), 16, AsyncSync, false)
		thread.Close()
	}
	if queues := p.device(DeviceSim, 0).idle; len(queues) != 1 {
		t.Errorf("%d synchronous queues after 1000 threads one after the other", len(queues))
	}
}
