package gather

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/wire"
)

// clocks are what sets the clocks of the agents' machines against this one's: the samples
// that come with batches, in a file for each agent in the result, so that a collector that
// was killed has them when it goes on.
type clocks struct {
	folder string
	own    string // boot id of this machine

	mu    sync.Mutex
	came  map[string][]clock.Sample // by boot id, not in lines yet
	lines map[string]*clock.Line    // by boot id; who makes the trace has them for itself
}

// stamped is a line of an agent's file.
type stamped struct {
	Boot  string         `json:"boot"`
	Clock []clock.Sample `json:"clock"`
}

func openClocks(folder string) (*clocks, error) {
	c := &clocks{folder: folder, own: capture.OwnBoot(), came: map[string][]clock.Sample{}, lines: map[string]*clock.Line{}}
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
			c.came[of.Boot] = append(c.came[of.Boot], of.Clock...)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read the result: %s: %w", path, err)
	}
	return nil
}

// keep notes the samples of a batch. Those of this machine's own clock say nothing.
func (c *clocks) keep(b *wire.Batch) error {
	if len(b.Clock) == 0 || b.Boot == "" || b.Boot == c.own {
		return nil
	}
	text, err := json.Marshal(stamped{b.Boot, b.Clock})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(c.folder, b.Agent), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
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
		if err := halve(filepath.Join(c.folder, b.Agent)); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.came[b.Boot] = append(c.came[b.Boot], b.Clock...)
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
		slices.SortFunc(samples, func(a, b clock.Sample) int { return cmp.Compare(a.Sent, b.Sent) })
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
	var monotonic unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic) != nil {
		return 0
	}
	now := time.Now()
	until := monotonic.Nano()
	f.ledger.each(func(e *entry) {
		if e.Ended || now.Sub(e.heard) >= waitFor {
			return
		}
		by := monotonic.Nano() - (now.UnixNano() - e.Until)
		if line := f.clocks.line(e.Boot); line != nil && e.Monotonic != 0 {
			at := min(e.Monotonic, max(line.Ready(), e.Monotonic-int64(clockPatience)))
			by = at + line.Look(at).Offset
		}
		until = min(until, by)
	})
	return until
}

// time answers who asks for the time.
func (g *Gather) time(m *nats.Msg) {
	var received, answered unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &received) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &answered) != nil {
		return
	}
	text, err := json.Marshal(wire.Time{Received: received.Nano(), Answered: answered.Nano()})
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil {
		g.warn(err.Error())
	}
}
