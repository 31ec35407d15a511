package web

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/chromedp/chromedp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// hostile changes a trace so that it tries to harm who looks at it.
func hostile(t *testing.T) string {
	t.Helper()
	path := tracetest.File(t, 3000, 5)
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	script := `<img src=x onerror="owned=1"><script>owned=1</script>`
	change := func(sql string, args ...any) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	change("UPDATE string SET text = ? || text WHERE text LIKE 'step%'", script)
	change("UPDATE string SET text = ? WHERE text = 'a'", "\u202e\u0000\r\n"+script)
	change("UPDATE string SET text = CAST(x'fffe80' AS TEXT) || text WHERE text = 'residual'")
	change("UPDATE string SET text = ? WHERE text = 'halo_left'", strings.Repeat("W", 1<<20))
	change("UPDATE string SET text = 'javascript:owned=1//' || text WHERE text = 'jacobi.c'")
	for statement := range strings.SplitSeq(tracetest.Spell, ";") {
		change(strings.TrimSpace(statement))
	}
	change("UPDATE process SET program = ?, arguments = ?", script, `["`+strings.Repeat("x", 10000)+`"]`)
	change("UPDATE thread SET name = ?", script)
	change("UPDATE device SET name = ?, capacity = 9223372036854775807", script)
	change("UPDATE record SET time = 9223372036854775807 WHERE id = (SELECT max(id) FROM record)")
	change("UPDATE record SET duration = 9223372036854775807 WHERE id = 5")
	change("UPDATE datum SET bytes = -1 WHERE id % 7 = 0")
	change("UPDATE record SET up = 0 WHERE id = 9")
	change("UPDATE record SET up = -5, link = -7 WHERE id = 11")
	change("UPDATE lane SET last = 9223372036854775807 WHERE id = 1")
	return path
}

func TestHostileTraceIsServed(t *testing.T) {
	s := serve(t, Options{Traces: []string{hostile(t)}})
	for path, o := range operations {
		t.Run(path, func(t *testing.T) {
			status, body := fetch(t, s, path+"?"+strings.NewReplacer("trace=1", "", "jacobi.c", url.QueryEscape("javascript:owned=1//jacobi.c")).Replace(o.example))
			if status >= 500 && status != http.StatusServiceUnavailable {
				t.Errorf("status %d: %.300s", status, body)
			}
		})
	}
	for _, id := range []string{"5", "9"} {
		if status, body := fetch(t, s, "/api/record?id="+id); status != http.StatusOK {
			t.Errorf("record %s: status %d: %.300s", id, status, body)
		}
	}
}

func TestHostileTraceIsShown(t *testing.T) {
	s := serve(t, Options{Traces: []string{hostile(t)}})
	b := browse(t, s.URL()+"#view=timeline")
	b.settled()
	b.picture("hostile")
	for _, view := range []string{"memory", "queues", "kernels", "transfers", "sources", "sql"} {
		b.view(view)
		b.picture("hostile-" + view)
	}
	b.view("timeline")
	b.text(`(location.hash = "#view=timeline&from=1000000&to=1010000&selected=r12", "")`)
	b.do(chromedp.Reload())
	b.wait("the details", `document.querySelector(".panel-head h2") !== null`)
	b.settled()
	b.picture("hostile-details")
	if b.truth(`typeof owned !== "undefined"`) {
		t.Error("a script of the trace ran")
	}
	if n := evaluate[int](b, `document.querySelectorAll("img, script:not([src])").length`); n != 0 {
		t.Errorf("%d elements were made of the trace's text", n)
	}
	if b.truth(`document.documentElement.scrollWidth > innerWidth`) {
		t.Error("a long name makes the page wider than the window")
	}
}

// A trace may name any file as its source; only sources are shown.
func TestSourcesStayInside(t *testing.T) {
	folder := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.txt")
	for path, text := range map[string]string{secret: "secret", filepath.Join(folder, "jacobi.c"): "int main;\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(folder, "link.c")); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{Traces: []string{tracetest.File(t, 500, 1)}, Sources: []string{folder}})
	if a := answer[sourceAnswer](t, s, "/api/source?file=jacobi.c"); len(a.Lines) != 1 || a.Lines[0] != "int main;" {
		t.Errorf("got %+v", a)
	}
	// None of these is named by the trace.
	for _, file := range []string{secret, "../" + filepath.Base(filepath.Dir(secret)) + "/secret.txt", "/etc/passwd", "link.c", "", "jacobi.c\x00"} {
		if status, body := fetch(t, s, "/api/source?file="+url.QueryEscape(file)); status != http.StatusNotFound {
			t.Errorf("%q: status %d: %s", file, status, body)
		}
	}
	// And if it were, they would not be shown.
	for _, file := range []string{secret, "/etc/passwd", "link.c", filepath.Join(folder, "link.c"), "../jacobi.c/../../etc/passwd", "/dev/zero", folder} {
		if path, err := (&reader{sources: []string{folder}}).findSource(file); err == nil {
			t.Errorf("%q is found as %s", file, path)
		}
	}
}

// A damaged trace gives errors, at the worst; the server goes on.
func TestDamagedTrace(t *testing.T) {
	whole, err := os.ReadFile(tracetest.File(t, 3000, 1))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.db")
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		damaged := append([]byte(nil), whole...)
		for range 300 {
			damaged[4096+random.IntN(len(damaged)-4096)] = byte(random.Uint32())
		}
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Serve(t.Context(), Options{Traces: []string{path}}); err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "malformed") {
			t.Errorf("a damaged trace is served as if it were whole: %v", err)
		}
		// One that is being written cannot be checked first.
		s := serve(t, Options{Traces: []string{path}, Running: true})
		for operation, o := range operations {
			if operation != "/api/live" {
				fetch(t, s, operation+"?"+strings.ReplaceAll(o.example, "trace=1", ""))
			}
		}
		answer[[]traceInfo](t, s, "/api/traces")
	}
}
