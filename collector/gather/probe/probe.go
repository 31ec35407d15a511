// Package probe asks a job's collector for the time: round trips that set one clock against
// the other's.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/wire"
)

const (
	// every is how often the collector is asked for the time.
	every = time.Second
	// atFirst is how many times it is asked quickly at the beginning and at the end, so that
	// what takes less than a second has samples, too.
	atFirst, quickly = 8, 20 * time.Millisecond
	// atOnce is how many samples are taken at once, and kept how many wait for that.
	atOnce, kept = 256, 4096
)

// Probes asks a collector for the time while there is work.
type Probes struct {
	stop    context.CancelFunc
	ended   chan struct{}
	asked   bool // for the last time
	mu      sync.Mutex
	samples []clock.Sample
}

// Start begins to ask a collector, on its subject.
func (p *Probes) Start(conn *nats.Conn, subject string) {
	if p.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop, p.ended = stop, make(chan struct{})
	go func() {
		defer close(p.ended)
		p.burst(ctx, conn, subject)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				p.ask(ctx, conn, subject)
			}
		}
	}()
}

// burst asks several times at once, as long as there are answers.
func (p *Probes) burst(ctx context.Context, conn *nats.Conn, subject string) {
	for range atFirst {
		if !p.ask(ctx, conn, subject) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(quickly):
		}
	}
}

// ask asks once. Where there is no answer there is no sample: others tell of that.
func (p *Probes) ask(ctx context.Context, conn *nats.Conn, subject string) bool {
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	sent, _, err := Clocks()
	if err != nil {
		return false
	}
	answer, err := conn.RequestWithContext(ctx, subject, nil)
	heard, _, failed := Clocks()
	var at wire.Time
	if err != nil || failed != nil || json.Unmarshal(answer.Data, &at) != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.samples) < kept {
		p.samples = append(p.samples, clock.Sample{Sent: sent, Received: at.Received, Answered: at.Answered, Heard: heard})
	}
	return true
}

// Take gives up some of the samples that there are, in their order.
func (p *Probes) Take() []clock.Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(p.samples), atOnce)
	taken := p.samples[:n:n]
	p.samples = p.samples[n:]
	return taken
}

// Stop asks no more.
func (p *Probes) Stop() {
	p.stop()
	<-p.ended
}

// Finish asks for the last time, and ends. It may be called more than once.
func (p *Probes) Finish(ctx context.Context, conn *nats.Conn, subject string) {
	if p.stop == nil || ctx.Err() == nil && p.asked {
		return
	}
	p.asked = true
	p.Stop()
	if ctx.Err() == nil && conn.IsConnected() {
		p.burst(ctx, conn, subject)
	}
}

// Clocks reads CLOCK_MONOTONIC and CLOCK_REALTIME, ns.
func Clocks() (monotonic, realtime int64, err error) {
	var m, r unix.Timespec
	err = errors.Join(unix.ClockGettime(unix.CLOCK_MONOTONIC, &m), unix.ClockGettime(unix.CLOCK_REALTIME, &r))
	return m.Nano(), r.Nano(), err
}
