package ending

import (
	"errors"
	"io"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A process tells how it ended before it was waited for, and, where the kernel does, after.
func TestStatus(t *testing.T) {
	for _, test := range []struct {
		ends   string
		signal syscall.Signal
		status int
	}{{"exit 3", 0, 3}, {"kill -KILL $$", syscall.SIGKILL, 0}, {"kill -SEGV $$", syscall.SIGSEGV, 0}} {
		command := exec.Command("sh", "-c", "ulimit -c 0; read line; "+test.ends)
		input, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		w, err := Open(command.Process.Pid)
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
			input.Close()
			command.Wait() //nolint:errcheck // it ends as it is to
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if status, known := w.Status(); known {
			t.Errorf("%s: it runs, with status %v", test.ends, status)
		}
		if _, err := io.WriteString(input, "\n"); err != nil {
			t.Fatal(err)
		}
		for err = unix.EINTR; errors.Is(err, unix.EINTR); {
			err = unix.Waitid(unix.P_PID, command.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string) {
			t.Helper()
			status, known := w.Status()
			if !known || status.Signaled() != (test.signal != 0) || status.Signaled() && status.Signal() != test.signal || status.Exited() && status.ExitStatus() != test.status {
				t.Errorf("%s, %s it was waited for: %v, %v", test.ends, when, status, known)
			}
		}
		check("before")
		command.Wait() //nolint:errcheck // it ends as it is to
		if _, tells := w.waitedFor(); !tells {
			t.Log("this kernel does not tell how processes ended that were waited for")
			continue
		}
		check("after")
	}
}
