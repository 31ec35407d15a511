package store_test

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Rows may be left before their end, nest, and say what was done where they fail.
func TestRows(t *testing.T) {
	trace, err := store.Open(tracetest.File(t, 100, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	const numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n"
	sum := int64(0)
	for s, err := range trace.Rows("counting", numbers, 3) {
		if err != nil {
			t.Fatal(err)
		}
		inner, err := trace.Number("counting on", numbers, 5)
		if err != nil || inner != 1 {
			t.Fatalf("the first of five is %d: %v", inner, err)
		}
		if s.ColumnInt64(0) == 3 {
			break
		}
		sum += s.ColumnInt64(0)
	}
	if sum != 3 {
		t.Errorf("1 and 2 are %d", sum)
	}
	if n, err := trace.Number("counting none", numbers+" WHERE 0", 1); n != 0 || err != nil {
		t.Errorf("nothing is %d: %v", n, err)
	}
	for _, err := range trace.Rows("reading nothing", "SELECT 1 FROM nowhere") {
		if err == nil || !strings.Contains(err.Error(), "reading nothing") {
			t.Errorf("a table that is not there: %v", err)
		}
	}
}
