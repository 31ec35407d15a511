package tui_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"regexp"
	"testing"

	"github.com/accscope/accscope/tui"
)

// keysAreWords says which keys of an object, and of those in it, are no names as scripts
// know them.
func keysAreWords(t *testing.T, at string, x any) {
	t.Helper()
	switch x := x.(type) {
	case map[string]any:
		for key, inner := range x {
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(key) {
				t.Errorf("key %s.%s", at, key)
			}
			keysAreWords(t, at+"."+key, inner)
		}
	case []any:
		for _, inner := range x {
			keysAreWords(t, at+"[]", inner)
		}
	}
}

func TestJSON(t *testing.T) {
	path := record(t, 20)
	output, err := exec.Command(accscope, "top", "--json", "--once", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var end tui.Reading
	if err := json.Unmarshal(output, &end); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	var raw map[string]any
	if err := json.Unmarshal(output, &raw); err != nil {
		t.Fatal(err)
	}
	keysAreWords(t, "", raw)
	kernel := raw["kernels"].([]any)[0].(map[string]any)
	for _, name := range []string{"count", "measured", "time", "minimum", "maximum", "host_time"} {
		if n, given := kernel[name].(float64); !given || n <= 0 {
			t.Errorf("%s of a kernel is %v", name, kernel[name])
		}
	}
	if bytes.Count(output, []byte("\n")) != 1 || end.State != tui.Ended || end.Events == 0 || len(end.Kernels) != 1 || end.Kernels[0].Count != 80 {
		t.Errorf("--once gives %s", output)
	}
	output, err = exec.Command(accscope, "top", "--json", "--interval", "50ms", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	var readings []tui.Reading
	for decoder.More() {
		var r tui.Reading
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		readings = append(readings, r)
	}
	if len(readings) < 3 || readings[len(readings)-1].Events != end.Events {
		t.Fatalf("%d readings, the last of %d events; want %d", len(readings), readings[len(readings)-1].Events, end.Events)
	}
	var busy float64
	for i, r := range readings {
		if i > 0 && (r.Events < readings[i-1].Events || r.Time <= readings[i-1].Time && r.State != tui.Ended) {
			t.Errorf("reading %d goes back", i)
		}
		for _, d := range r.Devices {
			for _, q := range d.Queues {
				busy = max(busy, q.Busy)
			}
		}
	}
	if busy <= 0.1 || busy > 1 {
		t.Errorf("the busiest queue was busy for %g of an interval", busy)
	}
}

func TestJSONLive(t *testing.T) {
	p := start(t)
	var r tui.Reading
	until(t, "a kernel", func() bool {
		output, err := exec.Command(accscope, "top", "--json", "--once", "--interval", "100ms").Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(output, &r); err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		return len(r.Kernels) == 1
	})
	if r.State != tui.Live || len(r.Processes) != 1 || r.Processes[0].PID != p.pid {
		t.Errorf("%+v", r)
	}
	p.end()
}
