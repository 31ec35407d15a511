package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Execution is what one run of a program did.
type Execution struct {
	ExitStatus int
	Signal     syscall.Signal // 0 if it exited
	TimedOut   bool
	Output     string // standard output and error as they came, line ends as \n
	Duration   time.Duration
}

// maxOutput is how much of a program's output is kept, in bytes.
const maxOutput = 1 << 20

// execute runs a program in a folder. Its output goes to a pseudo-terminal,
// as under DejaGnu, so that the order of lines from C and Fortran buffers is
// the one the tests were written for. When the limit has passed, or the
// program has ended, its whole session is killed.
func execute(program, folder string, environment []string, limit time.Duration) (Execution, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return Execution{}, err
	}
	defer master.Close()
	command := exec.Command(program)
	command.Dir, command.Env = folder, environment
	command.Stdout, command.Stderr = slave, slave
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	started := time.Now()
	err = command.Start()
	slave.Close()
	if err != nil {
		return Execution{}, err
	}
	output := make(chan string, 1)
	go func() { output <- readTerminal(master) }()
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()

	var x Execution
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err = <-ended:
	case <-timer.C:
		x.TimedOut = true
		// The process may have ended this instant: then there is nothing to kill.
		if kill := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
			return Execution{}, fmt.Errorf("kill %s after its time limit: %w", program, kill)
		}
		err = <-ended
	}
	x.Duration = time.Since(started)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Execution{}, err
	}
	if kill := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
		return Execution{}, fmt.Errorf("kill what %s left behind: %w", program, kill)
	}
	status := command.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		x.Signal = status.Signal()
	} else {
		x.ExitStatus = status.ExitStatus()
	}
	x.Output = <-output
	return x, nil
}

// readTerminal reads until every process has closed its end, which the kernel
// reports as an input/output error.
func readTerminal(master io.Reader) string {
	var kept strings.Builder
	buffer := make([]byte, 64<<10)
	for {
		n, err := master.Read(buffer)
		if room := maxOutput - kept.Len(); room > 0 {
			kept.Write(buffer[:min(n, room)])
		}
		if err != nil {
			return strings.ReplaceAll(kept.String(), "\r\n", "\n")
		}
	}
}

// testEnvironment is this process's environment without anything that steers
// an OpenACC or OpenMP runtime, plus the given variables.
func testEnvironment(preload []string, variables map[string]string) []string {
	var environment []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		steers := name == "LD_PRELOAD" || name == "LANG" || name == "LC_ALL"
		for _, prefix := range []string{"ACC_", "ACCSCOPE_", "GOMP_", "OMP_", "GOACC_"} {
			steers = steers || strings.HasPrefix(name, prefix)
		}
		if !steers {
			environment = append(environment, variable)
		}
	}
	environment = append(environment, "LC_ALL=C")
	if len(preload) > 0 {
		environment = append(environment, "LD_PRELOAD="+strings.Join(preload, ":"))
	}
	for name, value := range variables {
		environment = append(environment, name+"="+value)
	}
	return environment
}
