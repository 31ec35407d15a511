package tui

import (
	"context"
	"fmt"
	"sync"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Ranked is a source whose processes may be the ranks of a job.
type Ranked interface {
	// RankCount is how many ranks there are, 0 of no job.
	RankCount() int
	// ChooseRanks limits all views to ranks, such as "0-15,617"; "" takes that back.
	ChooseRanks(text string) error
	// ShownRanks says which ranks the views show of more; "" where it is all.
	ShownRanks() string
	// MapRanks is time by rank of those that are chosen.
	MapRanks(ctx context.Context) (*report.RankMap, error)
}

// rankParts is how many parts of time a rank's row has.
const rankParts = 40

// RanksView is the name, of ViewNames, of the view that there is of jobs only.
const RanksView = "ranks"

// RankCount is how many ranks the trace has.
func (r *Replay) RankCount() int { return len(r.ranks) }

// ChooseRanks limits all views to ranks.
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

// ShownRanks says which ranks the views show.
func (r *Replay) ShownRanks() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shownText
}

// MapRanks is time by rank, of the whole trace.
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

// rankLook is a look at time by rank beside the views, begun when they are asked for.
type rankLook struct {
	ranked Ranked
	begin  sync.Once

	mutex sync.Mutex // guards what follows
	found *report.RankMap
	err   error
}

func (l *rankLook) run(ctx context.Context) {
	found, err := l.ranked.MapRanks(ctx)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.found, l.err = found, err
}

// soFar is what was found, nil while it is looked for.
func (l *rankLook) soFar() (*report.RankMap, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.found, l.err
}

// ranksView shows time by rank: of many ranks the median, and those that stand out.
type ranksView struct{ rows table }

func newRanksView() *ranksView {
	return &ranksView{rows: table{name: RanksView, sortBy: -1, fields: []field{
		{title: "rank", width: 15},
		{title: "host", width: 14, wide: 100},
		{title: "busy", width: 9, right: true},
		{title: "of the median", width: 13, right: true, wide: 60},
		{title: "over time"},
	}}}
}

func (v *ranksView) name() string  { return "Ranks" }
func (v *ranksView) table() *table { return &v.rows }

func (v *ranksView) key(a *app, key *tcell.EventKey) bool {
	if key.Key() != tcell.KeyRune || key.Rune() != 'o' {
		return false
	}
	if r := v.rows.current(); r != nil && r.id != medianRow {
		a.chooseRanks(r.id)
	}
	return true
}

func (v *ranksView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	if _, open := v.rows.mouse(x, y, buttons); open {
		a.open()
	}
}

// medianRow is the id of the row that is no rank's.
const medianRow = "median"

func (v *ranksView) draw(a *app, c canvas) {
	t := c.theme
	if a.beside != nil {
		look := a.ranks
		look.begin.Do(func() { a.beside(look.run) })
	}
	m, err := a.ranks.soFar()
	switch {
	case err != nil:
		c.words(1, 0, t.title, "Ranks", t.failure, "  none, since reading the trace failed")
		for y, line := range wrapped(err.Error(), c.w-2) {
			c.text(1, 2+y, c.w-2, line, t.plain)
		}
		return
	case m == nil:
		c.words(1, 0, t.title, "Ranks", t.plain, "  looking through the trace")
		return
	}
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
	strip := func(use []float64) string {
		line := make([]rune, len(use))
		for i, share := range use {
			level := 0
			if share > 0 {
				level = max(int(share*float64(len(t.bars)-1)+0.5), 1)
			}
			line[i] = t.bars[min(level, len(t.bars)-1)]
		}
		return string(line)
	}
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
	if err := a.ranks.ranked.ChooseRanks(text); err != nil {
		a.message = err.Error()
		return
	}
	a.ranks = &rankLook{ranked: a.ranks.ranked}
}
