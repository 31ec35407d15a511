package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// RankChoice is a choice of ranks, as "0-15,617".
type RankChoice struct {
	text      string
	stretches []rankStretch
}

type rankStretch struct{ first, last int64 }

// mostStretches is how many parts a choice of ranks may have.
const mostStretches = 10_000

// ParseRanks reads a choice of ranks: numbers, and the first and last of several with a dash
// between them, separated by commas. "" is nil, which chooses all.
func ParseRanks(text string) (*RankChoice, error) {
	if text = strings.ReplaceAll(text, " ", ""); text == "" {
		return nil, nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > mostStretches {
		return nil, fmt.Errorf("there are %d parts, want %d at most: stretches as 0-15 count once", len(parts), mostStretches)
	}
	c := &RankChoice{text: strings.Join(parts, ", ")}
	for _, part := range parts {
		from, to, several := strings.Cut(part, "-")
		if !several {
			to = from
		}
		first, wrong := strconv.ParseInt(from, 10, 64)
		last, bad := strconv.ParseInt(to, 10, 64)
		if wrong != nil || bad != nil || first < 0 || last < first {
			return nil, fmt.Errorf("%q is no rank and no ranks as 0-15", part)
		}
		c.stretches = append(c.stretches, rankStretch{first, last})
	}
	return c, nil
}

// String is the choice as it was written.
func (c *RankChoice) String() string { return c.text }

// Has says whether a rank is chosen.
func (c *RankChoice) Has(rank int64) bool {
	return c == nil || slices.ContainsFunc(c.stretches, func(s rankStretch) bool { return rank >= s.first && rank <= s.last })
}

// RankOf is a rank of a job.
type RankOf struct {
	Rank      int64
	Busy      int64 // as RankUse has it, ns
	Processes []model.ProcessID
}

// RanksOf are the ranks of a trace, by rank; none of a trace that is of no job.
func RanksOf(trace *store.Trace) ([]RankOf, error) {
	list, _, err := ranksOf(trace)
	of := make([]RankOf, len(list))
	for i, r := range list {
		of[i] = RankOf{r.rank, r.busy, r.processes}
	}
	return of, err
}

// RanksAtOnce is how many ranks views show together.
const RanksAtOnce = 64

// ShownRanks are the processes that views show of a choice of ranks, and what to say of them:
// those that are chosen, of more than RanksAtOnce the one that did most. nil, of no choice, are
// all processes of the trace; none are where no rank is chosen.
func ShownRanks(ranks []RankOf, choice *RankChoice) (shown []model.ProcessID, about string) {
	var chosen []RankOf
	for _, rank := range ranks {
		if choice.Has(rank.Rank) {
			chosen = append(chosen, rank)
		}
	}
	switch {
	case len(chosen) > RanksAtOnce:
		slowest := chosen[0]
		for _, rank := range chosen {
			if rank.Busy > slowest.Busy {
				slowest = rank
			}
		}
		return slowest.Processes, fmt.Sprintf("rank %d, which did most of %d", slowest.Rank, len(chosen))
	case choice == nil:
		return nil, ""
	}
	for _, rank := range chosen {
		shown = append(shown, rank.Processes...)
	}
	if len(chosen) == 1 {
		return shown, fmt.Sprintf("rank %d of %d", chosen[0].Rank, len(ranks))
	}
	return shown, fmt.Sprintf("%d ranks of %d", len(chosen), len(ranks))
}

// LimitTo has a trace, of which nothing has been read, give no more than chosen ranks; nil: all.
// The error where it has none of them is a *MissingRank.
func LimitTo(trace *store.Trace, choice *RankChoice) error {
	if choice == nil {
		return nil
	}
	ranks, err := RanksOf(trace)
	if err != nil {
		return err
	}
	var processes []model.ProcessID
	for _, r := range ranks {
		if choice.Has(r.Rank) {
			processes = append(processes, r.Processes...)
		}
	}
	if len(processes) == 0 {
		return NoRanks(ranks, choice.String())
	}
	trace.OnlyProcesses(processes)
	return nil
}

// MissingRank is the error of a choice that has none of a trace's ranks.
type MissingRank struct{ text string }

func (e *MissingRank) Error() string { return e.text }

// NoRanks says that a choice, as it was written, has none of the ranks.
func NoRanks(ranks []RankOf, text string) error {
	if len(ranks) == 0 {
		return &MissingRank{"the trace is of no MPI job: it has no ranks"}
	}
	return &MissingRank{fmt.Sprintf("the trace has no rank %s: it has %d to %d", strings.TrimSpace(text), ranks[0].Rank, ranks[len(ranks)-1].Rank)}
}

// LimitToRank limits a trace to the processes of a rank, if it has any.
func LimitToRank(trace *store.Trace, rank int64) error {
	processes, err := trace.Processes()
	if err != nil {
		return err
	}
	var of []model.ProcessID
	for i := range processes {
		if int64(processes[i].Rank) == rank {
			of = append(of, processes[i].ID)
		}
	}
	if len(of) > 0 && len(of) < len(processes) {
		trace.OnlyProcesses(of)
	}
	return nil
}
