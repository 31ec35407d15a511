package gather

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/probe"
	"github.com/accscope/accscope/collector/gather/wire"
	"github.com/accscope/accscope/collector/ingest"
)

// clocks are what sets the clocks of other machines against this one's: the samples that come
// with batches, and of the job's other collectors those that this one asked for, in a file for
// each agent and each collector in the result, so that a collector that was killed has them
// when it goes on.
type clocks struct {
	folder string
	own    string // boot id of this machine

	mu     sync.Mutex
	came   map[string][]clock.Sample // by boot id, not in lines yet
	lines  map[string]*clock.Line    // by boot id; who makes the trace has them for itself
	others map[string]wire.Machine   // of collectors, by their names
}

// stamped is a line of such a file. Of an agent's machine it has the boot id alone.
type stamped struct {
	wire.Machine
	Clock []clock.Sample `json:"clock,omitempty"`
}

func openClocks(folder string) (*clocks, error) {
	c := &clocks{folder: folder, own: capture.OwnBoot(), came: map[string][]clock.Sample{}, lines: map[string]*clock.Line{}, others: map[string]wire.Machine{}}
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
		if err := c.load(filepath.Join(folder, file.Name())); err != nil {
			return nil, err
		}
	}
	c.settle()
	return c, nil
}

// load reads an agent's file. Its last line may not be whole: that batch comes again.
func (c *clocks) load(path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the result: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var of stamped
		if json.Unmarshal(lines.Bytes(), &of) == nil {
			c.add(filepath.Base(path), &of)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read the result: %s: %w", path, err)
	}
	return nil
}

// add takes what an agent's or a collector's file got.
func (c *clocks) add(name string, of *stamped) {
	c.came[of.Boot] = append(c.came[of.Boot], of.Clock...)
	if of.Host != "" {
		c.others[name] = of.Machine
	}
}

// keep notes the samples of a batch. Those of this machine's own clock say nothing.
func (c *clocks) keep(b *wire.Batch) error {
	if len(b.Clock) == 0 || b.Boot == "" || b.Boot == c.own {
		return nil
	}
	return c.note(b.Agent, &stamped{wire.Machine{Boot: b.Boot}, b.Clock})
}

// asked notes round trips that this collector made to another one.
func (c *clocks) asked(name string, of wire.Machine, samples []clock.Sample) error {
	c.mu.Lock()
	_, known := c.others[name]
	c.mu.Unlock()
	if known && len(samples) == 0 {
		return nil
	}
	for i := range samples {
		samples[i].Back = true
	}
	return c.note(name, &stamped{of, samples})
}

// note writes a line to a file, and takes it.
func (c *clocks) note(name string, of *stamped) error {
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(c.folder, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	// What was begun before a kill ends here.
	_, err = file.Write(append(append([]byte{'\n'}, text...), '\n'))
	info, failed := file.Stat()
	if err = errors.Join(err, failed, file.Close()); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	if info.Size() > clocksLimit {
		if err := halve(filepath.Join(c.folder, name)); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(name, of)
	return nil
}

// clocksLimit is how large an agent's file gets, bytes: a round trip a second for three hours.
const clocksLimit = 1 << 20

// halve leaves the newer half of a file's lines. What is older set times that are in the trace.
func halve(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = text[len(text)/2:]
	text = text[bytes.IndexByte(text, '\n')+1:]
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// settle has the lines know what came. Several agents of a machine have samples of the same
// time: one's are enough, and those that are late are left out.
func (c *clocks) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for boot, samples := range c.came {
		line := c.lines[boot]
		if line == nil {
			line = &clock.Line{}
			c.lines[boot] = line
		}
		slices.SortFunc(samples, func(a, b clock.Sample) int { return cmp.Compare(a.At(), b.At()) })
		for _, s := range samples {
			line.Track.Add(s)
		}
	}
	clear(c.came)
}

// line is what sets the clock of a machine by its boot id, nil if nothing does.
func (c *clocks) line(boot string) *clock.Line {
	if line := c.lines[boot]; boot != c.own && line != nil && line.Known() {
		return line
	}
	return nil
}

// clockPatience is how long a new agent's first samples are waited for before its machine's clock
// is set by the time of day, and how much older than its batches its last ones may be.
const clockPatience = 15 * time.Second

// Clock is what sets the clock of a machine that captures come from.
func (f *folder) Clock(_, boot string) (line *clock.Line, known bool) {
	if line := f.clocks.line(boot); line != nil {
		return line, true
	}
	return nil, !f.waits(func(of string) bool { return of == boot })
}

// waits says whether samples of any agent of some machines, by boot id, are to come.
func (f *folder) waits(of func(boot string) bool) bool {
	waits := false
	f.ledger.each(func(e *entry) {
		waits = waits || e.Clock && !e.Ended && e.Boot != f.clocks.own && time.Since(e.first) < clockPatience && of(e.Boot) && f.clocks.line(e.Boot) == nil
	})
	return waits
}

// Until is the CLOCK_MONOTONIC, ns, before which all that was raised on the nodes is here,
// and can be set to this machine's clock.
func (f *folder) Until() int64 {
	monotonic, realtime, err := probe.Clocks()
	if err != nil {
		return 0
	}
	now := time.Now()
	until := monotonic
	f.ledger.each(func(e *entry) {
		if e.Ended || now.Sub(e.heard) >= waitFor {
			return
		}
		by := monotonic - (realtime - e.Until)
		if line := f.clocks.line(e.Boot); line != nil && e.Monotonic != 0 {
			at := min(e.Monotonic, max(line.Ready(), e.Monotonic-int64(clockPatience)))
			by = at + line.Look(at).Offset
		}
		until = min(until, by)
	})
	return until
}

// Others are the machines of the job's other collectors, as far as their clocks are known.
func (f *folder) Others() (all []ingest.Other) {
	c := f.clocks
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.others)) {
		of := c.others[name]
		line := c.line(of.Boot)
		if line != nil && line.Track.Samples() > 0 || of.Boot == c.own && of.Host != capture.OwnHost() {
			all = append(all, ingest.Other{Host: of.Host, Boot: of.Boot, RealtimeOffset: of.RealtimeOffset, Line: line})
		}
	}
	return all
}

// Asked notes round trips that this collector made to another one.
func (f *folder) Asked(name string, of wire.Machine, samples []clock.Sample) error {
	return f.clocks.asked(name, of, samples)
}

// time answers who asks for the time.
func (g *Gather) time(m *nats.Msg) {
	received, _, err := probe.Clocks()
	if err != nil {
		return
	}
	answered, _, err := probe.Clocks()
	if err != nil {
		return
	}
	text, err := json.Marshal(wire.Time{Received: received, Answered: answered})
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil {
		g.warn(err.Error())
	}
}
