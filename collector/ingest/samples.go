package ingest

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/sampling"
	"github.com/accscope/accscope/collector/store"
)

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
			in.sampled[p.info.PID] = p
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
			c.Process = in.sampled[reading.PID].info.ID
		}
		id, known := in.counters[c]
		if !known {
			saved := c
			if err := in.writer.SaveCounter(&saved); err != nil {
				return err
			}
			id = saved.ID
			in.counters[c] = id
		}
		at := reading.Time + here.ClockOffset - in.origin.Load()
		if err := in.writer.WriteCounter(id, store.CounterValue{Time: at, Value: reading.Value}); err != nil {
			return err
		}
	}
	if problem := s.Problem(); problem != nil && !in.noGPU {
		in.noGPU = true
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
