package store_test

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// A program that goes on as another one has that one's number and not its exit status.
func TestExitOfWhatWentOn(t *testing.T) {
	for ended, want := range map[string]string{"exec": "", "exited": "status 3"} {
		path := tracetest.File(t, 100, 1)
		tracetest.Change(t, path, "UPDATE process SET ended = '"+ended+"'", "INSERT INTO meta SELECT 'exit_' || pid, '3' FROM process")
		processes, err := tracetest.Open(t, path).Processes()
		if err != nil || len(processes) != 1 || processes[0].Exit != want {
			t.Errorf("%s: %+v, %v; want %q", ended, processes, err, want)
		}
	}
}
