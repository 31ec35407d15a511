package main

import (
	"fmt"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/collector/launch"
)

// sampler samples the processors that a run's program has; nil: that was not asked for, or
// cannot be.
type sampler struct{ recorder *cpusamples.Recorder }

// startSampling prepares to sample what is launched.
func (flags *runFlags) startSampling(folder string) (*sampler, error) {
	if flags.sample == 0 {
		return nil, nil
	}
	recorder, err := cpusamples.New(folder, flags.sample)
	if err != nil {
		return nil, fmt.Errorf("--sample: %w", err)
	}
	return &sampler{recorder}, nil
}

// launch starts the program.
func (s *sampler) launch(start func() (*launch.Process, error)) (process *launch.Process, err error) {
	if s == nil {
		return start()
	}
	err = s.recorder.Start(func() (err error) {
		process, err = start()
		return err
	})
	if err != nil {
		s.end()
	}
	return process, err
}

// end ends with the program: what it leaves behind is not sampled on.
func (s *sampler) end() {
	if s == nil {
		return
	}
	if err := s.recorder.Close(); err != nil {
		fmt.Fprintf(stderr, "accscope: samples of processors: %s; the trace has those before\n", oneLine(err))
	}
}
