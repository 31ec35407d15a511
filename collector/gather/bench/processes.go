package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// send runs the program under an agent, and tells what processor time the agent took: all
// of accscope's but the program's own, whose end counts as the agent's.
func (b *bench) send(name, to string, rank int, rate, seconds float64) (agent time.Duration, err error) {
	folder := filepath.Join(b.scratch, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, err
	}
	command := exec.Command(b.accscope, "run", "-q", "--device", "sim", "--to", to, "--",
		b.program, strconv.FormatFloat(rate, 'f', -1, 64), strconv.FormatFloat(seconds, 'f', -1, 64))
	command.Env = environment("ACCSCOPE_DIR="+folder, "PMI_RANK="+strconv.Itoa(rank))
	var words strings.Builder
	command.Stderr = &words
	output, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", command, err, words.String())
	}
	program, err := strconv.ParseInt(strings.TrimSpace(string(output)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", command, err)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime() - time.Duration(program), nil
}

// alone is how many events the program raises.
func (b *bench) alone(rate, seconds float64) (int64, error) {
	trace := filepath.Join(b.scratch, "alone.db")
	command := exec.Command(b.accscope, "run", "-q", "--force", "--device", "sim", "-o", trace, "--",
		b.program, strconv.FormatFloat(rate, 'f', -1, 64), strconv.FormatFloat(seconds, 'f', -1, 64))
	command.Env = environment("ACCSCOPE_DIR=" + b.scratch)
	if output, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", command, err, output)
	}
	h, err := holds(trace)
	return h.events, err
}

// runProcesses sends from programs that run at once into one result.
func (b *bench) runProcesses() error {
	const rate, length = 1000, 10
	each, err := b.alone(0, length) // as many steps, at once
	if err != nil {
		return err
	}
	c, err := b.collect("processes", "--listen", "127.0.0.1:0", "--ranks", strconv.Itoa(b.processes))
	if err != nil {
		return err
	}
	began := time.Now()
	var agents time.Duration
	var failed error
	var mu sync.Mutex
	var working sync.WaitGroup
	for rank := range b.processes {
		working.Go(func() {
			took, err := b.send(fmt.Sprint("node-", rank), c.manifest().Address, rank, rate, length)
			mu.Lock()
			defer mu.Unlock()
			agents, failed = agents+took, errors.Join(failed, err)
		})
	}
	working.Wait()
	sent := time.Since(began)
	if failed != nil {
		return errors.Join(failed, c.kill())
	}
	if err := c.wait(); err != nil {
		return err
	}
	if err := check([]*collector{c}, b.processes, each); err != nil {
		return err
	}
	fmt.Printf("%d processes of %d events/s for %d s into one result: %d events, each once, in %s (%s after the last process); processor time: collector %s, agents %s in all; collector resident %d MiB at most\n",
		b.processes, rate, length, int64(b.processes)*each, seconds(time.Since(began)), seconds(time.Since(began)-sent), seconds(c.took), seconds(agents), c.resident)
	return nil
}

// runRate measures an agent of one rank by a short and a long run: what a second takes, and
// what beginning and ending take beside.
func (b *bench) runRate() error {
	const rate, short, long = 10_000, 5.0, 65.0
	var took [2]time.Duration
	for i, length := range []float64{short, long} {
		c, err := b.collect(fmt.Sprint("rate-", i), "--listen", "127.0.0.1:0", "--ranks", "1")
		if err != nil {
			return err
		}
		if took[i], err = b.send(fmt.Sprint("rated-", i), c.manifest().Address, 0, rate, length); err != nil {
			return errors.Join(err, c.kill())
		}
		if err := c.wait(); err != nil {
			return err
		}
		each := c.manifest().Events
		if err := check([]*collector{c}, 1, each); err != nil {
			return err
		}
		if raised := float64(each) / length; raised < rate*0.99 || raised > rate*1.01 {
			return fmt.Errorf("%d events in %.0f s are not %d a second", each, length, rate)
		}
	}
	share := (took[1] - took[0]).Seconds() / (long - short)
	fmt.Printf("an agent at %d events/s: %.2f %% of a core, and %.2f s of processor time to begin and to end\n", rate, 100*share, took[0].Seconds()-share*short)
	return nil
}
