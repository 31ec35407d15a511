package advice

import (
	"fmt"
	"strings"
)

// unusedTransfer finds data that are sent, and sent again or deleted before anything
// ran on the device that could have used them. A host_data region counts as a use.
var unusedTransfer = &rule{
	name:       "unused-transfer",
	about:      "Data are sent to the device, and no kernel runs before they are overwritten or deleted.",
	evidence:   history + `s.what = 'upload' AND coalesce(s.next, 'end') <> 'download' AND s.done = coalesce(s.done_next, e.done, 0)`,
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s was sent %s, %s in all, and overwritten or deleted before any kernel ran", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "no kernel reads what such a transfer brings"
		switch {
		case !d.known():
			f.Instead = "leave this transfer out, or create the data without it"
		case strings.HasPrefix(d.name, "update") && len(d.clauses) == 1 && len(d.clauses[0].Items()) < 2:
			f.Instead = "leave the directive out"
		case strings.HasPrefix(d.name, "update"):
			other := d.clone()
			other.take(f.Variable, "device")
			f.Instead = other.String()
		default:
			f.Instead = d.moved(f.Variable, "create", "copyin", "copy", "pcopyin", "pcopy", "present_or_copyin", "present_or_copy")
		}
	},
}
