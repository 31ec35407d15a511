package tui

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Where launches have no device time at the end, the kernels view says so.
func TestLaunchesWithoutDeviceTime(t *testing.T) {
	const kernels = "work IN (SELECT id FROM work WHERE kind = 1)"
	for _, test := range []struct {
		name   string
		change string
		shown  bool
	}{
		{"all are timed", "SELECT 1", false},
		{"some are lost", "DELETE FROM activity WHERE id % 7 = 0 AND " + kernels, true},
		{"the runtime measures none", "DELETE FROM activity WHERE " + kernels, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tracetest.File(t, 3000, 1)
			tracetest.Change(t, path, test.change)
			replay, err := OpenReplay(path)
			if err != nil {
				t.Fatal(err)
			}
			picture, err := TakePicture(t.Context(), replay, Shot{View: "kernels", At: "100%", Width: 120, Height: 30})
			if err != nil {
				t.Fatal(err)
			}
			if text := picture.Text(); strings.Contains(text, "launches have a device time") != test.shown {
				t.Errorf("want said: %v\n%s", test.shown, text)
			}
		})
	}
}
