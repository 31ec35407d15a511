package tui

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/gdamore/tcell/v2"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Pane is the part of the screen that a program's output goes to, through a
// pseudo-terminal. What the user redirected stays redirected.
//
//	pane, err := tui.NewPane()
//	in, out, err := pane.Streams(os.Stdin, os.Stdout, os.Stderr)
//	start the program with them, in a session of its own (Pane.Attributes)
//	pane.Started()
//	go func() { wait for the program; pane.Ended("") }()
//	tui.Run(ctx, source, tui.Options{Program: pane})
type Pane struct {
	master, slave *os.File
	running       atomic.Bool
	how           atomic.Pointer[string]
	keeper        *os.Process // nil: none
	life          *os.File    // tells the keeper

	mu       sync.Mutex // guards output and grid
	output   output
	grid     *grid
	replies  replies
	size     unix.Winsize
	area     canvas
	readDone chan struct{}
}

// NewPane opens a pseudo-terminal.
func NewPane() (*Pane, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("no pseudo-terminal for the program: %w", err)
	}
	if master, err = polled(master); err != nil {
		return nil, fmt.Errorf("no pseudo-terminal for the program: %w", err)
	}
	p := &Pane{master: master, slave: slave, readDone: make(chan struct{}), replies: make(replies, 64)}
	p.grid = newGrid(80, 10, p.replies)
	if err := p.resize(unix.Winsize{Row: 10, Col: 80}); err != nil {
		return nil, fmt.Errorf("no pseudo-terminal for the program: %w", err)
	}
	p.running.Store(true)
	go p.replies.deliver(p.master)
	go p.read()
	return p, nil
}

// polled gives a file whose reading Close ends, for one that blocks.
func polled(file *os.File) (*os.File, error) {
	defer file.Close()
	descriptor, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(descriptor, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(descriptor), file.Name()), nil
}

// resize tells the program the pane's size.
func (p *Pane) resize(size unix.Winsize) error {
	if size == p.size {
		return nil
	}
	p.size = size
	p.mu.Lock()
	p.grid.resize(int(size.Col), int(size.Row))
	p.mu.Unlock()
	connection, err := p.master.SyscallConn()
	if err != nil {
		return err
	}
	var failure error
	err = connection.Control(func(descriptor uintptr) {
		failure = unix.IoctlSetWinsize(int(descriptor), unix.TIOCSWINSZ, &size)
	})
	return errors.Join(err, failure)
}

// Streams gives the files that the program is to be started with: those that
// are our terminal are replaced by the pane's.
func (p *Pane) Streams(stdin, stdout, stderr *os.File) (in, out, err *os.File) {
	choose := func(file *os.File) *os.File {
		if term.IsTerminal(int(file.Fd())) {
			return p.slave
		}
		return file
	}
	return choose(stdin), choose(stdout), choose(stderr)
}

// Attributes start the program in a session of its own, whose controlling
// terminal is the pane: its keys, Ctrl-C too, then reach the program and it
// alone. Without a stream on the pane there is no such terminal.
func (p *Pane) Attributes(stdin, stdout, stderr *os.File) *syscall.SysProcAttr {
	for number, file := range []*os.File{stdin, stdout, stderr} {
		if file == p.slave {
			return &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: number}
		}
	}
	return nil
}

// Started closes what only the program needs.
func (p *Pane) Started() error { return p.slave.Close() }

// Ended says that the program has ended, and how: "status 2", "" if that is not known.
func (p *Pane) Ended(how string) {
	if p.running.Swap(false) && how != "" {
		p.how.Store(&how)
	}
}

// Running says whether the program still runs.
func (p *Pane) Running() bool { return p.running.Load() }

// Close gives the pseudo-terminal back. A program that goes on is hung up, as by
// a terminal that is closed.
func (p *Pane) Close() error {
	err := errors.Join(p.dismiss(), p.master.Close())
	<-p.readDone
	return err
}

// Text is what the program has written, as it stands on the pane. Of one that
// has ended it is all, unless others go on with its terminal.
func (p *Pane) Text() string {
	if !p.Running() {
		select {
		case <-p.readDone:
		case <-time.After(time.Second):
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

func (p *Pane) read() {
	defer close(p.readDone)
	defer close(p.replies)
	buffer := make([]byte, 1<<14)
	for {
		n, err := p.master.Read(buffer)
		p.mu.Lock()
		p.output.write(buffer[:n])
		p.grid.write(buffer[:n])
		p.mu.Unlock()
		if err != nil { // EIO: nobody has the other side open
			return
		}
	}
}

func (p *Pane) hit(x, y int) bool {
	return x >= p.area.x && x < p.area.x+p.area.w && y >= p.area.y && y < p.area.y+p.area.h
}

// draw shows the newest lines, or the screen of a program that has one.
func (p *Pane) draw(c canvas, focus bool) {
	p.area = c
	t := c.theme
	style, title := t.dim, " program: p, or a click, gives it the keys "
	switch {
	case !p.Running():
		title = " program has ended "
		if how := p.how.Load(); how != nil {
			title = " program has ended: " + *how + " "
		}
	case focus:
		style, title = t.accent, " program has the keys; Ctrl-] gives them back "
	}
	for x := range c.w {
		c.cell(x, 0, t.rule, style)
	}
	c.text(2, 0, c.w-4, title, style)
	// An error means that the program has gone.
	_ = p.resize(unix.Winsize{Row: uint16(max(c.h-1, 1)), Col: uint16(max(c.w, 1))})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.output.moves {
		x, y, visible := p.grid.draw(c.part(0, 1, c.w, c.h-1))
		if focus && visible {
			c.screen.ShowCursor(c.x+min(x, c.w-1), c.y+1+y)
		}
		return
	}
	lines := p.output.last(c.h - 1)
	for y, line := range lines {
		c.text(0, 1+y, c.w, line, t.plain)
	}
	if focus && len(lines) > 0 {
		c.screen.ShowCursor(c.x+min(p.output.column, c.w-1), c.y+len(lines))
	}
}

// programKey sends a key to the program.
func (a *app) programKey(key *tcell.EventKey) {
	if key.Key() == tcell.KeyCtrlRightSq {
		a.focus = false
		return
	}
	a.pane.mu.Lock()
	keypad := a.pane.grid.keypad()
	a.pane.mu.Unlock()
	if text := keyBytes(key, keypad); text != "" {
		if _, err := a.pane.master.WriteString(text); err != nil {
			a.focus, a.message = false, "the program takes no keys: "+err.Error()
		}
	}
}

// keyBytes is what a terminal sends for a key; keypad: in the mode that
// full-screen programs ask for, where the arrows send other sequences.
func keyBytes(key *tcell.EventKey, keypad bool) string {
	switch k := key.Key(); k {
	case tcell.KeyRune:
		text := string(key.Rune())
		if key.Modifiers()&tcell.ModAlt != 0 {
			text = "\x1b" + text
		}
		return text
	case tcell.KeyUp, tcell.KeyDown, tcell.KeyRight, tcell.KeyLeft:
		introducer := "\x1b["
		if keypad {
			introducer = "\x1bO"
		}
		return introducer + map[tcell.Key]string{tcell.KeyUp: "A", tcell.KeyDown: "B", tcell.KeyRight: "C", tcell.KeyLeft: "D"}[k]
	case tcell.KeyBacktab:
		return "\x1b[Z"
	case tcell.KeyInsert:
		return "\x1b[2~"
	case tcell.KeyHome:
		return "\x1b[H"
	case tcell.KeyEnd:
		return "\x1b[F"
	case tcell.KeyPgUp:
		return "\x1b[5~"
	case tcell.KeyPgDn:
		return "\x1b[6~"
	case tcell.KeyDelete:
		return "\x1b[3~"
	default:
		if k >= tcell.KeyCtrlSpace && k <= tcell.KeyCtrlUnderscore {
			return string(rune(k - tcell.KeyCtrlSpace))
		}
		if k < ' ' || k == tcell.KeyBackspace2 {
			return string(rune(k))
		}
	}
	return ""
}
