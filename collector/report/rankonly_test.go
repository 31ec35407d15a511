package report

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A report of one rank is the same whether the others' rows are read or not, its names of
// kernels, too: they depend on where all ranks launch them.
func TestOneRankOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 2000, Ranks: 9, Queues: 2, Activity: true, Own: true, Seed: 4}); err != nil {
		t.Fatal(err)
	}
	// As a program whose ranks wait for each other.
	connection, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(connection, "UPDATE site_detail SET name = 'MPI_Barrier' WHERE name = 'MPI_Sendrecv'", nil)
	if err := errors.Join(err, connection.Close()); err != nil {
		t.Fatal(err)
	}
	for _, by := range append([]string{""}, Dimensions...) {
		for _, rank := range []int64{0, 5, 100} {
			var texts [2]string
			for i := range texts {
				trace, err := store.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer trace.Close()
				if i == 1 {
					if err := LimitToRank(trace, rank); err != nil {
						t.Fatal(err)
					}
					if limited := len(trace.LimitedTo()) == 1; limited != (rank < 9) {
						t.Errorf("rank %d: limited to %v", rank, trace.LimitedTo())
					}
				}
				document, err := Build(trace, Options{Filter: Filter{Rank: &rank}, By: by})
				if err != nil {
					t.Fatal(err)
				}
				for _, table := range document.Tables {
					if table.Key == "communication" && rank < 9 && table.Rows[0][3].(int64) == 0 {
						t.Errorf("rank %d never waited at a barrier", rank)
					}
				}
				var text bytes.Buffer
				if err := document.Write(&text, FormatJSON); err != nil {
					t.Fatal(err)
				}
				texts[i] = text.String()
			}
			if texts[0] != texts[1] {
				t.Errorf("rank %d by %q: of the limited trace\n%s\nof the whole one\n%s", rank, by, texts[1], texts[0])
			}
		}
	}
}
