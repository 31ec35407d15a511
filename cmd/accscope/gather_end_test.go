package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// SIGTERM ends a collector whose agents have not: the trace is there, what is missing is
// said. --idle ends one to which nothing comes. What an agent could not send becomes a trace
// where it is, of just that.
func TestGatherEnds(t *testing.T) {
	program := build(t, "jacobi")
	want := eventsOf(t, program, "32", "30")
	for name, flags := range map[string][]string{"signal": {"--end-wait", "100ms"}, "idle": {"--idle", "1s"}} {
		t.Run(name, func(t *testing.T) {
			g := gatherIn(t, flags...)
			environment, left := sessions(t)
			folder := t.TempDir()
			gate := filepath.Join(folder, "gate")
			if err := syscall.Mkfifo(gate, 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(accscope, "run", "-q", "--device", "sim", "--to", g.to(), "--to-wait", "1s", "--", "sh", "-c", program+" 32 30; cat "+gate+"; "+program+" 32 30")
			var said bytes.Buffer
			command.Env, command.Stderr = append(os.Environ(), environment...), &said
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			opened := false
			open := func() {
				if opened {
					return
				}
				opened = true
				file, err := os.OpenFile(gate, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				file.Close()
				command.Wait() //nolint:errcheck // its collector has gone
			}
			defer open()
			g.until("the first program's events", func() bool {
				rows := invoke(t, g.folder, "query", "--format", "csv", "trace.db", "SELECT count(*) FROM events")
				return rows.status == 0 && strings.HasSuffix(strings.TrimSpace(rows.stdout), strconv.Itoa(want))
			})
			g.until("that the agent knows", func() bool {
				for _, folder := range left() {
					text, err := os.ReadFile(filepath.Join(folder, "agent"))
					return err == nil && bytes.Contains(text, []byte(`"ring-`))
				}
				return false
			})
			why := "a signal"
			if name == "signal" {
				if err := g.command.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			} else {
				why = "nothing came any more"
				g.proxy.Cut()
			}
			g.wait()
			m := g.manifest()
			if !m.Complete || m.EndedBy != why || m.Ended != 0 || m.Agents != 1 {
				t.Errorf("%+v", m)
			}
			if !strings.Contains(g.output.String(), "1 agents have NOT ended") {
				t.Errorf("the collector says %s", g.output)
			}
			open()
			all := left()
			if len(all) != 1 || !strings.Contains(said.String(), "without --to") {
				t.Fatalf("sessions %v, want one; run says %s", all, said.String())
			}
			rest := execute(t, folder, environment, accscope, "import", "-o", "rest.db", all[0]).must(t)
			if !strings.Contains(rest.stderr, "the trace here is of the rest") {
				t.Errorf("import says %s", rest.stderr)
			}
			lines := strings.Fields(countEvents(t, folder, "rest.db"))
			if n, err := strconv.Atoi(lines[len(lines)-1]); err != nil || m.Events+n != 2*want {
				t.Errorf("%d events of the collector, and %d of the rest (%v), want %d together", m.Events, n, err, 2*want)
			}
		})
	}
}

// A batch system ends all of a job by one signal: what the programs did is in the result, whole.
func TestGatherEndsWithTheJob(t *testing.T) {
	want := eventsOf(t, build(t, "jacobi"), "32", "30")
	g := gatherIn(t, "--ranks", "3", "--end-wait", patience.String()) // more than there are: no end of its own
	ready := filepath.Join(t.TempDir(), "ready")
	var nodes sync.WaitGroup
	var running []*exec.Cmd
	for rank := range 2 {
		environment, left := sessions(t)
		// The program stops when it is told to, and has done its work then.
		command := exec.Command(accscope, "run", "-q", "--device", "sim", "--", "sh", "-c",
			fmt.Sprintf("trap 'exit 0' TERM; %s 32 30 >/dev/null && touch %s%d; while :; do sleep 0.1; done", build(t, "jacobi"), ready, rank))
		command.Env = append(append(os.Environ(), environment...), "ACCSCOPE_TO="+g.to(), "PMI_RANK="+strconv.Itoa(rank))
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, command)
		nodes.Go(func() {
			if err := command.Wait(); err != nil || said.Len() > 0 {
				t.Errorf("rank %d: %v, %s", rank, err, &said)
			}
			if folders := left(); len(folders) > 0 {
				t.Errorf("sessions %v are left", folders)
			}
		})
		g.until("the program's work", func() bool {
			_, err := os.Stat(ready + strconv.Itoa(rank))
			return err == nil
		})
	}
	for _, process := range append(running, g.command) {
		if err := process.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	nodes.Wait()
	g.wait()
	if m := g.manifest(); !m.Complete || m.EndedBy != "a signal" || m.Agents != 2 || m.Ended != 2 || m.Events != 2*want {
		t.Errorf("%+v, want %d events: %s", m, 2*want, g.output)
	}
}
