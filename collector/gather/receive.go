package gather

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/gather/wire"
)

const (
	// consumer is what the stream calls the collector.
	consumer = "gather"
	// taken is how long the stream waits to hear that a batch was taken, before it is
	// delivered again.
	taken = 10 * time.Second
	// atOnce is how many batches are on their way to the collector at most.
	atOnce = 256
	// early is how long a batch waits for those before it.
	early = time.Second
	// anew is how long is waited before what a cluster without a leader refused is tried
	// again.
	anew = 250 * time.Millisecond
	// window is how long the stream knows the batches that it has by their numbers. The
	// ledger knows them for good.
	window = 2 * time.Minute
	// noStorage is how a server answers that may not use as much of its disk as is asked for:
	// three quarters of what is free when it starts.
	noStorage = 10047
)

// receive makes the stream if it is not there, and takes what comes.
func (g *Gather) receive(ctx context.Context) (jetstream.ConsumeContext, error) {
	var source jetstream.Consumer
	err := g.untilThere(ctx, func(ctx context.Context) error {
		stream, err := g.stream.CreateOrUpdateStream(ctx, g.config("*"))
		if err != nil {
			return err
		}
		// A collector that was killed has batches that the stream would not give to
		// another one yet: a consumer of its own gets all, in their order.
		if err := stream.DeleteConsumer(ctx, consumer); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		source, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: taken, MaxAckPending: atOnce, DeliverPolicy: jetstream.DeliverAllPolicy})
		return err
	})
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == noStorage {
		return nil, fmt.Errorf("cannot keep what agents send: the servers have no %d MiB free for it; give a smaller --store, or a folder on another disk with -o (%w)", g.options.Store>>20, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot keep what agents send: %w", err)
	}
	conn := g.conn // it is let go at the end, when questions may still be on their way
	if _, err := conn.Subscribe(wire.JoinSubjectOf(g.options.Job, g.name), g.answer); err != nil {
		return nil, err
	}
	if _, err := conn.Subscribe(wire.AssignSubject(g.options.Job, g.name), func(m *nats.Msg) { g.give(conn, m) }); err != nil {
		return nil, err
	}
	if _, err := conn.QueueSubscribe(wire.JoinSubject(g.options.Job), consumer, func(m *nats.Msg) { g.join(conn, m) }); err != nil {
		return nil, err
	}
	if _, err := conn.Subscribe(wire.TimeSubject(g.options.Job, g.name), g.time); err != nil {
		return nil, err
	}
	if err := errors.Join(g.share(), g.strays(conn)); err != nil {
		return nil, err
	}
	return source.Consume(g.take, jetstream.PullMaxMessages(atOnce), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
		if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) {
			g.fail(fmt.Errorf("another collector has taken over this one's batches: %w", err))
		}
	}))
}

// config is the stream's, for the batches of agents: "*" for all.
func (g *Gather) config(agents string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: wire.StreamName(g.options.Job, g.name), Subjects: []string{wire.BatchSubject(g.options.Job, g.name, agents)},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
		MaxBytes: g.options.Store, Replicas: g.copies(), Duplicates: window,
	}
}

// nobody is the name of no agent.
const nobody = "nobody.at.all"

// stuck is how long the stream may have batches of which none is taken.
const stuck = 2 * time.Minute

// drain has the stream take nothing more, so that agents keep what they have, and waits
// until all that it has is taken.
func (g *Gather) drain() error {
	before, since := uint64(math.MaxUint64), time.Now()
	for {
		var waiting uint64
		ctx, cancel := context.WithTimeout(context.Background(), stuck)
		err := g.untilThere(ctx, func(ctx context.Context) error {
			stream, err := g.stream.UpdateStream(ctx, g.config(nobody))
			if err == nil {
				waiting = stream.CachedInfo().State.Msgs
			}
			return err
		})
		cancel()
		switch {
		case err != nil:
			return fmt.Errorf("cannot take what the servers still have: %w; the same command goes on with it", err)
		case waiting == 0:
			return nil
		case waiting < before:
			before, since = waiting, time.Now()
		case time.Since(since) > stuck:
			g.warn(fmt.Sprintf("%d batches that the servers have are not in the result: those before them are missing", waiting))
			return nil
		}
		select {
		case err := <-g.fails:
			return err
		case <-time.After(look):
		}
	}
}

// look is how often it is looked whether all is taken.
const look = 50 * time.Millisecond

// copies is how many servers keep each batch.
func (g *Gather) copies() int {
	if g.options.Copies == 0 && len(g.options.Peers) > 0 {
		return 3
	}
	return max(g.options.Copies, 1)
}

// untilThere does what a server may not be ready for yet.
func (g *Gather) untilThere(ctx context.Context, do func(ctx context.Context) error) error {
	for {
		short, cancel := context.WithTimeout(ctx, taken)
		err := do(short)
		cancel()
		if err == nil || ctx.Err() != nil || !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(anew):
		}
	}
}

// passing says whether an error may be gone when it is tried again.
func passing(err error) bool {
	var answer *jetstream.APIError
	if errors.As(err, &answer) {
		return answer.Code == 503 || answer.ErrorCode == 10005 // no leader; too few servers by now
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrDisconnected) ||
		errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrConnectionReconnecting) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}

// take puts a batch into the archive, and tells the stream that it is there. Batches
// come here one after the other.
func (g *Gather) take(m jetstream.Msg) {
	g.hear()
	b, err := wire.Decode(m.Data())
	if err != nil {
		// It would be the same the next time.
		g.warn(fmt.Sprintf("%s: %v; it is left out", m.Subject(), err))
		g.told(m.Term())
		return
	}
	switch g.ledger.place(b) {
	case placeSeen:
		if err := g.ledger.repeated(b); err != nil {
			g.fail(err)
			return
		}
	case placeEarly:
		g.told(m.NakWithDelay(early))
		return
	case placeNext:
		if err := g.archive.Put(b); err != nil {
			g.fail(fmt.Errorf("cannot keep what %s sent: %w", b.Agent, err))
			return
		}
		if err := g.ledger.enter(b); err != nil {
			g.fail(err)
			return
		}
		if b.Number == 1 {
			g.tell(wire.OursSubject(g.options.Job), []string{b.Agent})
		}
	}
	g.told(m.Ack())
}

// told notes that the stream could not be told something: it will send the batch again.
func (g *Gather) told(err error) {
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		g.warn("a batch will come again: " + err.Error())
	}
}

// forgetStream removes the stream once the result is complete.
func (g *Gather) forgetStream() {
	ctx, cancel := context.WithTimeout(context.Background(), taken)
	defer cancel()
	err := g.stream.DeleteStream(ctx, wire.StreamName(g.options.Job, g.name))
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		g.warn(fmt.Sprintf("the result is complete, but the servers keep its stream %s: %v", wire.StreamName(g.options.Job, g.name), err))
	}
}

// stayFor is how long a collector's server stays for those of the others at most.
const stayFor = 2 * time.Minute

// stay lets the server go on until the other collectors, which need it, have taken what
// the servers have, and tells them of this one's share meanwhile.
func (g *Gather) stay(s *Summary) {
	ctx, cancel := context.WithTimeout(context.Background(), stayFor)
	defer cancel()
	for failed := 0; failed < 3 && ctx.Err() == nil; {
		short, done := context.WithTimeout(ctx, taken)
		left := 0
		g.tellState(s, true)
		names := g.stream.StreamNames(short)
		for name := range names.Name() {
			if strings.HasPrefix(name, wire.StreamName(g.options.Job, "")) {
				left++
			}
		}
		err := names.Err()
		done()
		switch {
		case err == nil && left == 0:
			return
		case err == nil:
			failed = 0
		default: // the others may have gone
			failed++
		}
		select {
		case <-ctx.Done():
		case <-time.After(anew):
		}
	}
}
