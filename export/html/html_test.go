package html

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// A browser shows the plots and tables.
func TestBrowserOpensThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium not found: install chromium")
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
