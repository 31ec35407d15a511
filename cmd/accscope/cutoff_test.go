package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a program was in when it was killed is marked as cut off in every view and export that has
// names, and what has ended before is not.
func TestCutOffIsMarked(t *testing.T) {
	folder := t.TempDir()
	source := strings.Replace(killedInside, "  static double a[1000];\n", `  static double a[1000];
  accscope_frame_begin ("step", 0);
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 1000; i++)
    a[i] = i;
  accscope_frame_end ();
  accscope_frame_begin ("step", 1);
  accscope_range_push ("solve");
`, 1)
	compiled(t, filepath.Join(folder, "inside"), "#include \"accscope_annotation.h\"\n"+source, "-fopenacc", "-foffload=disable", "-I"+filepath.Join(project, "include"))
	execute(t, folder, nil, accscope, "run", "-q", "--device", "sim", "--callstack", "full", "-o", "trace.db", "--", "./inside")
	part := func(text, from, to string) string {
		_, text, _ = strings.Cut(text, from)
		text, _, _ = strings.Cut(text, to)
		return text
	}
	wide := []string{"COLUMNS=200"}
	report := execute(t, folder, wide, accscope, "report", "trace.db").must(t).stdout
	picture := func(view string) string {
		return execute(t, folder, nil, accscope, "top", "--picture", view, "--at", "10s", "--size", "160x60", "trace.db").must(t).stdout
	}
	for what, text := range map[string]string{
		"frames":        part(report, "\nFrames, ranges and marks", "\n\n"),
		"call stacks":   part(report, "\nHost time by call stack", "\n\n"),
		"kernels":       part(report, "\nKernels", "\n\n"),
		"the log":       part(picture("events"), "range_start ", "no such"),
		"times by line": part(picture("kernels"), "Host time by source", "no such"),
		"kernels seen":  part(picture("kernels"), "Kernels 2", "Transfers"),
		"ranges":        part(picture("program"), "Frames and ranges", "no such"),
		"compare":       invoke(t, folder, "compare", "trace.db", "trace.db").must(t).stdout,
		"speedscope":    invoke(t, folder, "export", "--to", "speedscope", "-o", "-", "trace.db").must(t).stdout,
	} {
		if !strings.Contains(text, "cut off") {
			t.Errorf("%s: nothing is marked in\n%s", what, text)
		}
	}
	flame := invoke(t, folder, "export", "--to", "speedscope", "-o", "-", "trace.db").must(t).stdout
	for frame, n := range map[string]int{`"frame step (cut off)"`: 1, `"frame step"`: 1, `"range solve (cut off)"`: 1, `"range solve"`: 0, `"enter_data (cut off)"`: 0} {
		if got := strings.Count(flame, frame); got != n {
			t.Errorf("speedscope has %d frames %s", got, frame)
		}
	}
	invoke(t, folder, "export", "--to", "pprof", "-o", "trace.pb.gz", "trace.db").must(t)
	if got := execute(t, folder, nil, "go", "tool", "pprof", "-sample_index=host", "-top", "-nodecount=100", "trace.pb.gz").must(t).stdout; !strings.Contains(got, "(cut off)") {
		t.Errorf("pprof has no frame that is cut off:\n%s", got)
	}
}
