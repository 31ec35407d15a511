package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// took is how long a statement of SQL took.
var took = regexp.MustCompile(`"seconds":[^}]*`)

// The page is answered the same from an archive as from the trace, byte for byte.
func TestArchivesAnswerAsTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.Rename(tracetest.Annotated(t, 2000), path); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "trace")
	if err := convert.Trace(folder, tracetest.Open(t, path), convert.Options{FileRows: 700}); err != nil {
		t.Fatal(err)
	}
	ofTrace, ofArchive := serve(t, Options{Traces: []string{path}}), serve(t, Options{Traces: []string{folder}})
	last := answer[overviewAnswer](t, ofTrace, "/api/overview").Meta.Last
	asked := []string{"/api/overview", "/api/statistics?from=0&to=9000000000000", "/api/search?text=e", "/api/next?text=e", "/api/leaks",
		"/api/variables?device=1", "/api/report", "/api/report?by=kernel", "/api/sql?sql=" + url.QueryEscape("SELECT * FROM spans ORDER BY start DESC LIMIT 50"),
		"/api/sql?sql=" + url.QueryEscape("SELECT count(*), sum(device_time) FROM kernels"), fmt.Sprint("/api/mappings?at=", last/2)}
	for id := 1; id <= 40; id += 3 {
		asked = append(asked, fmt.Sprint("/api/record?id=", id), fmt.Sprint("/api/activity?id=", id))
	}
	for _, pixels := range []int64{50, 1750} {
		for part := range int64(4) {
			asked = append(asked, fmt.Sprintf("/api/timeline?from=%d&to=%d&pixels=%d", part*last/4, (part+1)*last/4, pixels))
		}
	}
	for _, path := range asked {
		status, want := fetch(t, ofTrace, path)
		if status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, status, want)
		}
		if status, got := fetch(t, ofArchive, path); status != http.StatusOK || !bytes.Equal(took.ReplaceAll(got, nil), took.ReplaceAll(want, nil)) {
			t.Errorf("%s of the archive: status %d: %.300s\nof the trace: %.300s", path, status, got, want)
		}
	}
}
