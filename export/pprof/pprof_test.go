package pprof

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

func TestSumsEqualTheTrace(t *testing.T) {
	trace := tracetest.Generated(t, 2000)
	var file bytes.Buffer
	if err := Write(&file, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var host, device, wantHost, wantDevice int64
	for _, s := range p.Sample {
		host += s.Value[0]
		device += s.Value[1]
	}
	for r, err := range trace.Spans(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		wantHost += r.Exclusive()
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		wantDevice += a.Duration
	}
	if host != wantHost || device != wantDevice || device == 0 {
		t.Errorf("host %d ns of %d, device %d ns of %d", host, wantHost, device, wantDevice)
	}
}

// The tool that people look at profiles with opens it.
func TestGoToolPprofOpensIt(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, tracetest.Generated(t, 500), export.Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.pb.gz")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{"host", "device", "bytes", "count"} {
		output, err := exec.Command("go", "tool", "pprof", "-top", "-sample_index="+index, path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", index, err, output)
		}
		if !strings.Contains(string(output), "Type: "+index) || !strings.Contains(string(output), "step") {
			t.Errorf("%s: no kernel in\n%s", index, output)
		}
	}
}
