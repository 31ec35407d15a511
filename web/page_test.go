package web

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestPage(t *testing.T) {
	server := serveGenerated(t, 30_000)
	b := browse(t, server.URL()+"#view=timeline")

	t.Run("load", func(t *testing.T) {
		b := b.in(t)
		b.wait("the timeline", `document.querySelector("#window")?.textContent !== ""`)
		b.settled()
		b.picture("timeline")
		if url := b.text("location.href"); strings.Contains(url, server.token) {
			t.Errorf("the token stayed in the address bar: %s", url)
		}
	})
	t.Run("zoom", func(t *testing.T) {
		b := b.in(t)
		before := b.window()
		b.wheel(700, 300, -400)
		b.wait("the wheel to zoom", `document.querySelector("#window").textContent !== `+quote(before))
		before = b.window()
		b.key("w")
		b.wait("W to zoom", `document.querySelector("#window").textContent !== `+quote(before))
	})
	t.Run("pan", func(t *testing.T) {
		b := b.in(t)
		before := b.window()
		b.drag(800, 300, 600, 300)
		b.wait("dragging to pan", `document.querySelector("#window").textContent !== `+quote(before))
		before = b.window()
		b.key("d")
		b.wait("D to pan", `document.querySelector("#window").textContent !== `+quote(before))
		b.wait("the URL to carry the view", `location.hash.includes("from=")`)
	})
	for range 7 {
		b.wheel(700, 300, -400)
	}
	b.settled()
	t.Run("hover and select", func(t *testing.T) {
		b := b.in(t)
		x, y := b.find("enqueue_launch")
		b.picture("hover")
		b.do(chromedp.MouseClickXY(x, y))
		b.wait("the details", `!document.querySelector(".panel").hidden && document.querySelector(".fields dt") !== null`)
		b.settled()
		b.picture("selected")
		b.wait("the URL to carry the selection", `/selected=[ra][0-9]+/.test(location.hash)`)
		first := b.text("location.hash")
		b.key(".")
		b.wait("the next span", `location.hash !== `+quote(first))
		b.find("enqueue_launch") // by its tooltip
		b.key("f")
		b.wait("the tooltip to go with the block", `document.querySelector(".tip").hidden`)
		b.key("m")
		b.wait("the statistics of the selection, in sight below its details", `(() => {
			const row = document.querySelector(".panel table tbody tr")?.getBoundingClientRect();
			const panel = document.querySelector(".panel").getBoundingClientRect();
			return row && row.top >= panel.top && row.bottom <= Math.min(panel.bottom, innerHeight);
		})()`)
	})
	t.Run("range", func(t *testing.T) {
		b := b.in(t)
		b.key(kb.Escape)
		top := evaluate[float64](b, `document.querySelector(".scroll canvas").getBoundingClientRect().y`)
		b.drag(500, top+8, 900, top+8)
		b.wait("the statistics of the range", `document.querySelector(".panel table tbody tr") !== null`)
		b.picture("range")
		b.key(kb.Escape)
		b.wait("the range to be cleared", `document.querySelector(".panel").hidden`)
		b.key("m")
		b.wait("the statistics", `document.querySelector(".panel table tbody tr") !== null`)
		b.key(kb.Escape)
	})
	t.Run("search", func(t *testing.T) {
		b := b.in(t)
		b.key("/")
		b.wait("the search to be entered", `document.activeElement.id === "search"`)
		b.write("#search", "wait"+kb.Enter)
		b.wait("the number of matches", `/events/.test(document.querySelector(".search .found").textContent)`)
		b.wait("the first match", `/wait/.test(document.querySelector(".panel-head h2")?.textContent ?? "")`)
		b.settled()
		b.picture("search")
		b.write("#search", kb.Escape)
	})
	t.Run("views", func(t *testing.T) {
		b := b.in(t)
		for _, view := range []string{"summary", "memory", "queues", "kernels", "transfers", "flame", "sources", "sql", "compare"} {
			b.view(view)
			if view == "sql" {
				b.click("main button.primary")
				b.wait("a result", `document.querySelector("main table tbody tr") !== null`)
			}
			if view == "sources" {
				b.wait("the host's and the devices' time of each source", `["host", "device"].every((title) =>
					[...document.querySelectorAll(".split > :first-child th")].some((head) => head.textContent === title))`)
			}
			b.picture("view-" + view)
			if text := b.text(`[...document.querySelectorAll("main .error")].map(e => e.textContent).join("; ")`); text != "" && view != "sources" {
				t.Errorf("view %s shows an error: %s", view, text)
			}
		}
	})
	t.Run("dark", func(t *testing.T) {
		b := b.in(t)
		b.view("timeline")
		b.key("0")
		b.click("#theme")
		b.wait("dark", `document.documentElement.dataset.theme === "dark"`)
		b.settled()
		b.picture("dark")
	})
	t.Run("touch", func(t *testing.T) {
		b := b.in(t)
		b.key("0")
		b.settled()
		before := b.window()
		b.touch(input.DispatchTouchEventTypeTouchStart, 700, 250, 800, 250)
		b.touch(input.DispatchTouchEventTypeTouchMove, 600, 250, 900, 250)
		b.touch(input.DispatchTouchEventTypeTouchMove, 500, 250, 1000, 250)
		b.touch(input.DispatchTouchEventTypeTouchEnd)
		b.wait("two fingers to zoom", `document.querySelector("#window").textContent !== `+quote(before))
		before = b.window()
		b.touch(input.DispatchTouchEventTypeTouchStart, 700, 250)
		b.touch(input.DispatchTouchEventTypeTouchMove, 600, 250)
		b.touch(input.DispatchTouchEventTypeTouchMove, 500, 250)
		b.touch(input.DispatchTouchEventTypeTouchEnd)
		b.wait("one finger to pan", `document.querySelector("#window").textContent !== `+quote(before))
	})
	t.Run("shared address", func(t *testing.T) {
		b := b.in(t)
		b.wait("the address to carry the view", `location.hash.includes("from=")`)
		b.settled()
		want := b.window()
		b.do(chromedp.Reload())
		b.wait("the same part of the trace", `document.querySelector("#window")?.textContent === `+quote(want))
	})
	t.Run("keys alone", func(t *testing.T) {
		b := b.in(t)
		b.do(chromedp.Navigate(server.root() + "/"))
		b.wait("the summary", `document.querySelector(".summary .card") !== null`)
		b.key("2")
		b.wait("the timeline to have the focus", `document.activeElement?.tagName === "CANVAS"`)
		b.settled()
		for range 25 {
			b.key("w")
		}
		b.settled()
		b.key(kb.Enter)
		b.wait("a selection", `/selected=/.test(location.hash) || /begin=/.test(location.hash)`)
		b.key(kb.Escape)
		b.key("3")
		b.wait("the third view", `document.querySelector('nav button[data-view="memory"]').getAttribute("aria-current") === "page"`)
		seen := map[string]bool{}
		for range 60 {
			b.key(kb.Tab)
			seen[b.text(`document.activeElement.textContent || document.activeElement.getAttribute("aria-label") || ""`)] = true
		}
		for _, want := range []string{"Timeline", "Queues", "Compare"} {
			if !seen[want] {
				t.Errorf("Tab does not reach %s", want)
			}
		}
	})
	t.Run("help", func(t *testing.T) {
		b := b.in(t)
		b.text(`(e => { e.blur(); return "" })(document.activeElement)`) // a field would take the key
		b.key("?")
		b.wait("the help", `document.querySelector("dialog").open`)
		b.picture("help")
	})
}
