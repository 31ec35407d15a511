package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// What processors were sampled at is a track of its thread, and one of the threads that raise
// no events, by what these were in, with the function that had most of a part.
func TestSamplesOfAWindow(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.Sampled(t), tracetest.File(t, 100, 1)}})
	if o := answer[overviewAnswer](t, s, "/api/overview"); fmt.Sprint(o.Sampled) != "[{1 1 1} {-1 1 0}]" {
		t.Errorf("tracks %v", o.Sampled)
	}
	if o := answer[overviewAnswer](t, s, "/api/overview?trace=1"); len(o.Sampled) != 0 {
		t.Errorf("without samples: tracks %v", o.Sampled)
	}
	a := answer[samplesAnswer](t, s, "/api/samples?tracks=1,-1&from=980&to=2000&pixels=102")
	if a.Begin != 980 || a.Step != 10 || len(a.Tracks) != 2 {
		t.Fatalf("%+v", a)
	}
	// Samples of 10 ns end at 1000 and 1005 in step, and one each at 1010 in OpenACC, at 1020 in a
	// wait, and at 1030 in a library in MPI.
	track := a.Tracks[0]
	if got, want := fmt.Sprint(track.Part, track.Else, track.OpenACC, track.Waiting, track.MPI), "[1 2 3 4] [15 5 0 0] [0 10 0 0] [0 0 10 0] [0 0 0 10]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var names []string
	for _, f := range track.Function {
		names = append(names, a.Functions[f])
	}
	if got := strings.Join(names, " "); got != "step step step libm.so" {
		t.Errorf("functions %s", got)
	}
	if other := a.Tracks[1]; fmt.Sprint(other.Part, other.Else) != "[101] [10]" {
		t.Errorf("of threads without events: %+v", other)
	}
}

// Samples are a flame graph of their own, apart for what threads were in, and heat of lines, also
// of files without a construct.
func TestSamplesInViews(t *testing.T) {
	path := tracetest.Sampled(t)
	s := serve(t, Options{Traces: []string{path}})
	root := answer[flameNode](t, s, "/api/flame?of=samples")
	var got []string
	for _, c := range root.Children {
		got = append(got, fmt.Sprintf("%s %d/%d", c.Name, c.Host, c.Count))
		for _, main := range c.Children {
			for _, f := range main.Children {
				got = append(got, fmt.Sprintf("%s>%s %d", main.Name, f.Name, f.Host))
			}
		}
	}
	if want := "else 30/3 main>step 20 in MPI 10/1 main>/lib/libm.so+0x40 10 in OpenACC 10/1 main>step 10 waiting 10/1 main>step 10"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
	if status, body := fetch(t, s, "/api/flame?of=nothing"); status != 400 || !strings.Contains(string(body), "samples") {
		t.Errorf("status %d: %s", status, body)
	}
	var heat string
	for _, f := range answer[[]sourceFile](t, s, "/api/sources") {
		if f.File == "/a/solve.c" {
			heat = fmt.Sprintf("%d %+v", f.Sampled, f.Lines)
		}
	}
	if want := "40 [{Line:30 Count:0 Exclusive:0 Device:0 Bytes:0 Sampled:30} {Line:31 Count:0 Exclusive:0 Device:0 Bytes:0 Sampled:10}]"; heat != want {
		t.Errorf("heat %s, want %s", heat, want)
	}
	if status, body := fetch(t, s, "/api/source?file=/a/solve.c"); status != 404 || !strings.Contains(string(body), "not readable here") {
		t.Errorf("a file that only samples name: status %d: %s", status, body)
	}
}

// The page shows them: the timeline's track tells the function under the pointer.
func TestSamplesOnThePage(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, "INSERT INTO cpu_stack VALUES (1, 0, 1001)", "INSERT INTO frame (process, address, module, offset, function, file, line) VALUES (1, 1001, '/a/solve', 1, 'smooth_field', '/a/solve.c', 7)",
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO cpu_sample (process, thread, tid, time, weight, stack, record, doing) SELECT 1, 1, 5, i * (SELECT max(time) FROM record) / 50, (SELECT max(time) FROM record) / 50, 1, 0, 0 FROM n")
	b := browse(t, serve(t, Options{Traces: []string{path}}).URL()+"#view=timeline")
	b.settled()
	b.find("smooth_field")
	b.picture("samples")
	b.goTo("view=flame")
	b.text(`(e => { e.value = "samples"; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("main select[aria-label='Time of']"))`)
	b.wait("the samples", `document.querySelector(".flame-facts")?.textContent.includes("50 samples")`)
	b.picture("flame-samples")
	b.goTo("view=sources")
	b.settled()
	b.picture("sources-samples")
	b.wait("the file that was sampled", `[...document.querySelectorAll("main th")].some(e => e.textContent.startsWith("sampled"))`)
}
