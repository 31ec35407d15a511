package capture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The C header and the Go constants are the same format.
func TestFormatIsOne(t *testing.T) {
	checks := []struct {
		c    string
		want int64
	}{
		{"CAPTURE_VERSION", Version},
		{"CAPTURE_PROCESS_MAGIC", processMagic}, {"CAPTURE_CHUNK_MAGIC", chunkMagic},
		{"CAPTURE_CHUNK_SMALL", chunkSmall}, {"CAPTURE_CHUNK_LARGE", chunkLarge}, {"CAPTURE_CHUNKS_SMALL", chunksSmall},
		{"CAPTURE_STACK_LIMIT", stackLimit}, {"CAPTURE_DIMENSION_LIMIT", dimensionLimit},
		{"CAPTURE_CLOCK_MONOTONIC", clockMonotonic}, {"CAPTURE_CLOCK_COUNTER", clockCounter},
		{"CAPTURE_END_EXIT", endExit},
		{"CAPTURE_CLOCK_FIRST", clockFirst}, {"CAPTURE_CLOCK_LATER", clockLater},
		{"CAPTURE_CLOCK_OFFSET", clockOffset}, {"CAPTURE_PROCESS_SIZE", processSize},
		{"CAPTURE_RECORD_NONE", recordNone}, {"CAPTURE_SHORT_EVENT (0)", 1}, {"CAPTURE_SHORT_EVENT (5)", 11},
		{"CAPTURE_RECORD_EVENT", recordEvent}, {"CAPTURE_RECORD_STRING", recordString},
		{"CAPTURE_RECORD_CONTEXT", recordContext}, {"CAPTURE_RECORD_THREAD", recordThread},
		{"CAPTURE_RECORD_DROPPED", recordDropped}, {"CAPTURE_RECORD_SWITCH", recordSwitch},
		{"CAPTURE_RECORD_ACTIVITY", recordActivity}, {"CAPTURE_RECORD_MAPPING", recordMapping},
		{"CAPTURE_RECORD_THREAD_END", recordThreadEnd}, {"CAPTURE_RECORD_SITE", recordSite},
		{"CAPTURE_RECORD_DEPENDENCY", recordDependency},
		{"CAPTURE_RECORD_DEVICE", recordDevice}, {"sizeof (struct capture_device)", deviceBytes},
		{"CAPTURE_EVENT_TICKS", eventTicks}, {"CAPTURE_EVENT_PAIR", eventPair}, {"CAPTURE_EVENT_FIRST", eventFirst},
		{"CAPTURE_EVENT_SECOND", eventSecond}, {"CAPTURE_EVENT_THIRD", eventThird},
		{"CAPTURE_EVENT_DIMENSIONS", eventDimensions}, {"CAPTURE_EVENT_STACK", eventStack},
		{"CAPTURE_EVENT_CORRELATION", eventCorrelation},
		{"CAPTURE_SITE_DATA", siteData}, {"CAPTURE_SITE_LAUNCH", siteLaunch}, {"CAPTURE_SITE_ERROR", siteError},
		{"CAPTURE_SITE_START", siteStart}, {"CAPTURE_SITE_END", siteEnd},
		{"CAPTURE_SITE_LIMIT", siteLimit}, {"CAPTURE_OPEN_LIMIT", openLimit},
		{"CAPTURE_MISSING_PROFILE", missingProfile}, {"CAPTURE_MISSING_EVENT", missingEvent}, {"CAPTURE_MISSING_API", missingAPI},
		{"CAPTURE_MISSING_PROFILE >> 8", int64(MissingProfile)}, {"CAPTURE_MISSING_EVENT >> 8", int64(MissingEvent)},
		{"CAPTURE_MISSING_API >> 8", int64(MissingAPI)},
		{"sizeof (struct capture_process)", processHeaderBytes}, {"sizeof (struct capture_chunk)", chunkHeaderBytes},
		{"sizeof (struct capture_clock)", clockBytes}, {"sizeof (struct capture_record)", recordBytes},
		{"sizeof (struct capture_event)", eventBytes}, {"sizeof (capture_short_event)", shortEventBytes},
		{"sizeof (struct capture_site)", siteBytes}, {"sizeof (struct capture_context)", contextBytes},
		{"sizeof (struct capture_string)", stringBytes}, {"sizeof (struct capture_thread)", threadBytes},
		{"sizeof (struct capture_thread_end)", threadEndBytes}, {"sizeof (struct capture_dropped)", droppedBytes},
		{"sizeof (struct capture_switch)", switchBytes}, {"sizeof (struct capture_activity)", activityBytes},
		{"sizeof (struct capture_site_call)", siteCallBytes}, {"offsetof (struct capture_site_call, number)", siteCallNumber},
		{"offsetof (struct capture_site_call, first)", siteCallFirst},
		{"offsetof (struct capture_site_call, return_address)", siteCallReturn},
		{"offsetof (struct capture_site_call, function)", siteCallFunction},
		{"sizeof (struct capture_mapping)", mappingBytes}, {"sizeof (struct capture_dependency)", dependencyBytes},
	}
	for field, want := range map[string]int64{
		"version": processVersion, "armed": processArmed, "pid": processPID, "parent_pid": processParent,
		"start_ticks": processStart, "clock": processClock, "ended": processEnded, "end_ticks": processEndTicks,
		"limit_bytes": processLimit, "allocated_bytes": processAllocated, "recycled_bytes": processRecycled,
		"released_bytes": processReleased, "dropped_space": processNoSpace, "dropped_nested": processNested,
		"dropped_threads": processNoThread, "waits": processWaits, "wait_nanoseconds": processWaited,
		"threads": processThreads, "rings": processRings, "clock_readings": processReadings,
		"last_bytes": processLastBytes, "last_nanoseconds": processLastTime, "minimum_bytes": processMinimum,
	} {
		checks = append(checks, struct {
			c    string
			want int64
		}{"offsetof (struct capture_process, " + field + ")", want})
	}
	for field, want := range map[string]int64{
		"version": chunkVersion, "header_bytes": chunkHeader, "index": chunkIndex, "bytes": chunkBytes,
		"committed": chunkCommitted, "thread": chunkThread, "tid": chunkTID, "level": chunkLevel,
		"sequence": chunkSequence, "clock": chunkClock,
	} {
		checks = append(checks, struct {
			c    string
			want int64
		}{"offsetof (struct capture_chunk, " + field + ")", want})
	}
	source := "#include <stddef.h>\n#include <stdio.h>\n#include \"format.h\"\nint main (void) {\n"
	var want strings.Builder
	for _, check := range checks {
		source += fmt.Sprintf("printf (\"%%lld\\n\", (long long) (%s));\n", check.c)
		fmt.Fprintf(&want, "%d\n", check.want)
	}
	file := filepath.Join(t.TempDir(), "format.c")
	if err := os.WriteFile(file, []byte(source+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(compile(t, "format", file)).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(output), "\n")
	for i, line := range strings.Split(want.String(), "\n") {
		if got[i] != line {
			t.Errorf("%s is %s in C, %s in Go", checks[i].c, got[i], line)
		}
	}
}

// Chunks lie one behind the other, and every offset belongs to one.
func TestChunkPlaces(t *testing.T) {
	var at int64
	for index := int64(0); index < 20; index++ {
		if chunkOffset(index) != at {
			t.Errorf("chunk %d at %d, want %d", index, chunkOffset(index), at)
		}
		if got := chunkAt(at + chunkSize(index) - 1); got != index {
			t.Errorf("the last byte of chunk %d belongs to chunk %d", index, got)
		}
		at += chunkSize(index)
	}
}
