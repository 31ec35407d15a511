package metrics

import (
	"bufio"
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store/tracetest"
)

func now(t *testing.T) *state.State {
	t.Helper()
	s, err := state.New(tracetest.Generated(t, 1000)).At(state.Newest)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every line is one of Prometheus's text format, and each metric is there once.
func TestPrometheusText(t *testing.T) {
	var out bytes.Buffer
	if err := WritePrometheus(&out, Of(now(t))); err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile(`^[a-z_]+\{([a-z]+="([^"\\]|\\.)*",?)+\} [0-9.e+-]+$`)
	types := map[string]bool{}
	lines := bufio.NewScanner(&out)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "# TYPE "):
			name := strings.Fields(line)[2]
			if types[name] {
				t.Errorf("%s twice", name)
			}
			types[name] = true
		case strings.HasPrefix(line, "# HELP "):
		case !sample.MatchString(line):
			t.Errorf("no sample: %s", line)
		}
	}
	for _, want := range []string{"accscope_device_memory_used_bytes", "accscope_queue_depth", "accscope_transfer_bytes_total", "accscope_kernel_time_seconds_total"} {
		if !types[want] {
			t.Errorf("no %s in %v", want, types)
		}
	}
}

// Prometheus's own tool finds nothing to complain about.
func TestPromtoolChecksTheText(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool not found: install prometheus")
	}
	v := now(t)
	v.Devices[0].Queues[0].Number = model.AsyncSync
	var text bytes.Buffer
	if err := WritePrometheus(&text, Of(v)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `queue="sync"`) || strings.Contains(text.String(), `queue="-`) {
		t.Errorf("queues without a name in\n%s", text.String())
	}
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = &text
	if output, err := check.CombinedOutput(); err != nil || len(output) > 0 {
		t.Errorf("promtool: %v\n%s", err, output)
	}
}

func TestValuesAreTheStates(t *testing.T) {
	v := now(t)
	found := 0
	for _, m := range Of(v) {
		if m.Name == "accscope.kernel.time" || m.Name == "accscope.transfer.bytes" {
			for i, p := range m.Points {
				want := v.Devices[0].KernelTime
				if m.Name == "accscope.transfer.bytes" {
					want = []int64{v.Devices[0].Uploads.Bytes, v.Devices[0].Downloads.Bytes}[i]
				}
				if p.Value != want || want == 0 {
					t.Errorf("%s is %d, want %d", m.Name, p.Value, want)
				}
				found++
			}
		}
	}
	if found != 3 {
		t.Errorf("%d values", found)
	}
}
