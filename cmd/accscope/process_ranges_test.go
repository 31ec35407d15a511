package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The same program in three languages: ranges that overlap, one of which another thread
// ends, each around one construct and both around one more.
var overlapping = map[string]string{
	"program.c": `#include "accscope_annotation.h"
#include <pthread.h>
static float a[1000];
static void compute (void)
{
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++) a[i] += 1;
}
static void *finish (void *range)
{
  compute ();
  accscope_range_end (*(uint64_t *) range);
  return NULL;
}
int main (void)
{
  uint64_t early = accscope_range_start ("early");
  compute ();
  uint64_t late = accscope_range_start ("late");
  compute ();
  accscope_range_end (early);
  pthread_t thread;
  pthread_create (&thread, NULL, finish, &late);
  pthread_join (thread, NULL);
  accscope_range_start ("endless");
  compute ();
  return 0;
}
`,
	"program.cpp": `#include "accscope_annotation.h"
#include <thread>
static float a[1000];
static void compute ()
{
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++) a[i] += 1;
}
int main ()
{
  auto early = accscope_range_start ("early");
  compute ();
  auto late = accscope_range_start ("late");
  compute ();
  accscope_range_end (early);
  std::thread ([late] { compute (); accscope_range_end (late); }).join ();
  accscope_range_start ("endless");
  compute ();
}
`,
	"program.f90": `module work
  implicit none
  real :: a(1000) = 0
contains
  subroutine compute
    integer :: i
    !$acc parallel loop copy(a)
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
  end subroutine
end module
program overlapping
  use accscope_annotation
  use work
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none
  integer(c_int64_t) :: early, late, endless
  early = accscope_range_start('early')
  call compute
  late = accscope_range_start('late', __FILE__, __LINE__)
  call compute
  call accscope_range_end(early)
  call compute
  call accscope_range_end(late)
  endless = accscope_range_start('endless')
  call compute
  if (endless < 0) stop 1
end program
`,
}

// Ranges that do not nest are spans of their process in every view, and choose what is
// inside of them.
func TestRangesOfTheProcess(t *testing.T) {
	for program, text := range overlapping {
		t.Run(program, func(t *testing.T) {
			folder := recordOwn(t, program, text)
			for name, want := range map[string]int{"early": 2, "late": 2, "endless": 1} {
				if kernels := launches(t, folder, "--inside", name); kernels != want {
					t.Errorf("%d launches inside %s, want %d", kernels, name, want)
				}
			}
			rows, err := csv.NewReader(strings.NewReader(invoke(t, folder, "query", "--format", "csv", "trace.db",
				`SELECT a.name, t.name, a.cut_off, a.start_tid = t.pid, coalesce(a.start_tid <> a.end_tid, 0), a.line > 0,
					a.start > (SELECT start FROM annotations WHERE name = 'early') AND a.start < (SELECT end FROM annotations WHERE name = 'early')
				FROM annotations a JOIN threads t USING (thread) ORDER BY a.start`).must(t).stdout)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			other := "1"
			if program == "program.f90" { // whose range its own thread ends
				other = "0"
			}
			if got, want := fmt.Sprint(rows[1:]), "[[early ranges 0 1 0 1 0] [late ranges 2 0 1 "+other+" 1 1] [endless ranges 1 1 0 1 0]]"; got != want {
				t.Errorf("the ranges: %s, want %s", got, want)
			}
			if said := reported(t, folder, "annotations"); said["early"]["count"] != 1.0 || said["late"]["kind"] != "range" || said["early"]["time_ns"] == nil {
				t.Errorf("the report says %v", said)
			}
			overlappingInViews(t, folder)
		})
	}
}

// overlappingInViews sees that exports and the terminal have the ranges.
func overlappingInViews(t *testing.T, folder string) {
	out := invoke(t, folder, "export", "--to", "chrome", "-o", "-", "trace.db").must(t).stdout
	var events []struct {
		Name, Cat, Ph string
		TID           int64
		TS, Dur       float64
	}
	if err := json.Unmarshal([]byte(out), &events); err != nil {
		t.Fatal(err)
	}
	lanes := map[string]int64{}
	for _, e := range events {
		if e.Cat == "range" {
			lanes[e.Name] = e.TID
		}
	}
	if len(lanes) != 3 || lanes["early"] == lanes["late"] || lanes["endless"] != lanes["early"] {
		t.Errorf("lanes of Chrome's: %v", lanes)
	}
	for _, format := range []string{"perfetto", "speedscope", "html", "csv"} {
		out := invoke(t, folder, "export", "--to", format, "-o", "-", "trace.db").must(t).stdout
		for _, name := range []string{"early", "late"} {
			if !strings.Contains(out, name) {
				t.Errorf("%s has no %s", format, name)
			}
		}
	}
	invoke(t, folder, "export", "--to", "otf2", "-o", "archive", "trace.db").must(t)
	definitions, err := os.ReadFile(filepath.Join(folder, "archive", "traces.def"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"early", "late", "endless"} {
		if !strings.Contains(string(definitions), name) {
			t.Errorf("OTF2 names no %s", name)
		}
	}
	var lock sync.Mutex
	var sent bytes.Buffer
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if _, err := io.Copy(&sent, r.Body); err != nil {
			t.Error(err)
		}
	}))
	defer backend.Close()
	invoke(t, folder, "export", "--to", "otlp", "--endpoint", backend.URL, "--protocol", "http", "trace.db").must(t)
	backend.Close()
	if !strings.Contains(sent.String(), "early") || !strings.Contains(sent.String(), "late") {
		t.Error("OTLP has no ranges")
	}
	picture := invoke(t, folder, "top", "--picture", "program", "trace.db").must(t).stdout
	for _, text := range []string{"early", "late", "ranges 2"} {
		if !strings.Contains(picture, text) {
			t.Errorf("the terminal has no %s:\n%s", text, picture)
		}
	}
}
