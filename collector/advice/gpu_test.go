package advice

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
)

// recorded unpacks a trace that is kept of a run on a GPU.
func recorded(t *testing.T, name string) *store.Trace {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata/gpu", name+".db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	content, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".db")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, content); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

// TestGPU: of the programs of rules that need a GPU, as they ran on one, the bad one has
// the finding, with a gain within a factor of two of what the mended one gained there;
// the others have none, and the evidence gives the rows that it counts.
func TestGPU(t *testing.T) {
	for _, test := range []struct {
		trace, rule, subject string
		gained               int64 // ns: the medians of five runs, the bad program's less the mended one's
		variants             []string
	}{
		// As often as the bad program's trace has it: six times, 51 times, once, and twice, on one
		// processor of the host's.
		{"idle-queue", "idle-queue", "left", 6 * 7_830_400, []string{"bad", "mended", "alike"}},
		{"few-gangs", "few-gangs", "bad._omp_fn.0", 51 * 2_251_500, []string{"bad", "mended", "alike"}},
		{"short-kernel", "short-kernel", "advance._omp_fn.0", 1_702_000, []string{"bad", "mended", "alike"}},
		{"pageable-memory", "pageable-memory", "x", 2 * 58_611_000, []string{"bad", "mended", "alike"}},
	} {
		t.Run(test.trace, func(t *testing.T) {
			for _, variant := range test.variants {
				trace := recorded(t, test.trace+"."+variant)
				findings, err := Find(trace, 1)
				if err != nil {
					t.Fatal(err)
				}
				var found *Finding
				gain := int64(0) // of all places
				for _, f := range findings {
					if f.Rule == test.rule {
						found = f
						gain += f.Gain
					}
				}
				if variant != "bad" {
					if found != nil {
						t.Errorf("%s: found %+v", variant, found)
					}
					continue
				}
				if found == nil || found.Subject != test.subject {
					t.Fatalf("nothing found about %s: %+v", test.subject, found)
				}
				if gain > 2*test.gained || 2*gain < test.gained {
					t.Errorf("gain %d ns, measured were %d", gain, test.gained)
				}
				rows := int64(0)
				err = sqlitex.Execute(trace.Conn(), found.SQL, &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error { rows++; return nil }})
				if err != nil || rows != found.Count {
					t.Errorf("%d rows were counted, SQL gives %d (%v)", found.Count, rows, err)
				}
			}
		})
	}
}
