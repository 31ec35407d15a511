package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/store"
)

// swallowedError finds errors of the runtime in processes that went on and exited
// with status 0.
var swallowedError = &rule{
	name:  "swallowed-error",
	about: "The runtime reported an error, and the program went on as if nothing had been.",
	evidence: `SELECT NULL AS subject, e.source_file, e.line, e.function, e.process, e.thread, e.device, coalesce(e.async, -2) AS async_queue, 0 AS bytes,
  e.time AS start, e.time AS end, 0 AS device_start, 0 AS device_end, e.message AS detail
FROM errors e JOIN processes p ON p.process = e.process
WHERE p.ended = 'exited' AND coalesce((SELECT value FROM meta WHERE key = '` + store.ExitKey + `' || p.process),
  (SELECT 'status ' || value FROM meta WHERE key = 'exit_' || p.pid), 'status 0') = 'status 0'`,
	confidence: Certain,
	timeless:   true,
	subject:    anError,
	wrong:      true,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("an error was reported %s and the program ended with status 0: %s", times(g.count), g.detail)
		f.Why = "what comes after it works on data that are not there, or not right"
		f.Instead = "ask before (acc_is_present, what acc_malloc returns), or let the program end with a status other than 0"
	},
}
