package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/turns"
)

// tryFlags are what accscope try is asked for.
type tryFlags struct {
	build, source, device string
	compare, ignore       []string
	tolerance             float64
	finding, runs         int
	hash                  bool
}

// fewestTurns is how often each variant runs at least: fewer give no interval.
const fewestTurns = 5

func newTryCommand() *cobra.Command {
	flags := &tryFlags{}
	command := &cobra.Command{
		Use:   "try [flags] --build COMMAND -- PROGRAM [ARGUMENTS]",
		Short: "Apply what advise finds to a copy of the sources, and measure what it gains",
		Long: `try copies the current folder to a temporary one, builds and records the program there,
applies the patch of each finding alone and of all together, builds each, and runs them in
turns with the program as it is. It prints for each whether standard output, the exit
status and the files named by --compare are the same, and what the change gains: foretold,
and as measured, with an interval that holds the median gain with 95 % confidence (of five
turns 94 %).

Nothing in the folder is touched, and the copy is removed at the end, also after Ctrl+C. The
build's command runs in the copy's shell; it has to compile with -g, and by paths below
the folder.

  accscope try --build make -- ./heat 1000
  accscope try --finding 2 --build 'make -j4' --device sim -- ./heat 1000
  accscope try --build make --compare result.dat --tolerance 1e-9 -- ./heat 1000

The exit status is 1 where a change gives another result or does not build.`,
		Args: arguments(cobra.MinimumNArgs(1), "a program after --"),
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case flags.build == "":
				return usageError{errors.New("try: want --build COMMAND, such as --build make")}
			case flags.runs < fewestTurns:
				return usageError{fmt.Errorf("--runs %d: want %d or more", flags.runs, fewestTurns)}
			case flags.tolerance < 0:
				return usageError{fmt.Errorf("--tolerance %g: want 0 or more", flags.tolerance)}
			}
			ctx, stop := signal.NotifyContext(command.Context(), launch.NotIgnored(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
			defer stop()
			return flags.try(ctx, command.OutOrStdout(), command.ErrOrStderr(), args)
		},
	}
	command.Flags().SetInterspersed(false)
	f := command.Flags()
	f.StringVar(&flags.build, "build", "", "shell `COMMAND` that builds the program in the copied folder")
	f.StringVar(&flags.source, "source", ".", "`FOLDER` to copy, in which the build and the program run")
	f.IntVar(&flags.finding, "finding", 0, "try the finding of this `NUMBER` alone")
	f.IntVar(&flags.runs, "runs", fewestTurns, "how many `TURNS` each variant runs")
	f.StringArrayVar(&flags.compare, "compare", nil, "compare this `FILE` that the program writes, too; can be repeated")
	f.Float64Var(&flags.tolerance, "tolerance", 0, "numbers in what is compared may differ by this `SHARE` of themselves")
	f.StringArrayVar(&flags.ignore, "ignore", nil, "leave out findings of this `NAME`: RULE@FILE:FUNCTION, or a begin of it; can be repeated")
	f.StringVar(&flags.device, "device", "", "device `TYPE` to run on: sim, host, nvidia, ... (default: the best present)")
	f.BoolVar(&flags.hash, "hash", false, "record with hashes of what transfers move, as run does")
	completeFlag(command, "device", launch.Devices...)
	return command
}

// trial is the program as it is, or with changes.
type trial struct {
	name    string
	folder  string
	gain    int64 // foretold, ns
	failed  string
	seconds []float64
	first   *outcome
	differs string
}

func (flags *tryFlags) try(ctx context.Context, out, told io.Writer, args []string) error {
	source, err := filepath.Abs(flags.source)
	if err == nil {
		source, err = filepath.EvalSymlinks(source)
	}
	if err != nil {
		return err
	}
	if args, err = inCopy(source, args); err != nil {
		return err
	}
	patterns, err := ignored(source, flags.ignore)
	if err != nil {
		return err
	}
	top, err := os.MkdirTemp("", "accscope-try-")
	if err != nil {
		return err
	}
	err = flags.within(ctx, top, source, args, patterns, out, told)
	removed := os.RemoveAll(top)
	switch {
	case removed != nil:
		return errors.Join(err, fmt.Errorf("try: the copies are left in %s: %w", top, removed))
	case ctx.Err() != nil:
		return errors.New("try: interrupted; nothing is left of the copies")
	}
	return err
}

// within makes all copies in a folder, and tries them.
func (flags *tryFlags) within(ctx context.Context, top, source string, args []string, patterns []advice.Pattern, out, told io.Writer) error {
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		return err
	}
	say := func(format string, values ...any) { fmt.Fprintf(told, "accscope: "+format+"\n", values...) }
	base := &trial{name: "as it is", folder: filepath.Join(top, "0")}
	say("copying %s", source)
	if err := copyTree(ctx, source, base.folder, top); err != nil {
		return err
	}
	say("building: %s", flags.build)
	if output, err := run(ctx, base.folder, os.Environ(), "sh", "-c", flags.build); err != nil {
		return fmt.Errorf("the program as it is does not build (%w):\n%s", err, lastLines(output))
	}
	findings, err := flags.record(ctx, base.folder, filepath.Join(top, "trace.db"), args, patterns, told, say)
	if err != nil {
		return err
	}
	trials, err := flags.variants(ctx, top, source, base, findings, say)
	if err != nil {
		return err
	}
	if len(trials) == 1 {
		fmt.Fprintln(out, "nothing to try")
		return nil
	}
	if err := flags.inTurns(ctx, trials, args, say); err != nil {
		return err
	}
	return writeTrials(out, trials)
}

// inCopy is a program with its arguments as a copy of a folder has them: paths that lead into
// the folder become relative to it, so that no variant runs what another one is.
func inCopy(source string, args []string) ([]string, error) {
	args = slices.Clone(args)
	for i, arg := range args {
		program := i == 0 && strings.Contains(arg, "/")
		if !program && !filepath.IsAbs(arg) {
			continue
		}
		name, err := inFolder(source, arg)
		switch {
		case err != nil:
			return nil, fmt.Errorf("try: %w", err)
		case name != "":
			args[i] = "./" + name
		case program:
			return nil, usageError{fmt.Errorf("try: %s is not below %s: it would be the same program with each change; name one that the build makes there, or --source", arg, source)}
		}
	}
	return args, nil
}

// record runs the program once with the profiler, and gives what is found.
func (flags *tryFlags) record(ctx context.Context, folder, trace string, args []string, patterns []advice.Pattern, told io.Writer, say func(string, ...any)) ([]*advice.Finding, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	say("recording: %s", strings.Join(args, " "))
	words := []string{"run", "-q", "--no-summary", "--must-record", "-o", trace}
	if flags.device != "" {
		words = append(words, "--device", flags.device)
	}
	if flags.hash {
		words = append(words, "--hash")
	}
	output, err := run(ctx, folder, os.Environ(), self, append(append(words, "--"), args...)...)
	if _, statErr := os.Stat(trace); statErr != nil {
		return nil, fmt.Errorf("the program was not recorded (%v):\n%s", err, lastLines(output))
	}
	opened, err := store.Open(trace)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	opened.Interrupt(ctx.Done())
	left, err := adviceOf(opened, 0, patterns, told)
	if err != nil {
		return nil, err
	}
	if flags.finding < 0 || flags.finding > len(left) {
		return nil, usageError{fmt.Errorf("--finding %d: there are %d findings", flags.finding, len(left))}
	}
	return left, nil
}

// variants makes a copy for each finding with a patch, and one for all of them, and builds
// them. The first is the program as it is.
func (flags *tryFlags) variants(ctx context.Context, top, source string, base *trial, findings []*advice.Finding, say func(string, ...any)) ([]*trial, error) {
	trials := []*trial{base}
	var all []int
	add := func(name string, chosen []int) error {
		t := &trial{name: name, folder: filepath.Join(top, fmt.Sprint(len(trials)))}
		p := advice.PatchOf(findings, chosen)
		for _, i := range p.Findings {
			t.gain += findings[i].Gain
		}
		trials = append(trials, t)
		if err := copyTree(ctx, base.folder, t.folder, ""); err != nil {
			return err
		}
		for _, file := range p.Files() {
			name, inside := advice.Below(base.folder, file), p.Before(file)
			if name == "" {
				name = advice.Below(source, file)
			}
			if name == "" {
				t.failed = file + " is not below the folder"
				return nil
			}
			text, err := p.After(file)
			if err != nil {
				return err
			}
			path := filepath.Join(t.folder, name)
			if now, err := os.ReadFile(path); err != nil || string(now) != inside {
				t.failed = name + " is not what the program was compiled from"
				return nil
			}
			if real, err := filepath.EvalSymlinks(path); err != nil || nameBelow(t.folder, real) == "" {
				t.failed = name + " is a link to a file outside of the folder, which is left as it is"
				return nil
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				return err
			}
		}
		say("building with %s", name)
		if output, err := run(ctx, t.folder, os.Environ(), "sh", "-c", flags.build); err != nil {
			t.failed = fmt.Sprintf("does not build (%v)", err)
			say("with %s it does not build:\n%s", name, lastLines(output))
		}
		return ctx.Err()
	}
	for i, f := range findings {
		switch {
		case flags.finding != 0 && flags.finding != i+1:
			continue
		case len(f.Edits) == 0:
			say("no patch of finding %d, %s at %s: %s", i+1, f.Rule, f.Place(), f.NoPatch)
			continue
		}
		all = append(all, i)
		if err := add(fmt.Sprintf("%d %s %s", i+1, f.Rule, f.Place()), []int{i}); err != nil {
			return nil, err
		}
	}
	if name, together := allOf(findings, all, say); len(together) > 1 {
		if err := add(name, together); err != nil {
			return nil, err
		}
	}
	return trials, nil
}

// allOf names the variant of all findings that can be changed together, and says which cannot.
func allOf(findings []*advice.Finding, all []int, say func(string, ...any)) (name string, together []int) {
	p := advice.PatchOf(findings, all)
	name = "all of them"
	var left []string
	for _, i := range all {
		if why := p.Left[i]; why != "" {
			left = append(left, fmt.Sprint(i+1))
			say("%s: without finding %d, %s at %s: %s", name, i+1, findings[i].Rule, findings[i].Place(), why)
		}
	}
	if len(left) > 0 {
		name += " but " + strings.Join(left, ", ")
	}
	return name, p.Findings
}

// inTurns runs all variants one after the other, again and again.
func (flags *tryFlags) inTurns(ctx context.Context, trials []*trial, args []string, say func(string, ...any)) error {
	libraries, err := launch.FindLibraries()
	if err != nil {
		return err
	}
	for turn := range flags.runs {
		say("turn %d of %d", turn+1, flags.runs)
		for _, t := range trials {
			if t.failed != "" {
				continue
			}
			name := args[0]
			if strings.Contains(name, "/") {
				name = filepath.Join(t.folder, name)
			}
			program, err := launch.Inspect(name)
			if err != nil {
				return err
			}
			choice, err := launch.Choose(program, launch.Auto, flags.device)
			if err != nil {
				return err
			}
			for _, file := range flags.compare {
				os.Remove(filepath.Join(t.folder, file)) //nolint:errcheck // what an earlier turn wrote, if anything
			}
			environment := launch.PlainEnvironment(os.Environ(), libraries, choice, flags.device)
			o, err := outcomeOf(ctx, t.folder, environment, name, args[1:], flags.compare)
			if err != nil {
				return err
			}
			t.seconds = append(t.seconds, o.seconds)
			if t.first == nil {
				t.first = o
			}
			if why := trials[0].first.compare(o, flags.tolerance); why != "" && t.differs == "" {
				t.differs = why
			}
		}
	}
	return nil
}

// writeTrials prints what came of each variant.
func writeTrials(out io.Writer, trials []*trial) error {
	base := trials[0]
	fmt.Fprintf(out, "as it is: %s\n", report.ShowDuration(turns.Median(base.seconds)*1e9))
	if base.differs != "" {
		fmt.Fprintf(out, "its own results differ from run to run (%s): what follows cannot be told from that\n", base.differs)
	}
	wrong := 0
	for _, t := range trials[1:] {
		result := "same result"
		switch {
		case t.failed != "":
			fmt.Fprintf(out, "%s\n  %s\n", t.name, t.failed)
			wrong++
			continue
		case t.differs != "":
			result = "OTHER RESULT: " + t.differs
			wrong++
		}
		gains := make([]float64, len(t.seconds))
		for i := range gains {
			gains[i] = base.seconds[i] - t.seconds[i]
		}
		low, high := turns.Interval(gains)
		fmt.Fprintf(out, "%s\n  %s\n  gain foretold %s, measured %s (%s to %s)\n", t.name, result, report.ShowDuration(float64(t.gain)),
			signed(turns.Median(gains)), signed(low), signed(high))
	}
	if wrong > 0 && base.differs == "" {
		return fmt.Errorf("%d of %d changes did not hold", wrong, len(trials)-1)
	}
	return nil
}

// signed is a time that may be lost, in seconds.
func signed(seconds float64) string {
	if seconds < 0 {
		return "-" + report.ShowDuration(-seconds*1e9)
	}
	return report.ShowDuration(seconds * 1e9)
}

// run runs a command in a folder, and gives what it printed.
func run(ctx context.Context, folder string, environment []string, name string, args ...string) (string, error) {
	output, err := unnamed()
	if err != nil {
		return "", err
	}
	defer output.Close()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env, command.Stdout, command.Stderr = folder, environment, output, output
	if err := alone(command); err != nil {
		text, readErr := readAgain(output)
		return string(text), errors.Join(err, readErr)
	}
	text, err := readAgain(output)
	return string(text), err
}

// alone runs a command to its end, in a process group of its own. What it has started and left
// behind ends with it, and so it does when the context does. Its output has to be a file: a pipe
// would be waited for as long as anything has it open.
func alone(command *exec.Cmd) error {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Cancel = group
	err := command.Run()
	if command.Process != nil {
		if killed := group(); killed != nil && killed != syscall.ESRCH {
			err = errors.Join(err, killed)
		}
	}
	return err
}

// unnamed is a temporary file that no folder has.
func unnamed() (*os.File, error) {
	file, err := os.CreateTemp("", "accscope-try-output-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// readAgain is all that a file has.
func readAgain(file *os.File) ([]byte, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// lastLines are the last of an output.
func lastLines(output string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	return strings.Join(lines[max(len(lines)-20, 0):], "\n")
}
