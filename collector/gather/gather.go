// Package gather is a job's collector: it takes what the agents of the job's nodes send
// through NATS JetStream, each batch once, and makes one result of it in a folder. Several
// of them share a job's agents, and make a folder each. How far each agent was received
// stands beside what was received of it: killed at any moment, a collector goes on where
// it was.
package gather

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/probe"
	"github.com/accscope/accscope/collector/gather/wire"
)

// Options say how agents reach the collector and what it makes.
type Options struct {
	Folder string // of the result
	Job    string // whose agents it takes; "": the batch system's, else one of its own
	// Listen is the address of a server of the collector's own, HOST:PORT; with port 0
	// any that is free. "" where Cluster is used.
	Listen string
	// Peers are the addresses at which the servers of the job's other collectors take
	// each other, and PeerListen that of this one. A job with peers has three or more
	// collectors, and any one of them may be lost.
	Peers      []string
	PeerListen string
	PeerName   string // address that the others reach this one at; "": PeerListen
	// Cluster are NATS servers to go through, in place of an own one.
	Cluster string
	Files   link.Files
	Copies  int // how many servers keep each batch; 0: three of a cluster, else one
	// Store is how many bytes of batches the servers keep that were not taken yet.
	Store int64
	// Ranks and Idle are of the whole job, however many collectors it has: end once so many
	// ranks have come and all agents have ended (0: once all agents have); end once nothing
	// has come for so long (0: never).
	Ranks int
	Idle  time.Duration
	// Stay has it end only when it is told to, where neither of these says when: agents may come
	// when all that came have ended.
	Stay bool
	// EndWait is how long to wait for agents that have not ended when the collector is told to
	// end: a batch system tells all of a job at once.
	EndWait time.Duration
	Keep    bool // leave the captures in the result
	// Archive makes an archive of the trace while the job runs, which takes its place when it
	// is whole; with Keep the trace stays. Its files begin anew after ArchiveRows records (0:
	// archive.FileRows). By is the accscope that writes it.
	Archive     bool
	ArchiveRows int64
	By          string
	Warn        func(string)
}

// Gather is a collector that runs.
type Gather struct {
	options Options
	name    string
	machine wire.Machine // this one
	server  *ownServer
	// elsewhere is a connection to the address at which the collector was to listen.
	elsewhere *nats.Conn
	open      context.Context // until it is closed
	shut      context.CancelFunc
	conn      *nats.Conn
	stream    jetstream.JetStream
	archive   Archive
	ledger    *ledger
	manifest  *manifest
	fails     chan error
	began     time.Time

	giving sync.Mutex // held by whoever says who takes an agent
	mu     sync.Mutex
	heard  time.Time
	warned map[string]bool
	shares map[string]share // of the job's other collectors, by their names
	asked  bool             // they are asked for the time no more

	given   map[string]string // collectors, by the agents that this one gave them
	waiting []*nats.Msg       // questions of agents, until the others are there
}

// Archive is where batches are put: what makes a result of them.
type Archive interface {
	// Put adds what a batch holds. One that was put before changes nothing.
	Put(b *wire.Batch) error
	// Asked adds round trips that this collector made to another one of the job.
	Asked(name string, of wire.Machine, samples []clock.Sample) error
	// Follow makes of what was put what can be shown, until ctx is done.
	Follow(ctx context.Context) error
	// Finish completes the result and describes it.
	Finish() (Contents, error)
	// Forget lets go what a result needs no more that is known to be complete.
	Forget() error
	// Close leaves the result to be gone on with.
	Close() error
}

// Contents is what a result holds.
type Contents struct {
	Trace     string `json:"trace"` // its path in the result's folder
	Processes int    `json:"processes"`
	Events    int64  `json:"events"`
	Lost      int64  `json:"lost"` // events that captures dropped
}

// Open begins to listen. A result that was begun is gone on with.
func Open(o Options) (g *Gather, err error) {
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the result's folder: %w; choose another with -o", err)
	}
	g = &Gather{options: o, began: time.Now(), fails: make(chan error, 1), warned: map[string]bool{}, shares: map[string]share{}, given: map[string]string{}}
	g.open, g.shut = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	monotonic, realtime, err := probe.Clocks()
	if err != nil {
		return g, err
	}
	g.machine = wire.Machine{Host: capture.OwnHost(), Boot: capture.OwnBoot(), RealtimeOffset: realtime - monotonic}
	if g.manifest, err = openManifest(&o); err != nil {
		return g, err
	}
	g.name, o.Job, g.options.Job = g.manifest.Gather, g.manifest.Job, g.manifest.Job
	if g.ledger, err = openLedger(filepath.Join(o.Folder, "agents")); err != nil {
		return g, err
	}
	if len(g.ledger.agents) > 0 {
		g.hear()
	}
	archive, err := openFolder(&o, g.ledger, g.warn)
	if err != nil {
		return g, err
	}
	g.archive = archive
	if o.Cluster == "" {
		if g.server, err = startServer(&o, g.name, g.warn); err != nil {
			return g, err
		}
		if g.conn, err = g.server.connect(g.warn); err == nil && g.server.moved {
			err = g.direct()
		}
	} else {
		var target *link.Target
		if target, err = link.Parse(o.Cluster, o.Files); err == nil {
			g.conn, err = target.Connect("accscope gather "+g.name, func(err error) { g.warn(err.Error()) })
		}
	}
	if err != nil {
		return g, err
	}
	g.stream, err = jetstream.New(g.conn)
	g.manifest.Address = g.Address()
	if g.server != nil {
		g.manifest.Peer = g.server.peerAddress()
	}
	return g, errors.Join(err, g.manifest.save())
}

// newName makes a name that no other collector has.
func newName() string { return "gather-" + strings.ToLower(rand.Text()[:12]) }

// Address is where agents reach the collector's own server, else the cluster.
func (g *Gather) Address() string {
	if g.server == nil {
		return g.options.Cluster
	}
	return g.server.address() + "/" + g.options.Job
}

func (g *Gather) warn(text string) {
	g.mu.Lock()
	said := g.warned[text]
	g.warned[text] = true
	g.mu.Unlock()
	if !said && g.options.Warn != nil {
		g.options.Warn(text)
	}
}

// Run collects until the job's end, or until ctx is done, and completes the result.
func (g *Gather) Run(ctx context.Context) (s Summary, err error) {
	defer func() { err = errors.Join(err, g.close()) }()
	working, stop := context.WithCancel(context.Background())
	defer stop()
	followed := make(chan error, 1)
	go func() { followed <- g.archive.Follow(working) }()
	// What the servers have is in the result before it ends, also where it was told to
	// end before they could be reached.
	reach, giveUp := context.WithCancel(working)
	defer giveUp()
	defer context.AfterFunc(ctx, func() {
		select {
		case <-working.Done():
		case <-time.After(ready):
			giveUp()
		}
	})()
	receiving, err := g.receive(reach)
	why := ""
	if err == nil {
		if why, err = g.wait(ctx, followed); err == nil {
			err = g.drain()
		}
		if err == nil {
			g.askLastTime()
			g.stopAsking()
			err = g.keepTimes()
		}
		receiving.Stop()
		<-receiving.Closed()
	}
	stop()
	if following := <-followed; err == nil {
		err = following
	}
	if err != nil {
		return Summary{}, err
	}
	contents, err := g.archive.Finish()
	if err != nil {
		return Summary{}, err
	}
	result := g.archive
	g.archive = nil
	s = g.ledger.summary()
	s.Contents = contents
	g.manifest.Complete, g.manifest.EndedBy = true, why
	g.manifest.Summary = s
	if err := g.manifest.save(); err != nil {
		return s, err
	}
	g.forgetStream()
	g.tellState(&s, true)
	if err := result.Forget(); err != nil {
		return s, err
	}
	if len(g.options.Peers) > 0 {
		g.stay(&s)
	}
	return s, nil
}

// Why a collector ended.
const (
	endedByAgents = "all agents have ended"
	endedByIdle   = "nothing came any more"
	endedBySignal = "a signal"
)

// wait waits for the job's end and says why it is there.
func (g *Gather) wait(ctx context.Context, followed chan error) (string, error) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	saved, asked := time.Now(), time.Time{}
	told := ctx.Done()
	var end <-chan time.Time // nil: not told to end
	for {
		select {
		case <-told:
			told, end = nil, time.After(g.options.EndWait)
		case <-end:
			return endedBySignal, nil
		case err := <-g.fails:
			return "", err
		case err := <-followed:
			followed <- err
			return "", err
		case <-ticker.C:
		}
		g.assignWaiting()
		s := g.ledger.summary()
		if time.Since(asked) > askEvery {
			asked = time.Now()
			g.tell(wire.WhoseSubject(g.options.Job), g.ledger.silent(silentFor))
			g.tellState(&s, false)
			if err := g.keepTimes(); err != nil {
				return "", err
			}
		}
		if time.Since(saved) > time.Second {
			g.manifest.Summary, saved = s, time.Now()
			if err := g.manifest.save(); err != nil {
				return "", err
			}
		}
		switch job := g.job(&s); {
		case end != nil && job.ended == job.agents:
			return endedBySignal, nil
		case g.options.Idle > 0:
			if job.quiet > g.options.Idle {
				return endedByIdle, nil
			}
		case g.options.Stay && g.options.Ranks == 0:
		case job.agents > 0 && job.ended == job.agents && job.ranks >= g.options.Ranks:
			return endedByAgents, nil
		}
	}
}

func (g *Gather) hear() {
	g.mu.Lock()
	g.heard = time.Now()
	g.mu.Unlock()
}

// fail ends the work.
func (g *Gather) fail(err error) {
	select {
	case g.fails <- err:
	default:
	}
}

// close lets everything go.
func (g *Gather) close() error {
	var err error
	if g.archive != nil {
		err = g.archive.Close()
		g.archive = nil
	}
	g.stopAsking()
	g.shut()
	if g.conn != nil {
		g.conn.Close()
		g.conn = nil
	}
	if g.elsewhere != nil {
		g.elsewhere.Close()
		g.elsewhere = nil
	}
	if g.server != nil {
		g.server.stop()
		g.server = nil
	}
	return err
}
