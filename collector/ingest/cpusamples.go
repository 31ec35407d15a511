package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/write"
)

// cpuSamples writes what the processors were sampled at in the session's processes, which
// are those of this machine. Samples of processes that were not recorded, such as a shell
// between them, are only counted.
func (in *Ingester) cpuSamples() error {
	if in.options.Session == "" {
		return nil
	}
	files, err := cpusamples.Files(in.options.Session)
	if err != nil || len(files) == 0 {
		return err
	}
	of := map[int][]*process{}
	for _, p := range in.ordered() {
		if p.host != nil {
			of[p.info.PID] = append(of[p.info.PID], p)
		}
	}
	for _, list := range of { // several: a program that went on as another, or a number given again
		slices.SortStableFunc(list, func(a, b *process) int { return cmp.Compare(a.info.Start, b.info.Start) })
	}
	to, err := in.writer.BeginCPUSamples()
	if err != nil {
		return err
	}
	others, lost, weight := int64(0), map[model.ProcessID]int64{}, int64(0)
	reader := cpusamples.Reader{
		Begin: func(period int64) { weight = period },
		Sample: func(s cpusamples.Sample) error {
			list := of[s.PID]
			if len(list) == 0 {
				others++
				return nil
			}
			p := list[0]
			at := p.atTime(s.Time) - in.origin.Load()
			for _, later := range list[1:] {
				if later.info.Start <= at {
					p = later
				}
			}
			return to.Add(write.CPUSample{Process: p.info.ID, TID: s.TID, Time: at, Weight: weight, Stack: s.Stack})
		},
		Lost: func(pid int, samples uint64) error {
			if list := of[pid]; len(list) > 0 {
				lost[list[0].info.ID] += int64(samples)
			} else {
				others += int64(samples)
			}
			return nil
		},
	}
	for _, file := range files {
		if err := reader.Read(file); errors.Is(err, cpusamples.ErrFile) {
			in.warn("%v; what it held of samples behind that is left out", err)
		} else if err != nil {
			return err
		}
	}
	for process, samples := range lost {
		if err := in.writer.SetLostSamples(process, samples); err != nil {
			return err
		}
	}
	if others > 0 {
		if err := in.writer.SetMeta("samples_of_others", others); err != nil {
			return err
		}
	}
	if err := to.Finish(); err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	return nil
}
