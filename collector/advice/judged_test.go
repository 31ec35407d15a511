package advice

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// What was judged is counted, and what was not has a reason.
func TestJudge(t *testing.T) {
	const nothing = "DELETE FROM total WHERE site IN (SELECT id FROM site WHERE kind IN (6, 18, 20, 22, 24))"
	for _, test := range []struct {
		name    string
		changes []string
		judged  string // begins
		not     string
	}{
		{"on the host", []string{nothing, "UPDATE device SET type = 2"}, "0 launches, 0 transfers, 0 waits, 0 mappings", "launches, transfers, waits and mappings (the program ran on the host"},
		{"nothing on the device", []string{nothing}, "0 launches, 0 transfers, 0 waits, 0 mappings", "launches, transfers, waits and mappings (the program did nothing on the device"},
		{"without times", []string{"DELETE FROM activity"}, "", "needless-wait, synchronous-construct, idle-queue, short-kernel (no times of a device were measured)"},
		{"without hashes", []string{"DELETE FROM content"}, "", "repeated-transfer, round-trip (what was the same: no hashes (run --hash))"},
		{"several threads", nil, "", "synchronous-construct, needless-wait (kernels of several threads"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tracetest.File(t, 3000, 1)
			if len(test.changes) > 0 {
				tracetest.Change(t, path, test.changes...)
			}
			j, err := Judge(tracetest.Open(t, path))
			if err != nil {
				t.Fatal(err)
			}
			lines, not := j.lines(false)
			if len(lines) != 1 || !strings.HasPrefix(lines[0], test.judged) || !strings.Contains(not, test.not) {
				t.Errorf("%q, not %s", lines, not)
			}
			if each, _ := j.lines(true); test.judged == "" && (len(each) < 3 || !strings.Contains(each[0], " launches: ") || j.Launches == 0 || j.Mappings == 0) {
				t.Errorf("%+v: %q", j, each)
			}
		})
	}
}
