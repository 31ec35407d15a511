package main

import (
	"errors"
	"os/exec"
	"syscall"
)

func asExit(err error, exit **exec.ExitError) bool { return errors.As(err, exit) }

// signalOf is the signal that ended a process, 0 if none.
func signalOf(exit *exec.ExitError) int {
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0
	}
	return int(status.Signal())
}
