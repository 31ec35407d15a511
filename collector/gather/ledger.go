package gather

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/accscope/accscope/collector/gather/wire"
)

// ledger is how far each agent was received, in a file for each in the result.
type ledger struct {
	folder string
	mu     sync.Mutex
	agents map[string]*entry
}

// entry is what is known of an agent.
type entry struct {
	Agent     string         `json:"agent"`
	Host      string         `json:"host"`
	Boot      string         `json:"boot,omitempty"`
	Last      wire.Mark      `json:"last"` // the last batch that was received
	Batches   int64          `json:"batches"`
	Repeated  int64          `json:"repeated"` // batches that came again
	Bytes     int64          `json:"bytes"`    // of captures
	Ranks     []int          `json:"ranks,omitempty"`
	Processes []wire.Process `json:"processes,omitempty"`
	Ended     bool           `json:"ended"`
	// Until is the CLOCK_REALTIME, ns, before which all of the agent's events are here.
	Until int64 `json:"until"`
	// Monotonic is the same on the CLOCK_MONOTONIC of the agent's host.
	Monotonic int64 `json:"monotonic"`
	Clock     bool  `json:"clock"` // its batches have samples of the clocks

	first  time.Time // when it was known, to this process
	heard  time.Time
	length int // of its file
}

func openLedger(folder string) (*ledger, error) {
	l := &ledger{folder: folder, agents: map[string]*entry{}}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot write the result: %w", err)
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot read the result: %w", err)
	}
	for _, file := range files {
		if strings.Contains(file.Name(), ".") {
			continue // no agent's: killed while it was written
		}
		path := filepath.Join(folder, file.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read the result: %w", err)
		}
		e := &entry{first: time.Now(), heard: time.Now(), length: len(text)}
		if len(bytes.TrimSpace(text)) == 0 {
			continue // killed before its first line
		}
		if err := json.Unmarshal(text, e); err != nil || e.Agent != file.Name() {
			return nil, errors.Join(fmt.Errorf("%s is damaged: what the agent sent may be there twice or lack something", path), err)
		}
		l.agents[e.Agent] = e
	}
	return l, nil
}

// inPlace is how long a file may be that is written in place, bytes: a page of the file
// system's cache, which a signal finds written or not.
const inPlace = 4 << 10

// save writes an agent's file: a line, whose rest are spaces. It is there as it was or as
// it is to be, whenever the process is killed.
func (l *ledger) save(e *entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	const grain = 1 << 10 // written at once, also where it gets longer
	e.length = max(e.length, (len(text)+grain)/grain*grain)
	line := append(text, bytes.Repeat([]byte(" "), e.length-len(text)-1)...)
	if e.length > inPlace {
		path := filepath.Join(l.folder, e.Agent)
		if err := os.WriteFile(path+".new", append(line, '\n'), 0o600); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
		return nil
	}
	file, err := os.OpenFile(filepath.Join(l.folder, e.Agent), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	_, err = file.WriteAt(append(line, '\n'), 0)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// get gives an agent's entry, a new one for an agent that is new.
func (l *ledger) get(agent string) *entry {
	e := l.agents[agent]
	if e == nil {
		e = &entry{Agent: agent, Until: time.Now().UnixNano(), first: time.Now()}
		l.agents[agent] = e
	}
	e.heard = time.Now()
	return e
}

// announce notes an agent that will send.
func (l *ledger) announce(j *wire.Join) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.get(j.Agent)
	e.Host, e.Clock = j.Host, j.Clock
	if j.Boot != "" {
		e.Boot = j.Boot
	}
	e.addRanks(j.Ranks)
	return l.save(e)
}

// has says whether an agent was announced, or sent something.
func (l *ledger) has(agent string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.agents[agent] != nil
}

func (e *entry) addRanks(ranks []int) {
	for _, rank := range ranks {
		if !slices.Contains(e.Ranks, rank) {
			e.Ranks = append(e.Ranks, rank)
		}
	}
	slices.Sort(e.Ranks)
}

// place is where a batch belongs among those of its agent.
type place int

const (
	placeNext  place = iota
	placeSeen        // received before
	placeEarly       // those before it are to come
)

func (l *ledger) place(b *wire.Batch) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.agents[b.Agent]
	if e == nil {
		e = &entry{}
	}
	switch {
	case b.Life < e.Last.Life, b.Life == e.Last.Life && b.Number <= e.Last.Number:
		return placeSeen
	case b.Life == e.Last.Life && b.Number == e.Last.Number+1:
		return placeNext
	case b.Life > e.Last.Life && b.Number == 1 && !before(e.Last, b.After):
		return placeNext
	}
	return placeEarly
}

func before(a, b wire.Mark) bool { return a.Life < b.Life || a.Life == b.Life && a.Number < b.Number }

// enter notes that a batch is in the archive.
func (l *ledger) enter(b *wire.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.get(b.Agent)
	e.Host, e.Boot, e.Last, e.Ended = b.Host, b.Boot, b.Mark, b.Last
	e.Batches++
	e.Bytes += int64(b.Size())
	e.Until, e.Monotonic = b.UntilRealtime, b.Until
	e.addRanks(b.Ranks)
	if len(b.Processes) > 0 {
		e.Processes = b.Processes
	}
	return l.save(e)
}

// repeated counts a batch that came again.
func (l *ledger) repeated(b *wire.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.get(b.Agent)
	e.Repeated++
	return l.save(e)
}

// silent are agents that were announced so long ago, and sent nothing.
func (l *ledger) silent(since time.Duration) (agents []string) {
	l.each(func(e *entry) {
		if e.Batches == 0 && time.Since(e.first) >= since && len(agents) < wire.AgentsAtOnce {
			agents = append(agents, e.Agent)
		}
	})
	return agents
}

// sending are those of some agents that sent something.
func (l *ledger) sending(agents []string) (ours []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, agent := range agents {
		if e := l.agents[agent]; e != nil && e.Batches > 0 {
			ours = append(ours, agent)
		}
	}
	return ours
}

// forget takes back that agents were announced, those that sent nothing.
func (l *ledger) forget(agents []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, agent := range agents {
		e := l.agents[agent]
		if e == nil || e.Batches > 0 {
			continue
		}
		delete(l.agents, agent)
		if err := os.Remove(filepath.Join(l.folder, agent)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot write the result: %w", err)
		}
	}
	return nil
}

// rankSeen adds the rank of a capture.
func (l *ledger) rankSeen(agent string, rank int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.agents[agent]; e != nil {
		e.addRanks([]int{rank})
	}
}

// Summary is how much has come.
type Summary struct {
	Agents   int   `json:"agents"`
	Ended    int   `json:"ended"` // of them
	Ranks    int   `json:"ranks"` // an agent without ranks counts as one
	Batches  int64 `json:"batches"`
	Repeated int64 `json:"repeated"`
	Bytes    int64 `json:"bytes"`
	Contents
}

func (l *ledger) summary() (s Summary) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ranks := map[int]bool{}
	for _, e := range l.agents {
		s.Agents++
		if e.Ended {
			s.Ended++
		}
		if len(e.Ranks) == 0 {
			s.Ranks++
		}
		for _, rank := range e.Ranks {
			ranks[rank] = true
		}
		s.Batches += e.Batches
		s.Repeated += e.Repeated
		s.Bytes += e.Bytes
	}
	s.Ranks += len(ranks)
	return s
}

// waitFor is how long the trace waits for an agent that is silent.
const waitFor = 2 * time.Minute

// each calls f for what is known of each agent.
func (l *ledger) each(f func(e *entry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.agents {
		f(e)
	}
}

// ended says whether an agent sends no more.
func (l *ledger) ended(agent string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.agents[agent]
	return e == nil || e.Ended
}

// process is what an agent said of a process.
func (l *ledger) process(agent string, pid int) (p wire.Process, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.agents[agent]; e != nil {
		for _, each := range e.Processes {
			if each.PID == pid {
				return each, true
			}
		}
	}
	return p, false
}

// agentOf is the agent of a capture in the result, by the folder's name.
func agentOf(folder string) string {
	agent, _, _ := strings.Cut(folder, ".")
	return agent
}
