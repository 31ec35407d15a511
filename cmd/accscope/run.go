package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/collector/gather/link"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/runtime/sim/card"
)

// runFlags are the flags of run.
type runFlags struct {
	output      string
	force       bool
	mustRecord  bool
	runtime     string
	device      string
	code        string
	counters    bool
	model       string
	noSummary   bool
	quiet       bool
	paused      bool
	last        string
	limit       string
	events      string
	minBytes    string
	queue       string
	callStack   string
	hash        bool
	activity    string
	sample      int // samples of a second of processor time; 0: none
	otlp        bool
	backend     otlp.Target
	otlpTimeout time.Duration
	metrics     string
	tui         bool
	web         bool
	hold        bool
	noOpen      bool
	linger      time.Duration
	to          toFlags
	target      *link.Target // of to; nil: the trace is kept here
}

const runHelp = `run starts a program, captures every OpenACC event in it and in the processes it
starts, stores them in a SQLite trace while it runs, and prints a summary to
standard error. The program's streams are its own. run ends as the program did:
with its exit status, or by its signal.

Processes that the program leaves behind are followed too: at a terminal until
the last one has ended, or Ctrl+C lets them go. Without a terminal, and after
Ctrl+C or SIGTERM, that ends --linger after the program; what still runs then
stays in the session, which accscope ls shows and accscope import completes.

  accscope run -- ./program arguments...
  accscope run -o solver.db --device sim -- ./solver
  mpirun -n 4 accscope run -- ./program       one trace of all ranks of the node
  srun accscope run --to nats://head:4222 -- ./program
                                              one of all nodes (accscope gather)
  accscope run -- mpirun -n 4 ./program       the same

A profiler keeps no job from running. Where -o is taken the trace gets another name
(the number of a batch job's restart, or -2, -3, ...), and where nothing can be
recorded the program runs unprofiled; a line says so. --must-record is for those who
want the run to end with status 125 instead.

The program runs on our OpenACC runtime if it was compiled by GCC, else on its
own (--runtime). --device chooses what ACC_DEVICE_TYPE does: sim is a simulated
accelerator with a memory of its own, host the processor. --code gpu has sim execute
what the program carries for NVIDIA GPUs (gcc -foffload=nvptx-none), with all gangs,
workers and lanes, and tells of addresses that are no memory of the device.
--counters has it count what each source line of a kernel does there: instructions,
lanes that took part, and what its loads and stores ask of a GPU's memory.`

func newRunCommand() *cobra.Command {
	var flags runFlags
	command := &cobra.Command{
		Use:   "run [flags] -- PROGRAM [ARGUMENTS...]",
		Short: "Profile a program: run it, keep a trace, print a summary",
		Long:  runHelp,
		Args:  arguments(cobra.MinimumNArgs(1), "a program after --"),
		RunE: func(_ *cobra.Command, args []string) error {
			return flags.run(args)
		},
	}
	command.Flags().SetInterspersed(false)
	f := command.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the trace's `FILE` (default PROGRAM.accscope.db here, then -2, -3, ...)")
	f.BoolVar(&flags.force, "force", false, "overwrite the trace given by -o; nothing else is ever overwritten")
	f.BoolVar(&flags.mustRecord, "must-record", false, "end with status 125 where the program cannot be recorded as asked for, and do not run it")
	f.StringVar(&flags.runtime, "runtime", "auto", "OpenACC `RUNTIME`: auto, native (the program's own) or accscope (ours)")
	f.StringVar(&flags.device, "device", "", "device `TYPE` to run on: sim, host, nvidia, ... (default: the best present)")
	f.StringVar(&flags.code, "code", "", "with --device sim: `CODE` that kernels run: host (compiled for this processor) or gpu (for NVIDIA GPUs, executed)")
	f.BoolVar(&flags.counters, "counters", false, "with --code gpu, which it includes: count what kernels do, by kernel and source line (accscope report --lines KERNEL)")
	f.BoolVar(&flags.noSummary, "no-summary", false, "print no report at the end")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print nothing but errors")
	f.DurationVar(&flags.linger, "linger", 10*time.Second, "without a terminal, and after Ctrl+C: follow what the program leaves behind for this `TIME`")
	f.BoolVar(&flags.paused, "paused", false, "start with capture switched off; accscope attach switches it on")
	f.StringVar(&flags.last, "last", "", "flight recorder: keep only the newest `AMOUNT` (30s or 512MiB)")
	f.StringVar(&flags.limit, "limit", "", "ceiling of the capture's `SIZE` for each process (default 1GiB)")
	f.StringVar(&flags.events, "events", "", "record only these `EVENTS`: enqueue_launch,create,... or memory, data, compute, transfers, annotations, mpi; -NAME leaves them out")
	f.StringVar(&flags.minBytes, "min-bytes", "", "record only data events of at least this `SIZE` (4KiB)")
	f.StringVar(&flags.queue, "queue", "", "record only events of these async `QUEUES` (1,2,sync)")
	f.StringVar(&flags.activity, "activity", "", "how device times are taken, a `MODE`: auto (on NVIDIA GPUs kernels tell theirs, events or, where they are many, CUPTI those of transfers), cupti (all of them by it), runtime (never by it) or off")
	f.StringVar(&flags.callStack, "callstack", "", "which host call stacks are recorded, a `MODE`: caller, full or off")
	f.BoolVar(&flags.hash, "hash", false, "take a hash of what each transfer moves: advise then knows what was sent again or came back unchanged")
	f.IntVar(&flags.sample, "sample", 0, fmt.Sprintf("sample what all threads have processors for, so `MANY` times (default %d) in a second of each one's processor time", cpusamples.DefaultRate))
	f.Lookup("sample").NoOptDefVal = strconv.Itoa(cpusamples.DefaultRate)
	completeFlag(command, "runtime", "auto", "native", "accscope")
	completeFlag(command, "device", launch.Devices...)
	f.StringVar(&flags.model, "model", "", "with --code gpu, which it includes: device times as on a `GPU`: h100, h200, or a file that describes one")
	completeFlag(command, "code", "host", "gpu")
	completeFlag(command, "model", "h100", "h200")
	completeFlag(command, "activity", "auto", "cupti", "runtime", "off")
	completeFlag(command, "callstack", "caller", "full", "off")
	f.BoolVar(&flags.tui, "tui", false, "watch the run in the terminal; the program's output goes to a pane")
	f.BoolVar(&flags.web, "web", false, "watch the run in the browser: prints the address, and opens it where there is a display")
	f.BoolVar(&flags.hold, "hold", false, "with --web: without a terminal too, keep the page open after the run until SIGINT or SIGTERM")
	f.BoolVar(&flags.noOpen, "no-open", false, "with --web: do not open the browser")
	f.BoolVar(&flags.otlp, "otlp", false, "send spans and metrics to an OpenTelemetry backend while the program runs")
	f.StringVar(&flags.backend.Endpoint, "endpoint", "", "with --otlp: `URL` to send to (default OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318)")
	f.StringVar(&flags.backend.Protocol, "protocol", "", "with --otlp: `PROTOCOL` grpc or http (default OTEL_EXPORTER_OTLP_PROTOCOL, else by the port)")
	f.DurationVar(&flags.otlpTimeout, "otlp-timeout", 10*time.Second, "with --otlp: wait at most this `TIME` after the run's end for the backend to take the rest")
	flags.to.register(command)
	f.StringVar(&flags.metrics, "metrics", "", "serve metrics for Prometheus at `ADDRESS` (127.0.0.1:9464) while the program runs")
	return command
}

// chooseCode has the simulated device run the code that --code names, and count what that does.
func (flags *runFlags) chooseCode() error {
	if flags.counters && flags.code == "host" {
		return usageError{errors.New("--counters counts what the code for GPUs does: leave --code host out, or write --code gpu")}
	}
	if flags.model != "" && flags.code == "host" {
		return usageError{errors.New("--model goes by what the code for GPUs does: leave --code host out, or write --code gpu")}
	}
	if flags.model != "" {
		if _, err := card.Load(flags.model); err != nil {
			return usageError{fmt.Errorf("--model: %w", err)}
		}
		flags.code = "gpu"
		if err := os.Setenv("ACCSCOPE_SIM_MODEL", flags.model); err != nil {
			return err
		}
	}
	if flags.counters {
		flags.code = "gpu"
		if err := os.Setenv("ACCSCOPE_SIM_COUNTERS", "on"); err != nil {
			return err
		}
	}
	switch {
	case flags.code == "":
		return nil
	case flags.code != "host" && flags.code != "gpu":
		return usageError{fmt.Errorf("--code %q is no code of the program; there are host and gpu", flags.code)}
	case flags.device != "" && !strings.EqualFold(flags.device, "sim"):
		return usageError{fmt.Errorf("--code %s is for the simulated device: leave --device %s out, or write --device sim", flags.code, flags.device)}
	}
	flags.device = "sim"
	return os.Setenv("ACCSCOPE_SIM_CODE", flags.code)
}

func (flags *runFlags) run(args []string) error {
	if err := flags.chooseCode(); err != nil {
		return err
	}
	if err := flags.checkCapture(); err != nil {
		return err
	}
	if !flags.web && (flags.hold || flags.noOpen) {
		return usageError{errors.New("--hold and --no-open go with --web")}
	}
	if err := traceOutput(flags.output); err != nil {
		return err
	}
	if flags.otlpTimeout < 0 {
		return usageError{fmt.Errorf("--otlp-timeout %s: want a time like 10s; 0 waits for nothing", flags.otlpTimeout)}
	}
	unreachable := flags.checkTarget()
	if usage := (usageError{}); errors.As(unreachable, &usage) {
		return unreachable
	}
	program, err := launch.Inspect(args[0])
	if err != nil {
		flags.absent(launch.Program{Path: args[0]}, missedPatience)
		if _, none := strconv.Atoi(args[0]); none == nil && flags.sample > 0 {
			return usageError{fmt.Errorf("%s is no program; of --sample it is the number as --sample=%s", args[0], args[0])}
		}
		status := exitCannotStart
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not found") {
			status = exitNotFound
		}
		return statusError{err, status}
	}
	wanted, err := launch.ParseRuntime(flags.runtime)
	if err != nil {
		return usageError{err}
	}
	if err := launch.CheckDevice(program, flags.device); err != nil {
		return usageError{err}
	}
	choice, err := launch.Choose(program, wanted, flags.device)
	if err = cmp.Or(unreachable, err); err != nil {
		return flags.unrecorded(program, args, err)
	}
	libraries, err := launch.FindLibraries()
	if err != nil {
		return flags.unrecorded(program, args, err)
	}
	recording, err := startRecording(flags, program)
	if err != nil {
		return flags.unrecorded(program, args, err)
	}
	if !flags.quiet {
		notice(fmt.Sprintf("%s on %s: %s", filepath.Base(program.Path), runtimeName(choice), choice.Reason))
		if program.Kind == launch.GCC {
			if ignored := ignoredDirective(program.Path); ignored != "" {
				notice(ignored)
			}
		}
	}
	span, err := programSpan(flags, recording)
	if err = flags.without(err); err != nil {
		recording.abandon()
		return statusError{err, exitRunFailed}
	}
	hash := ""
	if flags.hash {
		hash = "on"
	}
	environment := launch.Environment(os.Environ(), libraries, choice, flags.device, launch.Capture{
		Session: recording.folder(), Paused: flags.paused, Last: flags.last, Limit: flags.limit,
		Events: flags.events, MinBytes: flags.minBytes, Queue: flags.queue, CallStack: flags.callStack, Activity: flags.activity, Hash: hash, Span: span, MPI: libraries.ChooseMPI(program, args[1:]), Hasty: flags.target != nil})
	watch, err := startWatch(flags, recording)
	if err = flags.without(err); err != nil {
		recording.abandon()
		return statusError{err, exitRunFailed}
	}
	live, err := startLive(flags, recording)
	if err = flags.without(err); err != nil {
		recording.abandon()
		return statusError{err, exitRunFailed}
	}
	figures, err := startMetrics(flags, recording, filepath.Base(program.Path))
	if err = flags.without(err); err != nil {
		recording.abandon()
		return statusError{err, exitRunFailed}
	}
	samples, err := flags.startSampling(recording.folder())
	if err = flags.without(err); err != nil {
		recording.abandon()
		return statusError{err, exitRunFailed}
	}
	stdin, stdout, stderr, attributes := watch.streams()
	process, err := samples.launch(func() (*launch.Process, error) {
		return launch.Start(program, args, environment, stdin, stdout, stderr, attributes)
	})
	if err != nil {
		recording.abandon()
		if launch.Lacked(err) {
			return flags.unrecorded(program, args, err)
		}
		return statusError{err, exitCannotStart}
	}
	defer process.Close()
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- recording.follow(ctx) }()
	watched := watch.show(recording, process)
	end, unknown := process.Wait()
	cancel()
	samples.end()
	failure := errors.Join(unknown, <-followed)
	if failure == nil {
		recording.note(process, end)
	}
	if failure == nil {
		failure = recording.outlived(process, end)
	}
	recording.status(process, end)
	live.end()
	// What goes wrong with the view, whose terminal may have gone, does not keep
	// the trace from being finished.
	watched = errors.Join(watched, watch.end())
	if failure == nil {
		watch.hold()
		failure = recording.finish(end, watch.finishing)
	}
	finishSending(flags, live, figures, recording.path, process.Asked())
	if failure == nil {
		failure = watch.linger(recording)
	}
	recording.discard()
	if failure != nil {
		kept := fmt.Sprintf("what was captured is kept: accscope import %s makes a trace of it (-o for another place)", shell.Path(recording.folder()))
		if flags.target != nil {
			kept = fmt.Sprintf("what was captured is kept: accscope import --to %s %s sends the rest, without --to it makes a trace of that", shell.Word(flags.to.url), shell.Path(recording.folder()))
		}
		switch captures, err := recording.session.Captures(); {
		case errors.Is(err, fs.ErrNotExist):
			kept = "the session is gone too, with what it had captured"
		case err == nil && len(captures) == 0:
			kept = "nothing was captured, and no trace is kept"
			recording.session.Remove() //nolint:errcheck // an empty folder among temporary things
		}
		fmt.Fprintf(stderr, "accscope: %s\naccscope: %s\n", schema.Plain(failure), kept)
	}
	if watched != nil {
		fmt.Fprintf(stderr, "accscope: %s\n", schema.Plain(watched))
	}
	switch {
	case unknown != nil:
		return statusError{status: exitRunFailed} // what failed has been said
	case failure != nil:
		end.Code = flags.kept(end)
	}
	end.Mirror()
	return nil
}

// missedPatience is how long a run whose program cannot be started tells the job's collector
// of it.
const missedPatience = 10 * time.Second

func runtimeName(choice launch.Choice) string {
	if choice.Runtime == launch.Accscope {
		return "accscope's runtime"
	}
	return "its own runtime"
}

// traceOutput refuses - as the name of a trace, which for other files is standard
// output: a trace is a database, and cannot be written as a stream.
func traceOutput(output string) error {
	if output == "-" {
		return usageError{errors.New("-o -: a trace is a database and cannot be written to a pipe; give a file, of which accscope export -o - writes other formats (./- is a file called -)")}
	}
	return nil
}
