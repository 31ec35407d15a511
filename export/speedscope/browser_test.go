package speedscope

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/npmtest"
	"github.com/accscope/accscope/export/stacks"
)

// speedscope itself opens the file in a browser, and its table lists what took
// most of the time.
func TestSpeedscopeOpensTheFile(t *testing.T) {
	folder := npmtest.Package(t, "speedscope", "1.25.0")
	trace := tracetest.Generated(t, 500)
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	// This is how speedscope's command line hands a file to its page.
	script := filepath.Join(t.TempDir(), "profile.js")
	if err := os.WriteFile(script, fmt.Appendf(nil, "speedscope.loadFileFromBase64(%q, %q)", "trace.speedscope.json",
		base64.StdEncoding.EncodeToString(out.Bytes())), 0o600); err != nil {
		t.Fatal(err)
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium in PATH: apt-get install chromium")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(browser), chromedp.WindowSize(1400, 900),
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute), chromedp.NoFirstRun, chromedp.Headless, chromedp.NoSandbox, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("enable-unsafe-swiftshader", true))
	defer stop()
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, timeout := context.WithTimeout(ctx, 5*time.Minute)
	defer timeout()
	text := func(js string) string {
		value, err := chromedp.Run(ctx, chromedp.Evaluate[string](js))
		if err != nil {
			t.Fatalf("%s: %v", js, err)
		}
		return value
	}
	until := func(what, js string) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		patience := time.NewTimer(time.Minute)
		defer patience.Stop()
		for text("String("+js+")") != "true" {
			select {
			case <-tick.C:
			case <-patience.C:
				t.Fatalf("waited in vain until %s; the page is called %q and says\n%s", what, text("document.title"), text("document.body.innerText"))
			}
		}
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.Join(folder, "node_modules/speedscope/dist/release/index.html")+"#localProfilePath="+script)); err != nil {
		t.Fatal(err)
	}
	// The first profile is a thread's; the last but one is the sum of host time.
	until("the profile is loaded", `document.body.innerText.includes("(1/")`)
	profiles := written(t, trace, export.Options{}).Profiles
	if shown := text("document.body.innerText"); !strings.Contains(shown, profiles[0].Name+" (1/"+strconv.Itoa(len(profiles))+")") {
		t.Errorf("the page shows not %s first:\n%s", profiles[0].Name, shown)
	}
	for range len(profiles) - 2 {
		if err := chromedp.Do(ctx, chromedp.KeyEvent("n")); err != nil {
			t.Fatal(err)
		}
	}
	until("the sums are shown", `document.body.innerText.includes("host time, summed")`)
	if err := chromedp.Do(ctx, chromedp.KeyEvent("3")); err != nil {
		t.Fatal(err)
	}
	until("the table is shown", `/Symbol Name\s+\S+\s+\S+\s+\S+\s+\S+\s+\S/.test(document.body.innerText)`)
	table := text(`document.body.innerText`)
	list, err := stacks.Sum(trace, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	self := map[stacks.Frame]int64{}
	var most stacks.Frame
	for _, s := range list {
		frame := s.Frames[len(s.Frames)-1]
		if self[frame] += s.Host; self[frame] > self[most] {
			most = frame
		}
	}
	// The table begins with the frame that took most of the time itself.
	_, rows, _ := strings.Cut(table, "Symbol Name")
	if row := strings.Fields(rows); len(row) < 5 || !strings.HasPrefix(most.Name, row[4]) || row[2] != shown(self[most]) {
		t.Errorf("the table begins with %.100q, want %s in %s", rows, shown(self[most]), most.Name)
	}
}

// shown is a time below a millisecond as speedscope writes it.
func shown(ns int64) string { return fmt.Sprintf("%.2fµs", float64(ns)/1000) }
