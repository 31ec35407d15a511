package web

import (
	"slices"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// summaryAnswer is what a run ends with (report.Summary). Times are ns, sizes bytes.
type summaryAnswer struct {
	Wall      int64 `json:"wall"`
	Simulated bool  `json:"simulated"` // operations ran on the simulated device
	// Devices is how many did something that was measured; the times are sums over
	// them, of which Kernels and Transfers may overlap.
	Devices   int   `json:"devices"`
	Busy      int64 `json:"busy"`
	AtLeast   bool  `json:"at_least"` // Busy is a lower bound, and its parts are not known
	Kernels   int64 `json:"kernels"`
	Transfers int64 `json:"transfers"`
	// Threads is how many use OpenACC; Host is the time of their processes, over
	// them, and Waits and Calls the parts of it blocked in waits and in other
	// constructs and routines.
	Threads int   `json:"threads"`
	Host    int64 `json:"host"`
	Waits   int64 `json:"waits"`
	Calls   int64 `json:"calls"`
	// MPIRanks is how many processes called MPI; MPIWhole is their time from MPI_Init to
	// MPI_Finalize, MPITime the part of it in calls, and MPIWaited that of these for ranks
	// that came later, if MPIWaiting says that it is known.
	MPIRanks      int       `json:"mpi_ranks"`
	MPIWhole      int64     `json:"mpi_whole"`
	MPITime       int64     `json:"mpi_time"`
	MPIWaited     int64     `json:"mpi_waited"`
	MPIWaiting    bool      `json:"mpi_waiting"`
	PeakDevice    string    `json:"peak_device"` // the one with the highest memory in use, "" where none was used
	Peak          int64     `json:"peak"`
	Capacity      int64     `json:"capacity"` // 0: not known
	CostKernels   []costRow `json:"cost_kernels"`
	CostVariables []costRow `json:"cost_variables"`
	// CostConstructs are those of the host, where no device did anything.
	CostConstructs []costRow `json:"cost_constructs"`
	Remarks        []string  `json:"remarks"` // what stands out
}

// costRow is a line of what cost most.
type costRow struct {
	Name  string  `json:"name"`
	Place string  `json:"place"`
	Time  int64   `json:"time"`
	Timed bool    `json:"timed"` // time is known
	Share float64 `json:"share"` // of the time of all kernels, variables or constructs
	Bytes int64   `json:"bytes"`
	Count int64   `json:"count"`
}

// summary sums a trace up, or the ranges or frames that were chosen.
func summary(r *request) (any, error) {
	within, err := r.inside()
	switch {
	case err != nil:
		return nil, err
	case within == nil:
		return r.file.summarize(r.trace)
	}
	return summarize(r.trace, report.Filter{From: within.From, To: within.To, Within: within})
}

// summarize sums a trace up; a finished one once, as its summary reads all of it.
func (f *file) summarize(trace *store.Trace) (*summaryAnswer, error) {
	f.mutex.Lock()
	kept, growing := f.summary, f.growing
	f.mutex.Unlock()
	if kept != nil {
		return kept, nil
	}
	answer, err := summarize(trace, report.Filter{})
	if err == nil && !growing {
		f.mutex.Lock()
		f.summary = answer
		f.mutex.Unlock()
	}
	return answer, err
}

func summarize(trace *store.Trace, filter report.Filter) (*summaryAnswer, error) {
	s, err := report.Summarize(trace, filter)
	if err != nil {
		return nil, err
	}
	rows := func(list []report.Cost) []costRow {
		out := []costRow{}
		for _, c := range list {
			out = append(out, costRow{c.Name, c.Place, c.Time, c.Timed, c.Share, c.Bytes, c.Count})
		}
		return out
	}
	return &summaryAnswer{Wall: s.Wall, Simulated: s.Simulated, Devices: s.Device.Devices, Busy: s.Device.Busy, AtLeast: s.Device.AtLeast,
		Kernels: s.Device.Kernels, Transfers: s.Device.Transfer, Threads: s.Host.Threads, Host: s.Host.Time, Waits: s.Host.Waits, Calls: s.Host.Calls,
		MPIRanks: s.MPI.Processes, MPIWhole: s.MPI.Whole, MPITime: s.MPI.Time, MPIWaited: s.MPI.Waited, MPIWaiting: s.MPI.Waiting,
		PeakDevice: s.Peak.Device, Peak: s.Peak.Bytes, Capacity: s.Peak.Capacity,
		CostKernels: rows(s.Kernels), CostVariables: rows(s.Variables), CostConstructs: rows(s.Constructs), Remarks: present(slices.Concat(s.Findings, s.Hints))}, nil
}
