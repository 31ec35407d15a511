package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// running is a program that writes its trace as far as it is let.
type running struct {
	*testing.T
	path    string
	source  *generate.Session
	writer  *write.Writer
	allowed chan int      // records to go on for
	paused  chan struct{} // they have been committed
	release func()        // for all that are left
	ended   chan error
}

func run(t *testing.T) *running {
	t.Helper()
	p := &running{T: t, path: filepath.Join(t.TempDir(), "running.db"), source: generate.New(generate.Options{Spans: 40_000, Activity: true, Seed: 3}),
		allowed: make(chan int), paused: make(chan struct{}), ended: make(chan error, 1)}
	p.release = sync.OnceFunc(func() { close(p.allowed) })
	t.Cleanup(p.release)
	var err error
	if p.writer, err = write.Create(p.path, 0, p.source.Model); err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(p.writer, p.source); err != nil {
		t.Fatal(err)
	}
	if err := p.writer.Commit(); err != nil {
		t.Fatal(err)
	}
	left := 0
	p.source.Write = func(step *model.Step) error {
		for left == 0 {
			n, more := <-p.allowed
			if !more {
				n = 1 << 60
			}
			left = n
		}
		left--
		if err := p.writer.Write(step); err != nil {
			return err
		}
		if left == 0 {
			if err := p.writer.Commit(); err != nil {
				return err
			}
			p.paused <- struct{}{}
		}
		return nil
	}
	p.source.Activity = p.writer.WriteActivity
	go func() { p.ended <- p.source.Run() }()
	return p
}

// advance lets the program make events.
func (p *running) advance(events int) {
	p.allowed <- events
	<-p.paused
}

// finish lets it end, as accscope run does. Something may be done while the trace is
// being finished.
func (p *running) finish(s *Server, meanwhile ...func()) {
	p.Helper()
	p.release()
	if err := <-p.ended; err != nil {
		p.Fatal(err)
	}
	s.Over()
	s.Hold()
	for _, f := range meanwhile {
		f()
	}
	err := p.writer.Finish()
	s.Ended(p.path)
	if err != nil {
		p.Fatal(err)
	}
}

// The stream tells of events as they come, the trace can be read meanwhile, and
// finishing it is not in the way of who reads.
func TestLive(t *testing.T) {
	p := run(t)
	p.advance(500)
	s := serve(t, Options{Traces: []string{p.path}, Running: true, Then: "accscope serve running.db"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.root()+"/api/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 10<<20)
	told := "" // with the last event
	next := func() (event string, view store.Now) {
		t.Helper()
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				event = name
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				told = data
				if err := json.Unmarshal([]byte(data), &view); err != nil {
					t.Fatal(err)
				}
			}
			if lines.Text() == "" && event != "" {
				return event, view
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return "", view
	}
	event, first := next()
	if event != "view" || first.Events < 500 {
		t.Fatalf("first came %s with %d events", event, first.Events)
	}
	a := answer[overviewAnswer](t, s, "/api/overview")
	if !a.Running || a.Meta.Complete || len(a.Lanes) == 0 {
		t.Errorf("running %t, complete %t, %d lanes", a.Running, a.Meta.Complete, len(a.Lanes))
	}
	p.advance(5000)
	for view := first; view.Events < first.Events+5000; {
		_, view = next()
	}
	b := answer[overviewAnswer](t, s, "/api/overview")
	if b.Meta.Last <= a.Meta.Last {
		t.Errorf("the trace went from %d to %d", a.Meta.Last, b.Meta.Last)
	}
	blocks := answer[timelineAnswer](t, s, "/api/timeline?pixels=200")
	if len(blocks.Lanes) == 0 || len(blocks.Lanes[0].Start) == 0 {
		t.Error("the timeline of a running program is empty")
	}
	p.finish(s, func() {
		s.Finishing(0.25, 40_000, 3*time.Second)
		for event != "finishing" {
			event, _ = next()
		}
		r := r.Clone(ctx)
		late, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if late.Body.Close(); late.StatusCode != http.StatusOK {
			t.Errorf("a page that comes while the trace is finished is told %s", late.Status)
		}
		if want := `{"share":0.25,"events":40000,"behind":3000000000}`; told != want {
			t.Errorf("while the trace is finished pages are told %s, want %s", told, want)
		}
	})
	for event != "end" {
		event, _ = next()
	}
	if want := `{"then":"accscope serve running.db"}`; told != want {
		t.Errorf("at the end pages are told %s, want %s", told, want)
	}
	c := answer[overviewAnswer](t, s, "/api/overview")
	if c.Running || !c.Meta.Complete || c.Meta.Last <= b.Meta.Last {
		t.Errorf("after the end: running %t, complete %t, last %d after %d", c.Running, c.Meta.Complete, c.Meta.Last, b.Meta.Last)
	}
}

// A trace that another accscope writes is followed through its session.
func TestFollowsSession(t *testing.T) {
	t.Setenv("ACCSCOPE_DIR", t.TempDir())
	p := run(t)
	p.advance(500)
	if ended, err := Follow(t.Context(), p.path); ended != nil || err != nil {
		t.Fatalf("nobody writes the trace, and yet: %v", err)
	}
	owner, err := session.Create("program")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := owner.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.SetTrace(p.path); err != nil {
		t.Fatal(err)
	}
	ended, err := Follow(t.Context(), p.path)
	if err != nil || ended == nil {
		t.Fatalf("the session is not found: %v", err)
	}
	s := serve(t, Options{Traces: []string{p.path}, Running: true})
	s.EndsWith(t.Context(), ended)
	if a := answer[overviewAnswer](t, s, "/api/overview"); !a.Running {
		t.Error("the program is not said to run")
	}
	p.advance(1000)
	p.release()
	if err := <-p.ended; err != nil {
		t.Fatal(err)
	}
	// Finishing waits for requests that have the trace open.
	if err := p.writer.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	<-ended
	for answer[overviewAnswer](t, s, "/api/overview").Running {
		time.Sleep(time.Millisecond)
	}
	if a := answer[overviewAnswer](t, s, "/api/overview"); !a.Meta.Complete {
		t.Error("after the end the trace is not complete")
	}
}

// Of a server that ends with the program the page says so, and what shows the
// trace.
func TestPageEndsWithTheProgram(t *testing.T) {
	p := run(t)
	p.advance(1000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := Serve(ctx, Options{Traces: []string{p.path}, Trusted: true, Running: true, Then: "accscope serve running.db"})
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, s.URL()+"#view=timeline")
	b.wait("live events", `/events/.test(document.querySelector("#live-state")?.textContent ?? "")`)
	if text := b.text(`document.body.innerText`); strings.Contains(text, "default 0") {
		t.Error("a device that was only asked for is shown")
	}
	p.finish(s, func() {
		s.Finishing(0.25, 40_000, 3*time.Second)
		b.wait("how far the trace is", `document.querySelector("#live-state").textContent.includes("finishing the trace: 25.0%, 40000 events, 3 s behind")`)
		s.Finishing(0.75, 80_000, time.Second)
		b.wait("how long it takes", `/75.0%.*about .* left/.test(document.querySelector("#live-state").textContent)`)
	})
	const told = "The program has ended, and this page with it: accscope serve running.db shows the trace."
	b.wait("the end", `document.querySelector("#live-state").textContent === `+quote(told))
	b.settled()
	cancel()
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	b.click(`nav button[data-view="sources"]`)
	b.wait("the reason", `document.querySelector("main").innerText.includes(`+quote(told)+`)`)
}

// The page follows, stops following when it is moved, and has all of it at the
// end.
func TestPageFollows(t *testing.T) {
	p := run(t)
	p.advance(1000)
	s := serve(t, Options{Traces: []string{p.path}, Running: true})
	b := browse(t, s.URL()+"#view=timeline")
	b.wait("live events", `/events/.test(document.querySelector("#live-state")?.textContent ?? "")`)
	b.settled()
	before := b.window()
	p.advance(4000)
	b.wait("the window to follow", `document.querySelector("#window").textContent !== `+quote(before))
	b.settled()
	b.picture("live")
	b.key("d")
	b.wait("moving to pause", `document.querySelector("#follow").getAttribute("aria-pressed") === "false"`)
	b.settled()
	paused := b.window()
	state := b.text(`document.querySelector("#live-state").textContent`)
	p.advance(4000)
	b.wait("the figures to go on", `document.querySelector("#live-state").textContent !== `+quote(state))
	b.settled()
	if now := b.window(); now != paused {
		t.Errorf("paused, the window went from %s to %s", paused, now)
	}
	b.click("#follow")
	p.advance(4000)
	b.wait("the window to follow again", `document.querySelector("#window").textContent !== `+quote(paused))
	p.finish(s)
	b.wait("the end", `document.querySelector("#follow") === null`)
	b.key("0")
	b.settled()
	b.picture("live-ended")
}

// The page that is shown first has the figures of the run as it goes on, and those of all
// of it in the end.
func TestSummaryFollows(t *testing.T) {
	p := run(t)
	p.advance(1000)
	s := serve(t, Options{Traces: []string{p.path}, Running: true})
	b := browse(t, s.URL())
	b.wait("the summary", `document.querySelector(".summary .card b") !== null`)
	const wall = `(document.querySelector(".summary .card b")?.textContent ?? "")`
	before := b.text(wall)
	p.advance(4000)
	b.wait("the wall time to grow", wall+` !== "" && `+wall+` !== `+quote(before))
	p.finish(s)
	b.wait("the end", `document.querySelector("#follow") === null`)
	b.settled()
	const all = `document.querySelector("main").innerText`
	last := b.text(all)
	b.do(chromedp.Reload())
	b.wait("the summary again", `document.querySelector(".summary .card") !== null`)
	b.settled()
	if again := b.text(all); again != last {
		t.Errorf("in the end the page said\n%s\nand, loaded again,\n%s", last, again)
	}
}

// The other views take in what comes, too, and what the user chose in them stays.
func TestViewsFollow(t *testing.T) {
	p := run(t)
	p.advance(1000)
	s := serve(t, Options{Traces: []string{p.path}, Running: true})
	b := browse(t, s.URL()+"#view=queues")
	b.text(`(performance.setResourceTimingBufferSize(1e6), "")`) // however long it takes, requests are counted
	// Rows are counted in: of sorted ones also the order changes.
	const rows = `[...document.querySelectorAll("main tbody")].map(e => e.textContent).join("\n")`
	const sorted = `[...document.querySelectorAll("main th")].map(e => e.getAttribute("aria-sort")).join(" ")`
	for _, v := range []struct {
		view  string
		grows string // an expression of what changes as the trace grows
	}{
		{"queues", rows}, {"kernels", rows}, {"transfers", rows}, {"sources", rows},
		{"flame", `document.querySelector("main .flame-facts")?.textContent`},
		{"memory", `performance.getEntriesByType("resource").filter(e => e.name.includes("/api/variables")).length`},
	} {
		t.Run(v.view, func(t *testing.T) {
			b := b.in(t)
			b.view(v.view)
			b.settled()
			// The user sorts by the last column, and has the keys there.
			b.text(`(e => { e?.focus(); e?.click(); return "" })([...document.querySelectorAll("main th button")].at(-1))`)
			order := b.text(sorted)
			const keys = `(e => e === document.body ? "" : e.textContent)(document.activeElement)`
			focus := b.text(keys)
			before := b.text(`String(` + v.grows + `)`)
			p.advance(3000)
			b.wait("the view to follow", `(now => now !== "undefined" && now !== `+quote(before)+`)(String(`+v.grows+`))`)
			b.settled()
			if now := b.text(sorted); now != order {
				t.Errorf("sorted as %q, then as %q", order, now)
			}
			if now := b.text(keys); now != focus || strings.Contains(order, "descending") && now == "" {
				t.Errorf("the keys were at %q, then at %q", focus, now)
			}
		})
	}
	p.finish(s)
	b.wait("the end", `document.querySelector("#follow") === null`)
	b.settled()
}

// The memory view begins with the device that most memory was in use on, and not with
// one on which nothing happened.
func TestMemoryBeginsWhereItWasUsed(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	tracetest.Change(t, path, "UPDATE device SET peak = 1000 WHERE peak IS NULL",
		"INSERT INTO device SELECT max(id) + 1, process, 2, 0, 'Idle', 0, '', NULL FROM device")
	b := browse(t, serve(t, Options{Traces: []string{path}}).URL()+"#view=memory")
	b.settled()
	names := evaluate[[]string](b, `(e => [e.options[e.selectedIndex].textContent, ...[...e.options].map(o => o.textContent)])(document.querySelector("main select"))`)
	if len(names) < 3 || strings.Contains(names[0], "Idle") || !strings.Contains(strings.Join(names, " "), "Idle") {
		t.Errorf("chosen, and what there is: %q", names)
	}
}
