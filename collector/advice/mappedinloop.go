package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// mappedInLoop finds data that a directive maps and unmaps again and again: of ten
// mappings and more on average each is of the same data. What a construct maps without a
// clause is implicitTransfer's; where its text was not known when the trace was written,
// that cannot be told, and the mappings count here.
var mappedInLoop = &rule{
	name:  "mapped-in-loop",
	about: "The same data are mapped, copied and deleted again and again by one directive.",
	evidence: `WITH mapped AS (
  SELECT process, source_file, line, function, group_concat(DISTINCT variable) AS variables, sum(bytes) AS bytes, count(*) AS mappings,
    count(DISTINCT printf('%d %d %d', device, host_address, bytes)) AS different, max(implicit) AS implied
  FROM allocations WHERE kind = 'create' AND (NOT implicit OR ` + textUnknown + `) AND ended IS NOT NULL AND bytes >= ` + smallest + `
  GROUP BY process, source_file, line, function
)
SELECT m.variables AS subject, s.source_file, s.line, s.function, s.process, s.thread, s.device, s.async_queue,
  iif(s.kind = 'enter_data', m.bytes / m.mappings * m.different, 0) AS bytes, s.start, s.end, 0 AS device_start, 0 AS device_end, m.mappings || iif(m.implied, ' implied', '') AS detail
FROM (SELECT *, row_number() OVER (PARTITION BY process, thread, source_file, line, function, kind ORDER BY start) AS nth
    FROM spans WHERE kind IN ('enter_data', 'exit_data')) s
JOIN mapped m ON m.process = s.process AND m.source_file IS s.source_file AND m.line = s.line AND m.function IS s.function
WHERE m.mappings >= 10 * m.different AND s.nth > 1`,
	watch: func(p *pass, found *evidence) watcher {
		return &loopMappings{pass: p, found: found, live: map[int64]liveMapping{}, places: map[mappingPlace]*mappedPlace{}}
	},
	join:       joinMappings,
	confidence: Likely,
	refuted: func(seen *shown, sources *report.Sources, g *group) bool {
		for _, variable := range strings.Split(g.subject, ",") {
			if slices.ContainsFunc(g.all(), func(part *group) bool { return seen.writtenUnderCopyin(sources, part, variable) }) {
				return true // in each turn what the one before wrote is undone
			}
		}
		return false
	},
	explain: func(f *Finding, g *group, d *written) {
		variables := strings.Split(f.Variable, ",")
		f.Variable = strings.Join(variables, ", ")
		count, bare := 0, true
		implied, swapped := strings.Contains(g.detail, "implied"), strings.Contains(g.detail, "swapped")
		for _, part := range g.all() {
			number, _, _ := strings.Cut(part.detail, " ")
			mappings, _ := strconv.Atoi(number) // which the evidence has written
			count += mappings
			bare = bare && strings.Contains(part.detail, "bare")
			implied, swapped = implied || strings.Contains(part.detail, "implied"), swapped || strings.Contains(part.detail, "swapped")
		}
		mappings := fmt.Sprint(count)
		if n := g.processes; n > 1 {
			mappings = fmt.Sprintf("in one of %d processes %s", n, mappings)
		}
		by := ""
		if len(g.parts) > 1 {
			by = fmt.Sprintf(" by %d directives (%s)", len(g.parts), linesOf(f))
		}
		f.What = fmt.Sprintf("%s: mapped and deleted again and again%s, %s mappings; it took %d spans of the host besides the first", named(f.Variable), by, mappings, g.count)
		f.Why = "each time memory is taken, the data are copied, and the memory is given back, though the data are the same ones"
		if bare {
			f.Why = "each time memory is taken and given back, though it could be the same"
		}
		if implied {
			f.Why += "; whether a clause copy names them or none does cannot be told, since the directive's text was not at hand when the trace was written"
		}
		f.Instead = d.stays(f, variables...)
		if swapped {
			f.Why += "; its variables change places: what is " + variables[0] + " once is another one the next time, so each goes up and comes down"
			if len(f.Edits) == 0 {
				f.Instead = strings.Replace(f.Instead, " that holds ", " with copy of ", 1)
			} else if !f.turns && !d.copiesAll(f) {
				f.refuse("its variables change places, which the text does not show")
			}
		}
		if !bare && len(f.Edits) == 0 {
			f.Confidence = Possible // the host may use them in between
		}
	},
}

// textUnknown is SQL for records of constructs whose text was not known when the trace was
// written: without lines (no -g), it never is.
const textUnknown = `(coalesce(line, 0) <= 0 OR source_file IS NULL OR NOT EXISTS (SELECT 1 FROM meta WHERE key = 'construct: ' || source_file || ':' || line))`

// joinMappings joins directives in one loop that map the same data: one region around the loop
// mends them all.
func joinMappings(_ *shown, sources *report.Sources, groups []*group) (list []*group) {
	type cause struct {
		file, function, data string
		loop                 int
	}
	of := map[cause][]*group{}
	var order []cause
	for _, g := range groups {
		variables := strings.Split(g.subject, ",")
		slices.Sort(variables)
		c := cause{g.file, g.function, strings.Join(variables, ","), loopAround(sources, g.file, g.line)}
		if c.loop == 0 {
			c.data = callersLoops(sources, g, variables) // else nothing says that one region would do
		}
		if of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], g)
	}
	for _, c := range order {
		list = append(list, joined(of[c]))
	}
	return list
}

// callersLoops says which data stay by regions around which loops that call the function of a
// directive; the directive's line where none can be put there.
func callersLoops(sources *report.Sources, g *group, variables []string) string {
	d := directiveAt(sources, g.file, g.line)
	list, why := d.repeated(variables)
	if why != "" {
		return fmt.Sprint(g.line)
	}
	said := strings.Join(variables, ",")
	for _, s := range list {
		said += fmt.Sprintf(" %d %s", s.loop.First, s.region("").String())
	}
	return said
}

// loopMappings watches for what directives map again and again.
type loopMappings struct {
	pass   *pass
	found  *evidence
	live   map[int64]liveMapping // by the record that made it
	places map[mappingPlace]*mappedPlace
}

type (
	// mappingPlace has the function, too: a template's instances have their lines in
	// common, and functions without lines the lack of them.
	mappingPlace struct {
		process        model.ProcessID
		file, function string
		line           int32
	}
	liveMapping struct {
		place *mappedPlace
		site  *store.Site
		datumKey
	}
	// mappedPlace is a directive with what it maps and deletes.
	mappedPlace struct {
		mappings, bytes int64
		transfers       bool
		implied         bool
		different       map[datumKey]map[string]bool // with the variables that each was
		variables       map[string]int64             // the first record that made one
		reached         map[reachedBy]bool
		rows            []mappingRow // all but the first of each thread and kind
	}
	reachedBy struct {
		thread model.ThreadID
		kind   int32
	}
	mappingRow struct {
		site       *store.Site
		start, end int64
	}
)

func (w *loopMappings) place(s *store.Site) *mappedPlace {
	key := mappingPlace{s.Process, s.File, s.Function, s.Line}
	return lookup.Make(w.places, key, func() *mappedPlace {
		return &mappedPlace{different: map[datumKey]map[string]bool{}, variables: map[string]int64{}, reached: map[reachedBy]bool{}}
	})
}

func (w *loopMappings) take(h *happening) {
	switch s := h.Site; {
	case s.KindCode == model.Create:
		if int64(h.Bytes) >= smallestBytes && (s.Implicit == 0 || w.pass.textUnknown(s)) {
			w.live[h.ID] = liveMapping{w.place(s), s, datumKey{deviceData{s.Process, s.Device}, int64(h.Host), int64(h.Bytes)}}
		}
	case s.KindCode == model.Delete:
		m, known := w.live[h.Opener]
		if !known {
			return
		}
		delete(w.live, h.Opener)
		at := m.place
		at.mappings++
		at.bytes += m.bytes
		at.implied = at.implied || m.site.Implicit != 0
		lookup.Make(at.different, m.datumKey, func() map[string]bool { return map[string]bool{} })[m.site.Symbol] = true
		if first, known := at.variables[m.site.Symbol]; m.site.HasName && (!known || h.Opener < first) {
			at.variables[m.site.Symbol] = h.Opener
		}
	case (h.upload() || h.download()) && int64(h.Bytes) >= smallestBytes:
		w.place(s).transfers = true
	case h.Span && (s.Kind == "enter_data" || s.Kind == "exit_data"):
		at, by := w.place(s), reachedBy{h.Thread, s.KindCode}
		if !at.reached[by] {
			at.reached[by] = true
			return
		}
		row := mappingRow{s, h.Start, 0}
		if h.ended {
			row.end = h.End()
		}
		at.rows = append(at.rows, row)
	}
}

func (w *loopMappings) end() {
	for _, at := range w.places {
		different := int64(len(at.different))
		if at.mappings == 0 || at.mappings < 10*different {
			continue
		}
		names := slices.SortedFunc(maps.Keys(at.variables), func(a, b string) int { return cmp.Compare(at.variables[a], at.variables[b]) })
		detail := strconv.FormatInt(at.mappings, 10)
		if at.implied {
			detail += " implied"
		}
		if !at.transfers {
			detail += " bare"
		}
		for _, names := range at.different {
			if len(names) > 1 {
				detail += " swapped"
				break
			}
		}
		for _, row := range at.rows {
			o, bytes := rowAt(row.site), int64(0)
			o.start, o.end = row.start, row.end
			if row.site.Kind == "enter_data" {
				bytes = at.bytes / at.mappings * different
			}
			w.found.about(keyOf(strings.Join(names, ","), row.site.Description)).add(o, bytes, detail)
		}
	}
}
