package tui

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
)

// Picture is what stands on a screen.
type Picture struct {
	Width, Height int
	cells         []pictureCell
}

type pictureCell struct {
	text  string
	style tcell.Style
}

// Shot says what to take a picture of.
type Shot struct {
	View          string // one of ViewNames
	Width, Height int    // cells
	At            string // a time as for the key g: 12.5s, 300ms, 40%
	ASCII         bool
}

// ViewNames are the values of Shot.View.
func ViewNames() []string {
	var names []string
	for _, v := range allViews() {
		names = append(names, strings.ToLower(v.name()))
	}
	return names
}

// TakePicture draws a view of a replay at a time, without a terminal.
func TakePicture(ctx context.Context, replay *Replay, shot Shot) (*Picture, error) {
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		return nil, err
	}
	defer screen.Fini()
	screen.SetSize(shot.Width, shot.Height)
	a := newApp(replay, screen, Options{ASCII: shot.ASCII})
	found := false
	for i, name := range ViewNames() {
		if name == shot.View {
			a.current, found = i, true
		}
	}
	if found && a.current >= len(a.views) {
		return nil, fmt.Errorf("%s is of no MPI job: it has no ranks", replay.Title())
	}
	if !found {
		return nil, fmt.Errorf("there is no view %q: there are %s", shot.View, strings.Join(ViewNames(), ", "))
	}
	first, last := replay.Extent()
	at, err := parsePlace(shot.At, first, last)
	if err != nil {
		return nil, err
	}
	a.window = niceWindow(last - first)
	a.resolve()
	replay.SetPaused(true)
	replay.SeekTo(at)
	searching := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = replay.Run(ctx, 10*time.Millisecond, func(f Frame) {
		a.observe(f)
		if !f.Partial && f.Time >= at {
			cancel()
		}
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	if _, asked := a.views[a.current].(*findingsView); asked && a.search != nil {
		if a.search.run(searching); a.search.soFar().err != nil {
			return nil, a.search.soFar().err
		}
	}
	if _, asked := a.views[a.current].(*ranksView); asked {
		ranks, err := a.player.MapRanks(searching)
		if err != nil {
			return nil, err
		}
		a.ranks.end(ranks, nil)
	}
	a.redraw()
	return pictureOf(screen), nil
}

func pictureOf(screen tcell.Screen) *Picture {
	w, h := screen.Size()
	p := &Picture{Width: w, Height: h, cells: make([]pictureCell, w*h)}
	for y := range h {
		for x := 0; x < w; {
			text, style, width := screen.Get(x, y)
			if text == "" {
				text = " "
			}
			p.cells[y*w+x] = pictureCell{text, style}
			x += max(width, 1)
		}
	}
	return p
}

// Text gives the picture's characters, a line each, without trailing blanks.
func (p *Picture) Text() string {
	var b strings.Builder
	for y := range p.Height {
		line := ""
		for x := range p.Width {
			line += p.cells[y*p.Width+x].text
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// The size of a cell in an SVG, and the colours of the terminal that it shows.
const (
	cellWidth   = 8
	cellHeight  = 17
	paper       = "#16181d"
	ink         = "#d6d9de"
	fontSize    = 13.33
	baseline    = 13
	dimmed      = "0.62"
	fontFamily  = "DejaVu Sans Mono, Menlo, Consolas, monospace"
	borderWidth = 6
)

// SVG gives the picture as a drawing.
func (p *Picture) SVG() string {
	var b strings.Builder
	w, h := p.Width*cellWidth+2*borderWidth, p.Height*cellHeight+2*borderWidth
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s" font-size="%.2f">`+"\n",
		w, h, w, h, fontFamily, fontSize)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="6" fill="%s"/>`+"\n", w, h, paper)
	for y := range p.Height {
		for x := 0; x < p.Width; {
			style := p.cells[y*p.Width+x].style
			end, text := x, ""
			for end < p.Width && p.cells[y*p.Width+end].style == style {
				text += p.cells[y*p.Width+end].text
				end++
			}
			p.run(&b, x, y, end-x, text, style)
			x = end
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run draws cells of one style. Block characters become rectangles: fonts leave
// gaps between them.
func (p *Picture) run(b *strings.Builder, x, y, width int, text string, style tcell.Style) {
	foreground, _, attributes := style.Decompose()
	colour, ground := ink, ""
	if foreground != tcell.ColorDefault {
		colour = fmt.Sprintf("#%06x", foreground.TrueColor().Hex())
	}
	if attributes&tcell.AttrReverse != 0 {
		colour, ground = paper, colour
	}
	left, top := borderWidth+x*cellWidth, borderWidth+y*cellHeight
	if ground != "" {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, width*cellWidth, cellHeight, ground)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	rest := []rune(text)
	for i, r := range rest {
		level := strings.IndexRune("▁▂▃▄▅▆▇█", r)
		if level < 0 {
			continue
		}
		height := float64(cellHeight) * float64(level/len("▁")+1) / 8
		fmt.Fprintf(b, `<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="%s"/>`+"\n", left+i*cellWidth,
			float64(top+cellHeight)-height, cellWidth, height, colour)
		rest[i] = ' '
	}
	extra := ""
	if attributes&tcell.AttrBold != 0 {
		extra += ` font-weight="bold"`
	}
	if attributes&tcell.AttrDim != 0 {
		extra += ` opacity="` + dimmed + `"`
	}
	// Word by word: renderers differ in what they make of blanks.
	column := 0
	for _, word := range strings.SplitAfter(string(rest), " ") {
		trimmed := strings.TrimRight(word, " ")
		if trimmed != "" {
			fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s" textLength="%d"%s>%s</text>`+"\n", left+column*cellWidth, top+baseline, colour,
				textWidth(trimmed)*cellWidth, extra, html.EscapeString(trimmed))
		}
		column += textWidth(word)
	}
}
