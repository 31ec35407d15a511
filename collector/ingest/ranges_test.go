package ingest_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
)

// Ranges of the process that are open when a collector stops are ended by the next one's;
// of more than there are lanes for the oldest have no end.
func TestRangesOfTheProcess(t *testing.T) {
	for _, c := range []struct{ open, ended int }{{5, 4}, {1200, 1000}} {
		t.Run(strconv.Itoa(c.open), func(t *testing.T) {
			session := t.TempDir()
			command := exec.Command(compile(t, "ranges", "testdata/ranges.c"), strconv.Itoa(c.open))
			command.Env = append(os.Environ(), "ACCSCOPE_SESSION="+session, "ACC_PROFLIB="+profilerLibrary(t))
			command.Stderr = os.Stderr
			input, output := startPiped(t, command)
			if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "trace.db")
			in, err := ingest.Open(ingest.Options{Session: session, Trace: path})
			for err == nil && in.Events() < int64(c.open) {
				_, err = in.Poll()
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := in.Suspend(); err != nil {
				t.Fatal(err)
			}
			if _, err := input.Write([]byte{'\n'}); err != nil {
				t.Fatal(err)
			}
			if err := command.Wait(); err != nil {
				t.Fatal(err)
			}
			trace := finish(t, session, path)
			counts := map[string][2]int{} // all, ended
			for r, err := range trace.Spans(store.Filter{}) {
				if err != nil {
					t.Fatal(err)
				}
				n := counts[r.Site.Name]
				n[0]++
				if !r.Unended {
					n[1]++
				}
				counts[r.Site.Name] = n
				if r.Depth != 0 {
					t.Errorf("range %d lies in another one", r.ID)
				}
			}
			if counts["open"] != [2]int{c.open, min(c.ended, c.open-1)} || counts["later"] != [2]int{1, 1} {
				t.Errorf("ranges and those that ended: %v", counts)
			}
			threads, err := trace.Threads()
			if err != nil || len(threads) > 1001 {
				t.Errorf("%d threads, %v", len(threads), err)
			}
		})
	}
}
