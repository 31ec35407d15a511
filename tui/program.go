package tui

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// programView shows the processes, what each of their threads is in, and the program's own
// frames and ranges, if it marks any.
type programView struct{ stackedView }

func newProgramView() *programView {
	return &programView{stackedView{title: "Program", shown: 1, tables: []table{{name: "threads", sortBy: -1, fields: []field{
		{title: "thread", width: 24},
		{title: "events", width: 8, right: true},
		{title: "for", width: 11, right: true},
		{title: "in"},
		{title: "source", width: 22, wide: 80},
	}}, newAnnotationTable()}}}
}

func (p *programView) draw(a *app, c canvas) {
	v, t := a.frame.View, c.theme
	c.words(1, 0, t.title, fmt.Sprintf("Processes %d", len(v.Processes)))
	y := 1
	shown := min(len(v.Processes), max(c.h/3, 1))
	for i := range shown {
		x := &v.Processes[i]
		state, style, end := "runs", t.good, a.frame.Time
		if x.End != 0 {
			state, style, end = x.Ended, t.dim, x.End
		}
		if x.Ended == "killed" {
			style = t.failure
		}
		if x.Exit != "" {
			state += ", " + x.Exit
			if x.Exit != model.Succeeded {
				style = t.failure
			}
		}
		pieces := []any{t.bold, fmt.Sprintf("%8d ", x.PID), style, fmt.Sprintf("%-8s", state)}
		if x.Rank >= 0 {
			pieces = append(pieces, t.accent, fmt.Sprintf(" rank %d of %d", x.Rank, x.Ranks))
		}
		pieces = append(pieces, t.plain, " "+report.ShowDuration(float64(end-x.Start)), t.dim, " on ", t.plain, x.Host)
		if x.SinceAttach {
			pieces = append(pieces, t.warning, " since attach")
		}
		pieces = append(pieces, t.dim, "  "+strings.Join(x.Arguments, " "))
		c.words(1, y, pieces...)
		y++
	}
	if n := len(v.Processes) - shown; n > 0 {
		c.words(1, y, t.dim, fmt.Sprintf("%d more", n))
		y++
	}
	y++
	c.words(1, y, t.title, fmt.Sprintf("Threads %d", len(v.Threads)))
	y++
	threads, annotations := &p.tables[0], &p.tables[1]
	threads.set(a.threadRows())
	height := c.h - y
	p.shown = 1 + min(len(v.Annotations), 1)
	p.at = min(p.at, p.shown-1)
	if p.shown > 1 {
		height = min(len(v.Threads)+1, max((c.h-y-1)/2, 2))
	}
	threads.draw(c.part(0, y, c.w, height), p.at == 0, "no thread has raised an event yet")
	if y += height + 1; p.shown > 1 && y < c.h {
		c.words(1, y, t.title, fmt.Sprintf("Frames and ranges %d", len(v.Annotations)), t.dim, "  o: the keys go here")
		annotations.set(annotationRows(v))
		annotations.draw(c.part(0, y+1, c.w, c.h-y-1), p.at == 1, "there are none")
	}
}

func (a *app) threadRows() []row {
	v, t := a.frame.View, a.theme
	names := symbolsOf(v)
	var rows []row
	for i := range v.Threads {
		x := &v.Threads[i]
		in, since, source := "-", "", "-"
		age, also := 0.0, ""
		style := &t.dim
		if n := len(x.Stack); n > 0 {
			s := &x.Stack[n-1]
			in, age, source = stackText(x.Stack), float64(a.frame.Time-s.Since), sourceText(s.Source)
			since = report.ShowDuration(age)
			style = nil
			for i := range x.Stack {
				also += names.of(x.Stack[i].Name, x.Stack[i].Source) + " "
			}
			if s.Kind == "wait" {
				style = &t.activities[waiting]
			}
		}
		rows = append(rows, row{
			id:    number(int64(x.ID)),
			cells: []string{threadName(v, x.ID), count(float64(x.Events)), since, in, source},
			also:  also,
			keys:  []float64{float64(x.ID), float64(x.Events), age},
			style: style,
			detail: func() detail {
				d := detail{title: threadName(v, x.ID), fields: [][2]string{{"thread", number(int64(x.TID))},
					{"process", processName(v, x.Process)}, {"events", number(x.Events)}}}
				for _, s := range x.Stack {
					d.fields = append(d.fields, [2]string{s.Kind, fmt.Sprintf("%s since %s, for %s", namedPlace(s.Name, s.Source),
						clock(s.Since), report.ShowDuration(float64(a.frame.Time-s.Since)))})
					d.source = s.Source
				}
				return d
			}})
	}
	return rows
}

// namedPlace is a name and where that is, which the name of a kernel begins with.
func namedPlace(name string, at state.Source) string {
	place := sourceText(at)
	if name == "" || strings.HasPrefix(name, place+" ") {
		return cmp.Or(name, place)
	}
	return name + " " + place
}

// stackText names the constructs that a thread is in, outermost first.
func stackText(stack []state.OpenSpan) string {
	parts := make([]string, len(stack))
	for i, s := range stack {
		parts[i] = s.Kind
		if i == 0 && s.Construct != "" {
			parts[i] = s.Construct + ": " + s.Kind
		}
		if s.Name != "" {
			parts[i] += " " + s.Name
		}
	}
	return strings.Join(parts, " > ")
}
