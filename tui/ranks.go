package tui

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// rankParts is how many parts of time a rank's row has.
const rankParts = 40

// RanksView is the name, of ViewNames, of the view that there is of jobs only.
const RanksView = "ranks"

// ChooseRanks limits all views to ranks, such as "0-15,617"; "" takes that back.
func (r *Replay) ChooseRanks(text string) error {
	choice, err := report.ParseRanks(text)
	if err != nil {
		return err
	}
	shown, about := report.ShownRanks(r.ranks, choice)
	if len(shown) == 0 && choice != nil {
		return report.NoRanks(r.ranks, text)
	}
	r.command(func() { r.choice, r.shown, r.shownText, r.chosen, r.jumped = choice, shown, about, true, true })
	return nil
}

// ShownRanks says which ranks the views show of more; "" where it is all.
func (r *Replay) ShownRanks() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shownText
}

// MapRanks is time by rank of those that are chosen, over the whole trace.
func (r *Replay) MapRanks(ctx context.Context) (*report.RankMap, error) {
	trace, err := store.Open(r.path)
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	trace.Interrupt(ctx.Done())
	r.mu.Lock()
	choice := r.choice
	r.mu.Unlock()
	return report.MapRanks(trace, r.first, max(r.last, r.first+1), rankParts, report.RanksAtOnce, choice.Has)
}

// ranksView shows time by rank: of many ranks the median, and those that stand out.
type ranksView struct{ listView }

func newRanksView() *ranksView {
	return &ranksView{listView{"Ranks", table{name: RanksView, sortBy: -1, fields: []field{
		{title: "rank", width: 15},
		{title: "host", width: 14, wide: 100},
		{title: "busy", width: 9, right: true},
		{title: "of the median", width: 13, right: true, wide: 60},
		{title: "over time"},
	}}}}
}

func (v *ranksView) key(a *app, key *tcell.EventKey) bool {
	if key.Key() != tcell.KeyRune || key.Rune() != 'o' {
		return false
	}
	if r := v.rows.current(); r != nil && r.id != medianRow {
		a.chooseRanks(r.id)
	}
	return true
}

// medianRow is the id of the row that is no rank's.
const medianRow = "median"

func (v *ranksView) draw(a *app, c canvas) {
	t := c.theme
	ranks := a.ranks // what is chosen next is another's
	a.begin(&ranks.begin, func(ctx context.Context) { ranks.end(a.player.MapRanks(ctx)) })
	so := ranks.soFar()
	switch {
	case so.err != nil:
		c.failed("Ranks", so.err)
		return
	case !so.over:
		c.words(1, 0, t.title, "Ranks", t.plain, "  looking through the trace")
		return
	}
	m := so.found
	what := "  how busy devices were over the whole run; "
	if !m.Device {
		what = "  how long threads were in constructs and routines over the whole run; "
	}
	x := c.words(1, 0, t.title, "Ranks", t.plain, " "+number(int64(m.Ranks)))
	if m.Folded {
		x = c.words(x, 0, t.dim, fmt.Sprintf(", %d of them, farthest from the median", len(m.Rows)))
	}
	c.words(x, 0, t.dim, what+"o shows one alone, r asks which")
	v.rows.set(rankRows(t, m))
	v.rows.draw(c.part(0, 1, c.w, c.h-1), true, "no rank did anything")
}

// rankRows are the rows of a map: the median, and ranks.
func rankRows(t *theme, m *report.RankMap) []row {
	strip := func(use []float64) string { return t.strip(use, 1) }
	share := func(busy int64) (string, float64) {
		if m.MedianBusy <= 0 {
			return "-", 0
		}
		of := float64(busy) / float64(m.MedianBusy)
		return percent(of), of
	}
	var rows []row
	if m.Ranks > 1 {
		rows = append(rows, row{id: medianRow, group: -1, cells: []string{fmt.Sprintf("median of %d", m.Ranks), "", report.ShowDuration(float64(m.MedianBusy)), "", strip(m.Median)},
			style: &t.bold, detail: func() detail {
				return detail{title: "median", fields: [][2]string{{"of ranks", number(int64(m.Ranks))}, {"busy", report.ShowDuration(float64(m.MedianBusy))},
					{"over time", fmt.Sprintf("of %d ranks, evenly chosen", m.Sampled)}}}
			}})
	}
	for _, r := range m.Rows {
		text, of := share(r.Busy)
		rows = append(rows, row{id: number(r.Rank), cells: []string{fmt.Sprintf("rank %d", r.Rank), r.Host, report.ShowDuration(float64(r.Busy)), text, strip(r.Use)},
			keys: []float64{-float64(r.Rank), 0, float64(r.Busy), of}, detail: func() detail {
				return detail{title: fmt.Sprintf("rank %d", r.Rank), fields: [][2]string{{"host", r.Host}, {"busy", report.ShowDuration(float64(r.Busy)) + " in the whole run"},
					{"of the median", text}, {"alone in all views", "o, or r and its number"}}}
			}})
	}
	return rows
}

// askRanks asks which ranks to show.
func (a *app) askRanks() {
	a.prompt = &prompt{label: "ranks (0-15,617; empty: all): ", change: func(string) {}, cancel: func() {}, done: a.chooseRanks}
}

// chooseRanks shows some ranks only.
func (a *app) chooseRanks(text string) {
	if err := a.player.ChooseRanks(text); err != nil {
		a.message = a.source.Title() + ": " + err.Error()
		return
	}
	a.ranks = &inquiry[*report.RankMap]{}
}
