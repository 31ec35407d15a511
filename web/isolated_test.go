package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// pid is the process that reads the traces now, 0 if there is none.
func (s *Server) pid() int {
	s.reader.mutex.Lock()
	defer s.reader.mutex.Unlock()
	if s.reader.process == nil {
		return 0
	}
	return s.reader.process.command.Process.Pid
}

// strike ends the reader by a signal and waits until it has ended.
func (s *Server) strike(t *testing.T, signal syscall.Signal) {
	t.Helper()
	s.reader.mutex.Lock()
	p := s.reader.process
	s.reader.mutex.Unlock()
	if err := syscall.Kill(p.command.Process.Pid, signal); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		t.Fatal("the reader has survived")
	}
}

// slow is a statement that runs until its time is over.
const slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"

// A fault ends the process that reads, and nothing else: who waits for an answer
// is told, the next request has a new reader.
func TestReaderDies(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"bus error": syscall.SIGBUS, "segmentation fault": syscall.SIGSEGV, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{Traces: []string{tracetest.File(t, 2000, 1)}})
			before := s.pid()
			if before == 0 || before == os.Getpid() {
				t.Fatalf("traces are read by process %d", before)
			}
			var status int
			var body []byte
			var group sync.WaitGroup
			began := make(chan struct{})
			group.Go(func() {
				close(began)
				status, body = fetch(t, s, "/api/sql?seconds=20&sql="+url.QueryEscape(slow))
			})
			<-began
			// The statement runs when the slot is taken; asking for it changes nothing.
			answer[overviewAnswer](t, s, "/api/overview")
			s.strike(t, signal)
			group.Wait()
			if status != http.StatusBadGateway && status != http.StatusOK || status == http.StatusBadGateway &&
				(!bytes.Contains(body, []byte("the process that reads the trace has ended")) || !bytes.Contains(body, []byte("damaged"))) {
				t.Errorf("who waited got %d: %s", status, body)
			}
			if a := answer[overviewAnswer](t, s, "/api/overview"); a.Meta.Events == 0 {
				t.Error("the trace is empty after that")
			}
			if after := s.pid(); after == before || after == 0 {
				t.Errorf("the reader was %d and is %d", before, after)
			}
		})
	}
}

// The page shows what happened where it happened, and goes on.
func TestPageSurvivesItsReader(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	b := browse(t, s.URL()+"#view=timeline")
	b.settled()
	b.view("sql")
	b.write("textarea", slow)
	b.click("main button.primary")
	b.wait("the statement to run", `document.querySelector("main .loading") !== null`)
	s.strike(t, syscall.SIGSEGV)
	b.wait("the error", `document.querySelector("main").innerText.includes("the process that reads the trace has ended")`)
	b.picture("reader-died")
	b.view("kernels")
	b.wait("the kernels", `document.querySelectorAll("main tbody tr").length > 0`)
	b.view("timeline")
	b.settled()
}

// What is opened again after a fault is what was open.
func TestReaderDiesWhileTheProgramRuns(t *testing.T) {
	p := run(t)
	p.advance(500)
	s := serve(t, Options{Traces: []string{p.path}, Running: true})
	s.strike(t, syscall.SIGKILL)
	if a := answer[overviewAnswer](t, s, "/api/overview"); !a.Running || a.Meta.Complete {
		t.Errorf("while it runs: %+v", a.Meta)
	}
	s.strike(t, syscall.SIGKILL)
	p.finish(s)
	if a := answer[overviewAnswer](t, s, "/api/overview"); a.Running || !a.Meta.Complete {
		t.Errorf("at the end: %+v", a.Meta)
	}
}

// The reader has limits of its own; the server has not.
func TestReaderIsLimited(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 500, 1)}})
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", s.pid()))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Max data size": fmt.Sprint(readerMemory), "Max core file size": "0",
		"Max file size": fmt.Sprint(readerFile), "Max open files": fmt.Sprint(readerHandles)} {
		found := false
		for _, line := range strings.Split(string(limits), "\n") {
			if strings.HasPrefix(line, name+" ") {
				found = strings.Contains(line, " "+want+" ")
			}
		}
		if !found {
			t.Errorf("%s is not %s:\n%s", name, want, limits)
		}
	}
}
