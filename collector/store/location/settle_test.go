package location

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/schema"
)

// A folder is no trace; of one that has a job's result in it the error says where that is.
func TestSettleOfFolders(t *testing.T) {
	empty, job := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(job, "trace.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{empty: "accscope import", job: filepath.Join(job, "trace.db")} {
		if err := Settle(folder); !errors.Is(err, schema.ErrNotATrace) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", folder, err, want)
		}
	}
}
