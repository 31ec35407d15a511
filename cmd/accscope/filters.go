package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/collector/model"
)

// eventGroups are the names that --events takes beside those of events.
var eventGroups = []string{"all", "memory", "data", "compute", "transfers", "annotations"}

// What the profiler library takes for a size, and for what the flight recorder
// keeps: a time or a size, but not nothing and, as it would be bytes, no number
// without a unit.
var (
	sizeText = regexp.MustCompile(`^[0-9]+(B|K|KiB|kB|KB|M|MiB|MB|G|GiB|GB|T|TiB)?$`)
	lastText = regexp.MustCompile(`^0*[1-9][0-9]*(ms|s|m|min|h|B|K|KiB|kB|KB|M|MiB|MB|G|GiB|GB|T|TiB)$`)
)

// checkCapture says before the program starts what the profiler library would
// not understand, and writes queues as it knows them.
func (flags *runFlags) checkCapture() error {
	if flags.events != "" {
		names := slices.Clone(eventGroups)
		model.Kinds(func(_ int32, name, span string) { names = append(names, name, span) })
		for name := range strings.SplitSeq(flags.events, ",") {
			if !slices.Contains(names, strings.TrimPrefix(name, "-")) {
				slices.Sort(names)
				return usageError{fmt.Errorf("--events %q: there is no event %q; there are %s; a - before a name leaves it out",
					flags.events, name, strings.Join(slices.Compact(names), ", "))}
			}
		}
	}
	if flags.minBytes != "" && !sizeText.MatchString(flags.minBytes) {
		return usageError{fmt.Errorf("--min-bytes %q: want a size like 4096 or 4KiB", flags.minBytes)}
	}
	if flags.limit != "" && !sizeText.MatchString(flags.limit) {
		return usageError{fmt.Errorf("--limit %q: want a size like 512MiB", flags.limit)}
	}
	if flags.last != "" && !lastText.MatchString(flags.last) {
		return usageError{fmt.Errorf("--last %q: want a time like 30s or a size like 512MiB", flags.last)}
	}
	if !slices.Contains([]string{"", "caller", "full", "off"}, flags.callStack) {
		return usageError{fmt.Errorf("--callstack %q: allowed are caller, full and off", flags.callStack)}
	}
	if !slices.Contains([]string{"", "auto", "cupti", "runtime", "off"}, flags.activity) {
		return usageError{fmt.Errorf("--activity %q: allowed are auto, cupti, runtime and off", flags.activity)}
	}
	if flags.sample < 0 || flags.sample > cpusamples.MostRate {
		return usageError{fmt.Errorf("--sample=%d: want 1 to %d samples in a second, or 0 for none", flags.sample, cpusamples.MostRate)}
	}
	if flags.sample > 0 && (flags.to.url != "" || flags.target != nil) {
		return usageError{errors.New("--sample: samples stay on their node and are not sent by --to; leave one of the two out")}
	}
	if flags.queue == "" {
		return nil
	}
	queues := strings.Split(flags.queue, ",")
	for i, queue := range queues {
		if queue == "sync" {
			queues[i] = strconv.Itoa(model.AsyncSync)
		} else if _, err := strconv.ParseInt(queue, 10, 64); err != nil {
			return usageError{fmt.Errorf("--queue %q: %q is no queue; want numbers or sync, separated by commas", flags.queue, queue)}
		}
	}
	flags.queue = strings.Join(queues, ",")
	return nil
}
