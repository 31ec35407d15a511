package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
	"golang.org/x/sys/unix"
)

// Threads one after the other share ring files; at once they have one each.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ threads, events, atOnce int }{{3000, 5, 1}, {2000, 3, 500}, {4, 100000, 2}} {
		t.Run(fmt.Sprintf("%d threads, %d at once", c.threads, c.atOnce), func(t *testing.T) {
			session := t.TempDir()
			run(t, raiser(t, session, "threads", fmt.Sprint(c.threads), fmt.Sprint(c.events), fmt.Sprint(c.atOnce)))
			p := openOne(t, session)
			perThread := map[uint64]int{}
			for _, item := range events(t, p) {
				perThread[item.Thread.Number]++
				if item.Thread.Name != "raise" || item.Thread.TID <= 0 {
					t.Fatalf("thread %+v", item.Thread)
				}
			}
			if len(perThread) != c.threads {
				t.Errorf("%d threads, want %d", len(perThread), c.threads)
			}
			for thread, n := range perThread {
				if n != c.events {
					t.Errorf("thread %d: %d events, want %d", thread, n, c.events)
				}
			}
			if rings := counters(t, p).Rings; rings > uint64(c.atOnce)+1 {
				t.Errorf("%d ring files for %d threads at once", rings, c.atOnce)
			}
		})
	}
}

// A child has a capture of its own, also across an exec; one without events has
// none; the parent's goes on.
func TestFork(t *testing.T) {
	session := t.TempDir()
	run(t, raiser(t, session, "fork"))
	all := open(t, session)
	if len(all) != 3 {
		t.Fatalf("%d captures, want the parent's, the child's and that of the child's new program", len(all))
	}
	sizes := map[int]int{}
	for _, p := range all {
		sizes[len(events(t, p))]++
		if p.PID != all[0].PID && p.PID != all[1].PID && p.PID != all[2].PID {
			t.Errorf("process %d", p.PID)
		}
	}
	if sizes[2] != 2 || sizes[3] != 1 {
		t.Errorf("captures by their events: %v, want two of 2 and one of 3", sizes)
	}
}

// A handler that interrupts the recording of an event has its events recorded.
func TestSignalHandlers(t *testing.T) {
	session := t.TempDir()
	output := run(t, raiser(t, session, "signals", "2000"))
	var raised, handled int
	if _, err := fmt.Sscan(output, &raised, &handled); err != nil {
		t.Fatal(err)
	}
	if handled == 0 {
		t.Fatal("no handler has interrupted anything")
	}
	p := openOne(t, session)
	updates, frees := 0, 0
	for _, item := range events(t, p) {
		if item.Event.Kind == 9 {
			frees++
		} else {
			updates++
		}
	}
	c := counters(t, p)
	if updates != raised || frees+int(c.DroppedNested) != handled || c.DroppedSpace+c.DroppedThreads != 0 {
		t.Errorf("%d of %d events, %d of %d in handlers, dropped %+v", updates, raised, frees, handled, c)
	}
}

// However a program ends, what it raised is there.
func TestEndings(t *testing.T) {
	for _, ending := range []string{"_exit", "abort", "signal", "dlclose"} {
		t.Run(ending, func(t *testing.T) {
			session := t.TempDir()
			command := raiser(t, session, ending)
			err := command.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if state := command.ProcessState.String(); ending == "dlclose" && state != "exit status 0" || strings.Contains(state, "segmentation") {
				t.Fatal(state)
			}
			p := openOne(t, session)
			if n := len(events(t, p)); n != 1 {
				t.Errorf("%d events, want 1", n)
			}
			if exited := counters(t, p).Exited; exited != (ending == "dlclose") {
				t.Errorf("exited: %v", exited)
			}
		})
	}
}

// A program killed at any moment leaves every event that it finished: no gap in
// a thread's numbers, and its own count at most one short of ours.
func TestKill(t *testing.T) {
	times := 10
	if os.Getenv("ACCSCOPE_LONG") != "" {
		times = 100
	}
	const threads = 3
	for i := 0; i < times; i++ {
		session := t.TempDir()
		shared := filepath.Join(t.TempDir(), "counters")
		if err := os.WriteFile(shared, make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
		command := raiser(t, session, "count", shared, fmt.Sprint(threads))
		command.Env = append(command.Env, "ACCSCOPE_CAPTURE_LIMIT=4GiB")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the first events", func() bool {
			data, err := os.ReadFile(shared)
			return err == nil && binary.LittleEndian.Uint64(data) > 0
		})
		time.Sleep(time.Duration(rand.Int63n(int64(60 * time.Millisecond)))) // any moment
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // killed, as it should be
		p := openOne(t, session)
		// the threads number themselves in the order of their first events, their
		// counters in the order of their creation
		recorded := counted(t, p)
		data, err := os.ReadFile(shared)
		if err != nil {
			t.Fatal(err)
		}
		var raised, found uint64
		for thread := 0; thread < threads; thread++ {
			raised += binary.LittleEndian.Uint64(data[64*thread:])
		}
		for _, n := range recorded {
			found += n
		}
		if c := counters(t, p); c.Dropped() != 0 || found < raised || found > raised+threads {
			t.Fatalf("kill %d: the program counted %d events, the capture has %d; %+v", i, raised, found, c)
		}
		os.RemoveAll(session)
	}
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// A full file system costs events, said so, and never the program.
func TestFullFileSystem(t *testing.T) {
	session := t.TempDir()
	if err := syscall.Mount("tmpfs", session, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mounting a tmpfs to fill needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(session, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	// what is left is less than one chunk, so that allocation itself fails
	for _, ballast := range []int{0, 800 << 10, 1000 << 10} {
		if err := os.WriteFile(filepath.Join(session, "ballast"), make([]byte, ballast), 0o600); err != nil {
			t.Fatal(err)
		}
		command := raiser(t, session, "fill", "100000")
		command.Stderr = nil
		if err := command.Run(); err != nil {
			t.Fatalf("with %d bytes taken: %v", ballast, err)
		}
		for _, p := range open(t, session) {
			c := counters(t, p)
			if n := len(events(t, p)); uint64(n)+c.DroppedSpace != 100000 || c.DroppedSpace == 0 {
				t.Errorf("%d bytes taken: %d events recorded, %d dropped", ballast, n, c.DroppedSpace)
			}
			if half := uint64(1<<20-ballast) / 2; c.AllocatedBytes > half {
				t.Errorf("%d bytes taken: the capture took %d, more than half of what was free", ballast, c.AllocatedBytes)
			}
			p.Close() // an open file takes up space when it is removed
			os.RemoveAll(p.Dir)
		}
	}
}

// Only while a live collector holds the session's lock does a full capture wait,
// and not for ever: one that gives nothing back costs the program some time.
func TestWaitsForCollector(t *testing.T) {
	session := t.TempDir()
	lock, err := os.Create(filepath.Join(session, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	for _, held := range []bool{false, true} {
		if held {
			if err := lockFile(lock); err != nil {
				t.Fatal(err)
			}
		}
		command := raiser(t, session, "fill", "200000")
		command.Env = append(command.Env, "ACCSCOPE_CAPTURE_LIMIT=200KiB")
		run(t, command)
		p := openOne(t, session)
		c := counters(t, p)
		if n := uint64(len(events(t, p))); (c.Waits > 0) != held || c.DroppedSpace == 0 || n+c.DroppedSpace != 200000 {
			t.Errorf("lock held: %v; %d events, %+v", held, n, c)
		}
		if held != (c.WaitNanoseconds >= c.Waits*99e6 && c.Waits > 0) {
			t.Errorf("lock held: %v; %d waits took %d ns", held, c.Waits, c.WaitNanoseconds)
		}
		os.RemoveAll(p.Dir)
	}
}

// The ceiling holds, and so does a limit on the size of files, which otherwise
// kills programs.
func TestCeiling(t *testing.T) {
	for _, c := range []struct{ name, shell string }{
		{"ACCSCOPE_CAPTURE_LIMIT", "ACCSCOPE_CAPTURE_LIMIT=200KiB exec \"$@\""},
		{"ulimit -f", "ulimit -f 200; exec \"$@\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			session := t.TempDir()
			command := raiser(t, session, "fill", "200000")
			command.Args = append([]string{"bash", "-c", c.shell, "bash"}, command.Args...)
			command.Path = "/bin/bash"
			run(t, command)
			p := openOne(t, session)
			c := counters(t, p)
			n := uint64(len(events(t, p)))
			if n == 0 || c.DroppedSpace == 0 || n+c.DroppedSpace != 200000 || c.AllocatedBytes > 200<<10 || c.Waits != 0 {
				t.Errorf("%d events, %+v", n, c)
			}
		})
	}
}

// The flight recorder keeps the newest events, in less space than it may have.
func TestFlightRecorder(t *testing.T) {
	session := t.TempDir()
	command := raiser(t, session, "fill", "2000000")
	command.Env = append(command.Env, "ACCSCOPE_LAST=4MiB")
	run(t, command)
	p := openOne(t, session)
	var last uint64
	each(t, p, func(item *Item) {
		if item.Type == ItemEvent {
			last = item.Event.Sequence
		}
	})
	if last != 1999999 {
		t.Errorf("the newest event is %d", last)
	}
	c := counters(t, p)
	if held := c.AllocatedBytes - c.RecycledBytes; held > 5<<20 || c.RecycledBytes == 0 || c.Dropped() != 0 {
		t.Errorf("%d bytes held: %+v", held, c)
	}
	if p.Filters.LastBytes != 4<<20 {
		t.Errorf("the capture says last %d bytes", p.Filters.LastBytes)
	}
}

// By time the flight recorder keeps at least as long as it was told, and gives
// the rest back.
func TestFlightRecorderByTime(t *testing.T) {
	session := t.TempDir()
	command := raiser(t, session, "fill", "2000000")
	command.Env = append(command.Env, "ACCSCOPE_LAST=1ms")
	run(t, command)
	p := openOne(t, session)
	var first, last Event
	each(t, p, func(item *Item) {
		if item.Type != ItemEvent {
			return
		}
		if first.Time == 0 {
			first = item.Event
		}
		last = item.Event
	})
	c := counters(t, p)
	if last.Sequence != 1999999 || first.Sequence == 0 || last.Time-first.Time < 1e6 || c.RecycledBytes == 0 || c.Dropped() != 0 {
		t.Errorf("events %d to %d of %d ns: %+v", first.Sequence, last.Sequence, last.Time-first.Time, c)
	}
	if p.Filters.LastNanoseconds != 1e6 {
		t.Errorf("the capture says last %d ns", p.Filters.LastNanoseconds)
	}
}

// Whichever threads use up chunks at the same moment, all of them are given back
// in their turn.
func TestFlightRecorderOfThreads(t *testing.T) {
	const threads, last = 16, 32 << 20
	session := t.TempDir()
	command := raiser(t, session, "threads", fmt.Sprint(threads), "1000000", fmt.Sprint(threads))
	command.Env = append(command.Env, fmt.Sprintf("ACCSCOPE_LAST=%d", last))
	run(t, command)
	c := counters(t, openOne(t, session))
	if held := c.AllocatedBytes - c.RecycledBytes; held > last+threads*chunkLarge || c.RecycledBytes == 0 || c.Dropped() != 0 {
		t.Errorf("%d bytes held: %+v", held, c)
	}
}

// Where the kernel does not keep time by the time-stamp counter, events have
// CLOCK_MONOTONIC's.
func TestWithoutCounter(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		t.Skip("the 64-bit Arm architecture has one counter, which the kernel always keeps time by")
	}
	const source = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	other := filepath.Join(t.TempDir(), "clocksource")
	if err := os.WriteFile(other, []byte("hpet\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := []string{"unshare", "--mount", "sh", "-c", "mount --bind " + other + " " + source + ` && exec "$@"`, "sh"}
	if output, err := exec.Command(in[0], append(in[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("another clock source needs root: %v %s", err, output)
	}
	session := t.TempDir()
	command := raiser(t, session, "fill", "1000")
	command.Args = append(in, command.Args...)
	path, err := exec.LookPath(in[0])
	if err != nil {
		t.Fatal(err)
	}
	command.Path = path
	var before, after unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &before); err != nil {
		t.Fatal(err)
	}
	run(t, command)
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &after); err != nil {
		t.Fatal(err)
	}
	p := openOne(t, session)
	all := events(t, p)
	if len(all) != 1000 || counters(t, p).TimeStampCounter {
		t.Fatalf("%d events, %+v", len(all), counters(t, p))
	}
	if all[0].Event.Time < before.Nano() || all[999].Event.Time > after.Nano() {
		t.Errorf("events from %d to %d, the program ran from %d to %d", all[0].Event.Time, all[999].Event.Time, before.Nano(), after.Nano())
	}
}

// Capture is switched on and off from outside, as often as wanted.
func TestSwitch(t *testing.T) {
	session := t.TempDir()
	command := raiser(t, session, "switch")
	command.Env = append(command.Env, "ACCSCOPE_CAPTURE=off")
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	raise := func() {
		t.Helper()
		if _, err := input.Write([]byte{'\n'}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(output, make([]byte, len("raised\n"))); err != nil {
			t.Fatal(err)
		}
	}
	raise()
	p := openOne(t, session)
	t.Run("alive", func(t *testing.T) {
		compilers.SkipEmulated(t, "a process is told another time than that of its start, so who reads its capture takes it for ended")
		if !p.Alive() {
			t.Error("a running process is said to be dead")
		}
	})
	for i := 0; i < 3; i++ {
		for _, on := range []bool{true, false} {
			if err := p.SetOn(on); err != nil {
				t.Fatal(err)
			}
			if err := p.SetOn(on); err != nil { // once more changes nothing
				t.Fatal(err)
			}
			raise()
			raise()
		}
	}
	input.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(events(t, p)); n != 6 {
		t.Errorf("%d events, want the 6 raised while capture was on", n)
	}
}

// A process runs as long as one of its threads does.
func TestAliveWithoutMainThread(t *testing.T) {
	folder := t.TempDir()
	source, program := filepath.Join(folder, "threads.c"), filepath.Join(folder, "threads")
	if err := os.WriteFile(source, []byte(`#include <pthread.h>
#include <unistd.h>
static void *wait_for_input (void *unused) { char c; return read (0, &c, 1) < 0 ? unused : 0; }
int main (void) { pthread_t t; pthread_create (&t, 0, wait_for_input, 0); pthread_exit (0); }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-pthread", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	command := exec.Command(program)
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stat := func() []string {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", command.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(data))
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	p := Process{PID: command.Process.Pid, Boot: strings.TrimSpace(string(boot))}
	if p.StartTicks, err = strconv.ParseUint(stat()[21], 10, 64); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the main thread's end", func() bool { return stat()[2] == "Z" })
	if !p.Alive() {
		t.Error("without its main thread it counts as ended")
	}
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	// It is a zombie until it is waited for.
	waitFor(t, "its end", func() bool { return !p.Alive() })
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if p.Alive() {
		t.Error("after its end it counts as running")
	}
}
