package advice

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// EndedByError is the name of the rule for errors that programs ended with.
const EndedByError = "ended-by-error"

// endedByError finds the errors of the runtime that programs ended with: the last one of a
// process that did not end with status 0. What did not come because of it is judged by no rule.
var endedByError = &rule{
	name:  EndedByError,
	about: "An error of the runtime ended the program.",
	evidence: `SELECT NULL AS subject, e.source_file, e.line, e.function, e.process, e.thread, e.device, coalesce(e.async, -2) AS async_queue, 0 AS bytes,
  max(e.time) AS start, e.time AS end, 0 AS device_start, 0 AS device_end, e.message AS detail
FROM errors e JOIN processes p ON p.process = e.process
WHERE p.ended IS NOT NULL AND coalesce(p.exit, iif(p.ended = 'exited', '` + model.Succeeded + `', '')) <> '` + model.Succeeded + `' GROUP BY e.process`,
	confidence: Certain,
	timeless:   true,
	subject:    anError,
	wrong:      true,
	first:      true,
	explain: func(f *Finding, g *group, _ *written) {
		what, remedy := remedyIn(g.detail)
		f.What = "an error ended the program: " + what
		if g.processes > 1 {
			f.What = fmt.Sprintf("an error ended %d processes: %s", g.processes, what)
		}
		f.Why = "nothing behind it ran; what this run did not come to is not judged"
		f.Instead = remedy
		if remedy == "" {
			f.Instead = "mend at this line what the message says"
		}
	},
}

// remedyIn takes a message of our runtime apart: what happened, and what to do, which stands
// behind a semicolon and before what GCC's runtime says of the same, in parentheses and by
// addresses.
func remedyIn(message string) (what, remedy string) {
	what, remedy, _ = strings.Cut(message, "; ")
	if at := strings.Index(remedy, "[0x"); at >= 0 {
		if begin := strings.LastIndex(remedy[:at], " ("); begin >= 0 {
			remedy = remedy[:begin]
		}
	}
	return what, remedy
}
