package location_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// A name that was claimed for a trace is given back with what a killed writer began
// there; what holds events, or is somebody else's, stays.
func TestUnclaim(t *testing.T) {
	const magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	files := func(content, journal []byte) func(path string) error {
		return func(path string) error {
			err := os.WriteFile(path, content, 0o600)
			if journal != nil {
				err = errors.Join(err, os.WriteFile(path+"-journal", journal, 0o600))
			}
			return err
		}
	}
	for name, c := range map[string]struct {
		make func(path string) error
		left int
	}{
		"nothing":                           {func(string) error { return nil }, 0},
		"an empty file":                     {files(nil, nil), 0},
		"a journal that was begun":          {files(nil, make([]byte, 512)), 0},
		"a journal":                         {files(nil, []byte(magic+"and more")), 0},
		"an empty journal":                  {files(nil, []byte{}), 0},
		"a file of others beside an empty":  {files(nil, []byte("notes of the user")), 1},
		"a text":                            {files([]byte("notes of the user"), nil), 1},
		"a text beside a beginning journal": {files([]byte("notes"), make([]byte, 512)), 2},
		"a trace of which nothing is kept": {func(path string) error {
			w, err := write.Create(path, 0, model.New(nil, nil))
			if err != nil {
				return err
			}
			return w.Close()
		}, 0},
		"a trace": {func(path string) error {
			content, err := os.ReadFile(tracetest.File(t, 100, 1))
			return errors.Join(err, os.WriteFile(path, content, 0o600))
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.db")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path) // it need not be there
			location.Unclaim(path)
			left, err := filepath.Glob(path + "*")
			if err != nil || len(left) != c.left {
				t.Errorf("left are %q (%v), want %d", left, err, c.left)
			}
			if after, err := os.ReadFile(path); err == nil && !bytes.Equal(before, after) {
				t.Error("it was changed")
			}
		})
	}
}
