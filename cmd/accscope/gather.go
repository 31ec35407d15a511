package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/gather"
	"github.com/accscope/accscope/collector/gather/agent"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store/archive"
)

const gatherHelp = `gather is the collector of a job of many nodes: it takes what accscope run --to
sends from each node, while the job runs, and makes one trace of it in a folder.
It runs anywhere that the nodes can reach, and needs no file system with them.

In a batch script, where $ACCSCOPE_TO then says to accscope run where it is:

  eval "$(accscope gather --start -o job)"
  srun accscope run -- ./program
  kill $ACCSCOPE_GATHER; wait $ACCSCOPE_GATHER

By hand, with a name that agents know it by (without one it prints what to tell them):

  accscope gather --listen 0.0.0.0:4222 --job heat -o job     on one machine
  accscope run --to nats://head:4222/heat -- ./program        on each node

It takes the agents of one job: the one that is named, else the batch system's, else one
of its own. Where its port or folder is taken it takes another, and says so.

It ends once all agents that came have ended, with --start only when it is told to;
with --ranks, once so many ranks have come, too; with --idle, once nothing has come for
that time; or by SIGTERM. Then
FOLDER/trace.db is the trace, and FOLDER/manifest.json says "complete": true. A gather
that was killed goes on when it is started again with the same folder; what nodes
send meanwhile stays on their disks.

Agents go through a NATS server (JetStream) in this process. --peers makes three or
more gathers a cluster, each with a share of the agents and a folder of its own, of
which one may be lost; --cluster goes through servers of yours instead.`

// gatherFlags are the flags of gather.
type gatherFlags struct {
	options gather.Options
	peers   string
	store   byteSize
	quiet   bool
	start   bool
	tell    string
	told    string
	pipe    *os.File
}

func newGatherCommand() *cobra.Command {
	var flags gatherFlags
	o := &flags.options
	command := &cobra.Command{
		Use:   "gather [flags] -o FOLDER",
		Short: "Collect what the nodes of a job send, into one trace",
		Long:  gatherHelp,
		Args:  arguments(cobra.NoArgs, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case flags.told != "":
				return awaitAddress(flags.told)
			case flags.start:
				return flags.printStart()
			}
			return flags.gather()
		},
	}
	f := command.Flags()
	f.StringVar(&o.Listen, "listen", "", "take agents at `ADDRESS`, HOST:PORT (default 127.0.0.1:4222, with --start 0.0.0.0:0; port 0: any that is free)")
	f.StringVarP(&o.Folder, "output", "o", "", "the result's `FOLDER`, new or one that a gather left unfinished")
	f.StringVar(&o.Job, "job", "", "the job's `NAME` (default: the batch system's job, else one of its own); agents say it as nats://HOST:PORT/NAME")
	f.BoolVar(&flags.start, "start", false, "print what a shell's eval starts the collector by: it runs in the background as $ACCSCOPE_GATHER, and $ACCSCOPE_TO is its address")
	f.StringVar(&flags.tell, "tell", "", "write the address into this `PIPE`")
	f.StringVar(&flags.told, "told", "", "print the address that comes through this `PIPE`")
	for _, hidden := range []string{"tell", "told"} {
		f.Lookup(hidden).Hidden = true // of --start
	}
	f.StringVar(&o.Cluster, "cluster", "", "go through these NATS servers, `URLS` separated by commas, not through one of its own")
	f.StringVar(&flags.peers, "peers", "", "be a cluster with the gathers at these `ADDRESSES` (their --peer-listen), separated by commas")
	f.StringVar(&o.PeerListen, "peer-listen", "", "with --peers: take the other gathers at `ADDRESS`, HOST:PORT")
	f.StringVar(&o.PeerName, "peer-name", "", "with --peers: the `ADDRESS` at which they reach this one, where that is another")
	f.IntVar(&o.Copies, "copies", 0, "on how many servers each batch is kept, a `NUMBER` (default 3 with --peers, else 1)")
	flags.store = 1 << 30
	f.Var(&flags.store, "store", "how much a server keeps that was not taken yet, a `SIZE`; more waits on the nodes")
	f.IntVar(&o.Ranks, "ranks", 0, "end only once this `NUMBER` of ranks has come, to all of the job's gathers together")
	f.DurationVar(&o.Idle, "idle", 0, "end once nothing has come for this `TIME`, however many agents have ended (those that run are heard of every 2s)")
	f.DurationVar(&o.EndWait, "end-wait", 5*time.Second, "after SIGTERM, wait for this `TIME` at most for agents that have not ended: batch systems send it to all of a job at once")
	f.BoolVar(&o.Keep, "keep", false, "leave the nodes' captures in the folder, too")
	f.BoolVar(&o.Archive, "archive", false, "make an archive (Parquet) while the job runs: FOLDER/archive takes the place of FOLDER/trace.db, which stays with --keep")
	f.Int64Var(&o.ArchiveRows, "archive-rows", archive.FileRows, "with --archive: begin new files after this `NUMBER` of records, or ten minutes")
	f.StringVar(&o.Files.Token, "token-file", "", "agents must know the token in this `FILE`")
	f.StringVar(&o.Files.Cert, "tls-cert", "", "encrypt: this side's certificate, a `FILE` (PEM)")
	f.StringVar(&o.Files.Key, "tls-key", "", "its key, a `FILE` (PEM)")
	f.StringVar(&o.Files.CA, "tls-ca", "", "agents must show a certificate signed by one in this `FILE` (PEM)")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print nothing but errors")
	return command
}

// check completes the options.
func (flags *gatherFlags) check() error {
	o := &flags.options
	switch {
	case o.Folder == "":
		return errors.New("say with -o which folder gets the result")
	case o.Ranks < 0 || o.Idle < 0 || o.Copies < 0 || o.EndWait < 0:
		return errors.New("--ranks, --idle, --copies and --end-wait: want a positive number")
	case o.Ranks > 0 && o.Idle > 0:
		return errors.New("--ranks and --idle are two ways to know the job's end: want one of them")
	case o.Cluster != "" && (o.Listen != "" || flags.peers != ""):
		return errors.New("--cluster goes through other servers: --listen and --peers are for one of gather's own")
	case (flags.peers == "") != (o.PeerListen == ""):
		return errors.New("--peers and --peer-listen go together")
	case o.ArchiveRows < 1:
		return fmt.Errorf("--archive-rows %d: want 1 or more", o.ArchiveRows)
	case o.Job != "" && !link.ValidJob(o.Job):
		return fmt.Errorf("--job %q: want letters, digits, - and _", o.Job)
	}
	if o.Listen == "" && o.Cluster == "" {
		o.Listen = "127.0.0.1:4222"
		if flags.start || flags.tell != "" {
			o.Listen = "0.0.0.0:0"
		}
	}
	if flags.peers != "" {
		for peer := range strings.SplitSeq(flags.peers, ",") {
			o.Peers = append(o.Peers, strings.TrimSpace(peer))
		}
	}
	if flags.store < 1<<20 {
		return errors.New("--store: want a size of 1MiB or more")
	}
	o.Store = int64(flags.store)
	return nil
}

func (flags *gatherFlags) gather() error {
	if err := flags.check(); err != nil {
		return usageError{err}
	}
	o := &flags.options
	o.Warn = func(text string) { fmt.Fprintf(stderr, "accscope: %s\n", text) }
	o.By, o.Stay = version(), flags.tell != ""
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	g, err := flags.open()
	if told := flags.tellAddress(g); err != nil || told != nil {
		return errors.Join(err, told)
	}
	if !flags.quiet {
		fmt.Fprintf(stderr, "accscope: gathering in %s; on the nodes: accscope run --to %s -- PROGRAM\n", shown(o.Folder), shell.Word(g.Address()))
	}
	s, err := g.Run(ctx)
	if err != nil {
		return err
	}
	if !flags.quiet {
		fmt.Fprintln(stderr, "accscope: "+gathered(s, o.Folder))
	}
	return nil
}

// open opens the collector. Where its folder is taken it gets another one: nobody waits for
// agents that have no collector.
func (flags *gatherFlags) open() (g *gather.Gather, err error) {
	o, wanted := &flags.options, flags.options.Folder
	var taken error
	for o.Folder = range resultNames(wanted) {
		if g, err = gather.Open(*o); !errors.Is(err, gather.ErrTaken) {
			break
		}
		taken = cmp.Or(taken, err)
	}
	if err == nil && taken != nil {
		fmt.Fprintf(stderr, "accscope: %s: the result is %s\n", oneLine(taken), shown(o.Folder))
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// gathered says what a result holds.
func gathered(s gather.Summary, folder string) string {
	lost := "none lost"
	if s.Lost > 0 {
		lost = fmt.Sprintf("%d LOST", s.Lost)
	}
	text := fmt.Sprintf("%d ranks of %d agents, %d events (%s) in %s/%s", s.Ranks, s.Agents, s.Events, lost, shown(folder), s.Trace)
	if open := s.Agents - s.Ended; open > 0 {
		text += fmt.Sprintf("; %d agents have NOT ended: what they had not sent is on their nodes", open)
	}
	return text
}

// toFlags say where a node's captures are sent.
type toFlags struct {
	url   string
	files link.Files
	wait  time.Duration
	given func(flag string) bool // on the command line, not by a variable
}

// register adds the flags to a command.
func (flags *toFlags) register(command *cobra.Command) {
	f := command.Flags()
	flags.given = f.Changed
	f.StringVar(&flags.url, "to", os.Getenv("ACCSCOPE_TO"), "send what is captured to the job's collector (accscope gather) at `URL`, and keep no trace here (ACCSCOPE_TO)")
	f.StringVar(&flags.files.Token, "to-token", os.Getenv("ACCSCOPE_TO_TOKEN"), "with --to: a `FILE` with the collector's token (ACCSCOPE_TO_TOKEN)")
	f.StringVar(&flags.files.CA, "to-ca", os.Getenv("ACCSCOPE_TO_CA"), "with --to: a `FILE` with certificates (PEM) that the collector's must be signed by (ACCSCOPE_TO_CA)")
	f.StringVar(&flags.files.Cert, "to-cert", os.Getenv("ACCSCOPE_TO_CERT"), "with --to: this node's certificate, a `FILE` (ACCSCOPE_TO_CERT)")
	f.StringVar(&flags.files.Key, "to-key", os.Getenv("ACCSCOPE_TO_KEY"), "with --to: its key, a `FILE` (ACCSCOPE_TO_KEY)")
	f.DurationVar(&flags.wait, "to-wait", 2*time.Minute, "with --to: try for this `TIME` after the end to send what is left")
	for _, name := range []string{"to", "to-token", "to-ca", "to-cert", "to-key"} {
		f.Lookup(name).DefValue = "" // the variables say
	}
}

// target is where to, nil where nothing is sent. What is wrong on the command line is a
// usageError.
func (flags *toFlags) target() (*link.Target, error) {
	if flags.url == "" {
		return nil, nil
	}
	if flags.wait <= 0 {
		return nil, usageError{fmt.Errorf("--to-wait %s: want a time like 30s", flags.wait)}
	}
	target, err := link.Parse(flags.url, flags.files)
	if err != nil && flags.given("to") {
		return nil, usageError{err}
	}
	return target, err
}

// checkTarget reads where to. What goes with a trace that is made here is refused with --to; a
// variable that the batch script has set gives way to it.
func (flags *runFlags) checkTarget() (err error) {
	here := ""
	for _, each := range []struct {
		flag  string
		given bool
	}{{"-o", flags.output != ""}, {"--force", flags.force}, {"--tui", flags.tui}, {"--web", flags.web}, {"--otlp", flags.otlp},
		{"--metrics", flags.metrics != ""}, {"--last", flags.last != ""}} {
		if each.given && here == "" {
			here = each.flag
		}
	}
	switch {
	case here == "" || flags.to.url == "":
	case !flags.to.given("to"):
		fmt.Fprintf(stderr, "accscope: %s: the trace is made here, and nothing is sent to ACCSCOPE_TO\n", here)
		flags.to.url = ""
	case here == "--last":
		return usageError{errors.New("--last keeps the newest of what is captured: with --to all of it is sent")}
	default:
		return usageError{fmt.Errorf("%s goes with a trace that is made here: with --to the job's collector makes it", here)}
	}
	flags.target, err = flags.to.target()
	return err
}

// sendSessions sends what agents left of sessions to a job's collector.
func sendSessions(names []string, target *link.Target, flags *toFlags) error {
	for _, name := range names {
		s, err := session.Open(name)
		if err != nil {
			return fmt.Errorf("%w; --to sends sessions, of which accscope ls has a list", err)
		}
		if trace, err := s.Trace(); err != nil || trace != "" {
			return errors.Join(err, fmt.Errorf("%s has begun the trace %s: import it without --to", s.Name(), trace))
		}
		if err := sendSession(s, target, flags); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "accscope: %s is sent to %s\n", s.Name(), target)
	}
	return nil
}

func sendSession(s *session.Session, target *link.Target, flags *toFlags) error {
	lock, err := s.Lock()
	if err != nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // the session is removed, or left to be sent again
	running, err := s.Running()
	if err != nil {
		return err
	}
	sender, err := agent.Open(agent.Options{Session: s, To: target, Wait: flags.wait,
		Warn: func(line string) { fmt.Fprintf(stderr, "accscope: %s\n", line) }})
	if err != nil {
		return err
	}
	if len(running) > 0 {
		return errors.Join(sender.Suspend(), fmt.Errorf("%s still run: what there is by now is sent; send the rest once they have ended", list(running)))
	}
	if err := sender.Finish(); err != nil {
		return err
	}
	return s.Remove()
}
