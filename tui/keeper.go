package tui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// A keeper is a process that holds the program's pseudo-terminal too. The kernel
// hangs a program up when nobody has the other side of its terminal any more: so
// the program goes on when the one that draws is killed, and what it then writes
// is thrown away instead of filling the terminal until the program stands still.

// The descriptors that a keeper is started with.
const (
	keeperTerminal = 3 // the pseudo-terminal
	keeperLife     = 4 // gives a byte when it is no longer needed, and ends when its parent has
)

// Guard starts a keeper: the program of a name, with arguments that make it call
// KeepTerminal.
func (p *Pane) Guard(name string, arguments ...string) error {
	if err := p.guard(name, arguments); err != nil {
		return fmt.Errorf("no keeper of the program's terminal: %w", err)
	}
	return nil
}

func (p *Pane) guard(name string, arguments []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	connection, err := p.master.SyscallConn()
	if err != nil {
		return errors.Join(err, write.Close())
	}
	attributes := &syscall.ProcAttr{Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true}} // our terminal's keys are not for it
	var pid int
	var failure error
	// Not by os/exec: it would make the terminal's descriptor a blocking one.
	err = connection.Control(func(terminal uintptr) {
		attributes.Files = []uintptr{null.Fd(), null.Fd(), null.Fd(), terminal, read.Fd()}
		pid, failure = syscall.ForkExec(name, append([]string{name}, arguments...), attributes)
	})
	if err := errors.Join(err, failure); err != nil {
		return errors.Join(err, write.Close())
	}
	p.life = write
	p.keeper, err = os.FindProcess(pid)
	return err
}

// dismiss ends the keeper.
func (p *Pane) dismiss() error {
	if p.keeper == nil {
		return nil
	}
	_, err := p.life.Write([]byte{0})
	_, waited := p.keeper.Wait()
	p.keeper = nil
	return errors.Join(err, p.life.Close(), waited)
}

// KeepTerminal is what a keeper does.
func KeepTerminal() error {
	life := os.NewFile(keeperLife, "life")
	var word [1]byte
	if n, _ := life.Read(word[:]); n == 1 {
		return nil
	}
	terminal := os.NewFile(keeperTerminal, "terminal")
	// It ends by an error, when the program has closed its side.
	_, _ = io.Copy(io.Discard, terminal)
	return terminal.Close()
}
