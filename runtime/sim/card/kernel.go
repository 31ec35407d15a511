package card

import (
	"math"
	"time"
)

// Counts are what one launch of a kernel came to (runtime/simt), in instructions and requests of
// warps of 32 lanes.
type Counts struct {
	Gangs, Lanes   float64 // Lanes: of a gang
	Registers      float64 // of a lane
	Work, MostWork float64 // instructions of all gangs, and of the busiest one

	Integer, Float, Double, Special, Load, Store, Atomic, Exchange, Barrier, Other float64 // instructions of the machine
	Cycles, Accesses                                                               float64 // along the chains of all blocks: ptx.Chain

	Requests, Shared, Local                       float64 // of loads, stores and atomics: to memory, shared memory and lanes' stacks
	Sectors, Passed, Fetched                      float64 // of memory, of those that the first level has not, and the second has not
	LoadRequests, LoadPassing, LoadFetching       float64
	SharedPasses, LocalSectors, StoreLines, Calls float64 // StoreLines: of 128 bytes, by requests
	AtomicRequests, AtomicLanes, AtomicsMeet      float64 // AtomicsMeet: the weight of the address where most have met (caches.h), in lanes
}

// A Part is one of the times that a kernel's is made of.
type Part struct {
	Name string
	Time float64 // seconds
}

// Resident is how many gangs a multiprocessor has at once.
func (c *Card) Resident(lanes, registers float64) float64 {
	warps := math.Max(1, math.Ceil(lanes/32))
	// Registers are given to warps by 256.
	held := 256 * math.Ceil(32*math.Min(registers, c.MostRegisters)/256)
	return math.Max(1, math.Floor(math.Min(c.Gangs, math.Min(c.Warps/warps, math.Floor(c.Registers/held)/warps))))
}

// Operations is how many operations of floating point lanes do in a second at most, by pipelines that take so
// many instructions a cycle: a fused multiplication and addition is two.
func (c *Card) Operations(rate float64) float64 {
	return c.Multiprocessors * c.Clock * rate * 32 * 2
}

// Parts are the times that a launch takes by each of what may hold it up, alone.
func (c *Card) Parts(k Counts) []Part {
	warps := math.Max(1, math.Ceil(k.Lanes/32))
	used := math.Min(k.Gangs, c.Multiprocessors)
	together := math.Min(k.Gangs, c.Multiprocessors*c.Resident(k.Lanes, k.Registers))
	cycle := 1 / c.Clock
	machine := k.Integer + k.Float + k.Double + k.Special + k.Load + k.Store + k.Atomic + k.Exchange + k.Barrier + k.Other

	// A warp alone: its instructions' chains, and the accesses in them. Those of a chain that go far are as many as
	// the requests that do, at most: of several that are under way together the farthest counts.
	all := k.Requests + k.Shared + k.Local
	toMemory := k.LoadRequests + k.AtomicRequests
	near := 0.0
	if loads := toMemory + k.Shared + k.Local; loads > 0 {
		near = (k.Shared*c.SharedLatency + (toMemory+k.Local)*c.FirstLatency) / loads
	}
	waits := k.Accesses*near + math.Min(k.Accesses, k.LoadPassing)*(c.SecondLatency-c.FirstLatency) +
		math.Min(k.Accesses, k.LoadFetching)*(c.MemoryLatency-c.SecondLatency)
	alone := (k.Cycles*cycle + waits + machine*c.Stall*cycle + k.Barrier*c.Barrier + k.Calls*c.Call) / (k.Gangs * warps)
	mean := alone * k.Gangs / together
	last := 0.0 // the busiest gang, which may be the last
	if k.Work > 0 {
		last = alone * (k.MostWork*k.Gangs/k.Work - 1)
	}
	rate := used * c.Clock // cycles of all multiprocessors in a second
	local := k.LocalSectors
	return []Part{
		{"latency", mean + math.Max(0, last)},
		{"instructions", machine / (c.Issue * rate)},
		{"integer", k.Integer / (c.Integer * rate)},
		{"float", k.Float / (c.Float * rate)},
		{"double", k.Double / (c.Double * rate)},
		{"special", k.Special / (c.Special * rate)},
		{"requests", (all + k.Exchange) / (c.Requests * rate)},
		{"first level", (k.Sectors + local + 4*k.SharedPasses) / (c.FirstSectors * rate)},
		{"second level", math.Max(32*(k.Passed+local+c.CallSectors*k.Calls)/c.SecondBandwidth, (k.StoreLines+local/2)/c.StoreRate)},
		{"memory", 32 * k.Fetched / c.MemoryBandwidth},
		{"atomics", math.Max(k.AtomicsMeet/c.AtomicSame, k.AtomicLanes/c.AtomicRate)},
		{"gangs", c.GangStart * k.Gangs / used},
	}
}

// power is how parts are put together: as p-norm. What holds a kernel up most hides the others, but not
// all of them all the time.
const power = 3

// Kernel is how long a launch takes, and how much of that the card is taken, 0 to 1: what is left
// of it others may have.
func (c *Card) Kernel(k Counts) (time.Duration, float64) {
	sum, busy := 0.0, 0.0
	for i, p := range c.Parts(k) {
		sum += math.Pow(p.Time, power)
		if i > 0 {
			busy = math.Max(busy, p.Time)
		}
	}
	seconds := math.Pow(sum, 1.0/power)
	share := 0.0
	if seconds > 0 {
		share = math.Min(1, busy/seconds) * math.Min(1, k.Gangs/c.Multiprocessors)
	}
	return time.Duration(1e9 * (c.Start + seconds)), share
}
