package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
)

// patience is how long is waited after a failure, at first and at most.
const (
	leastPatience = 100 * time.Millisecond
	mostPatience  = 2 * time.Second
)

// send sends the pending batch until a server has stored it. One is on its way at a time:
// each is stored after those before it. The error is ctx's, or one that no time mends.
func (a *Agent) send(ctx context.Context) error {
	patience := leastPatience
	for {
		err := a.try(ctx)
		if err == nil {
			return a.stored()
		}
		var refused *refusal
		if errors.As(err, &refused) && !a.mayCome(refused) {
			return err
		}
		if ctx.Err() != nil {
			if a.state.problem == nil {
				a.state.problem = err
			}
			return ctx.Err()
		}
		a.state.problem = err
		select {
		case <-ctx.Done():
		case <-time.After(patience):
		}
		patience = min(2*patience, mostPatience)
	}
}

// refusal is what a collector answers that does not want an agent.
type refusal struct {
	reason string
	stray  bool // it is that of another job
}

// late is how long an agent of another job than the collector's at its address waits for one of
// its own, which may be about to start.
const late = 10 * time.Second

// mayCome says whether what was refused may be taken yet.
func (a *Agent) mayCome(r *refusal) bool {
	if a.strayed.IsZero() {
		a.strayed = time.Now()
	}
	return r.stray && time.Since(a.strayed) < late
}

func (r *refusal) Error() string { return "the job's collector refuses: " + r.reason }

func (a *Agent) try(ctx context.Context) error {
	if !a.conn.IsConnected() {
		if err := a.conn.LastError(); err != nil {
			return err
		}
		return nats.ErrDisconnected
	}
	short, cancel := context.WithTimeout(ctx, reply)
	defer cancel()
	if a.state.Gather == "" {
		if err := a.join(short); err != nil {
			return err
		}
	}
	job := a.job()
	// The server forgets numbers after a while; the collector never does.
	_, err := a.stream.PublishMsg(short, &nats.Msg{Subject: wire.BatchSubject(job, a.state.Gather, a.state.Agent), Data: a.pending.data},
		jetstream.WithMsgID(fmt.Sprintf("%s-%d-%d", a.state.Agent, a.state.Life, a.pending.number)),
		jetstream.WithExpectStream(wire.StreamName(job, a.state.Gather)), jetstream.WithRetryAttempts(0))
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		return fmt.Errorf("%s, the collector that has what was sent before, takes nothing there: it has ended, or was not started again (%w)", a.state.Gather, err)
	}
	return err
}

// join asks which collector takes the batches.
func (a *Agent) join(ctx context.Context) error {
	ranks, err := a.options.Session.Ranks()
	if err != nil {
		return err
	}
	job := cmp.Or(a.options.To.Job, link.BatchJob())
	question, err := json.Marshal(wire.Join{Version: wire.Version, Agent: a.state.Agent, Host: capture.OwnHost(), Job: job, Ranks: ranks,
		Boot: capture.OwnBoot(), Clock: true})
	if err != nil {
		return err
	}
	job = cmp.Or(job, link.DefaultJob)
	message, err := a.conn.RequestWithContext(ctx, wire.JoinSubject(job), question)
	if errors.Is(err, nats.ErrNoResponders) && a.options.To.Job == "" && job != link.DefaultJob {
		// One that was told no job, or one that says whose it is.
		message, err = a.conn.RequestWithContext(ctx, wire.JoinSubject(link.DefaultJob), question)
		if err == nil {
			job = link.DefaultJob
		}
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("no collector of job %q is there (%w)", job, err)
	}
	if err != nil {
		return err
	}
	var answer wire.Joined
	if err := json.Unmarshal(message.Data, &answer); err != nil {
		return fmt.Errorf("the job's collector answers what this accscope does not understand: %w", err)
	}
	switch {
	case answer.Refused != "":
		return &refusal{answer.Refused, answer.Stray}
	case !wire.ValidName(answer.Gather):
		return fmt.Errorf("the job's collector calls itself %q", answer.Gather)
	case answer.At != "":
		return a.goTo(answer.At)
	}
	a.state.Gather, a.state.Job = answer.Gather, job
	a.probes.Start(a.conn, a.timeSubject())
	return a.save()
}

// errMoved says that the collector is to be asked at another address.
var errMoved = errors.New("the job's collector is at another address")

// goTo connects to another address, which the job's collector has told.
func (a *Agent) goTo(address string) error {
	to, err := a.options.To.At(address)
	if err != nil {
		return fmt.Errorf("the job's collector says where it is, but: %w", err)
	}
	a.state.At = address
	a.conn.Close()
	if err := a.connect(to); err != nil {
		return err
	}
	return errors.Join(errMoved, a.save())
}

// job is the one whose collector takes the batches.
func (a *Agent) job() string { return cmp.Or(a.state.Job, a.options.To.Job, link.DefaultJob) }

// timeSubject is where the collector that takes the batches is asked for the time.
func (a *Agent) timeSubject() string { return wire.TimeSubject(a.job(), a.state.Gather) }
