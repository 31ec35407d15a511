package tui

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"
)

// Choice is one line of what the user may choose from.
type Choice struct {
	Name    string
	Details []string // the further columns
}

// chooser is the list on the screen.
type chooser struct {
	screen  tcell.Screen
	theme   *theme
	title   string
	choices []Choice
	at, top int
	clicks  clicks
}

// Choose lets the user pick one of several in the terminal; ok is false where
// they left without. However it ends, the terminal is as it was before.
func Choose(ctx context.Context, title string, choices []Choice, options Options) (index int, ok bool, err error) {
	screen, err := options.open()
	if err != nil {
		return 0, false, fmt.Errorf("the terminal cannot show a list: %w", err)
	}
	defer screen.Fini()
	c := &chooser{screen: screen, theme: newTheme(screen.Colors(), options.ASCII), title: title, choices: choices}
	events := make(chan tcell.Event, 64)
	stop := make(chan struct{})
	defer close(stop)
	go screen.ChannelEvents(events, stop)
	for {
		c.draw()
		select {
		case <-ctx.Done():
			return 0, false, nil
		case event, open := <-events:
			if !open {
				return 0, false, nil
			}
			if chosen, done := c.handle(event); done {
				return c.at, chosen, nil
			}
		}
	}
}

// handle takes an event; done ends the list.
func (c *chooser) handle(event tcell.Event) (chosen, done bool) {
	switch e := event.(type) {
	case *tcell.EventResize:
		c.screen.Sync()
	case *tcell.EventKey:
		switch key := e.Key(); {
		case key == tcell.KeyEnter:
			return true, true
		case key == tcell.KeyEscape, key == tcell.KeyCtrlC, e.Rune() == 'q':
			return false, true
		case key == tcell.KeyBacktab:
			c.move(-1)
		case key == tcell.KeyTab:
			c.move(1)
		default:
			c.move(steps(e, 0, len(c.choices)))
		}
	case *tcell.EventMouse:
		_, y := e.Position()
		switch buttons := c.clicks.fresh(e); {
		case buttons&tcell.WheelUp != 0:
			c.move(-1)
		case buttons&tcell.WheelDown != 0:
			c.move(1)
		case buttons&tcell.Button1 != 0:
			if row := y - 3 + c.top; y >= 3 && row < len(c.choices) {
				if row == c.at {
					return true, true
				}
				c.at = row
			}
		}
	}
	return false, false
}

func (c *chooser) move(by int) { c.at = min(max(c.at+by, 0), len(c.choices)-1) }

func (c *chooser) draw() {
	c.screen.Clear()
	width, height := c.screen.Size()
	t := c.theme
	all := canvas{screen: c.screen, theme: t, w: width, h: height}
	all.words(1, 0, t.accent, "accscope", t.bold, " "+c.title)
	all.words(1, height-1, t.plain, "enter", t.dim, " watch  ", t.plain, "arrows", t.dim, " choose  ", t.plain, "q", t.dim, " leave")
	list := all.part(0, 3, width, height-5)
	c.top = min(c.top, c.at)
	if list.h > 0 {
		c.top = max(c.top, c.at-list.h+1)
	}
	var columns []int
	for _, choice := range c.choices {
		for i, cell := range append([]string{choice.Name}, choice.Details...) {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = min(max(columns[i], textWidth(cell)), 40)
		}
	}
	for y := 0; y < list.h && c.top+y < len(c.choices); y++ {
		choice, style, mark := c.choices[c.top+y], t.plain, ' '
		if c.top+y == c.at {
			style, mark = t.selected, t.marker
			for x := range list.w {
				list.cell(x, y, ' ', style)
			}
		}
		list.cell(1, y, mark, style)
		x := 3
		for i, cell := range append([]string{choice.Name}, choice.Details...) {
			list.text(x, y, columns[i], cell, style)
			x += columns[i] + 2
		}
	}
	c.screen.Show()
}
