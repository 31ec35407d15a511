package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// No time of a range's statistics is longer than the range, and on a thread what is not
// nested adds up to no more than it.
func TestStatisticsOfARange(t *testing.T) {
	s := serveGenerated(t, 2000)
	const from, to = 1_200_000, 1_900_000
	exclusive := map[string]int64{}
	partly := false
	for _, r := range answer[statisticsAnswer](t, s, "/api/statistics?from=1200000&to=1900000").Rows {
		if r.Longest > to-from {
			t.Errorf("%s %s takes %d ns of %d", r.Kind, r.Name, r.Longest, to-from)
		}
		exclusive[r.Group] += r.Time - r.Inner
		if r.Time < r.Inner {
			t.Errorf("%s %s: %d ns are nested in %d", r.Kind, r.Name, r.Inner, r.Time)
		}
		partly = partly || r.Inner > 0
	}
	threads := int64(len(answer[overviewAnswer](t, s, "/api/overview").Threads))
	if !partly || exclusive["host"] == 0 || exclusive["host"] > threads*(to-from) {
		t.Errorf("%d threads took %d ns of %d", threads, exclusive["host"], to-from)
	}
}

// A browser without the token gets a page that says what to do, a program JSON.
func TestRefusalIsAPage(t *testing.T) {
	s := serveGenerated(t, 500)
	for _, test := range []struct {
		path, accept string
		page         bool
	}{
		{"/", "text/html,application/xhtml+xml,*/*;q=0.8", true},
		{"/?token=<script>", "text/html", true},
		{"/", "*/*", false},
		{"/api/overview", "text/html", false},
	} {
		request, err := http.NewRequest(http.MethodGet, s.root()+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", test.accept)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%s: %v, status %d", test.path, err, response.StatusCode)
		}
		text := string(body)
		isPage := strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") && strings.Contains(text, "<p>") && strings.Contains(text, "token")
		if isPage != test.page || json.Valid(body) == test.page || strings.Contains(text, "<script>") {
			t.Errorf("%s, %s: %s", test.path, test.accept, text)
		}
	}
}

// Two traces are compared with what is exact of them, and with what to know of their times.
func TestComparedTotals(t *testing.T) {
	s := serveGenerated(t, 3000)
	for _, by := range []string{"kernel", "kind"} {
		a := answer[compareAnswer](t, s, "/api/compare?by="+by)
		got := map[string]compareTotal{}
		for _, total := range a.Totals {
			got[total.Metric] = total
		}
		for _, metric := range comparedTotals {
			if got[metric].Value == 0 || got[metric].Other == 0 {
				t.Errorf("by %s: %s is %+v", by, metric, got[metric])
			}
		}
		if len(a.Cautions) != 1 || !strings.Contains(a.Cautions[0], "too few runs to tell what is chance: 1 and 1") {
			t.Errorf("by %s: cautions %q", by, a.Cautions)
		}
	}
}

// A second trace may be dropped into the page; what is no trace changes nothing.
func TestDroppedTrace(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 2000, 1)}})
	send := func(name string, body []byte, header ...string) (int, string) {
		t.Helper()
		request, err := http.NewRequest(http.MethodPost, s.root()+secondPath+"?name="+url.QueryEscape(name), bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.token)
		for i := 0; i < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	names := func() (names []string) {
		for _, trace := range answer[[]traceInfo](t, s, "/api/traces") {
			names = append(names, trace.Name)
		}
		return names
	}
	before := names()
	for _, test := range []struct {
		name   string
		body   string
		header []string
		status int
		says   string
	}{
		{"notes.txt", "no trace", nil, http.StatusBadRequest, "notes.txt: not an accscope trace"},
		{"..", "no trace", nil, http.StatusBadRequest, "want the name of a file"},
		{"b.db", "no trace", []string{"Origin", "http://elsewhere"}, http.StatusForbidden, "other sites"},
		{"b.db", "no trace", []string{"Authorization", "Bearer guess"}, http.StatusUnauthorized, "token"},
	} {
		if status, text := send(test.name, []byte(test.body), test.header...); status != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%s: status %d, %s", test.name, status, text)
		}
	}
	if now := names(); len(before) != 1 || !slices.Equal(now, before) {
		t.Errorf("refused files made %q of %q", now, before)
	}
	for spans, name := range map[int]string{1000: "after.db", 500: "later.db"} {
		trace, err := os.ReadFile(tracetest.File(t, spans, 2))
		if err != nil {
			t.Fatal(err)
		}
		if status, text := send(name, trace); status != http.StatusOK {
			t.Fatalf("%s: status %d, %s", name, status, text)
		}
		if now := names(); len(now) != 2 || now[1] != name {
			t.Errorf("the traces are %q", now)
		}
		if a := answer[compareAnswer](t, s, "/api/compare?by=kernel"); len(a.Rows) == 0 || a.Other != name {
			t.Errorf("compared with %q in %d rows", a.Other, len(a.Rows))
		}
	}
}

// On the page itself: a hit of no length is found among its neighbours, directions of
// transfers have rows of their own, constructs are called by their places, and what is
// dropped is compared.
func TestPageFollowsItsReaders(t *testing.T) {
	b := browse(t, serve(t, Options{Traces: []string{tracetest.File(t, 3000, 1)}}).URL()+"#view=timeline")
	b.settled()
	b.write("#search", "create"+kb.Enter)
	b.wait("the first match", `document.querySelector(".panel-head h2") !== null`)
	b.settled()
	if window := b.window(); !strings.HasSuffix(window, " us") && !strings.HasSuffix(window, " ms") {
		t.Errorf("the search opened %s", window)
	}
	b.click(`.tools button[data-tool="Tracks"]`)
	tracks := b.text(`document.querySelector(".tracks").textContent`)
	for _, want := range []string{"upload rate", "download rate"} {
		if !strings.Contains(tracks, want) {
			t.Errorf("no track %q in %q", want, tracks)
		}
	}
	b.click(".track-list button.primary")
	trace, err := os.ReadFile(tracetest.File(t, 1000, 2))
	if err != nil {
		t.Fatal(err)
	}
	b.text(`(() => {
		const bytes = Uint8Array.from(atob(` + quote(base64.StdEncoding.EncodeToString(trace)) + `), (c) => c.charCodeAt(0));
		const data = new DataTransfer();
		data.items.add(new File([bytes], "after.db"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
		return "";
	})()`)
	b.wait("the comparison", `document.querySelector("main h2") !== null && document.querySelector("main").textContent.includes("B is after.db")`)
	b.settled()
	totals := b.text(`document.querySelector("main table").textContent`)
	for _, want := range []string{"copies", "bytes moved", "mappings", "kernels launched"} {
		if !strings.Contains(totals, want) {
			t.Errorf("the totals have no %q: %q", want, totals)
		}
	}
	if said := b.text(`document.querySelector("main").textContent`); !strings.Contains(said, "Too few runs to tell what is chance") {
		t.Errorf("Compare does not say how few runs there are: %q", said)
	}
}
