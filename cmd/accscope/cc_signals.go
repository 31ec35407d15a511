package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/accscope/accscope/collector/launch"
)

// interruption is how signals end the wrapper: while a compiler runs they are handed on to it,
// and else the wrapper ends at once. Nothing is left of the folder either way.
type interruption struct {
	folder string
	mu     sync.Mutex
	child  *os.Process
	got    syscall.Signal // the last, or the one that ended a compiler
}

// watch has signals that end us looked at until stop is called.
func (i *interruption) watch() (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, launch.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case got := <-signals:
				i.arrived(got.(syscall.Signal))
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
		<-ended
	}
}

// arrived hands a signal on, or ends the wrapper.
func (i *interruption) arrived(got syscall.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = got
	if i.child != nil {
		_ = i.child.Signal(got) // it may have ended
		return
	}
	i.die()
}

// runs says which compiler runs, nil where none does any more. A signal that came meanwhile
// ends the wrapper then.
func (i *interruption) runs(child *os.Process, by syscall.Signal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.child = child; by != 0 {
		i.got = by
	}
	if child == nil && i.got != 0 {
		i.die()
	}
}

// die ends the process by the signal, so that whoever waits for it sees that.
func (i *interruption) die() {
	os.RemoveAll(i.folder)
	signal.Reset(i.got)
	_ = syscall.Kill(os.Getpid(), i.got)
	time.Sleep(time.Second)
	os.Exit(128 + int(i.got)) // of a signal that is ignored
}
