package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/export/otf2/otf2test"
	"github.com/accscope/accscope/export/perfetto/perfettotest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// killedInside is killed by its own kernel, which has run for a while.
const killedInside = `#include <signal.h>
#include <time.h>
#include <unistd.h>
static double now (void) { struct timespec t; clock_gettime (CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
int main (void)
{
  static double a[1000];
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++)
    {
      for (double begin = now (); i == 500 && now () < begin + 0.3;) ;
      if (i == 500) kill (getpid (), SIGKILL);
      a[i] += 1;
    }
}
`

// A construct that its program was killed in lasts until then, marked, in all that sums or shows
// it, and nothing of it has a length of nothing.
func TestKilledInside(t *testing.T) {
	folder := t.TempDir()
	compiled(t, filepath.Join(folder, "inside"), killedInside, "-fopenacc", "-foffload=disable")
	r := execute(t, folder, []string{"COLUMNS=200"}, accscope, "run", "--device", "sim", "-o", "trace.db", "--", "./inside")
	length := figure(t, folder, "SELECT duration FROM spans WHERE kind = 'enqueue_launch'")
	end := figure(t, folder, "SELECT end FROM processes")
	if !strings.Contains(r.stderr, "was ended by signal 9 (killed); constructs it was in last until then") || length < 250e6 {
		t.Errorf("the launch lasts %v ns: %s", length, r.stderr)
	}
	waited := figure(t, folder, waitedTime)
	if said := "host         waiting " + asShare(waited, end-figure(t, folder, "SELECT start FROM processes")); waited < length || !strings.Contains(r.stderr, said) {
		t.Errorf("no %q, of %v ns that the host waited: %s", said, waited, r.stderr)
	}
	for at, says := range map[string]string{"50%": "  source.c:8", "100%": "cut off: source.c:8"} {
		picture := invoke(t, folder, "top", "--picture", "queues", "--at", at, "--ascii", "trace.db").must(t).stdout
		if !strings.Contains(picture, says) || !strings.Contains(picture, "  +1") {
			t.Errorf("at %s the queue is not at the kernel:\n%s", at, picture)
		}
	}
	for _, query := range []string{
		"SELECT enqueue_time FROM kernels WHERE cut_off",
		"SELECT sum(inclusive_time) FROM sources WHERE kind = 'enqueue_launch' AND cut_off = 1",
	} {
		if got := figure(t, folder, query); got != length {
			t.Errorf("%s: %v, want %v", query, got, length)
		}
	}
	for _, flags := range [][]string{nil, {"--by", "source"}, {"--by", "kernel"}} {
		if said := invoke(t, folder, append([]string{"report", "trace.db"}, flags...)...).must(t).stdout; !strings.Contains(said, "cut off") {
			t.Errorf("report %v marks nothing as cut off: %s", flags, said)
		}
	}

	var file struct {
		Profiles []struct {
			EndValue float64
			Unit     string
			Events   []struct {
				Type string
				At   float64
			}
		}
	}
	if err := json.Unmarshal([]byte(invoke(t, folder, "export", "--to", "speedscope", "-o", "-", "trace.db").must(t).stdout), &file); err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for _, p := range file.Profiles {
		for _, e := range p.Events {
			last = max(last, e.At)
		}
	}
	if len(file.Profiles) == 0 || last < length {
		t.Errorf("speedscope's profiles end at %v of %v", last, end)
	}
	var chrome []struct {
		Duration float64 `json:"dur"` // us
	}
	text := invoke(t, folder, "export", "--to", "chrome", "-o", "-", "trace.db").must(t).stdout
	if err := json.Unmarshal([]byte(text), &chrome); err != nil {
		t.Fatal(err)
	}
	long := 0
	for _, e := range chrome {
		if e.Duration*1000 >= length*0.999 {
			long++
		}
	}
	if long < 2 {
		t.Errorf("%d of chrome's spans last as long as the launch, want it and its construct", long)
	}

	data, err := perfettotest.Read([]byte(invoke(t, folder, "export", "--to", "perfetto", "-o", "-", "trace.db").must(t).stdout))
	if err != nil {
		t.Fatal(err)
	}
	long = 0
	for _, track := range data.Tracks {
		for _, s := range track.Slices {
			if float64(s.End-s.Start) >= length {
				long++
			}
		}
	}
	if long < 2 {
		t.Errorf("%d of Perfetto's slices last as long as the launch, want it and its construct", long)
	}
	t.Run("OTF2", func(t *testing.T) {
		invoke(t, folder, "export", "--to", "otf2", "-o", "otf2", "trace.db").must(t)
		entered := map[int][]uint64{}
		longest := uint64(0)
		for _, e := range otf2test.Print(t, filepath.Join(folder, "otf2")).Events {
			stack := entered[e.Location]
			switch e.Kind {
			case "ENTER":
				entered[e.Location] = append(stack, e.Time)
			case "LEAVE":
				longest = max(longest, e.Time-stack[len(stack)-1])
				entered[e.Location] = stack[:len(stack)-1]
			}
		}
		if float64(longest) < length {
			t.Errorf("OTF2's longest region lasts %d ns", longest)
		}
	})

	var lock sync.Mutex
	spans, longest := 0, uint64(0)
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var message coltracepb.ExportTraceServiceRequest
		if err == nil && strings.HasSuffix(r.URL.Path, "/traces") {
			err = proto.Unmarshal(body, &message)
		}
		if err != nil {
			t.Error(err)
		}
		lock.Lock()
		defer lock.Unlock()
		for _, of := range message.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					spans++
					if s.EndTimeUnixNano <= s.StartTimeUnixNano {
						t.Errorf("OTLP's span %s ends as it starts", s.Name)
					}
					longest = max(longest, s.EndTimeUnixNano-s.StartTimeUnixNano)
				}
			}
		}
	}))
	defer backend.Close()
	invoke(t, folder, "export", "--to", "otlp", "--endpoint", backend.URL, "trace.db").must(t)
	if spans < 4 || float64(longest) < length {
		t.Errorf("OTLP has %d spans, the longest of %d ns", spans, longest)
	}
}
