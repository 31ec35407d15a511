package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// browser is a page in a real headless Chromium.
type browser struct {
	testing.TB
	ctx      context.Context
	pictures string
	problems chan string // errors that the page raised
}

// patient is how long a test waits for what must come; it is far more than is needed.
const patient = 90 * time.Second

// countRequests has the page count what it has asked for and not got yet.
const countRequests = `(() => {
  const ask = window.fetch;
  window.underWay = 0;
  window.fetch = async (...what) => {
    underWay++;
    try {
      const answer = await ask(...what);
      await answer.clone().arrayBuffer();
      return answer;
    } finally {
      underWay--;
    }
  };
})()`

// browse opens a URL in a window of 1280×720.
func browse(t testing.TB, url string) *browser {
	t.Helper()
	if testing.Short() && os.Getenv("ACCSCOPE_BROWSER") == "" {
		t.Skip("a browser takes seconds; ACCSCOPE_BROWSER=1 runs this with -short")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: apt-get install chromium")
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.WindowSize(1280, 720), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(patient), chromedp.NoFirstRun, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("hide-scrollbars", true),
		// Text is drawn the same on every machine.
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true), chromedp.Flag("force-color-profile", "srgb")}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{TB: t, ctx: ctx, problems: make(chan string, 100), pictures: t.ArtifactDir()}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1280, 720)); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: countRequests}); err != nil {
		t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the browser has ended
			}
			// An answer other than 200 is shown where it happened.
			if m.IsException() || m.Type == "error" && m.Source != "network" {
				b.problem(m.String())
			}
		}
	}()
	b.do(chromedp.Navigate(url))
	b.wait("the page to show something", `document.querySelector("main .view") !== null && !document.querySelector("main .loading")`)
	t.Cleanup(func() {
		select {
		case problem := <-b.problems:
			t.Errorf("the page reported: %s", problem)
		default:
		}
	})
	return b
}

// in is the same browser for a subtest.
func (b *browser) in(t testing.TB) *browser {
	inner := *b
	inner.TB = t
	return &inner
}

func (b *browser) problem(text string) {
	select {
	case b.problems <- text:
	default:
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patient)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// evaluate evaluates JavaScript.
func evaluate[T any](b *browser, js string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patient)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		b.Fatalf("%s: %v", js, err)
	}
	return out
}

func (b *browser) text(js string) string { b.Helper(); return evaluate[string](b, js) }

func (b *browser) truth(js string) bool { b.Helper(); return evaluate[bool](b, js) }

// wait waits until an expression of the page is true.
func (b *browser) wait(what, js string) {
	b.Helper()
	deadline := time.Now().Add(patient)
	for !b.truth("!!(" + js + ")") {
		if time.Now().After(deadline) {
			b.picture("failure")
			b.Fatalf("waited in vain for %s; the page says %q", what, b.text("document.body.innerText.slice(0, 600)"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// picture keeps a screenshot among the test's artefacts (go test -artifacts).
func (b *browser) picture(name string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.pictures, name+".png"), png, 0o644); err != nil {
		b.Error(err)
	}
}

// settled waits until the page has got all that it asks for, and has drawn it.
func (b *browser) settled() {
	b.Helper()
	const quiet = `(underWay === 0 && !document.querySelector("main .loading"))`
	for drawn := false; !drawn; {
		b.wait("what is loading", quiet)
		var err error
		drawn, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool](`new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done(`+quiet+`))), 250))`,
			chromedp.EvalAwaitPromise))
		if err != nil {
			b.Fatal(err)
		}
	}
}

func (b *browser) window() string {
	b.Helper()
	return b.text(`document.querySelector("#window").textContent`)
}

func (b *browser) key(key string) {
	b.Helper()
	b.do(chromedp.KeyEvent(key))
}

func (b *browser) click(selector string) {
	b.Helper()
	b.wait("an element "+selector, `document.querySelector(`+quote(selector)+`)?.getBoundingClientRect().width > 0`)
	at := evaluate[[]float64](b, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(`+quote(selector)+`).getBoundingClientRect())`)
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

// write types into a field, in place of what it held.
func (b *browser) write(selector, text string) {
	b.Helper()
	b.text(`(f => { f.focus(); f.select(); return "" })(document.querySelector(` + quote(selector) + `))`)
	b.key(text)
}

func (b *browser) view(name string) {
	b.Helper()
	if b.truth(`document.querySelector("nav").getBoundingClientRect().width > 0`) {
		b.click(`nav button[data-view="` + name + `"]`)
	} else { // a narrow window has a list instead
		b.text(`(e => { e.value = ` + quote(name) + `; e.dispatchEvent(new Event("change")); return "" })(document.querySelector("select.views"))`)
	}
	b.wait("view "+name, `document.querySelector('nav button[data-view="`+name+`"]').getAttribute("aria-current") === "page" && !document.querySelector("main .loading")`)
	b.settled()
}

// drag moves the pointer with the button held.
func (b *browser) drag(x0, y0, x1, y1 float64) {
	b.Helper()
	held := func(p *input.DispatchMouseEventParams) {
		p.Button, p.Buttons, p.ClickCount = input.MouseButtonLeft, 1, 1
	}
	b.do(chromedp.MouseEvent(chromedp.MousePressed, x0, y0, held), chromedp.MouseEvent(chromedp.MouseMoved, (x0+x1)/2, (y0+y1)/2, held),
		chromedp.MouseEvent(chromedp.MouseMoved, x1, y1, held), chromedp.MouseEvent(chromedp.MouseReleased, x1, y1, held))
}

func (b *browser) move(x, y float64) {
	b.Helper()
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

func (b *browser) wheel(x, y, dy float64) {
	b.Helper()
	b.do(chromedp.MouseEvent(chromedp.MouseWheel, x, y, func(p *input.DispatchMouseEventParams) { p.DeltaX, p.DeltaY = 1e-9, dy }))
}

// touch moves fingers, given by pairs of coordinates.
func (b *browser) touch(kind input.DispatchTouchEventType, places ...float64) {
	b.Helper()
	points := []*input.TouchPoint{}
	for i := 0; i < len(places); i += 2 {
		points = append(points, &input.TouchPoint{X: places[i], Y: places[i+1], ID: new(float64(i))})
	}
	if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points}); err != nil {
		b.Fatal(err)
	}
}

// find points at a block of the timeline whose description has a text, and
// gives the place.
func (b *browser) find(want string) (x, y float64) {
	b.Helper()
	box := evaluate[[]float64](b, `(r => [r.x, r.y, r.width, r.height])(document.querySelector(".scroll canvas").getBoundingClientRect())`)
	for _, first := range []float64{230, 260, 245, 275} { // blocks may be narrow
		for y = box[1] + 40; y < box[1]+box[3]-10; y += 9 {
			for x = box[0] + first; x < box[0]+box[2]; x += 60 {
				b.move(x, y)
				if b.truth(`!document.querySelector(".tip").hidden && document.querySelector(".tip").innerText.includes(` + quote(want) + `)`) {
					return x, y
				}
			}
		}
	}
	b.picture("nothing-found")
	b.Fatalf("the timeline shows nothing called %q", want)
	return 0, 0
}
