package gather

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/gather/wire"
)

// ErrTaken is wrapped by Open's error where the folder is that of another result, or of
// somebody else.
var ErrTaken = errors.New("choose another folder with -o")

// jobOf is the job whose agents the collector takes, where none is named: the batch system's,
// the one of the result that is gone on with, else one that no other collector has. Collectors
// that share servers have to be told the same otherwise.
func jobOf(o *Options, begun *manifest) string {
	switch {
	case o.Job != "":
		return o.Job
	case link.BatchJob() != "":
		return link.BatchJob()
	case begun != nil:
		return begun.Job
	case o.Cluster != "" || len(o.Peers) > 0:
		return link.DefaultJob
	}
	return "job-" + strings.ToLower(rand.Text()[:12])
}

// strays has the collector answer agents whose address names no job, and that have found no
// collector of their own here.
func (g *Gather) strays(conn *nats.Conn) error {
	if g.server == nil || g.options.Job == link.DefaultJob {
		return nil
	}
	_, err := conn.QueueSubscribe(wire.JoinSubject(link.DefaultJob), consumer, func(m *nats.Msg) {
		var question wire.Join
		if json.Unmarshal(m.Data, &question) != nil {
			return
		}
		whose := "says no job"
		if question.Job != "" {
			whose = "is of job " + question.Job
		}
		g.respond(m, wire.Joined{Gather: g.name, Stray: true,
			Refused: fmt.Sprintf("it collects for job %s, and this agent %s: give agents the address that their own accscope gather says, with the job's name (this one's is %s)", g.options.Job, whose, g.Address())})
	})
	return err
}

// direct tells agents of this job that ask at the address where this collector was to listen
// where it does: the program that is there may be the collector of another job.
func (g *Gather) direct() error {
	wanted := g.options.Listen
	host, port, err := net.SplitHostPort(wanted)
	if err != nil {
		return err
	}
	if at := net.ParseIP(host); host == "" || at != nil && at.IsUnspecified() {
		host = "127.0.0.1"
	}
	there, err := link.Parse(g.server.scheme+"://"+net.JoinHostPort(host, port), g.options.Files)
	if err != nil {
		return err
	}
	if g.elsewhere, err = there.Connect("accscope gather "+g.name, nil); err != nil {
		return err
	}
	go g.takeOver(wanted)
	_, err = g.elsewhere.Subscribe(wire.JoinSubject(g.options.Job), func(m *nats.Msg) {
		g.respond(m, wire.Joined{Gather: g.name, At: g.Address()})
	})
	return err
}

// takeOver listens where the collector was to listen, once the program that is there has gone,
// and hands connections on: agents that were told that address come then, too.
func (g *Gather) takeOver(address string) {
	to := g.server.server.Addr().String()
	for {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			context.AfterFunc(g.open, func() { listener.Close() })
			for {
				from, err := listener.Accept()
				if err != nil {
					return
				}
				go handOn(from, to)
			}
		}
		select {
		case <-g.open.Done():
			return
		case <-time.After(anew):
		}
	}
}

// handOn joins a connection to an address.
func handOn(from net.Conn, address string) {
	defer from.Close()
	to, err := net.Dial("tcp", address)
	if err != nil {
		return // who has connected sees it end, and tries again
	}
	defer to.Close()
	go func() {
		io.Copy(to, from) //nolint:errcheck // either side ends it
		to.Close()
	}()
	io.Copy(from, to) //nolint:errcheck // likewise
}

// respond answers who asked.
func (g *Gather) respond(m *nats.Msg, answer wire.Joined) {
	text, err := json.Marshal(answer)
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		g.warn(err.Error())
	}
}
