package main

import (
	"path/filepath"
	"testing"
)

// TestFactsOfARun holds what a trace says beside the events: what the device is,
// and the span that the run was started in.
func TestFactsOfARun(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	environment := []string{"TRACEPARENT=" + caller, "TRACESTATE=a=b", "ACCSCOPE_SIM_MEMORY=64MiB"}
	check := func(trace string) {
		t.Helper()
		rows := invoke(t, folder, "query", "--format", "csv", trace,
			"SELECT type, number, name, vendor, capacity FROM devices WHERE type = 100").must(t).stdout
		if want := "type,number,name,vendor,capacity\n100,0,accscope sim,accscope,67108864\n"; rows != want {
			t.Errorf("%s: devices\n%s\nwant\n%s", trace, rows, want)
		}
		if rows := invoke(t, folder, "query", "--format", "csv", trace, "SELECT value FROM meta WHERE key GLOB 'trace[ps]*' ORDER BY key").must(t).stdout; rows != "value\n"+caller+"\na=b\n" {
			t.Errorf("%s: the caller's span is %q", trace, rows)
		}
	}
	execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "run.db", "--", program, "32", "5").must(t)
	check("run.db")
	// Filtered and recorded without a collector, the facts are there too.
	library := filepath.Join(project, "lib")
	execute(t, folder, append(environment, "ACC_PROFLIB="+library+"/libaccprof.so", "LD_PRELOAD="+library+"/libopenacc.so",
		"ACC_DEVICE_TYPE=sim", "ACCSCOPE_EVENTS=enqueue_launch"), program, "32", "5").must(t)
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	invoke(t, folder, "import", "-o", "import.db", captures[0]).must(t)
	check("import.db")
}
