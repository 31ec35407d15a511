package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/accscope/accscope/collector/launch"
)

// forward hands signals that end us on to a child until stop is called, and notes the last.
func forward(child *os.Process, noted *syscall.Signal) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, launch.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case got := <-signals:
				*noted = got.(syscall.Signal)
				_ = child.Signal(got) // it may have ended
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

// dieBy ends the process by a signal, so that whoever waits for it sees that.
func dieBy(s syscall.Signal) {
	signal.Reset(s)
	_ = syscall.Kill(os.Getpid(), s)
	time.Sleep(time.Second)
	os.Exit(128 + int(s)) // of a signal that is ignored
}
