package capture

import (
	"encoding/binary"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "record the fuzz targets' seeds anew")

// The seeds of FuzzStream are small recordings in the format of today; -update makes
// them.
func TestSeeds(t *testing.T) {
	session := t.TempDir()
	for name, command := range map[string]func(session string) *exec.Cmd{
		"fields":  func(session string) *exec.Cmd { return raiser(t, session, "fields") },
		"garbage": func(session string) *exec.Cmd { return raiser(t, session, "garbage") },
		"mixed":   func(session string) *exec.Cmd { return raiser(t, session, "mixed", "200") },
		"fill":    func(session string) *exec.Cmd { return raiser(t, session, "fill", "20") },
		"threads": func(session string) *exec.Cmd { return raiser(t, session, "threads", "3", "2", "1") },
	} {
		seed := filepath.Join("testdata", "rings", name)
		if *update {
			session := filepath.Join(session, name)
			if err := os.Mkdir(session, 0o700); err != nil {
				t.Fatal(err)
			}
			if output, err := command(session).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, output)
			}
			data, err := os.ReadFile(filepath.Join(openOne(t, session).Dir, "ring-00000"))
			if err != nil {
				t.Fatal(err)
			}
			end := binary.LittleEndian.Uint64(data[atChunkCommitted:])
			if err := os.WriteFile(seed, data[:end], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(seed)
		if err != nil {
			t.Fatalf("%v; go test -run TestSeeds -update records it", err)
		}
		if got := binary.LittleEndian.Uint32(data[atChunkVersion:]); got != Version {
			t.Errorf("%s is of format %d, not %d; go test -run TestSeeds -update records it", seed, got, Version)
		}
	}
}
