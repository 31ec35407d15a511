package web

import "github.com/accscope/accscope/collector/report"

const (
	// mostRankRows is how many ranks are answered for: of more, those that stand out.
	mostRankRows = 64
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
