package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// leastStepped are the bytes from which data that go with each step are looked at: a border is
// less.
const (
	leastStepped      = "16384"
	leastSteppedBytes = 16384
	fewestSteps       = 10
)

// pingPong finds data that come down behind kernels and go up again, changed, before the next
// one, ten times and more: the host does a part of each step.
var pingPong = &rule{
	name:  "ping-pong",
	about: "Data come back from the device, the host changes them, and they go up again, in each step.",
	evidence: history + `changes AS MATERIALIZED (
  SELECT * FROM moves WHERE what = 'upload' AND last = 'download' AND made = last_made AND done = last_done AND device_address = last_address
    AND (content IS NULL OR content IS NOT last_content) AND bytes >= ` + leastStepped + `
), chosen AS (
  SELECT record, 'up' AS kind FROM changes UNION ALL SELECT last_record, 'down' FROM changes
)` + spared,
	watch:      func(p *pass, found *evidence) watcher { return p.histories(&pingPongs{found}) },
	join:       joinSteps,
	enough:     func(g *group) bool { return g.count >= 2*fewestSteps },
	unless:     []*rule{roundTrip, wholeUpdate},
	confidence: Possible,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s came down from the device and went up again changed, %s, %s in all", named(f.Variable), times(g.count/2), size(g.bytes))
		if len(g.parts) > 1 {
			f.What += " (" + linesOf(f) + ")"
		}
		f.Why = "the device is idle while the data come, are changed by the host, and go"
		var from, to int64
		if len(g.parts) == 2 {
			from, to = g.parts[0].line, g.parts[1].line
		}
		lines, by := d.hostLines(f.Variable, from, to)
		where := "what the host does with it in between"
		if len(lines) > 0 {
			where = "what the host does with it at " + lines
		}
		f.Instead = fmt.Sprintf("do on the device %s, in a parallel loop or serial construct: then neither transfer is needed; or move the part of it alone that the host uses", where)
		if strings.HasPrefix(strings.ToUpper(by), "MPI_") {
			f.Instead = fmt.Sprintf("give %s the device's address, in host_data use_device(%s), if the MPI library takes such: then neither transfer is needed; or move the part of it alone that is sent and received", by, f.Variable)
		}
		f.refuse("it takes a construct for what the host does")
	},
}

type pingPongs struct{ found *evidence }

func (*pingPongs) step(*datum, *step, *step) {}

func (w *pingPongs) move(_ *datum, last, m *step) {
	if last == nil || m.bytes < leastSteppedBytes || m.kind != model.EnqueueUploadStart || last.kind != model.EnqueueDownloadStart ||
		m.made != last.made || m.done != last.done || m.address != last.address || m.hash.same(last.hash) {
		return
	}
	w.found.of(m.site).ofKind(m.row, m.bytes, "up")
	w.found.of(last.site).ofKind(last.row, last.bytes, "down")
}

func (*pingPongs) end() {}

// joinSteps joins what goes down and up in a function.
func joinSteps(_ *shown, _ *report.Sources, groups []*group) (list []*group) {
	type cause struct{ subject, file, function string }
	of := map[cause][]*group{}
	for _, g := range groups {
		c := cause{g.subject, g.file, g.function}
		of[c] = append(of[c], g)
	}
	for _, parts := range of {
		slices.SortFunc(parts, (*group).place)
		list = append(list, joined(parts))
	}
	slices.SortFunc(list, func(a, b *group) int { return cmp.Or(cmp.Compare(a.first, b.first), a.place(b)) })
	return list
}
