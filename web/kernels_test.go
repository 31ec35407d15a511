package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// What kernels did inside is told by kernel, by line and by source; where nothing was counted,
// what brings it.
func TestCountedKernels(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.Counted(t, 300), tracetest.File(t, 300, 2)}})
	a := answer[kernelsAnswer](t, s, "/api/kernels")
	if len(a.Kernels) != 2 || a.Missing != "" || len(a.Cards) != 1 || !a.Cards[0].Modelled || a.Cards[0].Memory != 4e12 {
		t.Fatalf("%+v", a)
	}
	for _, k := range a.Kernels {
		if k.Symbol == "step2$_omp_fn$0" && (k.Values["imbalance"] != 4 || k.Values["occupancy"] != 0.75 || k.Values["memory_bytes"] != 640_000 || k.Time == 0 || k.Timed == 0 || k.Card != "NVIDIA H200") {
			t.Errorf("%+v", k)
		}
	}
	lines := answer[linesAnswer](t, s, "/api/lines?symbol=step2$_omp_fn$0").Lines
	if len(lines) != 2 || lines[0].Line != 3 || lines[0].Values["sectors_per_load"] != 32 || !strings.Contains(lines[0].Says, "lanes load 512 bytes apart: 8.0 times the sectors") {
		t.Errorf("%+v", lines)
	}
	found := map[string]int{}
	for _, f := range answer[[]sourceFile](t, s, "/api/sources") {
		found[f.File] = len(f.Counted)
	}
	if found["jacobi.c"] != 2 || found["include/step.h"] != 1 {
		t.Errorf("counted lines by source: %v", found)
	}
	if status, _ := fetch(t, s, "/api/lines?symbol=nothing"); status != http.StatusNotFound {
		t.Errorf("of no kernel: status %d", status)
	}
	if missing := answer[kernelsAnswer](t, s, "/api/kernels?trace=1").Missing; !strings.Contains(missing, "accscope run --counters") {
		t.Errorf("without counts: %q", missing)
	}
}

// The page shows a kernel's lines and the roofline, leads to the source with heat by what was
// counted, and fits.
func TestInsideKernels(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.Counted(t, 3000)}, Sources: []string{"../examples/jacobi"}}).URL())
	b.settled()
	b.view("kernels")
	b.text(`([...document.querySelectorAll("main button")].find(e => e.textContent === "What its lines did").click(), "")`)
	b.wait("the kernel of the histogram", `location.hash.includes("view=counted") && location.hash.includes("kernel=step2")`)
	b.view("summary")
	b.key("i")
	b.wait("a kernel's lines", `document.querySelector("main table tbody tr") !== null && document.querySelector(".roofline") !== null`)
	b.choose(`main select[aria-label="Kernel"]`, "step1$_omp_fn$0")
	b.wait("the other one", `location.hash.includes("kernel=step1") && document.querySelector("main table tbody").innerText.includes("step.h:2")`)
	b.choose(`main select[aria-label="Kernel"]`, "step2$_omp_fn$0")
	b.wait("its lines", `document.querySelector("main table tbody").innerText.includes("lanes load 512 bytes apart")`)
	b.picture("inside")
	if text := b.text(`document.querySelector("main").innerText`); !strings.Contains(text, "of what the memory would let through") || !strings.Contains(text, "75.0%") {
		t.Errorf("the view says %s", text)
	}
	other := b.text(`document.querySelector(".roofline").toDataURL()`)
	b.choose(`main select[aria-label="Level of memory"]`, "first")
	b.wait("another roofline", `document.querySelector(".roofline").toDataURL() !== `+quote(other)+` && document.querySelector("main").innerText.includes("first level")`)
	for _, size := range [][2]int64{{1280, 720}, {390, 844}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.settled()
		if problem := b.text(layoutProblems); problem != "" {
			t.Errorf("at %v: %s", size, problem)
		}
		b.picture("inside-small")
	}
	b.do(chromedp.EmulateViewport(1280, 720))
	b.click("main table tbody button.link")
	b.wait("the source with heat by a counter", `location.hash.includes("view=sources") && location.hash.includes("line=3") && document.querySelector("pre.source .c.hot") !== null`)
	heat := func() string {
		return b.text(`[...document.querySelectorAll("pre.source .c.hot")].map(e => e.textContent).join()`)
	}
	by := heat()
	b.choose(`main select[aria-label="Heat by"]`, "atomic_lanes")
	b.wait("heat by another", `[...document.querySelectorAll("pre.source .heading .c")].some(e => e.textContent === "atomic updates")`)
	if now := heat(); now == by || now != "3200" {
		t.Errorf("heat by traffic %s, by atomics %s", by, now)
	}
	b.picture("heat")
	b.choose(`main select[aria-label="Heat by"]`, "")
	b.wait("heat by time again", `document.querySelectorAll("pre.source .heading .c").length === 3 && !location.hash.includes("heat=")`)
}

// choose takes an option of a field.
func (b *browser) choose(field, value string) {
	b.Helper()
	b.text(`(e => { e.value = ` + quote(value) + `; e.dispatchEvent(new Event("change")); return "" })(document.querySelector(` + quote(field) + `))`)
	b.settled()
}
