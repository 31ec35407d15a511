package web

import (
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// goTo opens a part of the page by its address.
func (b *browser) goTo(hash string) {
	b.Helper()
	b.text(`(location.hash = ` + quote("#"+hash) + `, "")`)
	b.do(chromedp.Reload())
	b.wait("the page", `document.querySelector("main .view") !== null && !document.querySelector("main .loading")`)
	b.settled()
}

// What a device did leads to what enqueued it and back, with an arrow.
func TestArrowsLinkEnqueueAndExecution(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 5000, 1)}})
	var rows sqlAnswer = answer[sqlAnswer](t, s, "/api/sql?sql="+url.QueryEscape(
		"SELECT record, activity FROM device_activity WHERE kind = 'kernel' AND record IS NOT NULL ORDER BY activity LIMIT 1 OFFSET 3"))
	record, activity := fmt.Sprint(rows.Rows[0][0]), fmt.Sprint(rows.Rows[0][1])
	b := browse(t, s.URL()+"#view=timeline")
	b.goTo("view=timeline&selected=a" + activity)
	b.wait("the enqueue's link", `[...document.querySelectorAll(".panel .side h3")].some(e => e.textContent === "Enqueued by")`)
	b.wait("the arrow to be asked for", `performance.getEntriesByType("resource").some(e => e.name.includes("/api/arrows") && e.name.includes("activity=`+activity+`"))`)
	b.picture("arrow")
	b.text(`([...document.querySelectorAll(".panel .side button")].find(e => e.textContent === "record ` + record + `").click(), "")`)
	b.wait("the enqueue to be selected", `location.hash.includes("selected=r`+record+`")`)
	b.wait("the device's link", `[...document.querySelectorAll(".panel .side h3")].some(e => e.textContent === "On the device")`)
	b.settled()
	with := b.text(`document.querySelector(".scroll canvas").toDataURL()`)
	b.key(kb.Escape)
	b.wait("the selection to be closed", `!location.hash.includes("selected=")`)
	b.settled()
	if b.text(`document.querySelector(".scroll canvas").toDataURL()`) == with {
		t.Error("a selection with its arrow looks as none does")
	}
}

// Tracks are hidden, pinned and moved, and stay so.
func TestTracks(t *testing.T) {
	b := browse(t, serveGenerated(t, 5000).URL()+"#view=timeline")
	b.settled()
	names := func() string {
		return b.text(`[...document.querySelectorAll(".tracks li")].map(e => (e.querySelector("input").checked ? "" : "no ") + e.querySelector("label").textContent +
			(e.querySelector('[aria-pressed="true"]') ? " pinned" : "")).join(", ")`)
	}
	act := func(track, what string) {
		t.Helper()
		b.text(`([...document.querySelectorAll(".tracks li")].find(e => e.querySelector("label").textContent === ` + quote(track) + `)
			.querySelector(` + quote(what) + `).click(), "")`)
	}
	picture := func() string {
		b.settled()
		return b.text(`document.querySelector(".scroll canvas").toDataURL()`)
	}
	at := picture()
	b.click(`[data-tool="Tracks"]`)
	first := names()
	for _, step := range []struct{ track, what, want string }{
		{"queue 1", `[title^="Pin"]`, strings.Replace(first, "queue 1", "queue 1 pinned", 1)},
		{"queue 0", `input`, strings.Replace(strings.Replace(first, "queue 1", "queue 1 pinned", 1), "queue 0", "no queue 0", 1)},
		{"queue 3", `[title^="Move up"]`, strings.Replace(strings.Replace(strings.Replace(first, "queue 2, queue 3", "queue 3, queue 2", 1), "queue 1", "queue 1 pinned", 1), "queue 0", "no queue 0", 1)},
	} {
		act(step.track, step.what)
		if got := names(); got != step.want {
			t.Errorf("after %s of %s: %s, want %s", step.what, step.track, got, step.want)
		}
		now := picture()
		if now == at {
			t.Errorf("%s of %s changes nothing in the timeline", step.what, step.track)
		}
		at = now
	}
	b.picture("tracks")
	b.do(chromedp.Reload())
	b.wait("the timeline", `document.querySelector("#window")?.textContent`)
	b.settled()
	b.wait("that a track is hidden to be said", `[...document.querySelectorAll(".tools button")].some(e => e.textContent === "1 hidden")`)
	b.click(`[data-tool="Tracks"]`)
	if got := names(); !strings.Contains(got, "no queue 0, queue 1 pinned, queue 3, queue 2") {
		t.Errorf("after loading again: %s", got)
	}
	b.text(`([...document.querySelectorAll(".track-list button")].find(e => e.textContent === "As at first").click(), "")`)
	if got := names(); got != first {
		t.Errorf("put back: %s, want %s", got, first)
	}
}

// A process that is folded keeps its pinned queues in sight.
func TestFoldKeepsWhatIsPinned(t *testing.T) {
	b := browse(t, serveGenerated(t, 3000).URL()+"#view=timeline")
	b.settled()
	b.click(`[data-tool="Tracks"]`)
	b.text(`([...document.querySelectorAll(".tracks li")].find(e => e.querySelector("label").textContent === "queue 1").querySelector('[title^="Pin"]').click(), "")`)
	b.click(".track-list button.primary")
	b.settled()
	box := evaluate[[]float64](b, `(r => [r.x, r.y])(document.querySelector(".scroll canvas").getBoundingClientRect())`)
	named := func(y float64) string {
		b.move(box[0]+60, y)
		return b.text(`document.querySelector(".tip").hidden ? "" : document.querySelector(".tip").textContent`)
	}
	const first = 36 // within the first row
	open := b.text(`document.querySelector(".scroll canvas").toDataURL()`)
	if got := named(box[1] + first); !strings.Contains(got, "queue 1") {
		t.Fatalf("the first row is %q", got)
	}
	b.do(chromedp.MouseClickXY(box[0]+60, box[1]+first+21)) // the process
	b.wait("the process to be folded", `document.querySelector(".scroll canvas").toDataURL() !== `+quote(open))
	b.settled()
	b.picture("folded")
	if got := named(box[1] + first); !strings.Contains(got, "queue 1") {
		t.Errorf("folded, the first row is %q", got)
	}
}

// The strip of the whole run shows a part that is marked on it; a legend's entry points
// out what it stands for.
func TestStripAndLegend(t *testing.T) {
	b := browse(t, serveGenerated(t, 5000).URL()+"#view=timeline")
	b.settled()
	box := evaluate[[]float64](b, `(r => [r.x, r.y, r.width, r.height])(document.querySelector(".run-strip").getBoundingClientRect())`)
	y := box[1] + box[3]/2
	before := b.window()
	b.drag(box[0]+box[2]*0.5, y, box[0]+box[2]*0.6, y)
	b.wait("the marked part", `document.querySelector("#window").textContent !== `+quote(before))
	before = b.window()
	b.drag(box[0]+box[2]*0.55, y, box[0]+box[2]*0.75, y)
	b.wait("the window to be moved", `document.querySelector("#window").textContent !== `+quote(before))
	b.settled()
	names := evaluate[float64](b, `document.querySelector(".scroll canvas").getBoundingClientRect().x`) + 190
	plain := b.text(`document.querySelector(".scroll canvas").toDataURL()`)
	b.drag(names, box[1]+200, names+120, box[1]+200)
	b.wait("the names to be wider", `document.querySelector(".scroll canvas").toDataURL() !== `+quote(plain))
	if got := b.text(`localStorage.getItem("names") ?? ""`); got != "310" {
		t.Errorf("the names are %q wide, want 310", got)
	}
	b.text(`([...document.querySelectorAll(".timeline-legend button")].find(e => e.textContent === "wait").click(), "")`)
	b.wait("what it stands for to be pointed out", `location.hash.includes("search=wait")`)
}

func TestMemoryAtATime(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 5000, 1)}})
	b := browse(t, s.URL()+"#view=timeline")
	b.view("memory")
	b.wait("several variables", `document.querySelectorAll(".legend span").length > 1`)
	b.wait("what was present at the high-water mark", `document.querySelector("main table tbody tr") !== null`)
	shown := func() string {
		return b.text(`[...document.querySelectorAll("main .note")].map(e => e.textContent).find(e => e.startsWith("At ")) ?? ""`)
	}
	before := shown()
	box := evaluate[[]float64](b, `(r => [r.x, r.y, r.width, r.height])(document.querySelector("main canvas").getBoundingClientRect())`)
	b.do(chromedp.MouseClickXY(box[0]+box[2]/3, box[1]+box[3]/2))
	b.wait("the present table of another time", `([...document.querySelectorAll("main .note")].map(e => e.textContent).find(e => e.startsWith("At ")) ?? "") !== `+quote(before))
	b.wait("the address to carry the time", `/at=[0-9]+/.test(location.hash)`)
	first := b.text("location.hash")
	b.key(kb.ArrowRight)
	b.wait("the arrow key to move the time", `location.hash !== `+quote(first))
	b.settled()
	want := shown()
	b.do(chromedp.Reload())
	b.wait("the same time after loading again", `[...document.querySelectorAll("main .note")].some(e => e.textContent === `+quote(want)+`)`)
}

// What only the shutdown of a device deletes was left there by the program.
func TestLeaksIncludeWhatTheShutdownDeletes(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	leaks := func() int {
		return len(answer[leaksAnswer](t, serve(t, Options{Traces: []string{path}}), "/api/leaks?within=20000").Mappings)
	}
	tracetest.Change(t, path, "UPDATE site SET parent_construct = (SELECT code FROM construct WHERE name = 'enter_data') WHERE kind IN (6, 7, 8, 9)",
		"UPDATE site_detail SET (parent_construct, construct) = (SELECT code, name FROM construct WHERE name = 'enter_data') WHERE kind_code IN (6, 7, 8, 9)",
		"UPDATE process SET ended = 'exited'", "INSERT INTO meta SELECT 'process_exit_' || id, 'status 0' FROM process")
	before := leaks()
	tracetest.Change(t, path, `INSERT INTO site SELECT max(id) + 1, 3, device, queue, async, place, shape, name, parent_construct, implicit, launch, failure, stack, thread, depth, own FROM site`,
		`INSERT INTO site_detail SELECT (SELECT max(id) FROM site), 3, thread, depth, process, device, queue, async, async_queue, kind, end_kind, span, name, variable, kernel, message, source_file, function, line, end_line, function_line, function_end_line, construct, parent_construct, implicit, device_type, device_number, gangs, workers, vector, dimensions, error_code, runtime_info, version, thread_id, profile_bytes, event_bytes, api_bytes, device_api, api_device_type, vendor, device_handle, context_handle, async_handle, missing, stack FROM site_detail WHERE site = 1`,
		`UPDATE record SET site = (SELECT max(id) FROM site) WHERE id = 1`,
		`UPDATE record SET up = id - 1 WHERE id = (SELECT max(r.id) FROM record r JOIN site s ON s.id = r.site WHERE s.kind = 7 AND r.link > 0)`)
	if after := leaks(); after != before+1 {
		t.Errorf("%d mappings were never deleted, and %d when a shutdown deletes one of the others", before, after)
	}
	tracetest.Change(t, path, "UPDATE process SET ended = ''")
	if running := leaks(); running != 0 {
		t.Errorf("%d mappings were never deleted by programs that run", running)
	}
}

// Where no times of a device are known, the enqueue calls tell its rates: those of
// its own transfers, whatever is longest among their neighbours.
func TestRatesOfTheEnqueueCalls(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, "DELETE FROM lane WHERE type = 'queue'",
		"INSERT INTO device SELECT max(id) + 1, process, 2, 0, name, capacity, vendor, peak FROM device",
		"INSERT INTO queue SELECT max(id) + 1, (SELECT max(id) FROM device), -2 FROM queue",
		"UPDATE site SET device = (SELECT max(id) FROM device), queue = (SELECT max(id) FROM queue) WHERE kind NOT IN (20, 22)", tracetest.Spell)
	s := serve(t, Options{Traces: []string{path}})
	sums := map[int64]float64{}
	all := 0.0
	for _, device := range answer[overviewAnswer](t, s, "/api/overview").Devices {
		rates := answer[countersAnswer](t, s, fmt.Sprintf("/api/counters?device=%d&pixels=60", device.ID)).Rates
		for i := range rates.Mixed {
			sums[int64(device.ID)] += (rates.Mixed[i] + rates.Upload[i] + rates.Download[i]) * rates.Step / 1e9
		}
		all += sums[int64(device.ID)]
	}
	moved := answer[sqlAnswer](t, s, "/api/sql?sql="+url.QueryEscape("SELECT device, sum(bytes) FROM transfers GROUP BY 1")).Rows
	if len(moved) != 1 {
		t.Fatalf("the test is for one device that moves data: %v", moved)
	}
	device, want := int64(moved[0][0].(float64)), moved[0][1].(float64)
	if math.Abs(sums[device]-want) > want/1000 || all != sums[device] {
		t.Errorf("devices moved %v, want %v by %d", sums, want, device)
	}
}

// Rates are of the way that the bytes went, each what its transfers add up to, also where many
// of both ways are in a pixel.
func TestRatesByWay(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	rates := answer[countersAnswer](t, s, "/api/counters?device=1&pixels=60").Rates
	got, differ := map[string]float64{}, 0
	for i := range rates.Mixed {
		got["upload"] += rates.Upload[i] * rates.Step / 1e9
		got["download"] += rates.Download[i] * rates.Step / 1e9
		got["either"] += rates.Mixed[i] * rates.Step / 1e9
		if math.Abs(rates.Upload[i]-rates.Download[i]) > rates.Upload[i]/1000 {
			differ++
		}
	}
	want := map[string]float64{}
	for _, r := range answer[sqlAnswer](t, s, "/api/sql?sql="+url.QueryEscape("SELECT kind, sum(bytes) FROM device_activity WHERE device = 1 AND kind <> 'kernel' GROUP BY 1")).Rows {
		want[r[0].(string)] = r[1].(float64)
	}
	if len(want) != 2 || differ == 0 {
		t.Errorf("%d parts of the time differ, of %v bytes", differ, want)
	}
	for way := range got {
		if math.Abs(got[way]-want[way]) > want[way]/1000 {
			t.Errorf("%s: %v bytes, want %v", way, got[way], want[way])
		}
	}
}

// Devices of one name are told apart: by their number, and by their process.
func TestDevicesOfOneName(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	tracetest.Change(t, path, "INSERT INTO process SELECT id + 1, host, pid + 1, parent_pid, program, arguments, 1, 2, start, end, ended, runtime, since_attach, capture FROM process",
		"UPDATE device SET name = 'Twin'", "INSERT INTO device SELECT max(id) + 1, process, type, number + 1, name, capacity, vendor, peak FROM device",
		"INSERT INTO device SELECT max(id) + 1, process + 1, type, 0, name, capacity, vendor, peak FROM device")
	b := browse(t, serve(t, Options{Traces: []string{path}}).URL()+"#view=timeline")
	b.view("memory")
	names := evaluate[[]string](b, `[...document.querySelectorAll("main select option")].map(e => e.textContent)`)
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] || !strings.Contains(name, "(Twin) of ") {
			t.Errorf("%q among %q", name, names)
		}
		seen[name] = true
	}
	if len(names) < 3 {
		t.Errorf("devices %q", names)
	}
}

func TestCompareBy(t *testing.T) {
	b := browse(t, serveGenerated(t, 3000).URL()+"#view=timeline")
	b.view("compare")
	for by, heading := range map[string]string{"variable": "variable", "source": "source line", "kind": "event", "kernel": "kernel"} {
		b.text(`(e => { e.value = ` + quote(by) + `; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("main select"))`)
		b.wait("the comparison by "+by, `[...document.querySelectorAll("main table")].at(-1)?.querySelector("th").textContent.startsWith(`+quote(heading)+`) && document.querySelectorAll("main tbody tr").length > 0`)
		b.wait("the address to carry it", `location.hash.includes("by=`+by+`")`)
	}
	if !b.truth(`document.querySelector("main td.up, main td.down") !== null`) {
		t.Error("no difference is coloured")
	}
}

// What is missing from a trace stands over the views, once, until it is
// dismissed; the other trace has its own.
func TestWarningsStandOnce(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, "UPDATE process SET ended = 'killed', since_attach = 1",
		"INSERT INTO meta (key, value) VALUES ('filter_events', 'wait'), ('filter_queue', '3')")
	b := browse(t, serve(t, Options{Traces: []string{path, tracetest.File(t, 1000, 2)}}).URL())
	for _, view := range []string{"timeline", "kernels", "transfers"} {
		b.view(view)
		for _, want := range []string{"was killed; constructs", "recorded from an attach on", "only these events were recorded: wait", "only events of these queues"} {
			if n := evaluate[int](b, `document.body.textContent.toLowerCase().split(`+quote(want)+`).length - 1`); n != 1 {
				t.Errorf("%s says %q %d times", view, want, n)
			}
		}
	}
	if text := b.text(`document.querySelector(".banner summary").textContent`); text != "1 more" {
		t.Errorf("the banner ends with %q", text)
	}
	b.picture("warnings")
	b.click(".banner button")
	b.wait("the banner to go", `document.querySelector(".banner") === null`)
	b.view("kernels")
	if b.truth(`document.querySelector(".banner") !== null`) {
		t.Error("a dismissed banner is back")
	}
	trace := func(number string) {
		b.text(`(e => { e.value = ` + number + `; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("header select"))`)
	}
	trace("1")
	b.wait("the other trace", `document.title.startsWith("trace.db") && location.hash.includes("trace=1") && !document.querySelector("main .loading")`)
	if b.truth(`document.querySelector(".banner") !== null`) {
		t.Error("the other trace has this one's banner")
	}
	trace("0")
	b.wait("the warnings of the first trace", `document.querySelector(".banner") !== null`)
}

// Mistakes in the SQL console stand where they were made.
func TestSQLConsole(t *testing.T) {
	b := browse(t, serveGenerated(t, 3000).URL()+"#view=timeline")
	b.view("sql")
	for statement, want := range map[string]string{
		"SELECT missing_column FROM kernels":          "no such column",
		"DELETE FROM record":                          "only reading is allowed",
		"ATTACH 'x.db' AS x":                          "only reading is allowed",
		"SELECT 1; SELECT 2":                          "one statement at a time",
		"SELECT * FROM kernels LIMIT 0":               "The statement gave no rows.",
		"SELECT 7 AS seven, 'x' AS letter, NULL AS n": "1 row in",
	} {
		b.write("textarea", statement)
		b.key(kb.Enter) // a line more does no harm
		b.click("main button.primary")
		b.wait(want, `document.querySelector("main").innerText.includes(`+quote(want)+`)`)
	}
	b.wait("the list of views", `[...document.querySelectorAll(".schema details")].some(e => e.innerText.includes("kernels"))`)
	b.write("textarea", "SELECT device_ti")
	b.key(kb.Tab)
	b.key(" FROM transf")
	b.wait("the view to be offered", `document.querySelector(".completion li")?.innerText === "transfers"`)
	b.key(kb.Tab)
	b.wait("both names to be whole", `document.querySelector("textarea").value === "SELECT device_time FROM transfers"`)
	b.write("textarea", "SELECT 7 AS seven, 'x' AS letter")
	b.click("main button.primary")
	b.wait("the result", `document.querySelector("main th.num")?.textContent === "seven" && document.querySelector("main td.num").textContent === "7"`)
	if !strings.Contains(b.text(`(document.querySelector("main a[download]").dispatchEvent(new MouseEvent("click", {cancelable: true})), document.querySelector("main a[download]").href)`), "format=csv") {
		t.Error("there is no way to the result as CSV")
	}
	b.write("main input[type=number]", "2")
	b.write("textarea", "SELECT record FROM spans")
	b.click("main button.primary")
	b.wait("the limit", `document.querySelector("main").innerText.includes("the first 2 rows")`)
	b.text(`(document.querySelector("main tbody button.link").click(), "")`)
	b.wait("a record to lead to the timeline", `location.hash.includes("view=timeline") || /selected=r/.test(location.hash)`)
}

// Colours by kernel, variable and kind are different pictures of the same.
func TestColours(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.File(t, 5000, 1)}}).URL()+"#view=timeline")
	b.settled()
	seen := map[string]string{}
	for _, mode := range evaluate[[]string](b, `[...document.querySelectorAll("main select option")].map(e => e.value)`) {
		b.text(`(e => { e.value = ` + quote(mode) + `; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("main select"))`)
		b.settled()
		picture := b.text(`document.querySelector(".scroll canvas").toDataURL()`)
		if other, ok := seen[picture]; ok {
			t.Errorf("colours by %s are those by %s", mode, other)
		}
		seen[picture] = mode
	}
	if len(seen) < 3 {
		t.Errorf("there are %d ways to colour", len(seen))
	}
}

// A trace without anything in it shows that, in each view.
func TestEmptyTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	w, err := write.Create(path, 0, model.New(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	b := browse(t, serve(t, Options{Traces: []string{path}}).URL()+"#view=timeline")
	for view, want := range map[string]string{"summary": "", "flame": "", "timeline": "", "memory": "The program used no device.", "queues": "", "kernels": "", "transfers": "",
		"sources": "", "sql": "Run", "compare": "There is one trace."} {
		b.view(view)
		b.wait("what "+view+" says", `document.querySelector("main").innerText.length > 20 && document.querySelector("main").innerText.includes(`+quote(want)+`)`)
		b.picture("empty-" + view)
		if text := b.text(`[...document.querySelectorAll("main .error")].map(e => e.textContent).join("; ")`); text != "" {
			t.Errorf("%s shows an error: %s", view, text)
		}
	}
}

// Nothing overlaps and nothing is cut, small and large, light and dark.
func TestLayout(t *testing.T) {
	b := browse(t, serveGenerated(t, 5000).URL()+"#view=timeline")
	sizes := [][2]int64{{1280, 720}, {390, 844}}
	if !testing.Short() {
		sizes = append(sizes, [2]int64{2560, 1440})
	}
	for _, size := range sizes {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		for _, theme := range []string{"dark", "light"} {
			for range 3 {
				if b.text(`document.documentElement.dataset.theme ?? ""`) != theme {
					b.click("#theme")
				}
			}
			for _, view := range []string{"summary", "timeline", "memory", "queues", "kernels", "transfers", "flame", "sources", "sql", "compare"} {
				b.view(view)
				b.picture(fmt.Sprintf("layout-%d-%s-%s", size[0], theme, view))
				if problem := b.text(layoutProblems); problem != "" {
					t.Errorf("%s at %d×%d, %s: %s", view, size[0], size[1], theme, problem)
				}
			}
		}
	}
}

// layoutProblems says what of the page's text overlaps, leaves the window, or can
// hardly be told from its ground.
const layoutProblems = `(() => {
  const problems = [];
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the window");
  const boxes = [];
  for (const e of document.querySelectorAll("header *, main h1, main h2, main p, main button, main select, main label, main th, main .card")) {
    if (e.children.length > 0 && !e.matches("label, .card")) continue;
    const r = e.getBoundingClientRect();
    if (r.width === 0 || r.height === 0 || !e.checkVisibility() || getComputedStyle(e).visibility === "hidden" || e.closest("[hidden]")) continue;
    boxes.push([e, r]);
  }
  for (let i = 0; i < boxes.length; i++)
    for (let j = i + 1; j < boxes.length; j++) {
      const [a, x] = boxes[i], [b, y] = boxes[j];
      if (a.contains(b) || b.contains(a) || a.closest(".table-wrap") !== b.closest(".table-wrap")) continue;
      const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left), high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
      if (wide > 2 && high > 2) problems.push("«" + a.textContent.slice(0, 30) + "» and «" + b.textContent.slice(0, 30) + "» overlap");
    }
  const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  for (const [e, r] of boxes) {
    if ((r.right > innerWidth + 1 || r.left < -1) && !scrolls(e.parentElement)) problems.push("«" + e.textContent.slice(0, 30) + "» leaves the window");
    const style = getComputedStyle(e);
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && style.overflowX === "hidden" && style.textOverflow !== "ellipsis" && !e.matches(".hidden-live")) problems.push("«" + e.textContent.slice(0, 30) + "» is clipped");
  }
  for (const e of document.querySelectorAll("main, main .view"))
    if (innerWidth <= 400 && e.scrollWidth > e.clientWidth + 1) problems.push("the view scrolls sideways");
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const [e] of boxes) {
    let ground = e, colour;
    do colour = getComputedStyle(ground).backgroundColor; while (/, 0\)$/.test(colour) && (ground = ground.parentElement));
    const [a, b] = [light(getComputedStyle(e).color), light(/, 0\)$/.test(colour) ? "rgb(255,255,255)" : colour)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (e.textContent.trim() !== "" && contrast < 4) problems.push("«" + e.textContent.slice(0, 30) + "» has a contrast of " + contrast.toFixed(1));
  }
  return [...new Set(problems)].slice(0, 5).join("; ");
})()`
