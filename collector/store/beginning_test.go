package store_test

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Where calls are missing nobody knows which one is which.
func TestFromTheBeginning(t *testing.T) {
	for change, want := range map[string]bool{
		"UPDATE process SET since_attach = 0":                           true,
		"UPDATE process SET since_attach = 1":                           false,
		"INSERT OR REPLACE INTO meta VALUES ('filter_last_ns', '1000')": false,
		"INSERT OR REPLACE INTO meta VALUES ('filter_last_bytes', '')":  true,
		"INSERT OR REPLACE INTO meta VALUES ('filter_min_bytes', '1')":  true,
	} {
		path := tracetest.File(t, 100, 1)
		tracetest.Change(t, path, change)
		if got, err := tracetest.Open(t, path).FromTheBeginning(); got != want || err != nil {
			t.Errorf("%s: %v, %v", change, got, err)
		}
	}
}
