package tui

import "github.com/gdamore/tcell/v2"

// Pane is the part of the screen that a program's output goes to.
type Pane struct{}

// Running says whether the program still runs.
func (p *Pane) Running() bool { return false }

func (p *Pane) hit(x, y int) bool { return false }

func (p *Pane) draw(c canvas, focus bool) {}

func (a *app) programKey(key *tcell.EventKey) {}
