package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
)

// prompt asks for a line of text at the bottom of the screen.
type prompt struct {
	label string
	text  []rune
	// change is called while the text is typed, done when it is entered.
	change func(text string)
	done   func(text string)
	cancel func()
}

// key handles a key of the whole: the overlays first, then the view, then what
// works everywhere.
func (a *app) key(key *tcell.EventKey) {
	a.focus = a.focus && a.pane.Running()
	switch {
	case a.focus:
		a.programKey(key)
	case a.asking:
		a.answer(key)
	case a.prompt != nil:
		a.promptKey(key)
	case key.Key() == tcell.KeyCtrlC:
		a.leave()
	case key.Key() == tcell.KeyCtrlL:
		a.screen.Sync()
	case a.help:
		a.helpKey(key)
	case a.overlay != nil:
		if a.overlay.key(key) {
			a.overlay = nil
		}
	case a.menu != nil:
		if a.menu.key(key) {
			a.menu = nil
		}
	case a.playerKey(key):
	case a.views[a.current].key(a, key):
	case a.views[a.current].table().key(key):
	default:
		a.commonKey(key)
	}
}

func (a *app) helpKey(key *tcell.EventKey) {
	by := steps(key, 0, 0)
	a.helpTop += by
	a.help = by != 0
}

func (a *app) commonKey(key *tcell.EventKey) {
	switch key.Key() {
	case tcell.KeyTab:
		a.show(a.current + 1)
	case tcell.KeyBacktab:
		a.show(a.current + len(a.views) - 1)
	case tcell.KeyEnter:
		a.open()
	case tcell.KeyEscape:
		a.views[a.current].table().filter = ""
		a.back, a.frozen = 0, false
	case tcell.KeyLeft:
		a.pan(a.window / 4)
	case tcell.KeyRight:
		a.pan(-a.window / 4)
	case tcell.KeyRune:
		a.runeKey(key.Rune())
	}
}

func (a *app) runeKey(r rune) {
	switch {
	case r >= '1' && r < '1'+rune(len(a.views)):
		a.show(int(r - '1'))
	case r == 'q':
		a.leave()
	case r == '?':
		a.help, a.helpTop = true, 0
	case r == ' ':
		a.frozen = !a.frozen
		if !a.frozen {
			a.back = 0
		}
	case r == '+' || r == '=':
		a.zoom(-1)
	case r == '-':
		a.zoom(1)
	case r == 'h':
		a.pan(a.window / 4)
	case r == 'l':
		a.pan(-a.window / 4)
	case r == 'c':
		a.nextTheme()
	case r == 's':
		a.menu = newSortMenu(a.views[a.current].table())
	case r == '/':
		a.askFilter()
	case r == 'p' && a.pane != nil:
		a.focus = true
	}
}

// pan moves the graphs' time; into the past it freezes them.
func (a *app) pan(by int64) {
	if a.back == 0 && by < 0 {
		return
	}
	a.back = max(a.back+by, 0)
	if a.player == nil {
		a.frozen = a.back > 0
	}
}

func (a *app) show(index int) {
	a.current = index % len(a.views)
}

// open shows the detail of the chosen row.
func (a *app) open() {
	rows := a.views[a.current].table()
	if r := rows.current(); r != nil && r.detail != nil {
		a.overlay = detailOf(rows, r)
	}
}

// detailOf is everything about a row, with the lines around its source.
func detailOf(rows *table, r *row) *detail {
	d := r.detail()
	d.code, d.noCode = excerpt(d.source, 4)
	d.table, d.id = rows, r.id
	return &d
}

func (a *app) leave() {
	if a.pane != nil && a.pane.Running() {
		a.asking = true
		return
	}
	a.quit = true
}

// answer handles the keys of the question whether the program is to go on.
func (a *app) answer(key *tcell.EventKey) {
	switch key.Rune() {
	case 'l', 'y':
		a.quit = true
	case 'k':
		a.quit, a.result.Kill = true, true
	default:
		a.asking = false
	}
}

func (a *app) askFilter() {
	t := a.views[a.current].table()
	before := t.filter
	a.prompt = &prompt{label: "filter " + t.name + ": ", text: []rune(t.filter),
		change: func(text string) { t.filter = text }, done: func(string) {}, cancel: func() { t.filter = before }}
}

func (a *app) promptKey(key *tcell.EventKey) {
	p := a.prompt
	switch key.Key() {
	case tcell.KeyEnter:
		a.prompt = nil
		p.done(string(p.text))
		return
	case tcell.KeyEscape, tcell.KeyCtrlC:
		a.prompt = nil
		p.cancel()
		return
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		p.text = p.text[:max(len(p.text)-1, 0)]
	case tcell.KeyCtrlU:
		p.text = nil
	case tcell.KeyRune:
		p.text = append(p.text, key.Rune())
	}
	p.change(string(p.text))
}

// playerKey handles the keys of a replay.
func (a *app) playerKey(key *tcell.EventKey) bool {
	if a.player == nil || key.Key() != tcell.KeyRune {
		return false
	}
	first, last := a.player.Extent()
	switch key.Rune() {
	case ' ':
		a.player.TogglePaused()
	case '>', '.':
		a.player.SetSpeed(a.player.Speed() * 2)
	case '<', ',':
		a.player.SetSpeed(a.player.Speed() / 2)
	case '0':
		a.player.SeekTo(first)
	case '$':
		a.player.SeekTo(last)
	case ']':
		a.player.SeekTo(min(a.latestTime()+a.window/2, last))
	case '[':
		a.player.SeekTo(max(a.latestTime()-a.window/2, first))
	case 'g':
		a.prompt = &prompt{label: "go to time (12.5s, 300ms, 40%): ", change: func(string) {}, cancel: func() {},
			done: func(text string) {
				time, err := parsePlace(text, first, last)
				if err != nil {
					a.message = err.Error()
					return
				}
				a.player.SeekTo(time)
			}}
	case 'f':
		a.prompt = &prompt{label: "only (step 12, step 3..7; empty: all): ", text: []rune(a.only), change: func(string) {}, cancel: func() {}, done: a.limit}
	case 'r':
		if a.ranks == nil {
			a.message = a.source.Title() + " is of no MPI job: it has no ranks to choose from"
			return true
		}
		a.askRanks()
	default:
		return false
	}
	a.back, a.frozen = 0, false
	return true
}

// limit shows only frames or ranges of the program's own, and the end of their time.
func (a *app) limit(text string) {
	text = strings.TrimSpace(text)
	from, to, err := a.player.Only(text)
	if err != nil {
		a.message = a.source.Title() + ": " + err.Error()
		return
	}
	a.only = text
	a.window = niceWindow(to - from)
}

func (a *app) latestTime() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.latest.Time
}

// parsePlace reads a time after the trace's first event, or a share of its
// length.
func parsePlace(text string, first, last int64) (int64, error) {
	text = strings.TrimSpace(text)
	after := -1.0 // ns after the first event
	if share, ok := strings.CutSuffix(text, "%"); ok {
		if p, err := strconv.ParseFloat(share, 64); err == nil && p <= 100 {
			after = p / 100 * float64(last-first)
		}
	} else if d, err := time.ParseDuration(text); err == nil {
		after = float64(d)
	} else if s, err := strconv.ParseFloat(text, 64); err == nil {
		after = s * 1e9
	}
	if after >= 0 { // not so for what is no number
		return first + int64(min(after, float64(last-first))), nil
	}
	return 0, fmt.Errorf("%q is no time: give one like 12.5s, 300ms or 40%%", text)
}

// clicks makes one click of one press, however often the terminal reports it.
type clicks struct{ pressed tcell.ButtonMask }

// fresh gives the buttons that were not held before, and the wheel.
func (c *clicks) fresh(e *tcell.EventMouse) tcell.ButtonMask {
	buttons := e.Buttons()
	fresh := buttons &^ c.pressed
	c.pressed = buttons & (tcell.Button1 | tcell.Button2 | tcell.Button3)
	return fresh
}

func (a *app) mouse(e *tcell.EventMouse) {
	x, y := e.Position()
	fresh := a.clicks.fresh(e)
	if fresh == 0 {
		return
	}
	switch {
	case a.menu != nil:
		if a.menu.mouse(x, y, fresh) {
			a.menu = nil
		}
		return
	case a.help || a.overlay != nil:
		if fresh&tcell.WheelDown != 0 {
			a.scrollOverlay(1)
		} else if fresh&tcell.WheelUp != 0 {
			a.scrollOverlay(-1)
		} else {
			a.help, a.overlay = false, nil
		}
		return
	case fresh&tcell.Button1 != 0:
		if a.pane != nil {
			a.focus = a.pane.hit(x, y)
		}
		for i, tab := range a.tabs {
			if tab.hit(x, y) {
				a.show(i)
				return
			}
		}
		if a.player != nil && a.seekbar.hit(x, y) {
			first, last := a.player.Extent()
			a.player.SeekTo(first + (last-first)*int64(x-a.seekbar.x)/int64(max(a.seekbar.w-1, 1)))
			return
		}
	}
	a.views[a.current].mouse(a, x, y, fresh)
}

func (a *app) scrollOverlay(by int) {
	if a.help {
		a.helpTop += by
	} else {
		a.overlay.top += by
	}
}
