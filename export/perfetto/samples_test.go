package perfetto

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Samples of processors are Perfetto's of perf events: of their processes and threads, at their
// times, before the first event too, with the stacks that the trace has.
func TestSamples(t *testing.T) {
	path := tracetest.Sampled(t)
	tracetest.Change(t, path, "UPDATE cpu_sample SET time = -70 WHERE time = 1000")
	trace := tracetest.Open(t, path)
	for _, compress := range []bool{false, true} {
		im := imported(t, trace, export.Options{Compress: compress})
		threads := map[int64]string{}
		for _, track := range im.Tracks {
			if track.Thread {
				threads[track.TID] = "of the trace"
			}
		}
		var got []string
		for _, x := range im.Samples {
			text := fmt.Sprintf("%d %s:", x.Time, threads[x.TID])
			for _, f := range x.Frames {
				text += fmt.Sprintf(" %s %s %s:%d", f.Function, f.Mapping, f.Source, f.Line)
			}
			got = append(got, text)
		}
		const main = " main /a/solve /a/solve.c:12 "
		want := []string{"-70 of the trace:" + main + "step /a/solve /a/solve.c:30", "1005 of the trace:" + main + "step /a/solve /a/solve.c:30",
			"1010 of the trace:" + main + "step /a/solve /a/solve.c:30", "1020 of the trace:" + main + "step /a/solve /a/solve.c:31",
			"1030 of the trace:" + main + "/lib/libm.so+0x40 /lib/libm.so :0", "2000 : 0x3ee [unknown] :0"}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("compressed %v:\n%s\nwant\n%s", compress, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if im := imported(t, trace, export.Options{Filter: store.Filter{From: 1015, To: 1025}}); len(im.Samples) != 1 || im.Samples[0].Time != 1020 {
		t.Errorf("of a window: %+v", im.Samples)
	}
	var file bytes.Buffer
	if err := Write(&file, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	decoder := exec.Command("protoc", "--decode=Trace", "-I", "testdata", "testdata/trace.proto")
	decoder.Stdin = &file
	output, err := decoder.CombinedOutput()
	if unknown := unknownField.Find(output); err != nil || unknown != nil || !bytes.Contains(output, []byte("perf_sample")) {
		t.Errorf("protoc: %v, it does not know %q", err, unknown)
	}
}
