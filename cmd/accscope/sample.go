package main

import (
	"fmt"

	"github.com/accscope/accscope/collector/cpusamples"
)

// sampler samples the processors that a run's program has; nil: that was not asked for, or
// cannot be.
type sampler struct {
	recorder *cpusamples.Recorder
	started  bool
}

// startSampling prepares to sample what is started next, by this goroutine.
func (flags *runFlags) startSampling(folder string) (*sampler, error) {
	if flags.sample == 0 {
		return nil, nil
	}
	recorder, err := cpusamples.New(folder, flags.sample)
	if err != nil {
		return nil, fmt.Errorf("--sample: %w", err)
	}
	return &sampler{recorder: recorder}, nil
}

// begun is told whether the program has been started.
func (s *sampler) begun(started bool) {
	if s == nil {
		return
	}
	if s.started = started; started {
		s.recorder.Started()
		return
	}
	s.end()
}

// end ends with the program: what it leaves behind is not sampled on.
func (s *sampler) end() {
	if s == nil {
		return
	}
	if err := s.recorder.Close(s.started); err != nil {
		fmt.Fprintf(stderr, "accscope: samples of processors: %s; the trace has those before\n", oneLine(err))
	}
}
