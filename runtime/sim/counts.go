package sim

import (
	"math"
	"sync"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/sim/card"
)

// Counts says whether it is counted what kernels do.
func (d *codeDevice) Counts() bool { return d.backend.options.Counters }

// ObserveCounts has counts told from now on.
func (d *codeDevice) ObserveCounts(tell func(device.KernelCounts)) {
	d.images.Lock()
	defer d.images.Unlock()
	d.tellCounts = tell
}

// count tells what a program's kernels came to, which do not run any more. d.images is held.
func (d *codeDevice) count(p *program) {
	if d.tellCounts == nil || p.Program == nil {
		return
	}
	for _, k := range p.Counts() {
		k.Estimates = d.estimates(p, k)
		d.tellCounts(k)
	}
}

// geometryCard is the card whose launch geometry kernels get where none is modelled.
var geometryCard = sync.OnceValue(func() *card.Card {
	built, err := card.Load("h200")
	if err != nil {
		panic(err) // it is built in, and a test reads it
	}
	return built
})

// card is the one that is modelled, or else the one whose launch geometry kernels get.
func (d *codeDevice) card() *card.Card {
	if modelled := d.backend.options.Card; modelled != nil {
		return modelled
	}
	return geometryCard()
}

// Card is the GPU that estimates are of.
func (d *codeDevice) Card() device.Card {
	c := d.card()
	values := map[string]int64{"modelled": 0, "multiprocessors": int64(c.Multiprocessors), "clock": int64(c.Clock), "most_warps": int64(c.Warps),
		"memory_bandwidth": int64(c.MemoryBandwidth), "second_level_bandwidth": int64(c.SecondBandwidth),
		"first_level_bandwidth": int64(c.Multiprocessors * c.Clock * c.FirstSectors * sectorBytes),
		"operations32_rate":     int64(c.Operations(c.Float)), "operations64_rate": int64(c.Operations(c.Double))}
	if d.model != nil {
		values["modelled"] = 1
	}
	return device.Card{Name: c.Name, Values: values}
}

const (
	warpLanes   = 32
	sectorBytes = 32 // of memory
)

// estimates are what a kernel would have of the card: registers by its text, gangs of the launch with
// most lanes; where caches are modelled, what its launches asked of each level.
func (d *codeDevice) estimates(p *program, k device.KernelCounts) map[string]int64 {
	lanes, registers := float64(k.Values["workers"]*k.Values["vector"]), p.Registers(k.Kernel)
	resident := d.card().Resident(lanes, float64(registers))
	values := map[string]int64{"registers": int64(registers), "resident_gangs": int64(resident),
		"resident_warps": int64(resident * math.Max(1, math.Ceil(lanes/warpLanes)))}
	if d.model != nil {
		totals := p.Totals(k.Kernel)
		values["second_level_sectors"], values["memory_sectors"] = int64(totals.Passed), int64(totals.Fetched)
	}
	return values
}
