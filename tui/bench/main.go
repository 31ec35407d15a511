// Command bench measures what the terminal UI costs: its own share of a core
// while a program raises events at a steady rate, and what the program loses by
// it. It runs the built command in a pseudo-terminal of 200 by 50 cells.
//
//	go run ./tui/bench [-seconds 10] [-runs 9]
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/creack/pty"

	"github.com/accscope/accscope/runtime/compilers"
)

// eventsEach is how many events an operation of events.c raises.
const eventsEach = 6

var size = &pty.Winsize{Rows: 50, Cols: 200}

type bench struct {
	folder, accscope, program string
	seconds                   int
}

func main() {
	seconds := flag.Int("seconds", 10, "how long to look at each rate")
	runs := flag.Int("runs", 9, "how many pairs of runs for the slow-down")
	flag.Parse()
	if err := measure(*seconds, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "tui/bench:", err)
		os.Exit(1)
	}
}

func measure(seconds, runs int) (err error) {
	b := &bench{seconds: seconds}
	if b.folder, err = os.MkdirTemp("", "accscope-tui-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	if b.accscope, err = filepath.Abs("bin/accscope"); err != nil {
		return err
	}
	if _, err := os.Stat(b.accscope); err != nil {
		return fmt.Errorf("%w: run make first", err)
	}
	for name, value := range map[string]string{"ACCSCOPE_DIR": filepath.Join(b.folder, "sessions"), "LC_ALL": "C.UTF-8",
		"TERM": "xterm-256color", "COLORTERM": "truecolor"} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	b.program = filepath.Join(b.folder, "events")
	compile := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-o", b.program, "tui/bench/program/events.c")
	if output, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	fmt.Println("accscope top, 200x50: shares of one core")
	fmt.Println("events/s wanted  reached  frames/s  top  collector with top  collector alone")
	for _, rate := range []int{1_000, 100_000, 0} {
		if err := b.watch(rate); err != nil {
			return err
		}
	}
	return b.slowdown(runs)
}

// recorder starts a run of the program under a collector.
func (b *bench) recorder(arguments ...string) *exec.Cmd {
	trace := filepath.Join(b.folder, "trace.db")
	return exec.Command(b.accscope, append([]string{"run", "-q", "--no-summary", "--device", "sim", "--force", "-o", trace, "--", b.program},
		arguments...)...)
}

// watch measures one rate of events, 0 for as many as can be raised.
func (b *bench) watch(rate int) error {
	alone, _, _, _, err := b.look(rate, false)
	if err != nil {
		return err
	}
	with, top, frames, reached, err := b.look(rate, true)
	if err != nil {
		return err
	}
	wanted := strconv.Itoa(rate)
	if rate == 0 {
		wanted = "all"
	}
	fmt.Printf("%15s %8.0f  %8.1f  %.1f %%  %.1f %%  %.1f %%\n", wanted, reached, frames, 100*top, 100*with, 100*alone)
	return nil
}

// look gives the shares of a core that the collector and top took, the frames
// and the events a second.
func (b *bench) look(rate int, show bool) (collector, top, frames, reached float64, err error) {
	length := b.seconds + 3
	run := b.recorder(strconv.Itoa(length), fmt.Sprintf("%.1f", float64(rate)/eventsEach))
	output := new(strings.Builder)
	run.Stdout, run.Stderr = output, os.Stderr
	if err := run.Start(); err != nil {
		return 0, 0, 0, 0, err
	}
	var view *viewer
	if show {
		time.Sleep(500 * time.Millisecond) // the session is there, or top waits for it
		if view, err = b.view(); err != nil {
			return 0, 0, 0, 0, errors.Join(err, run.Process.Kill(), run.Wait())
		}
	}
	time.Sleep(time.Second)
	usedBefore, err := used(run.Process.Pid)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	var topBefore, drawnBefore int64
	if show {
		if topBefore, err = used(view.command.Process.Pid); err != nil {
			return 0, 0, 0, 0, err
		}
		drawnBefore = view.frames.Load()
	}
	start := time.Now()
	time.Sleep(time.Duration(b.seconds) * time.Second)
	took := time.Since(start).Seconds()
	usedAfter, err := used(run.Process.Pid)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	collector = float64(usedAfter-usedBefore) / 1e9 / took
	if show {
		topAfter, err := used(view.command.Process.Pid)
		if err != nil {
			return 0, 0, 0, 0, err
		}
		top = float64(topAfter-topBefore) / 1e9 / took
		frames = float64(view.frames.Load()-drawnBefore) / took
		if err := view.leave(); err != nil {
			return 0, 0, 0, 0, err
		}
	}
	if err := run.Wait(); err != nil {
		return 0, 0, 0, 0, err
	}
	reached, err = operations(output.String())
	return collector, top, frames, reached * eventsEach, err
}

// operations reads the rate that the program has reached.
func operations(output string) (float64, error) {
	words := strings.Fields(output)
	if len(words) != 2 {
		return 0, fmt.Errorf("the program wrote %q", output)
	}
	return strconv.ParseFloat(words[1], 64)
}

// used is the processor time of a process, ns.
func used(pid int) (int64, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		return 0, fmt.Errorf("process %d has ended: %w", pid, err)
	}
	var sum int64
	for _, task := range tasks {
		var ns int64
		data, err := os.ReadFile(task)
		if err != nil {
			continue // a thread that has ended
		}
		if _, err := fmt.Sscan(string(data), &ns); err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum, nil
}

// viewer is an accscope on a terminal.
type viewer struct {
	command *exec.Cmd
	master  *os.File
	frames  atomic.Int64
	read    chan struct{}
}

func (b *bench) view() (*viewer, error) {
	v := &viewer{command: exec.Command(b.accscope, "top"), read: make(chan struct{})}
	var err error
	if v.master, err = pty.StartWithSize(v.command, size); err != nil {
		return nil, err
	}
	go v.drain()
	return v, nil
}

// drain counts frames: what comes without a pause is one.
func (v *viewer) drain() {
	defer close(v.read)
	buffer := make([]byte, 1<<16)
	last := time.Time{}
	for {
		n, err := v.master.Read(buffer)
		if err != nil {
			return // EIO: it has ended
		}
		now := time.Now()
		if n > 0 && now.Sub(last) > 20*time.Millisecond {
			v.frames.Add(1)
		}
		last = now
	}
}

func (v *viewer) leave() error {
	if _, err := v.master.WriteString("q"); err != nil {
		return err
	}
	err := v.command.Wait()
	<-v.read
	return errors.Join(err, v.master.Close())
}

// slowdown compares the program's own time under run with that under run --tui,
// one after the other.
func (b *bench) slowdown(runs int) error {
	const operations = 100_000
	var plain, drawn, ratios []float64
	for range runs {
		run := b.recorder(fmt.Sprint(-operations), "0")
		run.Stderr = os.Stderr
		output, err := run.Output()
		if err != nil {
			return err
		}
		without, err := seconds(string(output))
		if err != nil {
			return err
		}
		with, err := b.drawn(operations)
		if err != nil {
			return err
		}
		plain, drawn, ratios = append(plain, without), append(drawn, with), append(ratios, with/without)
	}
	fmt.Printf("\n%d events as fast as they go, %d pairs of runs; median (least to most)\n", operations*eventsEach, runs)
	for _, line := range []struct {
		name   string
		values []float64
		format string
	}{{"accscope run", plain, "%.2f s"}, {"accscope run --tui", drawn, "%.2f s"}, {"ratio", ratios, "%.3f"}} {
		sort.Float64s(line.values)
		n := len(line.values)
		fmt.Printf("%-20s "+line.format+" ("+line.format+" to "+line.format+")\n", line.name, line.values[n/2], line.values[0], line.values[n-1])
	}
	return nil
}

func seconds(output string) (float64, error) {
	if _, err := operations(output); err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.Fields(output)[0], 64)
}

// drawn is the time of a program that is watched by run --tui.
func (b *bench) drawn(operations int) (float64, error) {
	run := b.recorder(fmt.Sprint(-operations), "0")
	run.Args = append(run.Args[:2:2], append([]string{"--tui"}, run.Args[2:]...)...)
	read, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer read.Close()
	run.Stdout = write // redirected, it stays redirected
	v := &viewer{command: run, read: make(chan struct{})}
	if v.master, err = pty.StartWithSize(run, size); err != nil {
		return 0, errors.Join(err, write.Close())
	}
	if err := write.Close(); err != nil {
		return 0, err
	}
	go v.drain()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	took, err := seconds(line)
	if err != nil {
		return 0, err
	}
	return took, v.end()
}

// end leaves a view whose program has ended, or is about to.
func (v *viewer) end() error {
	ended := make(chan error, 1)
	go func() { ended <- v.command.Wait() }()
	for {
		if _, err := v.master.WriteString("q"); err != nil {
			return err
		}
		select {
		case err := <-ended:
			<-v.read
			return errors.Join(err, v.master.Close())
		case <-time.After(200 * time.Millisecond):
		}
	}
}
