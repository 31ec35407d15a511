package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Process is a program that runs under capture.
type Process struct {
	command *exec.Cmd
	signals chan os.Signal
	asked   chan os.Signal
	done    chan struct{}
	err     error
	name    string
	apart   bool // the program has a session of its own: our terminal's keys do not reach it
}

// Start starts a program with standard streams as given. Signals that a user
// sends to end it reach it: those of the terminal by the process group, those
// sent to us alone by forwarding. What we ignore stays ignored.
// attributes, if not nil, say more of how it is started, such as a terminal of
// its own.
func Start(program Program, args, environ []string, stdin, stdout, stderr *os.File, attributes *syscall.SysProcAttr) (*Process, error) {
	command := exec.Command(program.Path)
	command.Args = args
	command.Env = environ
	command.SysProcAttr = attributes
	// Files are handed over as they are: nothing of ours lies between the
	// program and its streams.
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, stderr
	process := &Process{command: command, signals: make(chan os.Signal, 16), asked: make(chan os.Signal, 16), done: make(chan struct{}),
		apart: attributes != nil && attributes.Setsid}
	for _, each := range NotIgnored(syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2) {
		signal.Notify(process.signals, each)
	}
	if err := command.Start(); err != nil {
		signal.Stop(process.signals)
		return nil, fmt.Errorf("cannot start %s: %w", program.Path, err)
	}
	go process.forward()
	go func() {
		process.name = nameAtEnd(command.Process.Pid)
		process.err = command.Wait()
		close(process.done)
	}()
	return process, nil
}

// Lacked says whether a program could not be started since this process had too little left
// of what starting it takes, of which it needs less itself.
func Lacked(err error) bool {
	return slices.ContainsFunc([]error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM}, func(one error) bool { return errors.Is(err, one) })
}

// Replace has a program take this process's place, with all that it was started with. It
// returns only where that cannot be.
func Replace(program Program, args, environ []string) error {
	return fmt.Errorf("cannot start %s: %w", program.Path, syscall.Exec(program.Path, args, environ))
}

// forward passes signals on until Close.
func (p *Process) forward() {
	for received := range p.signals {
		if received != syscall.SIGUSR1 && received != syscall.SIGUSR2 {
			select {
			case p.asked <- received:
			default: // it has been asked often enough
			}
		}
		// The terminal sends SIGINT and SIGQUIT to the whole group, so the
		// program has them already.
		if (received == syscall.SIGINT || received == syscall.SIGQUIT) && !p.apart && terminal() {
			continue
		}
		p.command.Process.Signal(received) //nolint:errcheck // it may have ended just now
	}
}

// Close ends the forwarding, after the program's end.
func (p *Process) Close() {
	signal.Stop(p.signals)
	close(p.signals)
}

// Asked delivers the signals by which a user, while the program ran or after it,
// asked for an end.
func (p *Process) Asked() <-chan os.Signal { return p.asked }

// terminal says whether we are in the foreground of a terminal, where its keys
// reach the whole process group.
func terminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	foreground, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// PID is the program's process id.
func (p *Process) PID() int { return p.command.Process.Pid }

// nameAtEnd waits for a child to end and gives the name that the kernel has of it then:
// another than it began with where it went on as another program. "" if it can't be had.
func nameAtEnd(pid int) string {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return ""
		}
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		if err != nil {
			return ""
		}
		return strings.TrimSuffix(string(name), "\n")
	}
}

// Name is the name that the kernel had of the program when it ended, "" if that is not
// known. It may be asked for after Wait.
func (p *Process) Name() string { return p.name }

// End is how a program ended.
type End struct {
	Code   int            // exit status, if Signal is 0
	Signal syscall.Signal // the signal that ended it, or 0
}

// Wait blocks until the program has ended.
func (p *Process) Wait() (End, error) {
	<-p.done
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		return End{}, fmt.Errorf("waiting for %s: %w", p.command.Path, p.err)
	}
	status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return End{Code: p.command.ProcessState.ExitCode()}, nil
	}
	if status.Signaled() {
		return End{Signal: status.Signal()}, nil
	}
	return End{Code: status.ExitStatus()}, nil
}

// Mirror ends this process as the program ended: with its exit status, or by
// its signal.
func (e End) Mirror() {
	if e.Signal == 0 {
		os.Exit(e.Code)
	}
	// The program's core is the one to keep, not ours.
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) //nolint:errcheck // best effort
	raise(e.Signal)
	os.Exit(128 + int(e.Signal)) // a signal that is blocked: the shell's convention
}

// raise ends this process by a signal's default action. signal.Reset would not
// do: Go's own handler stays, and prints all goroutines at what looks like a
// fault of ours.
func raise(signal syscall.Signal) {
	runtime.LockOSThread()
	var action struct { // the kernel's struct sigaction; all zero is SIG_DFL
		handler, flags, restorer, mask uintptr
	}
	// Neither can fail but for SIGKILL's action, which is what it should be.
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&action)), 0,
		unsafe.Sizeof(action.mask), 0, 0)
	// To this very thread: the signal takes effect before the call returns.
	unix.Tgkill(os.Getpid(), unix.Gettid(), signal) //nolint:errcheck // see above
}

func (e End) String() string {
	if e.Signal != 0 {
		return fmt.Sprintf("ended by signal %d (%s)", int(e.Signal), e.Signal)
	}
	if e.Code != 0 {
		return fmt.Sprintf("ended with exit status %d", e.Code)
	}
	return "ended"
}
