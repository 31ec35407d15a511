package capture

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "record the fuzz targets' seeds anew")

// The seeds of FuzzStream are small recordings; -update makes them.
func TestSeeds(t *testing.T) {
	for _, arguments := range [][]string{{"fields"}, {"garbage"}, {"mixed", "200"}, {"fill", "20"}, {"threads", "3", "2", "1"}} {
		seed := filepath.Join("testdata", "rings", arguments[0])
		if *update {
			session := t.TempDir()
			run(t, raiser(t, session, arguments...))
			data, err := os.ReadFile(filepath.Join(openOne(t, session).Dir, "ring-00000"))
			if err != nil {
				t.Fatal(err)
			}
			committed := data[chunkCommitted : chunkCommitted+3]
			end := int(committed[0]) | int(committed[1])<<8 | int(committed[2])<<16
			if err := os.WriteFile(seed, data[:end], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(seed); err != nil {
			t.Errorf("%v; go test -run TestSeeds -update records it", err)
		}
	}
}
