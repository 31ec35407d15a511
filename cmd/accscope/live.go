package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/ending"
	"github.com/accscope/accscope/collector/launch"
	"github.com/accscope/accscope/collector/shell"
	"github.com/accscope/accscope/tui"
	"github.com/accscope/accscope/web"
)

// watch is how a run is looked at while it goes on.
type watch struct {
	pane     *tui.Pane // --tui
	settings tui.Settings
	server   *web.Server // --web
	holds    bool        // the page stays open after the run
	browse   *browser
	cancel   context.CancelFunc
}

// startWatch prepares what the flags ask for; recording must be the one that
// collects. With an error nothing is shown.
func startWatch(flags *runFlags, r *recording) (*watch, error) {
	nothing := func() *watch { return &watch{cancel: func() {}} }
	w := nothing()
	if !flags.tui && !flags.web {
		return w, nil
	}
	if r.ingester == nil {
		return nothing(), errors.New("--tui and --web go with the rank that collects; use accscope top in another terminal")
	}
	if flags.tui {
		if !isTerminal(os.Stdin) || !isTerminal(os.Stderr) {
			return nothing(), errors.New("--tui needs a terminal on standard input and standard error")
		}
		var err error
		if w.settings, err = tui.ReadSettings(); err != nil {
			return nothing(), err
		}
		if w.pane, err = tui.NewPane(); err != nil {
			return nothing(), err
		}
		executable, err := os.Executable()
		if err == nil {
			err = w.pane.Guard(executable, keeperCommand)
		}
		if err != nil {
			return nothing(), errors.Join(err, w.pane.Close())
		}
	}
	if flags.web {
		ctx, cancel := context.WithCancel(context.Background())
		options := web.Options{Traces: []string{r.ingester.Trace()}, Trusted: true, Running: true}
		if w.holds = flags.hold || isTerminal(os.Stderr); !w.holds {
			trace, err := r.session.Trace()
			if err != nil {
				cancel()
				return nothing(), err
			}
			options.Then = "accscope serve " + shell.Path(shown(trace))
		}
		server, err := web.Serve(ctx, options)
		if err != nil {
			cancel()
			return nothing(), err
		}
		w.server, w.cancel = server, cancel
		fmt.Fprintf(stderr, "accscope: open %s\n", server.URL())
		if !flags.noOpen {
			w.browse = openBrowser(server.URL())
		}
	}
	return w, nil
}

// streams are the files that the program is started with.
func (w *watch) streams() (stdin, stdout, stderr *os.File, attributes *syscall.SysProcAttr) {
	if w.pane == nil {
		return os.Stdin, os.Stdout, os.Stderr, nil
	}
	stdin, stdout, stderr = w.pane.Streams(os.Stdin, os.Stdout, os.Stderr)
	return stdin, stdout, stderr, w.pane.Attributes(stdin, stdout, stderr)
}

// show draws the terminal UI until the user leaves it.
func (w *watch) show(r *recording, process *launch.Process) error {
	if w.pane == nil {
		return nil
	}
	if err := w.pane.Started(); err != nil {
		return err
	}
	go func() {
		w.pane.Ended(endedHow(process.Wait()))
	}()
	// A terminal that is closed ends the view, not what is recorded.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP)
	defer stop()
	result, err := tui.Run(ctx, tui.Session(r.session), tui.Options{Program: w.pane, ASCII: !unicodeLocale(), Settings: w.settings})
	if err != nil {
		return err
	}
	if result.Kill {
		return syscall.Kill(process.PID(), syscall.SIGTERM)
	}
	return nil
}

// endedHow says how a program ended.
func endedHow(end launch.End, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case end.Signal != 0:
		return ending.SignalText(end.Signal)
	}
	return fmt.Sprintf("status %d", end.Code)
}

// end goes with the end of the program: the pane's text goes to the terminal,
// so that what the program wrote is not lost with the screen.
func (w *watch) end() error {
	if w.pane == nil {
		return nil
	}
	w.pane.Ended("") // who waits for the process tells the pane too, but perhaps later
	text := w.pane.Text()
	err := w.pane.Close()
	if _, writeErr := os.Stdout.WriteString(text); writeErr != nil {
		err = errors.Join(err, writeErr)
	}
	return err
}

// hold keeps the page from the trace while it is being finished.
func (w *watch) hold() {
	if w.server != nil {
		w.server.Over()
		w.server.Hold()
	}
}

// finishing tells the page how far the trace is.
func (w *watch) finishing(r *recording) {
	if w.server != nil {
		w.server.Finishing(r.ingester.Finished(), r.ingester.Events(), r.ingester.Behind())
	}
}

// linger keeps the page open after the end until the user presses Ctrl-C, where
// somebody is there to press it or has asked for it.
func (w *watch) linger(r *recording) error {
	if w.server == nil {
		return nil
	}
	defer w.browse.close()
	w.server.Ended(r.path)
	switch {
	case w.holds:
		// Whoever reads the line may press Ctrl-C at once.
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
		fmt.Fprintf(stderr, "accscope: the page stays open until Ctrl-C: %s\n", w.server.URL())
		<-interrupted
	case !r.nothing:
		fmt.Fprintf(stderr, "accscope: the page has ended with the program: accscope serve %s shows the trace\n", shell.Path(shown(r.path)))
	}
	w.cancel()
	return w.server.Wait()
}

const keeperCommand = "keep-terminal"

// newKeeperCommand is what run --tui starts beside the program.
func newKeeperCommand() *cobra.Command {
	return &cobra.Command{
		Use:    keeperCommand,
		Short:  "Hold the terminal of a program that run --tui has started",
		Hidden: true,
		Args:   arguments(cobra.NoArgs, "no arguments"),
		RunE:   func(*cobra.Command, []string) error { return tui.KeepTerminal() },
	}
}
