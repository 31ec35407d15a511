package pprof

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// What is missing from the trace stands in the profile's comments.
func TestGaps(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 500)
	var file bytes.Buffer
	if err := Write(&file, tracetest.Open(t, path), export.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(file.Bytes())
	if err != nil || len(p.Comments) != len(gaps) || !strings.Contains(p.Comments[0], "callbacks switched off") {
		t.Errorf("%q, %v", p.Comments, err)
	}
}

// Host code that was sampled is a type of sample of its own, which only a trace with samples
// has; by label doing it is told apart what threads were in.
func TestHostCode(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, tracetest.Open(t, tracetest.Sampled(t)), export.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	at, doing := len(p.SampleType)-1, map[string]int64{}
	for _, s := range p.Sample {
		if s.Value[at] > 0 {
			doing[s.Label["doing"][0]] += s.Value[at]
			if innermost := s.Location[0].Line[0]; s.Label["doing"][0] == "waiting" && (innermost.Function.Name != "step" || innermost.Line != 31 || len(s.Location) != 2) {
				t.Errorf("%+v", s)
			}
		}
	}
	if p.SampleType[at].Type != "cpu" || !reflect.DeepEqual(doing, map[string]int64{"else": 30, "OpenACC": 10, "waiting": 10, "MPI": 10}) {
		t.Errorf("%s: %v", p.SampleType[at].Type, doing)
	}
	file.Reset()
	if err := Write(&file, tracetest.Generated(t, 100), export.Options{}); err != nil {
		t.Fatal(err)
	}
	if p, err := profile.ParseData(file.Bytes()); err != nil || len(p.SampleType) != at {
		t.Errorf("without samples: %v, %v", p.SampleType, err)
	}
}

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
	var host, device, moved, allocated, count, wantHost, wantDevice, wantMoved, wantAllocated, wantCount int64
	for _, s := range p.Sample {
		host += s.Value[0]
		device += s.Value[1]
		moved += s.Value[2]
		allocated += s.Value[3]
		count += s.Value[4]
	}
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		wantCount++
		switch r.Site.Kind {
		case "enqueue_upload", "enqueue_download":
			wantMoved += int64(r.Bytes)
		case "alloc":
			wantAllocated += int64(r.Bytes)
		}
		if r.Span {
			wantHost += r.Exclusive()
		}
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
	if moved != wantMoved || allocated != wantAllocated || count != wantCount || moved*allocated == 0 {
		t.Errorf("%d bytes moved of %d, %d allocated of %d, %d records of %d", moved, wantMoved, allocated, wantAllocated, count, wantCount)
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
	for _, index := range []string{"host", "device", "bytes", "allocated", "count"} {
		output, err := exec.Command("go", "tool", "pprof", "-top", "-sample_index="+index, path).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", index, err, output)
		}
		if strings.Contains(string(output), "not available") || !strings.Contains(string(output), "File: jacobi") {
			t.Errorf("the program is not known:\n%s", output)
		}
		if !strings.Contains(string(output), "Type: "+index) || !strings.Contains(string(output), "step") {
			t.Errorf("%s: no kernel in\n%s", index, output)
		}
	}
}

// Labels choose and divide samples in the tool, and tell two ranks apart.
func TestGoToolPprofKnowsTheLabels(t *testing.T) {
	for _, rank := range []int{0, 3} {
		t.Run(fmt.Sprint("rank ", rank), func(t *testing.T) { labelsOf(t, rank) })
	}
}

func labelsOf(t *testing.T, rank int) {
	path := tracetest.File(t, 500, 1)
	tracetest.Change(t, path, fmt.Sprintf("UPDATE process SET rank = %d", rank))
	trace := tracetest.Open(t, path)
	file := filepath.Join(t.TempDir(), "trace.pb.gz")
	var out bytes.Buffer
	if err := Write(&out, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) string {
		output, err := exec.Command("go", append(append([]string{"tool", "pprof", "-sample_index=count"}, args...), file)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, output)
		}
		return string(output)
	}
	tags := ask("-tags")
	for _, label := range []string{"rank: ", "device: ", "queue: ", "thread: ", "variable: ", "kind: "} {
		if !strings.Contains(tags, label) {
			t.Errorf("no label %sin\n%s", label, tags)
		}
	}
	var moved int64
	for _, err := range trace.Records(store.Filter{Match: func(s *store.Site) bool {
		return s.Kind != "enqueue_launch" && s.Kind != "error" && s.Name == "halo_left"
	}}) {
		if err != nil {
			t.Fatal(err)
		}
		moved++
	}
	if top := ask("-top", "-tagfocus=variable=^halo_left$"); moved == 0 || !strings.Contains(top, fmt.Sprintf("Showing nodes accounting for %d, ", moved)) {
		t.Errorf("-tagfocus finds not %d events of halo_left:\n%s", moved, top)
	}
	for _, tag := range []string{fmt.Sprint("rank=", rank), fmt.Sprintf("rank=%d:%d", rank, rank+1)} {
		if top := ask("-top", "-nodefraction=0", "-tagfocus="+tag); !strings.Contains(top, ", 100% of ") {
			t.Errorf("-tagfocus=%s finds not all of the rank:\n%s", tag, top)
		}
	}
	if top := ask("-top", "-tagfocus=rank=7"); !strings.Contains(top, "Showing nodes accounting for 0, ") {
		t.Errorf("there is a rank 7:\n%s", top)
	}
	if top := ask("-top", "-tagroot=rank,device"); !regexp.MustCompile(fmt.Sprintf(`(?m) %d$`, rank)).MatchString(top) || !strings.Contains(top, "not_host 0") {
		t.Errorf("-tagroot shows no rank and device:\n%s", top)
	}
}
