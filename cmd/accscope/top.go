package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/tui"
)

// topFlags are the flags of top.
type topFlags struct {
	format   formatFlag
	once     bool
	ascii    bool
	interval time.Duration
	picture  string
	at       string
	size     string
	svg      bool
	inside   string
	rank     string
	limits   limitFlags
}

func newTopCommand() *cobra.Command {
	var flags topFlags
	command := &cobra.Command{
		Use:   "top [flags] [SESSION | PID... | TRACE]",
		Short: "Watch running programs, or replay a trace, in the terminal",
		Long: `top shows a running session live: what each async queue does, device memory and
live mappings, kernels and transfers, events and errors, and what each thread is
in. It can be left and started again at any time; the program and the recording go
on. Without an argument it shows what runs; if that is several sessions, it asks
which one. A program that has the profiler library by ACC_PROFLIB alone counts as
a session too, and so do the ranks of such an MPI job; those started in the current
folder come first.

  accscope top                     what runs now
  accscope top 4711                the session, or the capture, of a process
  accscope top 4711 4712           the captures of several, in one view
  accscope top SESSION             one that accscope ls lists, or its folder
  accscope top trace.db            replay a finished trace: play, pause, seek
  accscope top --json              an object per interval, for scripts
  accscope top --json --once       a single object
  accscope top --picture queues --at 40% --svg trace.db    one screen, for documents

Press ? in it for the keys.`,
		ValidArgsFunction: completeWatched,
		RunE: func(command *cobra.Command, args []string) error {
			asJSON, err := flags.format.isJSON()
			if err != nil {
				return err
			}
			if flags.interval < 10*time.Millisecond {
				return usageError{fmt.Errorf("--interval %s is too short: at least 10ms", flags.interval)}
			}
			if flags.once && !asJSON {
				return usageError{errors.New("--once goes with --json")}
			}
			show := func(ctx context.Context) error { return flags.show(ctx, command, args, asJSON) }
			if flags.picture == "" && !flags.once {
				return show(command.Context())
			}
			if flags.picture == tui.FindingsView {
				flags.limits.base = adviceLimits
			}
			return flags.limits.within(command.Context(), func() []string { return argumentFiles(args) }, show)
		},
	}
	f := command.Flags()
	flags.format.register(command)
	f.BoolVar(&flags.once, "once", false, "with --json: a single object")
	f.BoolVar(&flags.ascii, "ascii", false, "use only characters of ASCII (as where the locale has no UTF-8)")
	f.DurationVar(&flags.interval, "interval", 100*time.Millisecond, "`TIME` between frames (with --json default 1s)")
	f.StringVar(&flags.picture, "picture", "", "print a `VIEW` of a trace as text instead: "+strings.Join(tui.ViewNames(), ", "))
	f.StringVar(&flags.at, "at", "100%", "with --picture: the `TIME` in the trace (12.5s, 300ms, 40%)")
	f.StringVar(&flags.size, "size", "80x24", "with --picture: columns and lines (`WxH`)")
	f.StringVar(&flags.inside, "inside", "", "of a trace only sums and events in this `RANGE` of the program's own, or frame: \"assemble\", \"frame 12\", \"step 3..7\"")
	f.StringVar(&flags.rank, "rank", "", "of a trace only these `RANKS` of an MPI job: 617, or 0-15,617 (default: all; on the screen and in pictures of more than 64 the one that did most)")
	f.BoolVar(&flags.svg, "svg", false, "with --picture: as an SVG drawing")
	flags.limits.register(command, readerLimits, "with --picture and --once (of findings as for advise): ")
	return command
}

// show shows what the arguments name, or what runs.
func (flags *topFlags) show(ctx context.Context, command *cobra.Command, args []string, asJSON bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ask := flags.picture == "" && !asJSON && isTerminal(os.Stdin) && isTerminal(os.Stdout)
	source, err := topSource(ctx, args, ask, flags.ascii || !unicodeLocale())
	if err != nil || source == nil {
		return err
	}
	if err := flags.limitTo(source); err != nil {
		return err
	}
	if flags.picture != "" {
		return flags.takePicture(ctx, source, command.OutOrStdout())
	}
	if asJSON {
		if !command.Flags().Changed("interval") {
			flags.interval = time.Second
		}
		return tui.Stream(ctx, source, flags.interval, flags.once, command.OutOrStdout())
	}
	if !isTerminal(os.Stdin) || !isTerminal(os.Stdout) {
		return errors.New("top needs a terminal; --json does not")
	}
	settings, err := tui.ReadSettings()
	if err != nil {
		return err
	}
	_, err = tui.Run(ctx, source, tui.Options{Interval: flags.interval, ASCII: flags.ascii || !unicodeLocale(), Settings: settings})
	return err
}

// limitTo limits a trace to the ranks of --rank, and to the ranges or frames that --inside names.
func (flags *topFlags) limitTo(source tui.Source) error {
	replay, ok := source.(*tui.Replay)
	if !ok && (flags.inside != "" || flags.rank != "") {
		return usageError{errors.New("--inside and --rank take a trace")}
	}
	if flags.rank != "" {
		if err := replay.ChooseRanks(flags.rank); err != nil {
			return usageError{fmt.Errorf("--rank: %w", err)}
		}
	}
	if flags.inside == "" {
		return nil
	}
	if _, _, err := replay.Only(flags.inside); err != nil {
		return insideError(err)
	}
	return nil
}

// takePicture prints what the screen would show of a trace.
func (flags *topFlags) takePicture(ctx context.Context, source tui.Source, w io.Writer) error {
	replay, ok := source.(*tui.Replay)
	if !ok {
		return usageError{errors.New("--picture takes a trace")}
	}
	shot := tui.Shot{View: flags.picture, At: flags.at, ASCII: flags.ascii}
	if n, err := fmt.Sscanf(flags.size, "%dx%d", &shot.Width, &shot.Height); err != nil || n != 2 ||
		shot.Width < 1 || shot.Height < 1 || shot.Width > 1000 || shot.Height > 1000 {
		return usageError{fmt.Errorf("--size %q is no size: give columns and lines, like 120x40", flags.size)}
	}
	picture, err := tui.TakePicture(ctx, replay, shot)
	if err != nil {
		return err
	}
	text := picture.Text()
	if flags.svg {
		text = picture.SVG()
	}
	_, err = io.WriteString(w, text)
	return err
}

// unicodeLocale says whether the terminal's characters are those of UTF-8, by
// the variables that decide it for setlocale.
func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(os.Getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}
