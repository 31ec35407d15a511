package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
)

// patience is how long anything may take that is waited for.
const patience = 15 * time.Minute

// collector is an `accscope gather`, through more than one process where it is killed.
type collector struct {
	folder  string
	command []string

	process  *exec.Cmd
	ended    chan error
	output   strings.Builder
	resident int64         // MiB at most
	took     time.Duration // of processors
}

// collect starts a collector.
func (b *bench) collect(name string, flags ...string) (*collector, error) {
	c := &collector{folder: filepath.Join(b.scratch, name)}
	c.command = append([]string{b.accscope, "gather", "-o", c.folder}, flags...)
	return c, c.start()
}

func (c *collector) start() error {
	c.process = exec.Command(c.command[0], c.command[1:]...)
	c.process.Env = environment()
	c.process.Stderr = &c.output
	before := c.manifest().Address
	if err := c.process.Start(); err != nil {
		return err
	}
	c.ended = make(chan error, 1)
	go func(process *exec.Cmd, ended chan error) { ended <- process.Wait() }(c.process, c.ended)
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if m := c.manifest(); m.Address != "" && (before == "" || strings.Contains(c.output.String(), "on the nodes")) {
			return nil
		}
		select {
		case err := <-c.ended:
			return fmt.Errorf("a collector ended: %w: %s", err, c.output.String())
		default:
		}
		if time.Now().After(end) {
			return errors.New("a collector does not start")
		}
	}
}

// over takes in what the process took.
func (c *collector) over() {
	used, ok := c.process.ProcessState.SysUsage().(*syscall.Rusage)
	if ok {
		c.resident = max(c.resident, used.Maxrss>>10)
	}
	c.took += c.process.ProcessState.UserTime() + c.process.ProcessState.SystemTime()
}

// kill ends the process as nothing that it can do anything about.
func (c *collector) kill() error {
	if err := c.process.Process.Kill(); err != nil {
		return err
	}
	<-c.ended
	c.over()
	return nil
}

// stop ends a collector that may still wait for agents: it takes what its servers have.
func (c *collector) stop() error { return c.process.Process.Signal(syscall.SIGTERM) }

// wait waits for the end.
func (c *collector) wait() error {
	select {
	case err := <-c.ended:
		c.over()
		if err != nil {
			return fmt.Errorf("a collector ended: %w: %s", err, c.output.String())
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("a collector does not end: %s", c.output.String())
	}
}

// manifest is what a result says of itself.
type manifest struct {
	Address, Peer            string
	Complete                 bool
	Agents, Ended, Ranks     int
	Batches, Repeated, Bytes int64
	Processes                int
	Events, Lost             int64
}

func (c *collector) manifest() (m manifest) {
	text, err := os.ReadFile(filepath.Join(c.folder, "manifest.json"))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return manifest{}
	}
	return m
}

// held is what is in a result.
type held struct {
	processes, events int64
	least, most       int64 // events of a process
	whole             bool  // each event that a thread raised is there, once
}

// holds reads the events of a trace by their numbers in their threads.
func holds(path string) (h held, err error) {
	trace, err := store.Open(path)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	const query = `SELECT count(*), coalesce(sum(n), 0), coalesce(min(n), 0), coalesce(max(n), 0), coalesce(min(whole), 1)
		FROM (SELECT sum(n) AS n, min(whole) AS whole
			FROM (SELECT process, count(*) AS n, count(*) = max(sequence) + 1 AND count(*) = count(DISTINCT sequence) AS whole
				FROM events GROUP BY process, thread)
			GROUP BY process)`
	return h, sqlitex.Execute(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		h = held{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4) == 1}
		return nil
	}})
}

// check says what is wrong with results that are to hold each event of so many processes
// once.
func check(collectors []*collector, processes int, each int64) error {
	var came, events int64
	for _, c := range collectors {
		m := c.manifest()
		h, err := holds(filepath.Join(c.folder, "trace.db"))
		if err != nil {
			return err
		}
		came, events = came+h.processes, events+h.events
		if !m.Complete || m.Ended != m.Agents || m.Lost != 0 || m.Events != h.events || !h.whole ||
			h.processes > 0 && (h.least != each || h.most != each) {
			return fmt.Errorf("%s: %+v, of it %+v; want %d events of each process, once: %s", c.folder, m, h, each, c.output.String())
		}
	}
	if came != int64(processes) || events != came*each {
		return fmt.Errorf("%d events of %d processes, want %d of each of %d", events, came, each, processes)
	}
	return nil
}

// free is an address that nobody listens at.
func free() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
