package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestExports compares the engine's functions with the rows of engine.h.
func TestExports(t *testing.T) {
	t.Chdir("..")
	fresh := filepath.Join(t.TempDir(), "exports.go")
	if err := write(fresh); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("exports.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("exports.go is not what engine.h says (%v): go generate ./cmd/libopenacc/engine", err)
	}
}
