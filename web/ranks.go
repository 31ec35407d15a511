package web

import (
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

const (
	// mostRankRows is how many ranks are answered for: of more, those that stand out.
	mostRankRows = report.RanksAtOnce
	// mostRankParts is how many parts of time.
	mostRankParts = 400
)

// rankMap tells how busy the ranks of a job were in a window.
func rankMap(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	only, err := report.ParseRanks(r.values.text("ranks"))
	if err != nil {
		return nil, badRequest("parameter ranks: %v", err)
	}
	return report.MapRanks(r.trace, w.from, w.to, min(w.pixels, mostRankParts), mostRankRows, only.Has)
}

// job is what a trace tells of all its ranks together.
type job struct {
	ranks  []report.RankOf
	clocks string // see overviewAnswer
}

// jobOf reads that; of a finished trace once.
func (f *file) jobOf(trace *store.Trace) (*job, error) {
	return once(f, &f.job, func() (*job, error) {
		ranks, err := report.RanksOf(trace)
		if err != nil {
			return nil, err
		}
		processes, err := trace.Processes()
		return &job{ranks, report.ClockError(processes)}, err
	})
}

// shownRanks says of which ranks of a job an answer is.
type shownRanks struct {
	Total int `json:"total"` // ranks of the job; 0: the trace is of none
	// About says which of them the answer is of ("rank 617, which did most of 10000"); "" of
	// all.
	About string `json:"about"`
}

// limitRanks limits the request to the ranks that its parameter names, of many to the one that
// did most, so that nothing of the others is read into an answer, or kept for the next.
func (r *request) limitRanks() (j *job, shown shownRanks, err error) {
	choice, err := report.ParseRanks(r.values.text("ranks"))
	if err != nil {
		return nil, shown, badRequest("parameter ranks: %v", err)
	}
	if j, err = r.file.jobOf(r.trace); err != nil {
		return nil, shown, err
	}
	shown.Total = len(j.ranks)
	processes, about := report.ShownRanks(j.ranks, choice)
	if len(processes) == 0 && choice != nil {
		return nil, shown, notFound("%v", report.NoRanks(j.ranks, r.values.text("ranks")))
	}
	shown.About = about
	return j, shown, r.limit(processes)
}

// limit reads only of some processes from here on; nil: of all.
func (r *request) limit(processes []model.ProcessID) error {
	if processes == nil || slices.Equal(processes, r.trace.LimitedTo()) {
		return nil
	}
	trace, err := r.file.limited(r.ctx, r.trace, processes)
	if err == nil {
		r.trace = trace
	}
	return err
}
