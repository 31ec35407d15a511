package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/agent"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/session"
)

// gained is what a capture gained at once, so long after its beginning.
type gained struct {
	After  time.Duration
	Pieces []capture.Piece
}

// rankOf is the rank of the program that was recorded. Agents replay it with ranks of
// their own in its place, which are as long.
const rankOf = 100_000

// record runs the program without an agent, and writes what its capture gains, and when,
// to a file.
func (b *bench) record(file string) error {
	folder := filepath.Join(b.scratch, "recorded")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	program := exec.Command(b.program, strconv.FormatFloat(b.rate, 'f', -1, 64), strconv.FormatFloat(b.duration.Seconds(), 'f', -1, 64))
	program.Dir = folder
	program.Env = environment("ACC_DEVICE_TYPE=sim", "ACC_PROFLIB="+b.profiler, "LD_PRELOAD="+b.library, "PMI_RANK="+strconv.Itoa(rankOf))
	if err := program.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	began := time.Now()
	var all []gained
	var tail *capture.Tail
	const every = 500 * time.Millisecond
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("%s: %w", program, err)
			}
			running = false
		case <-ticker.C:
		}
		if tail == nil {
			folders, err := filepath.Glob(filepath.Join(folder, "accscope-*"))
			if err != nil || len(folders) == 0 {
				continue
			}
			if tail, err = capture.OpenTail(folders[0], nil); errors.Is(err, capture.ErrNotStarted) {
				tail = nil
				continue
			} else if err != nil {
				return err
			}
			defer tail.Close() //nolint:errcheck // it was only read
		}
		// What was gained since the last look, all of it.
		g := gained{After: time.Since(began)}
		for {
			pieces, err := tail.Next(1 << 20)
			if err != nil {
				return err
			}
			if len(pieces) == 0 {
				break
			}
			g.Pieces = append(g.Pieces, pieces...)
		}
		if len(g.Pieces) > 0 {
			all = append(all, g)
		}
	}
	if len(all) < 2 {
		return fmt.Errorf("%s: no capture", program)
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(all); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o600)
}

// recorded reads what record wrote.
func recorded(file string) (all []gained, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return all, gob.NewDecoder(bytes.NewReader(text)).Decode(&all)
}

// asRank is a piece of a capture of another rank.
func asRank(p capture.Piece, rank int) capture.Piece {
	from, to := fmt.Sprint("PMI_RANK=", rankOf), fmt.Sprint("PMI_RANK=", rankOf+rank)
	if bytes.Contains(p.Data, []byte(from)) {
		p.Data = bytes.ReplaceAll(p.Data, []byte(from), []byte(to))
	}
	return p
}

// sessionOf is an agent's session.
func sessionOf(folder string, i int) string { return filepath.Join(folder, fmt.Sprint("agent-", i)) }

// asWriter writes what was recorded into the captures of agents, at the times at which it
// came: FILE FOLDER COUNT. The agents begin one after the other in the first seconds.
func asWriter(arguments []string) error {
	all, err := recorded(arguments[0])
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	copies := make([]*capture.Copy, count)
	began := time.Now()
	for _, g := range all {
		for i := range copies {
			// Not all at the same time.
			if wait := g.After + spread*time.Duration(i)/time.Duration(count) - time.Since(began); wait > 0 {
				time.Sleep(wait)
			}
			if copies[i] == nil {
				if copies[i], err = capture.MakeCopy(filepath.Join(sessionOf(arguments[1], i), "1-1")); err != nil {
					return err
				}
			}
			for _, p := range g.Pieces {
				if err := copies[i].Write(asRank(p, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// spread is within which time agents look at their captures.
const spread = 400 * time.Millisecond

// asAgents is agents, each with a session of its own, until there is no more input; then
// they send what is left: URL FOLDER COUNT.
func asAgents(arguments []string) error {
	target, err := link.Parse(arguments[0], link.Files{})
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var working sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for i := range count {
		s, err := session.At(sessionOf(arguments[1], i))
		if err != nil {
			return err
		}
		working.Go(func() {
			time.Sleep(spread * time.Duration(i) / time.Duration(count))
			a, err := agent.Open(agent.Options{Session: s, To: target, Wait: patience})
			if err == nil {
				err = a.Run(ctx)
				err = errors.Join(err, a.Finish())
			}
			mu.Lock()
			failed = errors.Join(failed, err)
			mu.Unlock()
		})
	}
	if _, err := fmt.Println("ready"); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	stop()
	working.Wait()
	return failed
}

// runAgents has agents replay a capture into three servers, each a collector's, of which
// one is killed, and started again after a while.
func (b *bench) runAgents() error {
	file := filepath.Join(b.scratch, "gained")
	if err := b.record(file); err != nil {
		return err
	}
	all, err := recorded(file)
	if err != nil {
		return err
	}
	each, err := b.alone(0, b.rate*b.duration.Seconds()/1000) // as many steps, at once
	if err != nil {
		return err
	}
	var listen, peer []string
	for range 3 {
		for _, to := range []*[]string{&listen, &peer} {
			address, err := free()
			if err != nil {
				return err
			}
			*to = append(*to, address)
		}
	}
	var collectors []*collector
	for i := range 3 {
		c, err := b.collect(fmt.Sprint("server-", i), "--listen", listen[i], "--peer-listen", peer[i], "--peers", strings.Join(peer, ","))
		if err != nil {
			return err
		}
		defer c.process.Process.Kill() //nolint:errcheck // it has ended unless this fails
		collectors = append(collectors, c)
	}
	folder := filepath.Join(b.scratch, "agents")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	agents := exec.Command(b.self, "-as-agents", "nats://"+strings.Join(listen, ",nats://"), folder, strconv.Itoa(b.agents))
	agents.Env, agents.Stderr = environment(), os.Stderr
	input, err := agents.StdinPipe()
	if err != nil {
		return err
	}
	output, err := agents.StdoutPipe()
	if err != nil {
		return err
	}
	if err := agents.Start(); err != nil {
		return err
	}
	defer agents.Process.Kill() //nolint:errcheck // it has ended unless this fails
	if _, err := io.ReadFull(output, make([]byte, len("ready\n"))); err != nil {
		return fmt.Errorf("the agents do not begin: %w", err)
	}
	began := time.Now()
	writer := exec.Command(b.self, "-as-writer", file, folder, strconv.Itoa(b.agents))
	writer.Env, writer.Stderr = environment(), os.Stderr
	if err := writer.Start(); err != nil {
		return err
	}
	defer writer.Process.Kill() //nolint:errcheck // it has ended unless this fails
	time.Sleep(b.duration / 3)
	if err := collectors[0].kill(); err != nil {
		return err
	}
	time.Sleep(b.duration / 6)
	if err := collectors[0].start(); err != nil {
		return err
	}
	if err := writer.Wait(); err != nil {
		return fmt.Errorf("replaying: %w", err)
	}
	replayed := time.Since(began)
	if err := errors.Join(input.Close(), agents.Wait()); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	sent := time.Since(began)
	for _, c := range collectors {
		if err := c.stop(); err != nil {
			return err
		}
	}
	var took time.Duration
	var batches, repeated, size int64
	var resident []string
	for _, c := range collectors {
		if err := c.wait(); err != nil {
			return err
		}
		m := c.manifest()
		took, batches, repeated, size = took+c.took, batches+m.Batches, repeated+m.Repeated, size+m.Bytes
		resident = append(resident, fmt.Sprint(c.resident))
		if c.resident > b.memory {
			err = errors.Join(err, fmt.Errorf("a server took %d MiB, more than %d", c.resident, b.memory))
		}
	}
	total := time.Since(began)
	if err := errors.Join(err, check(collectors, b.agents, each)); err != nil {
		return err
	}
	took, events := took.Round(time.Millisecond), each*int64(b.agents)
	agentsTook := agents.ProcessState.UserTime() + agents.ProcessState.SystemTime()
	fmt.Printf("%d agents of %.0f events/s for %s (%d looks) into three servers, one killed for %s: %d events, each once; "+
		"replayed in %s, sent after %s, complete after %s; %d batches (%d of them again) of %d MB of captures; "+
		"processor time: the three servers %s (%.2f µs an event), agents %s (%.3f %% of a core each); servers resident %s MiB at most\n",
		b.agents, b.rate, b.duration, len(all), seconds(b.duration/6), events, seconds(replayed), seconds(sent), seconds(total),
		batches, repeated, size/1e6, seconds(took), float64(took.Microseconds())/float64(events), seconds(agentsTook),
		100*agentsTook.Seconds()/float64(b.agents)/sent.Seconds(), strings.Join(resident, ", "))
	return nil
}
