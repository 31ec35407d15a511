package launch

/*
#include <signal.h>

static unsigned long ignored;

// Before the Go runtime, which puts its own handlers over what was inherited.
__attribute__((constructor)) static void
remember_ignored (void)
{
  for (int number = 1; number < 32; number++)
    {
      struct sigaction action;
      if (sigaction (number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
	ignored |= 1UL << number;
    }
}

static unsigned long inherited_ignored (void) { return ignored; }
*/
import "C"

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// runtimeSignals are those that the Go runtime needs for itself.
var runtimeSignals = []syscall.Signal{syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPROF, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE,
	syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGSYS, syscall.SIGKILL, syscall.SIGSTOP}

// KeepIgnored makes this process, and the programs that it starts, ignore what
// it was started with ignored, as nohup and a shell's trap ” mean it.
func KeepIgnored() {
	mask := uint64(C.inherited_ignored())
	for number := syscall.Signal(1); number < 32; number++ {
		if mask&(1<<number) != 0 && !slices.Contains(runtimeSignals, number) {
			signal.Ignore(number)
		}
	}
}

// NotIgnored are those of the signals that this process does not ignore: to ask for the
// others would let them through.
func NotIgnored(signals ...os.Signal) (some []os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			some = append(some, s)
		}
	}
	return some
}
