package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What is the program's own has colours of its own, each with its entry in the legend.
func TestOwnColours(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.Annotated(t, 3000)}}).URL()+"#view=timeline")
	b.settled()
	b.picture("own")
	entries := evaluate[[]string](b, `[...document.querySelectorAll(".timeline-legend button")].map(e => e.textContent)`)
	for _, want := range []string{"frame", "range", "mark", "MPI", "kernel", "wait"} {
		found := false
		for _, entry := range entries {
			found = found || entry == want
		}
		if !found {
			t.Errorf("the legend has no %s: %q", want, entries)
		}
	}
	seen := map[string]string{}
	for name, style := range evaluate[map[string]string](b, `Object.fromEntries([...document.querySelectorAll(".timeline-legend button")].map(e => [e.textContent, e.querySelector("i").style.background]))`) {
		if other, known := seen[style]; known {
			t.Errorf("%s and %s are both %s", name, other, style)
		}
		seen[style] = name
	}
}

// Of an annotated program the strip shows what the threads do in its frames and ranges.
func TestStripLooksIntoRanges(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.Annotated(t, 3000)}}).URL()+"#view=timeline")
	b.settled()
	b.picture("strip")
	// The colours of the strip's upper half against those of the legend.
	seen := evaluate[map[string]bool](b, `(() => {
		const strip = document.querySelector(".run-strip"), data = strip.getContext("2d").getImageData(0, 0, strip.width, Math.floor(strip.height / 2)).data;
		const known = new Map([...document.querySelectorAll(".timeline-legend button")].map(e => [e.querySelector("i").style.background.match(/\d+/g).slice(0, 3).join(), e.textContent]));
		const found = {};
		for (let i = 0; i < data.length; i += 4) {
			const name = known.get([data[i], data[i + 1], data[i + 2]].join());
			if (name) found[name] = true;
		}
		return found;
	})()`)
	for name, want := range map[string]bool{"MPI": true, "compute construct": true, "frame": false, "range": false} {
		if seen[name] != want {
			t.Errorf("the colour of %s: %v, want %v", name, seen[name], want)
		}
	}
	if title := b.text(`document.querySelector(".run-strip").title`); title != "Threads above, device queues below" {
		t.Errorf("the strip is called %q", title)
	}
}

// The summary tells MPI's calls from computation, as the report does, and its strip shows
// where the chosen frames lie.
func TestSummaryOfMPI(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.Annotated(t, 3000)}})
	whole, part := answer[summaryAnswer](t, s, "/api/summary"), answer[summaryAnswer](t, s, "/api/summary?inside=iteration+1")
	if whole.Processes == 0 || whole.Communication.Time == 0 || whole.Communication.Time > whole.Whole || part.Communication.Time == 0 || part.Communication.Time >= whole.Communication.Time {
		t.Errorf("MPI: %+v, in a frame %+v", whole, part)
	}
	for _, row := range answer[reportAnswer](t, s, "/api/report?tables=time").Tables[0].Rows {
		if row[0] == "MPI, calls" && row[1] != float64(whole.Communication.Time) {
			t.Errorf("the report has %v, the summary %d", row, whole.Communication.Time)
		}
	}
	b := browse(t, s.URL()+"#view=summary&inside=iteration+1")
	b.wait("MPI's share", `[...document.querySelectorAll(".shares h3")].some(e => e.textContent.startsWith("MPI, ")) &&
		[...document.querySelectorAll("main h2")].some(e => e.textContent === "Communication (MPI)")`)
	b.wait("the frame on the strip", `document.querySelector(".over-time .note").textContent.includes("before and behind iteration 1 is pale")`)
}

// A part that is marked on the summary's strip is shown once it is let go.
func TestMarkOnTheSummary(t *testing.T) {
	b := browse(t, serveGenerated(t, 3000).URL())
	b.settled()
	if text := b.text(`document.querySelector("main").innerText`); !strings.Contains(text, "Over time") {
		t.Fatalf("the summary says %q", text)
	}
	b.text(`(document.querySelector(".run-strip").scrollIntoView(), "")`)
	box := evaluate[[]float64](b, `(r => [r.x, r.y, r.width, r.height])(document.querySelector(".run-strip").getBoundingClientRect())`)
	y := box[1] + box[3]/2
	b.drag(box[0]+box[2]*0.25, y, box[0]+box[2]*0.75, y) // by a place half way
	b.wait("the timeline", `location.hash.includes("view=timeline") && location.hash.includes("from=")`)
	b.settled()
	b.text(`(fetch("/api/overview").then(r => r.json()).then(o => {
		const p = new URLSearchParams(location.hash.slice(1));
		window.part = (p.get("to") - p.get("from")) / (o.meta.last - o.meta.first);
	}), "")`)
	b.wait("what is shown", `window.part !== undefined`)
	if part := evaluate[float64](b, "window.part"); part < 0.45 || part > 0.55 {
		t.Errorf("%g of the run is shown, half of it was marked", part)
	}
}

// A finding that begins with a variable writes that as the program does.
func TestFindingsKeepNames(t *testing.T) {
	s := serveGenerated(t, 20_000)
	b := browse(t, s.URL())
	b.settled()
	n := 0
	for _, f := range allFindings(t, s) {
		if f.Variable == "" || !strings.HasPrefix(f.What, f.Variable) {
			continue
		}
		n++
		b.wait("the finding "+f.What, `[...document.querySelectorAll(".finding-head b")].some(e => e.textContent === `+quote(f.What+".")+`)`)
	}
	if n == 0 {
		t.Error("no finding begins with a variable")
	}
}

// What to write instead stands line by line, directives apart from the words around them.
func TestFindingsShowDirectives(t *testing.T) {
	s := serveGenerated(t, 3000)
	b := browse(t, s.URL())
	b.settled()
	f := findingInfo{Finding: advice.Finding{Rule: "mapped-in-loop", Gain: 1, Count: 1, File: "/a/b.c", Line: 2, What: "it is", Why: "so",
		Instead: "around the loop at line 1: #pragma acc data copy(a)\nand here: #pragma acc parallel loop\nor nothing\nwait with #pragma acc wait before that"}, Place: "b.c:2", Cost: "1 ns"}
	answer, err := json.Marshal(findingsAnswer{Rules: 1, Read: 1, Findings: []findingInfo{f}})
	if err != nil {
		t.Fatal(err)
	}
	b.text(`(() => {
		const ask = window.fetch;
		window.fetch = (what, how) => String(what.url ?? what).includes("api/findings") ? Promise.resolve(new Response(` + quote(string(answer)) + `)) : ask(what, how);
		return "";
	})()`)
	b.view("queues")
	b.view("summary")
	b.wait("the finding", `document.querySelectorAll(".finding-facts dd").length === 2`)
	const want = "around the loop at line 1:|#pragma acc data copy(a)|and here:|#pragma acc parallel loop|Or nothing.|Wait with #pragma acc wait before that."
	if got := b.text(`[...document.querySelectorAll(".finding-facts > div:last-child dd > div")].flatMap(e => [...e.childNodes].map(n => n.textContent)).join("|")`); got != want {
		t.Errorf("instead: %q, want %q", got, want)
	}
}

// allFindings asks until the trace has been looked through.
func allFindings(t *testing.T, s *Server) []findingInfo {
	t.Helper()
	for deadline := time.Now().Add(patient); ; {
		a := answer[findingsAnswer](t, s, "/api/findings")
		switch {
		case a.Read == a.Rules:
			return a.Findings
		case len(a.Findings) > 0:
			t.Fatalf("%d findings before all of the rules are read", len(a.Findings))
		case time.Now().After(deadline):
			t.Fatalf("after %v %d of %d rules are read", patient, a.Read, a.Rules)
		}
	}
}

// A comparison counts the same with annotations as without.
func TestCompareLeavesOutTheProgramsOwn(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.Annotated(t, 1000), tracetest.Annotated(t, 500)}})
	for _, by := range []string{"source", "kind"} {
		rows := answer[compareAnswer](t, s, "/api/compare?by="+by).Rows
		if len(rows) == 0 {
			t.Errorf("by %s there is nothing", by)
		}
		for _, r := range rows {
			for _, own := range []string{"frame", "range", "mark", "mpi", "jacobi.c:12"} {
				if r.Name == own {
					t.Errorf("by %s there is %s", by, own)
				}
			}
		}
	}
}

// Frames are listed with their times, and what is chosen limits tables, flame graph and
// durations.
func TestOnlyChosenFrames(t *testing.T) {
	path := tracetest.Annotated(t, 3000)
	s := serve(t, Options{Traces: []string{path}})
	all := answer[framesAnswer](t, s, "/api/frames?inside=iteration")
	if len(all.Frames) < 5 || all.Frames[0].Kind != "frame" || all.Frames[1].End <= all.Frames[1].Start || all.From != all.Frames[0].Start {
		t.Fatalf("frames %+v", all)
	}
	one := answer[framesAnswer](t, s, "/api/frames?inside=iteration+1")
	if len(one.Frames) == 0 || len(one.Frames) >= len(all.Frames) || one.From < all.From || one.To > all.To {
		t.Errorf("of one number: %+v", one)
	}
	launches := func(inside string) (sum float64) {
		for _, table := range answer[reportAnswer](t, s, "/api/report?by=source"+inside).Tables {
			for _, row := range table.Rows {
				for i, c := range table.Columns {
					if n, known := row[i].(float64); known && c.Key == "kernels" {
						sum += n
					}
				}
			}
		}
		return sum
	}
	if whole, part := launches(""), launches("&inside=iteration+1"); part == 0 || part >= whole/2 {
		t.Errorf("%v launches in one frame, %v in all", part, whole)
	}
	// The summary's figures are those of accscope report --inside.
	if whole, part := answer[summaryAnswer](t, s, "/api/summary"), answer[summaryAnswer](t, s, "/api/summary?inside=iteration+1"); part.Wall != one.To-one.From || part.Busy == 0 || part.Busy >= whole.Busy/2 || part.All >= whole.All/2 {
		t.Errorf("summaries: %+v of %+v", part, whole)
	} else {
		figures := map[any]any{}
		for _, row := range answer[reportAnswer](t, s, "/api/report?tables=time&inside=iteration+1").Tables[0].Rows {
			figures[row[0]] = row[1]
		}
		if want := (map[any]any{"wall": float64(part.Wall), "device": float64(part.Busy), "device, kernels": float64(part.Kernels), "device, transfers": float64(part.Transfer),
			"host, waiting": float64(part.Waits), "host, in other OpenACC": float64(part.Calls), "host, outside of OpenACC": float64(max(part.All-part.Waits-part.Calls, 0))}); !containsAll(figures, want) {
			t.Errorf("the report has %v, the summary %v", figures, want)
		}
	}
	if whole, part := answer[flameNode](t, s, "/api/flame"), answer[flameNode](t, s, "/api/flame?inside=iteration+1"); part.Host == 0 || part.Host >= whole.Host/2 || part.Device == 0 {
		t.Errorf("flame graphs of %d and %d ns", part.Host, whole.Host)
	}
	kernel := ""
	for _, table := range answer[reportAnswer](t, s, "/api/report").Tables {
		if table.Key == "kernels" {
			kernel, _ = table.Rows[0][0].(string)
		}
	}
	query := "/api/durations?kernel=" + url.QueryEscape(kernel)
	if whole, part := answer[durationsAnswer](t, s, query), answer[durationsAnswer](t, s, query+"&inside=iteration+1"); part.Count == 0 || part.Count >= whole.Count/2 {
		t.Errorf("%d launches of %d are in one frame", part.Count, whole.Count)
	}
	overview := answer[overviewAnswer](t, s, "/api/overview")
	if !slices.Contains(overview.Annotations, annotationInfo{"frame", "iteration"}) || overview.CallStacks {
		t.Errorf("overview: %+v, call stacks %v", overview.Annotations, overview.CallStacks)
	}
	if status, body := fetch(t, s, "/api/report?inside=nothing"); status != http.StatusNotFound || !strings.Contains(string(body), "iteration") {
		t.Errorf("of frames that there are not: %d %s", status, body)
	}
}

// containsAll says whether a map has all of another.
func containsAll(have, want map[any]any) bool {
	for key, value := range want {
		if have[key] != value {
			return false
		}
	}
	return true
}

// On the page a frame is chosen by a field or by its bar, for all views from then on.
func TestChoosingFramesOnThePage(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.Annotated(t, 3000)}}).URL())
	b.settled()
	b.wait("the frames", `document.querySelector(".frames table tbody tr") !== null && document.querySelector(".frames canvas") !== null`)
	b.picture("frames")
	if problem := b.text(layoutProblems); problem != "" {
		t.Error(problem)
	}
	b.view("kernels")
	b.wait("the kernels", `document.querySelector("main table tbody tr") !== null`)
	table := `[...document.querySelectorAll("main table")].map(e => e.innerText).join()`
	whole := b.text(table)
	b.write("#only", "iteration 1"+kb.Enter)
	b.wait("the kernels of a frame", `location.hash.includes("inside=iteration+1") && document.querySelector("main table tbody tr") !== null && `+table+` !== `+quote(whole))
	for _, view := range []string{"memory", "queues"} {
		b.view(view)
		b.wait(view+" of a frame", `[...document.querySelectorAll("main button[aria-pressed=true]")].some(e => e.textContent.startsWith("Only what the timeline"))`)
	}
	b.view("timeline")
	b.settled()
	if shown := b.text(`location.hash`); !strings.Contains(shown, "from=") || !strings.Contains(shown, "inside=iteration+1") {
		t.Errorf("the timeline is at %s", shown)
	}
	b.write("#only", "nothing"+kb.Enter)
	b.wait("what there is", `document.querySelector(".only span").textContent.includes("iteration")`)
	b.view("summary")
	b.wait("the summary of a frame", `document.querySelector(".card span")?.textContent === "wall time of iteration 1"`)
	b.wait("the bars", `document.querySelector(".frames canvas") !== null`)
	b.text(`(document.querySelector(".frames canvas").scrollIntoView({ block: "center" }), "")`)
	box := evaluate[[]float64](b, `(r => [r.x, r.y, r.width, r.height])(document.querySelector(".frames canvas").getBoundingClientRect())`)
	b.do(chromedp.MouseClickXY(box[0]+box[2]-1, box[1]+box[3]-3))
	b.wait("the last frame", `/^iteration (?!1$)\d+$/.test(new URLSearchParams(location.hash.slice(1)).get("inside"))`)
}
