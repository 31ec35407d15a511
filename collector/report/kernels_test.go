package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// The kernels table says how many launches have a device time where some have
// none: people see it only then, programs always.
func TestLaunchesWithoutDeviceTime(t *testing.T) {
	const kernels = "work IN (SELECT id FROM work WHERE kind = 1)"
	sums := []string{"DELETE FROM work_total WHERE " + kernels,
		`INSERT INTO work_total SELECT a.work, s.thread, r.site, count(*), sum(a.duration), min(a.duration), max(a.duration), 0
			FROM activity a JOIN record r ON r.id = a.record JOIN site s ON s.id = r.site WHERE a.` + kernels + ` GROUP BY 1, 2, 3`}
	for _, test := range []struct {
		name   string
		change string
		shown  bool
	}{
		{"all are timed", "", false},
		{"some are lost", "DELETE FROM activity WHERE id % 7 = 0 AND " + kernels, true},
		{"the runtime measures none", "DELETE FROM activity WHERE " + kernels, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tracetest.File(t, 3000, 1)
			if test.change != "" {
				tracetest.Change(t, path, append([]string{test.change}, sums...)...)
			}
			trace := tracetest.Open(t, path)
			for _, filter := range []Filter{{}, {To: 1 << 60}} { // sums in the file, and made of the rows
				document, err := Build(trace, Options{Filter: filter})
				if err != nil {
					t.Fatal(err)
				}
				var text, data bytes.Buffer
				if err := document.Write(&text, FormatText); err != nil {
					t.Fatal(err)
				}
				if shown := strings.Contains(text.String(), "launches  timed  device time") && strings.Contains(text.String(), "timed is how many"); shown != test.shown {
					t.Errorf("timed is shown: %v, want %v:\n%s", shown, test.shown, text.String())
				}
				if err := document.Write(&data, FormatJSON); err != nil {
					t.Fatal(err)
				}
				var out struct {
					Tables struct {
						Kernels struct {
							Rows []struct{ Launches, Timed int64 }
						}
					}
				}
				if err := json.Unmarshal(data.Bytes(), &out); err != nil {
					t.Fatal(err)
				}
				rows := out.Tables.Kernels.Rows
				short := slices.ContainsFunc(rows, func(r struct{ Launches, Timed int64 }) bool { return r.Timed < r.Launches })
				if len(rows) == 0 || short != (test.change != "") {
					t.Errorf("JSON has launches and timed %+v", rows)
				}
			}
		})
	}
}
