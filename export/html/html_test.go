package html

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

func written(t testing.TB) string {
	t.Helper()
	trace := tracetest.Generated(t, 5000)
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The page needs nothing but itself.
func TestPageIsSelfContained(t *testing.T) {
	page := written(t)
	if found := regexp.MustCompile(`(?i)<script|<link|<img|src=|url\(|@import|https?://`).FindString(page); found != "" {
		t.Errorf("the page has %q", found)
	}
	for _, want := range []string{`id="timeline"`, `class="memory"`, `id="transfers"`, `id="kernels"`, "omp_fn"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Titles are whole, and the drawing has room for them, however long they are.
func TestTitlesAreNotClipped(t *testing.T) {
	const host = "a-node-with-a-name-of-many-letters.cluster.example.org"
	path := tracetest.File(t, 500, 1)
	tracetest.Change(t, path, "UPDATE host SET name = '"+host+"'",
		"INSERT INTO process SELECT id + 1, host, pid + 1, parent_pid, program, arguments, 1, 2, start, end, ended, runtime, since_attach, NULL FROM process")
	var page bytes.Buffer
	if err := Write(&page, tracetest.Open(t, path), export.Options{}); err != nil {
		t.Fatal(err)
	}
	if plots := regexp.MustCompile("<h2>Memory in use: .*"+regexp.QuoteMeta(host)+", ").FindAllString(page.String(), -1); len(plots) == 0 {
		t.Error("a plot of memory does not say whose it is")
	}
	titles := regexp.MustCompile(`<text x="-8" y="11" text-anchor="end">([^<]*)</text>`).FindAllStringSubmatch(page.String(), -1)
	left := regexp.MustCompile(`viewBox="-([0-9.]+) -4`).FindStringSubmatch(page.String())
	if len(titles) == 0 || left == nil || !strings.Contains(page.String(), host+", ") {
		t.Fatalf("%d titles, margin %v", len(titles), left)
	}
	margin, err := strconv.ParseFloat(left[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range titles {
		if strings.Contains(title[1], "…") || float64(len(title[1]))*6 > margin-8 {
			t.Errorf("%q in a margin of %g", title[1], margin)
		}
	}
}

// A browser shows the plots and tables.
func TestBrowserOpensThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: apt-get install chromium")
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(written(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+path)
	var problems bytes.Buffer
	command.Stderr = &problems
	dom, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	if n := bytes.Count(dom, []byte("<rect")); n < 100 {
		t.Errorf("%d rectangles", n)
	}
	if !bytes.Contains(dom, []byte("</table>")) {
		t.Error("no table")
	}
}
