package gather

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// A collector that may not keep as much as it is to says what helps, at once.
func TestNoStorage(t *testing.T) {
	g, err := Open(Options{Folder: filepath.Join(t.TempDir(), "result"), Job: "test", Listen: "127.0.0.1:0", Store: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = g.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "--store") || !strings.Contains(err.Error(), "-o") {
		t.Errorf("%v", err)
	}
}
