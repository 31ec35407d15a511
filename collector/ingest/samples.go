package ingest

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/sampling"
	"github.com/accscope/accscope/collector/store"
)

// figures are what was sampled so far.
type figures struct {
	sampled  map[int]*process        // those that figures are of, by their number
	counters map[store.Counter]int64 // numbers in the trace
	noGPU    bool                    // the trace says why there are none of GPUs
}

func newFigures() figures {
	return figures{sampled: map[int]*process{}, counters: map[store.Counter]int64{}}
}

// takeSamples writes what was sampled of the processes and of their machine, and tells
// the sampler which processes run.
func (in *Ingester) takeSamples(s *sampling.Sampler) error {
	if in.writer == nil {
		return nil
	}
	var pids []int
	var here *store.Host // this machine: processes that are seen to run are on it
	for _, p := range in.ordered() {
		if !p.ran {
			continue
		}
		here = p.host
		if p.info.Ended == "" {
			in.figures.sampled[p.info.PID] = p
			pids = append(pids, p.info.PID)
		}
	}
	s.Watch(pids, in.usesGPU())
	if here == nil {
		return nil
	}
	for _, reading := range s.Take() {
		c := store.Counter{Host: here.ID, GPU: reading.GPU, GPUName: reading.GPUName, Name: reading.Name, Unit: reading.Unit}
		if reading.PID != 0 {
			c.Process = in.figures.sampled[reading.PID].info.ID
		}
		id, known := in.figures.counters[c]
		if !known {
			saved := c
			if err := in.writer.SaveCounter(&saved); err != nil {
				return err
			}
			id = saved.ID
			in.figures.counters[c] = id
		}
		at := reading.Time + here.ClockOffset - in.origin.Load()
		if err := in.writer.WriteCounter(id, store.CounterValue{Time: at, Value: reading.Value}); err != nil {
			return err
		}
	}
	if problem := s.Problem(); problem != nil && !in.figures.noGPU {
		in.figures.noGPU = true
		return in.writer.SetMeta(store.NoGPUFigures, problem.Error())
	}
	return nil
}

// usesGPU says whether a process has used a GPU of NVIDIA.
func (in *Ingester) usesGPU() bool {
	for _, d := range in.model.Directory().Devices {
		if d.Type == int32(callbacks.DeviceNVIDIA) {
			return true
		}
	}
	return false
}
