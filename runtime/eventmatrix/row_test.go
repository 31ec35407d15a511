// Package eventmatrix proves, with programs compiled by gcc and gfortran, which
// construct and which routine raises which event with which fields
// (OpenACC 3.3 §5.1, §5.2); docs/event-matrix.md is the result.
package eventmatrix

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
)

// row is one event as testdata/recorder.c wrote it.
type row struct {
	section            string
	event              callbacks.Event
	parent             callbacks.Construct
	implicit           int
	async, queue       int
	bytes              string
	host, device       string
	variable, kernel   string
	gangs              string
	workers, vector    string
	errorCode          string
	deviceType, number int
	version            int
	threadKnown        int
	api, apiType       int
}

func parseRow(t *testing.T, line string) row {
	t.Helper()
	f := strings.Split(line, "\t")
	if len(f) != 21 {
		t.Fatalf("recorder wrote %d columns, not 21: %q", len(f), line)
	}
	number := func(column int) int {
		n, err := strconv.Atoi(f[column])
		if err != nil {
			t.Fatalf("column %d of %q: %v", column, line, err)
		}
		return n
	}
	return row{
		section: f[0], event: callbacks.Event(number(1)), parent: callbacks.Construct(number(2)),
		implicit: number(3), async: number(4), queue: number(5), bytes: f[6], host: f[7], device: f[8],
		variable: f[9], kernel: f[10], gangs: f[11], workers: f[12], vector: f[13], errorCode: f[14],
		deviceType: number(15), number: number(16), version: number(17), threadKnown: number(18), api: number(19), apiType: number(20),
	}
}

// checkRows holds what must be true of every event: no field empty that the
// runtime knows, starts and ends nested, the same fields in both.
func checkRows(t *testing.T, p program, rows []row, deviceType int) {
	t.Helper()
	checkSpans(t, p, rows)
	for i, r := range rows {
		where := place(p, i, r)
		if r.version != 202211 {
			t.Errorf("%s: version %d", where, r.version)
		}
		if r.threadKnown != 1 {
			t.Errorf("%s: no thread id", where)
		}
		switch {
		case r.deviceType == deviceType, r.event == callbacks.RuntimeShutdown:
		case r.deviceType == 2 && strings.HasSuffix(r.section, "if(false)"):
		case r.deviceType == 2 && (r.event == callbacks.DeviceShutdownStart || r.event == callbacks.DeviceShutdownEnd):
			// The if clause brought in the host device.
		default:
			t.Errorf("%s: device type %d, not %d", where, r.deviceType, deviceType)
		}
		isData := r.bytes != ""
		if isData && (r.bytes == "0" || r.device == "-") {
			t.Errorf("%s: bytes %q, device pointer %q", where, r.bytes, r.device)
		}
		switch r.event {
		case callbacks.Create, callbacks.Delete:
			if r.host == "-" {
				t.Errorf("%s: no host pointer", where)
			}
		case callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd:
			if r.kernel == "" || r.gangs == "0" || r.workers == "0" || r.vector == "0" {
				t.Errorf("%s: kernel %q, gangs %s, workers %s, vector %s", where, r.kernel, r.gangs, r.workers, r.vector)
			}
		case callbacks.Error:
			if r.errorCode == "" || r.errorCode == "0" || r.errorCode == "(no message)" {
				t.Errorf("%s: error code %q", where, r.errorCode)
			}
		}
	}
}

// checkSpans holds that starts and ends are nested, with the same fields in both.
func checkSpans(t *testing.T, p program, rows []row) {
	t.Helper()
	var open []row
	for i, r := range rows {
		switch r.event.Half() {
		case callbacks.Start:
			open = append(open, r)
		case callbacks.End:
			if len(open) == 0 || open[len(open)-1].event+1 != r.event {
				t.Errorf("%s: no matching start", place(p, i, r))
				continue
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if start.event = r.event; start != r {
				t.Errorf("%s: fields differ from its start:\n%+v\n%+v", place(p, i, r), start, r)
			}
		}
	}
	for _, r := range open {
		t.Errorf("%s: %q: %v without its end", p.source, r.section, r.event)
	}
}

// place says which event of a program a row is.
func place(p program, index int, r row) string {
	return fmt.Sprintf("%s: %q: event %d, %v", p.source, r.section, index+1, r.event)
}

// writeTable renders events as Markdown, one table per section.
func writeTable(text *strings.Builder, rows []row) {
	section := ""
	for _, r := range rows {
		if r.section != section {
			section = r.section
			fmt.Fprintf(text, "\n### %s\n\n", section)
			text.WriteString("| event | parent | implicit | async | queue | bytes | host | device | variable | kernel, gangs × workers × vector |\n")
			text.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
		}
		kernel := ""
		if r.kernel != "" {
			kernel = fmt.Sprintf("%s, %s × %s × %s", r.kernel, r.gangs, r.workers, r.vector)
		}
		if r.errorCode != "" {
			kernel = "error code " + r.errorCode
		}
		fmt.Fprintf(text, "| %s | %s | %d | %d | %d | %s | %s | %s | %s | %s |\n",
			strings.TrimPrefix(r.event.String(), "acc_ev_"), strings.TrimPrefix(r.parent.String(), "acc_construct_"),
			r.implicit, r.async, r.queue, r.bytes, r.host, r.device, r.variable, kernel)
	}
}
