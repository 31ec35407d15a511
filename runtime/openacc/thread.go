package openacc

import (
	"github.com/accscope/accscope/callbacks"
)

// A Thread is one host thread as the runtime sees it: its internal control
// variables (OpenACC 3.3 §2.3), its open data regions and its synchronous
// queues. It must not be used by two goroutines at a time.
//
// It is made of layers, each of which has one job, and the one below it as a
// field: what a layer cannot name it does not use. From the lowest:
//
//   - caller: who called, for what and from where (caller.go)
//   - namer: what the call's variables are called (names.go)
//   - raiser: the plan, its events and errors (plan.go)
//   - enqueuer: operations of queues as steps of the plan (operations.go)
//   - devices: the current device, opened and closed (devices.go)
//   - waiter: queues, and waiting for them (waiter.go)
//   - transfers: copies between the host and a device (transfer.go)
//   - warner: what a device that runs the host's code would hide (hostpointers.go)
//   - lifetimes: what data lifetimes begin and end with (lifetimes.go)
//   - launcher: compute constructs (compute.go)
//   - directives: all other directives (construct.go)
//   - the routines of chapter 3 and of Appendix A.2, by their files
type Thread struct{ driverRoutines }

// NewThread makes the runtime's record of a host thread, whose dispatch state is events.
// Close it when the thread ends. former is a closed Thread that nobody uses any more, whose
// memory serves again; nil for none.
func (rt *Runtime) NewThread(events *callbacks.Thread, former *Thread) *Thread {
	made := former
	if made == nil {
		made = new(Thread)
	}
	// The thread may have ended in a callback.
	for _, l := range made.levels {
		l.outer, l.aside = call{}, false
		l.plan.Count = l.plan.Done
	}
	made.sites.forget()
	memory, levels, version, pairs, spares := made.memory, made.levels, made.version, made.pairs, made.spares
	synchronous, regions, remote := made.synchronous[:0], made.regions[:0], made.prober.remote
	*made = Thread{}
	made.rt, made.events, made.identity = rt, events, rt.identities.Add(1)
	made.deviceType, made.deviceNumber, made.defaultAsync = rt.environment.deviceType, rt.environment.number, callbacks.DefaultQueue
	made.wantedEvents, made.takenEvents = rt.registry.WantedEvents(), rt.registry.TakenEvents()
	made.memory, made.levels, made.version, made.pairs, made.spares = memory, levels, version, pairs, spares
	made.synchronous, made.regions, made.prober.remote = synchronous, regions, remote
	if made.memory == nil {
		made.memory = newMemory(made)
	}
	if len(made.levels) == 0 {
		made.addLevel()
	}
	made.scratch, made.plan = &made.levels[0].scratch, &made.levels[0].plan
	return made
}

// Close gives back what the runtime holds for an ending host thread.
func (t *Thread) Close() {
	for _, own := range t.synchronous {
		d := own.queue.device
		d.mu.Lock()
		if d.isOpen() && d.generation.Load() == own.generation {
			d.idle = append(d.idle, own.queue)
		}
		d.mu.Unlock()
	}
	clear(t.synchronous)
	clear(t.regions)
	t.synchronous, t.regions = t.synchronous[:0], t.regions[:0]
}
