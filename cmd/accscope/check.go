package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/check"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// exitFindings is the status of a check that has found something.
const exitFindings = 4

// checkOptions are what accscope check is asked for.
type checkOptions struct {
	format formatFlag
	only   []string
	ignore []string
	output string
	force  bool
	diff   bool
	gpu    bool
	host   string // --compare-host: "" where it was not given
}

func newCheckCommand() *cobra.Command {
	flags := &checkOptions{}
	command := &cobra.Command{
		Use:   "check [flags] -- PROGRAM [ARGUMENTS...]",
		Short: "Is the program right on a GPU? Find races, wrong bounds and missing data, without a GPU",
		Long: `check runs a program on the simulated device, which executes what the program carries for
NVIDIA GPUs, with all gangs, workers and lanes, and looks at each access of each lane and
at each transfer. It finds

  race             lanes, workers or gangs that use the same memory in no order
  queue-race       operations of two queues that do, whichever came first this time
  out-of-bounds    accesses beyond what is on the device
  not-mapped       null pointers, and addresses of the host's
  uninitialised    values that nothing has written, where a kernel computes with them
  stale-on-device  what the host has changed, and nothing has sent
  stale-on-host    what a kernel has changed, nothing has brought, and the host reads; results
                   that go with the mapping, and that the host never gets (unsure)
  lost-write       results that a transfer overwrites before anybody has read them
  misaligned       addresses that are no multiples of the access's size
  barrier          lanes that wait at a barrier which others never reach
  trap             kernels that end themselves, as by abort
  differs          with --compare-host: results by the device's code and by the host's
  leak             data that are on the device when the program ends (unsure)
  swallowed-error  errors that the program went on after

and says for each pair of places once what it is, how often, and what to write instead.
The program is built as for a GPU, with lines; of one without code for NVIDIA GPUs the
kinds are looked for that need none, and the others are named:

  gcc -fopenacc -foffload=nvptx-none -g -O2 program.c
  accscope check -- ./a.out arguments...
  accscope check --only race,queue-race -- ./a.out
  accscope check --compare-host -- ./a.out
  accscope check --gpu -- ./a.out
  accscope check --diff -- ./a.out > mend.patch
  accscope check --format sarif -- ./a.out > findings.sarif
  accscope check -o checked.db -- ./a.out && accscope serve checked.db

Compiled with -fsanitize=thread as well, what the host's code reads and writes is seen, with
lines (stale-on-host, stale-on-device, queue-race, lost-write). Run in any other way such
a program has GCC's own sanitizer.

With --compare-host each kernel's host code runs as well, in a process of its own on the memory
that the kernel began with, and what both leave is compared: integers exactly, floating-point
numbers as rounding and the order of sums have it, or to TOLERANCE, a part of the larger one
(0: exactly). Kernels that print, allocate memory or use variables of declare directives, a clock
or what an atomic operation finds are not compared.

With --gpu the program runs on an NVIDIA GPU, at its speed. Nobody sees there what kernels read
and write: found are queue-race and leak by the events, swallowed-error, lost-write by hashes of
what is transferred, and stale-on-host by the program's text (unsure).

With --diff the changes that mend the findings are written to standard output as a patch of
the sources, for patch -p0 or git apply, where the text says what to write; of the others it
is told why there is none. Those that are unsure are left out: advise --diff --finding NUMBER
has the patch of one, of a trace that -o keeps.

Findings are told on standard error when the program has ended; with --format json or sarif
they are all that is on standard output, as the patch is, and what the program prints there
goes to standard error. --ignore and a file .accscope-ignore leave findings out, as for advise.

The exit status is 4 with findings, else that of the program. Findings that may be meant so
are marked unsure, and do not count.`,
		Args: arguments(cobra.MinimumNArgs(1), "a program after --"),
		RunE: func(command *cobra.Command, args []string) error {
			return flags.check(command.OutOrStdout(), command.ErrOrStderr(), args)
		},
	}
	command.Flags().SetInterspersed(false)
	flags.format.register(command, formatSARIF)
	f := command.Flags()
	f.StringSliceVar(&flags.only, "only", nil, "tell findings of these `KINDS` alone: "+strings.Join(kinds(), ", "))
	f.StringArrayVar(&flags.ignore, "ignore", nil, "leave out findings of this `NAME`: KIND@FILE:FUNCTION, or a begin of it; can be repeated")
	f.StringVarP(&flags.output, "output", "o", "", "keep the trace as this `FILE`: report, serve, top and advise show the findings, too")
	f.StringVar(&flags.host, "compare-host", "", "compare what each kernel leaves with what its host code does: floating-point numbers to `TOLERANCE`, a part of the larger one")
	f.Lookup("compare-host").NoOptDefVal = "on"
	f.BoolVar(&flags.gpu, "gpu", false, "run on an NVIDIA GPU, and find what needs no look at the accesses of kernels")
	f.BoolVar(&flags.diff, "diff", false, "write a patch of the sources that mends the findings")
	f.BoolVar(&flags.force, "force", false, "overwrite the trace given by -o")
	completeFlag(command, "only", kinds()...)
	return command
}

func kinds() (list []string) {
	for _, k := range check.Kinds {
		list = append(list, k.Name)
	}
	return list
}

func (flags *checkOptions) check(out, told io.Writer, args []string) error {
	shape, err := flags.format.parse()
	if err != nil {
		return err
	}
	if flags.diff && shape != report.FormatText {
		return usageError{errors.New("--diff and --format exclude one another")}
	}
	for _, kind := range flags.only {
		if !slices.Contains(kinds(), kind) {
			return usageError{fmt.Errorf("--only %q: there is no such kind; there are %s", kind, strings.Join(kinds(), ", "))}
		}
	}
	if slices.Contains(flags.only, check.Differs) && flags.host == "" {
		flags.host = "on"
	}
	if flags.gpu && flags.host != "" {
		return usageError{errors.New("--gpu and --compare-host exclude one another: on a GPU nobody sees what a kernel leaves")}
	}
	if tolerance, err := strconv.ParseFloat(flags.host, 64); flags.host != "" && flags.host != "on" && (err != nil || !(tolerance >= 0) || math.IsInf(tolerance, 0)) {
		return usageError{fmt.Errorf("--compare-host=%s: a number of 0 or more is wanted, such as 1e-6", flags.host)}
	}
	patterns, err := ignored("", flags.ignore)
	if err != nil {
		return err
	}
	if err := traceOutput(flags.output); err != nil {
		return err
	}
	program, err := launch.Inspect(args[0])
	if err != nil {
		return statusError{err, exitNotFound}
	}
	code := !flags.gpu && (program.PTX || program.Kind != launch.GCC) // a script may start what has some
	trace := flags.output
	if trace == "" {
		folder, err := os.MkdirTemp("", "accscope-check-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		trace = filepath.Join(folder, "check.db")
	}
	end, err := flags.record(trace, code, shape == report.FormatText && !flags.diff, told, args)
	if err != nil {
		return err
	}
	opened, err := store.Open(trace)
	if errors.Is(err, fs.ErrNotExist) && end != exitRunFailed {
		return flags.unused(shape, end, out, told)
	}
	if err != nil {
		return fmt.Errorf("the program was not recorded: %w", err)
	}
	defer opened.Close()
	sure, err := flags.tell(opened, code, shape, out, told, patterns)
	switch {
	case err != nil:
		return err
	case sure > 0:
		return statusError{status: exitFindings}
	case end != 0:
		return statusError{status: end}
	}
	return nil
}

// unused tells that the program has called nothing of OpenACC, and gives its status.
func (flags *checkOptions) unused(shape report.Format, end int, out, told io.Writer) error {
	none := &check.Checked{Not: []string{strings.Join(check.NeedCode(), ", ") + ": the program has called nothing of OpenACC"}}
	var err error
	switch shape {
	case report.FormatJSON:
		err = check.WriteJSON(out, []*check.Finding{}, none)
	case formatSARIF:
		err = advice.WriteChecked(out, nil, none, version())
	default:
		err = check.WriteText(told, nil, none, proseWidth(os.Stderr))
	}
	if err != nil || end == 0 {
		return err
	}
	return statusError{status: end}
}

// record runs the program, and gives its exit status.
func (flags *checkOptions) record(trace string, code, text bool, told io.Writer, args []string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	words := []string{"run", "-q", "--must-record", "--device", "sim", "-o", trace}
	switch {
	case flags.gpu:
		words = []string{"run", "-q", "--must-record", "--device", "nvidia", "--hash", "-o", trace}
	case code:
		words = append(words, "--code", "gpu")
	}
	if flags.force {
		words = append(words, "--force")
	}
	command := exec.Command(self, append(append(words, "--"), args...)...)
	command.Env = os.Environ()
	if code {
		libraries, err := launch.FindLibraries()
		if err != nil {
			return 0, err
		}
		command.Env = append(launch.SeeHost(command.Env, libraries), "ACCSCOPE_SIM_CHECK=on", "ACCSCOPE_SIM_COMPARE_HOST="+flags.host)
	}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, told
	if !text {
		command.Stdout = told
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, launch.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	defer signal.Stop(signals)
	if err := command.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			if s != os.Interrupt { // a terminal sends this one to both
				_ = command.Process.Signal(s)
			}
		}
	}()
	err = command.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status, known := exit.Sys().(syscall.WaitStatus)
		if known && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	case err != nil:
		return 0, err
	}
	return 0, nil
}

// tell writes the findings, and gives how many of them are sure.
func (flags *checkOptions) tell(trace *store.Trace, code bool, shape report.Format, out, told io.Writer, patterns []advice.Pattern) (sure int, err error) {
	findings, checked, err := check.Find(trace)
	if err != nil {
		return 0, err
	}
	looked := checked != nil
	if !looked {
		if checked, err = check.Count(trace); err != nil {
			return 0, err
		}
		why := "the program carries no code for NVIDIA GPUs: compile and link it with -fopenacc -foffload=nvptx-none -g (Debian: gcc-12-offload-nvptx)"
		switch {
		case flags.gpu:
			why = "on a GPU nobody sees what kernels read and write: without --gpu they are looked for on the simulated device"
		case code:
			why = "no kernel ran on the device"
		}
		checked.Not = []string{strings.Join(check.NeedCode(), ", ") + ": " + why}
	}
	recorded, err := advice.Recorded(trace, !looked)
	if err != nil {
		return 0, err
	}
	findings = append(append([]*check.Finding{}, findings...), recorded...)
	if flags.gpu {
		reverted, err := advice.Reverted(trace)
		if err != nil {
			return 0, err
		}
		findings = append(findings, reverted...)
	}
	if looked && !checked.HostSeen || flags.gpu {
		read, err := advice.StaleReads(trace)
		if err != nil {
			return 0, err
		}
		for _, f := range read { // what is given up in the end is told already
			if !slices.ContainsFunc(findings, func(other *check.Finding) bool {
				return other.Kind == f.Kind && other.Variable == f.Variable && other.Function == f.Function
			}) {
				findings = append(findings, f)
			}
		}
	}
	findings = slices.DeleteFunc(findings, func(f *check.Finding) bool {
		return len(flags.only) > 0 && !slices.Contains(flags.only, f.Kind) || advice.CoversCheck(patterns, f)
	})
	for _, f := range findings {
		if !f.Unsure {
			sure++
		}
	}
	switch shape {
	case report.FormatJSON:
		return sure, check.WriteJSON(out, findings, checked)
	case formatSARIF:
		return sure, advice.WriteChecked(out, findings, checked, version())
	}
	if err := check.WriteText(told, findings, checked, proseWidth(os.Stderr)); err != nil || !flags.diff {
		return sure, err
	}
	return sure, flags.mend(trace, findings, out, told)
}

// mend writes the patch of those findings that are sure.
func (flags *checkOptions) mend(trace *store.Trace, findings []*check.Finding, out, told io.Writer) error {
	mended, err := advice.Mended(trace, findings)
	if err != nil {
		return err
	}
	var chosen []int
	for i, f := range findings {
		if f.Unsure {
			fmt.Fprintf(told, "accscope: no patch of finding %d, %s at %s: it is unsure\n", i+1, f.Kind, mended[i].Place())
		} else {
			chosen = append(chosen, i)
		}
	}
	return writeDiff(out, told, mended, chosen)
}
