package report

import (
	"fmt"
	"time"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/store"
)

// Clocks says of each host how its clock was set against the first one's, but of those whose
// clock that is. The machines of a job's other collectors are among them.
func Clocks(hosts []store.Host) (lines []string) {
	for _, host := range hosts {
		if host.ClockOffset == 0 && host.Uncertainty == 0 {
			continue
		}
		line := fmt.Sprintf("%s: offset %v", escape.Line(host.Name), time.Duration(host.ClockOffset))
		if host.Uncertainty >= 0 {
			line += fmt.Sprintf(" ± %v", time.Duration(host.Uncertainty))
		} else if host.ID != 1 {
			line += ", set by the time of day: its error is not known"
		} else {
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// ClockError says in one line how far off times of different hosts may be from each other,
// "" where all are of one clock.
func ClockError(processes []store.Process) string {
	set, unknown, most := 0, 0, int64(0)
	for _, host := range hosts(processes) {
		switch {
		case host.Uncertainty >= 0:
			set++
			most = max(most, host.Uncertainty)
		case host.ID != 1:
			unknown++
		}
	}
	text := ""
	if set > 0 {
		text = fmt.Sprintf("%d set by messages, at most %s off", set, ShowDuration(float64(most)))
	}
	if unknown > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%d set by the time of day, how far off is not known", unknown)
	}
	return text
}

// hosts are those of processes, but the one whose clock is the trace's.
func hosts(processes []store.Process) (list []store.Host) {
	seen := map[int64]bool{}
	for i := range processes {
		host := processes[i].On
		if !seen[host.ID] && (host.ClockOffset != 0 || host.Uncertainty != 0) {
			list = append(list, host)
		}
		seen[host.ID] = true
	}
	return list
}
