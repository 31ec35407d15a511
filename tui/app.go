package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/report"
)

// Options say how to show a source.
type Options struct {
	Interval time.Duration // between frames; 0: 100 ms
	ASCII    bool          // only characters of ASCII
	// Program is the pane of a program that runs on a pseudo-terminal of ours;
	// nil: none.
	Program *Pane
	// Settings are the user's.
	Settings Settings
	// Screen is drawn on; nil: the terminal.
	Screen tcell.Screen
}

// open takes the screen, or the terminal, until its Fini.
func (o *Options) open() (screen tcell.Screen, err error) {
	if screen = o.Screen; screen == nil {
		if screen, err = tcell.NewScreen(); err != nil {
			return nil, err
		}
	}
	if err := screen.Init(); err != nil {
		return nil, err
	}
	screen.EnableMouse()
	return screen, nil
}

// Result says how the user left.
type Result struct {
	// Kill is set where the user asked to end the program too.
	Kill bool
}

// app is the running user interface. Everything but incoming belongs to the
// goroutine of loop.
type app struct {
	screen    tcell.Screen
	theme     *theme
	themeName string
	source    Source
	player    *Replay // the source, if that is one; nil: live
	pane      *Pane
	search    *search                   // nil: the source gives no findings
	ranks     *inquiry[*report.RankMap] // time by rank; nil: the source is of no job
	options   Options
	// beside runs what takes long until the user leaves; nil: nothing is run.
	beside func(work func(ctx context.Context))

	mu       sync.Mutex // guards history and latest
	history  *history
	latest   Frame
	failure  error
	finished bool

	frame   Frame // the one shown
	frozen  bool
	window  int64 // ns that lanes and graphs span
	back    int64 // ns that they end before the frame's time
	views   []view
	current int
	overlay *detail
	below   *detail // of the chosen row, on large terminals
	menu    *sortMenu
	help    bool
	helpTop int
	prompt  *prompt
	asking  bool // whether to leave
	message string
	only    string // frames or ranges that a replay is limited to
	tabs    []span // of the view's names, for the mouse
	seekbar span
	clicks  clicks
	result  Result
	quit    bool
	focus   bool // keys go to the program
}

// span is a stretch of a line of the screen.
type span struct{ x, y, w int }

func (s span) hit(x, y int) bool { return y == s.y && x >= s.x && x < s.x+s.w }

// view is one of the screens.
type view interface {
	name() string
	// draw shows the app's frame.
	draw(a *app, c canvas)
	// tables are those that the keys can go to; the first one has them.
	table() *table
	key(a *app, key *tcell.EventKey) bool
	mouse(a *app, x, y int, buttons tcell.ButtonMask)
}

// Run shows a source until the user leaves or ctx is done. However it ends, also
// by a panic, the terminal is as it was before.
func Run(ctx context.Context, source Source, options Options) (result Result, err error) {
	screen, err := options.open()
	if err != nil {
		return Result{}, fmt.Errorf("the terminal cannot show the live view: %w; --json needs none", err)
	}
	defer screen.Fini()
	screen.EnablePaste()
	a := newApp(source, screen, options)
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	// A panic elsewhere than here would leave the terminal as it is; restoring
	// it there would race with what is being drawn here. The first one is told.
	panics := make(chan string, 1)
	a.beside = func(run func(ctx context.Context)) {
		work.Add(1)
		go func() {
			defer work.Done()
			defer func() {
				if problem := recover(); problem != nil {
					select {
					case panics <- fmt.Sprintf("%v\n%s", problem, debug.Stack()):
					default:
					}
				}
			}()
			run(ctx)
		}()
	}
	a.beside(a.receive)
	events := make(chan tcell.Event, 64)
	stop := make(chan struct{})
	defer close(stop)
	go screen.ChannelEvents(events, stop)
	err = a.loop(ctx, events, panics)
	return a.result, err
}

func newApp(source Source, screen tcell.Screen, options Options) *app {
	if options.Interval <= 0 {
		options.Interval = 100 * time.Millisecond
	}
	options.ASCII = options.ASCII || options.Settings.ASCII
	a := &app{screen: screen, source: source, options: options, history: newHistory(), window: 10e9, pane: options.Program}
	a.useTheme(cmp.Or(options.Settings.Theme, ThemeNames()[0]))
	a.player, _ = source.(*Replay)
	if adviser, ok := source.(Adviser); ok {
		a.search = &search{adviser: adviser}
		a.search.reach(0, len(advice.Rules()))
	}
	a.views = allViews()
	if a.player != nil {
		a.only = a.player.limited
	}
	if a.player != nil && len(a.player.ranks) > 1 {
		a.ranks = &inquiry[*report.RankMap]{}
	} else {
		a.views = a.views[:len(a.views)-1]
	}
	if at := slices.Index(ViewNames(), options.Settings.View); at >= 0 && at < len(a.views) {
		a.current = at
	}
	return a
}

// allViews are the views there are, the one of jobs last.
func allViews() []view {
	return []view{newOverviewView(), newQueuesView(), newMemoryView(), newKernelsView(), newEventsView(), newProgramView(), newFindingsView(), newRanksView()}
}

// receive takes the source's frames.
func (a *app) receive(ctx context.Context) {
	err := a.source.Run(ctx, a.options.Interval, a.observe)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil && !errors.Is(err, context.Canceled) {
		a.failure = err
	}
	a.finished = true
}

func (a *app) observe(f Frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.Restart {
		a.history = newHistory()
	}
	if f.View != nil {
		a.history.add(&f)
	}
	if f.Partial {
		return
	}
	a.latest = f
}

func (a *app) loop(ctx context.Context, events <-chan tcell.Event, panics <-chan string) error {
	ticker := time.NewTicker(a.options.Interval)
	defer ticker.Stop()
	if a.player != nil {
		first, last := a.player.Extent()
		a.window = niceWindow(last - first)
		a.resolve()
	}
	for !a.quit {
		a.mu.Lock()
		failure := a.failure
		a.mu.Unlock()
		if failure != nil {
			return failure
		}
		a.redraw()
		select {
		case <-ctx.Done():
			return nil
		case problem := <-panics:
			panic(problem)
		case <-ticker.C:
		case event, ok := <-events:
			if !ok {
				return nil
			}
			a.handle(event)
			for more := true; more && !a.quit; { // a burst of keys costs one frame
				select {
				case event, ok := <-events:
					if !ok {
						return nil
					}
					a.handle(event)
				default:
					more = false
				}
			}
		}
	}
	return nil
}

// niceWindow is the time scale that a trace's length nearly fills, at most ten
// seconds.
func niceWindow(length int64) int64 {
	window := windows[0]
	for _, w := range windows {
		if w <= min(length, 10e9) {
			window = w
		}
	}
	return window
}

// windows are the time scales, ns.
var windows = func() []int64 {
	var w []int64
	for unit := int64(10_000); unit <= 600e9; unit *= 10 {
		w = append(w, unit, 2*unit, 5*unit)
	}
	return w
}()

func (a *app) zoom(by int) {
	at := 0
	for i, w := range windows {
		if w <= a.window {
			at = i
		}
	}
	a.window = windows[max(min(at+by, len(windows)-1), 0)]
	a.resolve()
}

// resolve tells a player how long before its time is shown.
func (a *app) resolve() {
	if a.player != nil {
		a.player.SetWindow(a.window)
	}
}

// span is the time that lanes and graphs show.
func (a *app) span() (from, to int64) {
	to = a.frame.Time - a.back
	return to - a.window, to
}

// redraw shows the newest frame.
func (a *app) redraw() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.frozen {
		a.frame = a.latest
	}
	a.draw()
	a.screen.Show()
}

// handle takes an event of the terminal.
func (a *app) handle(event tcell.Event) {
	switch e := event.(type) {
	case *tcell.EventResize:
		a.screen.Sync()
	case *tcell.EventKey:
		a.message = ""
		a.key(e)
	case *tcell.EventMouse:
		a.mouse(e)
	case *tcell.EventError: // of the terminal: it has gone
		a.quit = true
	}
}
