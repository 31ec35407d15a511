package export

import (
	"math"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Counted are fields of kernels that were counted inside, by process and symbol.
type Counted map[countedKernel][]Field

type countedKernel struct {
	process model.ProcessID
	symbol  string
}

// Of are the fields of an operation of a device; nil where it is no kernel that was counted.
func (c Counted) Of(w *store.Work) []Field {
	if w.Kind != "kernel" || len(c) == 0 {
		return nil
	}
	return c[countedKernel{w.Process, w.Symbol}]
}

// ReadCounted reads what kernels did inside: of a launch on average, and how that is between their
// lanes and gangs (docs/trace-schema.md). What says nothing of a kernel is left out.
func ReadCounted(trace *store.Trace) (Counted, error) {
	names := []string{"instructions_per_launch", "operations_per_launch", "traffic_bytes_per_launch", "atomics_per_launch",
		"lanes_per_instruction", "sectors_per_load", "sectors_per_store", "traffic_used", "imbalance", "estimated_registers", "estimated_occupancy"}
	counted := Counted{}
	for s, err := range trace.Rows("reading what kernels did", `SELECT process, kernel, 1.0 * sum(instructions) / sum(launches), 1.0 * sum(operations32 + operations64) / sum(launches),
			1.0 * sum(first_level_bytes) / sum(launches), 1.0 * sum(atomic_lanes) / sum(launches), 1.0 * sum(active_lanes) / sum(instructions),
			1.0 * sum(load_sectors) / nullif(sum(load_requests), 0), 1.0 * sum(store_sectors) / nullif(sum(store_requests), 0),
			1.0 * sum(load_bytes + store_bytes + atomic_bytes) / nullif(sum(first_level_bytes), 0), max(imbalance), max(registers), max(occupancy)
		FROM kernel_counters WHERE launches > 0 AND `+trace.ChosenSQL("process")+` GROUP BY 1, 2`) {
		if err != nil {
			return nil, err
		}
		of := countedKernel{model.ProcessID(s.ColumnInt64(0)), s.ColumnText(1)}
		for i, name := range names {
			if value := s.ColumnFloat(2 + i); value != 0 {
				counted[of] = append(counted[of], Field{Name: name, Value: math.Round(value*1000) / 1000})
			}
		}
	}
	return counted, nil
}
