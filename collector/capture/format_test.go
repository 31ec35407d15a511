package capture

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The C header and the Go constants are the same format.
func TestFormatIsOne(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "layout.go")
	if output, err := exec.Command("go", "run", "./layout", fresh).CombinedOutput(); err != nil {
		t.Fatalf("go run ./layout: %v\n%s", err, output)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("layout.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("layout.go is not what format.h says (%v): go generate ./collector/capture", err)
	}
}

// Chunks lie one behind the other, and every offset belongs to one.
func TestChunkPlaces(t *testing.T) {
	var at int64
	for index := int64(0); index < 20; index++ {
		if chunkOffset(index) != at {
			t.Errorf("chunk %d at %d, want %d", index, chunkOffset(index), at)
		}
		if got := chunkAt(at + chunkSize(index) - 1); got != index {
			t.Errorf("the last byte of chunk %d belongs to chunk %d", index, got)
		}
		at += chunkSize(index)
	}
}
