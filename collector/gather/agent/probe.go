package agent

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/gather/wire"
)

const (
	// probeEvery is how often the collector is asked for the time.
	probeEvery = time.Second
	// atFirst is how many times it is asked quickly at the beginning and at the end, so that
	// what takes less than a second has samples, too.
	atFirst, quickly = 8, 20 * time.Millisecond
	// inBatch is how many samples a batch takes at most, and kept how many wait for one.
	inBatch, kept = 256, 4096
)

// probes asks the job's collector for the time while the agent works.
type probes struct {
	stop    context.CancelFunc
	ended   chan struct{}
	asked   bool // for the last time
	mu      sync.Mutex
	samples []clock.Sample
}

// start begins to ask a collector.
func (p *probes) start(conn *nats.Conn, subject string) {
	if p.stop != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop, p.ended = stop, make(chan struct{})
	go func() {
		defer close(p.ended)
		p.burst(ctx, conn, subject)
		ticker := time.NewTicker(probeEvery)
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
func (p *probes) burst(ctx context.Context, conn *nats.Conn, subject string) {
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
func (p *probes) ask(ctx context.Context, conn *nats.Conn, subject string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeEvery)
	defer cancel()
	sent, _, err := clocks()
	if err != nil {
		return false
	}
	answer, err := conn.RequestWithContext(ctx, subject, nil)
	heard, _, failed := clocks()
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

// take gives samples to a batch.
func (p *probes) take() []clock.Sample {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(p.samples), inBatch)
	taken := p.samples[:n:n]
	p.samples = p.samples[n:]
	return taken
}

// finish asks for the last time, and ends. It may be called more than once.
func (p *probes) finish(ctx context.Context, conn *nats.Conn, subject string) {
	if p.stop == nil || ctx.Err() == nil && p.asked {
		return
	}
	p.asked = true
	p.stop()
	<-p.ended
	if ctx.Err() == nil && conn.IsConnected() {
		p.burst(ctx, conn, subject)
	}
}
