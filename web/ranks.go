package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/report"
)

const (
	// mostRankRows is how many ranks are answered for: of more, those that stand out.
	mostRankRows = 64
	// mostRankParts is how many parts of time.
	mostRankParts = 400
	// mostRankChoices is how many ranks, or stretches of them, a request may name.
	mostRankChoices = 10_000
)

// rankMap tells how busy the ranks of a job were in a window.
func rankMap(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	only, err := chosenRanks(r.values.text("ranks"))
	if err != nil {
		return nil, err
	}
	return report.MapRanks(r.trace, w.from, w.to, min(w.pixels, mostRankParts), mostRankRows, only)
}

// chosenRanks reads a choice of ranks, as "0-15,617"; nil: all.
func chosenRanks(text string) (only func(rank int64) bool, err error) {
	if text = strings.ReplaceAll(text, " ", ""); text == "" {
		return nil, nil
	}
	type stretch struct{ first, last int64 }
	var list []stretch
	parts := strings.Split(text, ",")
	if len(parts) > mostRankChoices {
		return nil, badRequest("parameter ranks has %d parts, want %d at most: stretches as 0-15 count once", len(parts), mostRankChoices)
	}
	for _, part := range parts {
		from, to, several := strings.Cut(part, "-")
		if !several {
			to = from
		}
		first, wrong := strconv.ParseInt(from, 10, 64)
		last, bad := strconv.ParseInt(to, 10, 64)
		if wrong != nil || bad != nil || first < 0 || last < first {
			return nil, badRequest("parameter ranks: %q is no rank and no ranks as 0-15", part)
		}
		list = append(list, stretch{first, last})
	}
	return func(rank int64) bool {
		return slices.ContainsFunc(list, func(s stretch) bool { return rank >= s.first && rank <= s.last })
	}, nil
}
