package sim

// #include "queue.h"
import "C"

import (
	"sync"
	"time"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/ptx"
	"github.com/accscope/accscope/runtime/sim/card"
	"github.com/accscope/accscope/runtime/simt"
)

// chooseModel sets what times operations take. What of transfers is not set otherwise is the card's.
func (o *Options) chooseModel(value string) bool {
	if on, is := parseSwitch(value); is {
		o.Model, o.Card = on, nil
		return true
	}
	if o.Card, o.unreadable = card.Load(value); o.unreadable != nil {
		return false
	}
	o.Model = true
	standard := DefaultOptions()
	for _, of := range []struct {
		set   *uint64
		value uint64
		card  float64
	}{{&o.H2DBandwidth, standard.H2DBandwidth, o.Card.UploadBandwidth}, {&o.D2HBandwidth, standard.D2HBandwidth, o.Card.DownloadBandwidth}} {
		if *of.set == of.value {
			*of.set = uint64(of.card)
		}
	}
	if o.H2DLatency == standard.H2DLatency {
		o.H2DLatency = seconds(o.Card.UploadStart)
	}
	if o.D2HLatency == standard.D2HLatency {
		o.D2HLatency = seconds(o.Card.DownloadStart)
	}
	o.LaunchLatency = 0 // it is in the kernels' times
	return true
}

// models finds the model of a device for the threads of its queues.
var models sync.Map // *C.struct_accscope_sim_device → *model

// A model says how long kernels take on a card. C has one kernel run at a time while there is one, so
// that what is counted meanwhile is that kernel's.
type model struct {
	card   *card.Card
	caches *simt.Caches
	mutex  sync.Mutex                  // guards kernels
	kernel map[uintptr]*modelledKernel // by C's pattern of their launches
}

type modelledKernel struct {
	program *simt.Program
	name    string
	before  simt.Totals // of the launches so far
}

// beginModel has kernels of the device take a card's time, if one is modelled.
func (d *codeDevice) beginModel() error {
	o := &d.backend.options
	if o.Card == nil {
		return nil
	}
	caches, err := simt.NewCaches(d.arena.at(device.Address(d.arena.base)), o.Memory, uint64(o.Card.SecondLevel))
	if err != nil {
		return device.Errorf(device.System, 0, "open sim device %d: %v; set ACCSCOPE_SIM_MEMORY lower (%s now)", d.number, err, formatBytes(o.Memory))
	}
	d.model = &model{card: o.Card, caches: caches, kernel: map[uintptr]*modelledKernel{}}
	models.Store(d.c, d.model)
	return nil
}

// end forgets it; no kernel runs any more.
func (m *model) end(c *C.struct_accscope_sim_device) {
	if m != nil {
		models.Delete(c)
		m.caches.Close()
	}
}

// simulated is for programs' settings: the caches, nil without a model.
func (m *model) simulated() *simt.Caches {
	if m == nil {
		return nil
	}
	return m.caches
}

// add makes a kernel known.
func (m *model) add(launch uintptr, p *simt.Program, name string) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	m.kernel[launch] = &modelledKernel{program: p, name: name}
	m.mutex.Unlock()
}

func (m *model) find(launch C.uintptr_t) *modelledKernel {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.kernel[uintptr(launch)]
}

// modelOf is that of a device whose kernels C runs, with one of them.
func modelOf(c *C.struct_accscope_sim_device, launch C.uintptr_t) (*model, *modelledKernel) {
	found, _ := models.Load(c)
	m := found.(*model)
	return m, m.find(launch)
}

//export accscope_sim_model_begin
func accscope_sim_model_begin(c *C.struct_accscope_sim_device, launch C.uintptr_t, g C.struct_accscope_sim_geometry) {
	m, k := modelOf(c, launch)
	resident := m.card.Resident(float64(g.workers*g.vector), float64(k.program.Registers(k.name)))
	m.caches.Begin(uint64(m.card.FirstLevel / min(resident, max(1, float64(g.gangs)/m.card.Multiprocessors))))
}

//export accscope_sim_model_end
func accscope_sim_model_end(c *C.struct_accscope_sim_device, launch C.uintptr_t, g C.struct_accscope_sim_geometry, share *C.double) C.int64_t {
	m, k := modelOf(c, launch)
	totals := k.program.Totals(k.name)
	counts := countsOf(totals, k.before, g, k.program.Registers(k.name), m.caches.Met())
	k.before = totals
	duration, taken := m.card.Kernel(counts)
	*share = C.double(taken)
	return C.int64_t(duration)
}

// countsOf is what a launch came to: the difference of all so far, before and after it.
func countsOf(now, before simt.Totals, g C.struct_accscope_sim_geometry, registers int, met uint64) card.Counts {
	of := func(now, before uint64) float64 { return float64(now - before) }
	return card.Counts{
		Gangs: float64(g.gangs), Lanes: float64(g.workers * g.vector), Registers: float64(registers),
		Work: of(now.Work, before.Work), MostWork: of(now.MostWork, before.MostWork),
		Integer: of(now.Integer, before.Integer), Float: of(now.Float, before.Float), Double: of(now.Double, before.Double), Special: of(now.Special, before.Special),
		Load: of(now.Load, before.Load), Store: of(now.Store, before.Store), Atomic: of(now.Atomic, before.Atomic),
		Exchange: of(now.Exchange, before.Exchange), Barrier: of(now.Barrier, before.Barrier), Other: of(now.Other, before.Other),
		Cycles: of(now.Cycles, before.Cycles), Accesses: of(now.Accesses, before.Accesses),
		Requests: of(now.LoadRequests+now.StoreRequests+now.AtomicRequests, before.LoadRequests+before.StoreRequests+before.AtomicRequests),
		Shared:   of(now.SharedRequests, before.SharedRequests), Local: of(now.LocalRequests, before.LocalRequests),
		Sectors: of(now.Sectors, before.Sectors), Passed: of(now.Passed, before.Passed), Fetched: of(now.Fetched, before.Fetched),
		LoadRequests: of(now.LoadRequests, before.LoadRequests), LoadPassing: of(now.LoadPassing, before.LoadPassing), LoadFetching: of(now.LoadFetching, before.LoadFetching),
		SharedPasses: of(now.SharedPasses, before.SharedPasses), LocalSectors: of(now.LocalSectors, before.LocalSectors),
		StoreLines: of(now.StoreLines, before.StoreLines), Calls: of(now.Calls, before.Calls),
		AtomicRequests: of(now.AtomicRequests, before.AtomicRequests), AtomicLanes: of(now.AtomicLanes, before.AtomicLanes),
		AtomicsMeet: float64(met),
	}
}

// texts are those of an image as our runtime would give them to the driver of the card: with GCC's loops
// of compare-and-swap as instructions (docs/gpu.md).
func (m *model) texts(texts []string) []string {
	if m == nil {
		return texts
	}
	changed := make([]string, len(texts))
	for i, text := range texts {
		changed[i] = text
		if module, err := ptx.Parse(text); err == nil { // linking tells of errors
			changed[i] = nvidia.Edited(text, nvidia.Reductions(module))
		}
	}
	return changed
}

// seconds is a duration.
func seconds(s float64) time.Duration { return time.Duration(s * 1e9) }
