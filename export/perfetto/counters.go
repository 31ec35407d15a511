package perfetto

import (
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// counterRank is behind the threads and devices of a process.
const counterRank = 1 << 20

func counterTrack(id int64) uint64 { return uuid(id, counterKind) }

// gpuTrack is the group of the counters of a GPU.
func gpuTrack(g export.GPU) uint64 { return uuid(g.Host<<16|int64(g.Number&0xffff), gpuKind) }

// counters writes what was sampled: a process's figures beside its threads, a GPU's in a
// group of their own.
func (e *exporter) counters() error {
	groups := map[export.GPU]bool{}
	return e.options.Counters(e.trace, func(c *store.Counter) (func(store.CounterValue) error, error) {
		parent := processTrack(c.Process)
		if c.Process == 0 {
			gpu := export.GPUOf(c)
			if parent = gpuTrack(gpu); !groups[gpu] {
				groups[gpu] = true
				e.describe(parent, 0, counterRank, func(m *message) { m.string(descriptorName, c.GPUTitle()) })
			}
		}
		e.describe(counterTrack(c.ID), parent, counterRank+c.ID, func(m *message) {
			m.string(descriptorName, export.CounterName(c))
			var unit message
			if c.Unit == "B" {
				unit.uint(counterUnit, unitBytes)
			} else {
				unit.string(counterUnitName, c.Unit)
			}
			m.bytes(descriptorCounter, unit)
		})
		sequence := e.w.newSequence(counterTrack(c.ID))
		return func(v store.CounterValue) error {
			sequence.count(v.Time, v.Value)
			return e.w.err
		}, e.w.err
	})
}
