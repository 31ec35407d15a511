package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/store"
)

// How much a finding names at most: things of a kind, characters of a message.
const (
	namedAtMost   = 3
	messageAtMost = 120
	errorAtMost   = 500 // with its cause and remedy
)

// What makes repeated implicit transfers a finding: how many, and how large on
// average, since scalars are passed by value wherever their kernel is launched, several of
// them in one transfer.
const (
	manyTransfers = 10
	arrayBytes    = 64
)

// findings are what stands out in a trace, each a sentence: warnings, which are of the
// whole trace, errors, of which there are so many, data that were left.
func (f *facts) findings(trace *store.Trace, filter Filter) (list []string, errors int, err error) {
	list, err = Warnings(trace)
	if err != nil {
		return nil, 0, err
	}
	failures, err := f.errors(trace, filter)
	if err != nil {
		return nil, 0, err
	}
	if errors = len(failures.Rows); errors > 0 {
		text := fmt.Sprintf("%d errors, the first ", errors)
		if errors == 1 {
			text = "an error "
		}
		first := failures.Rows[0]
		message, _ := first[2].(string)
		if place, ok := first[4].(string); ok {
			text += "at " + place
			message = strings.TrimPrefix(message, place+": ") // our runtime's begin with it
		} else {
			text += "without a place"
		}
		list = append(list, text+": "+cut(message, errorAtMost))
	}
	nameless, err := f.nameless()
	if err != nil {
		return nil, 0, err
	}
	list = append(list, nameless...)
	said, err := warningTable(trace)
	if err != nil {
		return nil, 0, err
	}
	for _, row := range said.Rows[:min(len(said.Rows), namedAtMost)] {
		place, _ := row[0].(string)
		text, _ := row[1].(string)
		list = append(list, "the runtime warns"+at(place)+": "+cut(text, messageAtMost))
	}
	left, err := f.remained(trace, filter)
	return append(list, left...), errors, err
}

// repeated are transfers that constructs do again and again by themselves: the
// data could stay on the device.
func (f *facts) repeated() []string {
	type key struct{ variable, place string }
	type sum struct {
		key
		uploads, downloads, bytes, time int64
	}
	sums := map[key]*sum{}
	for _, t := range f.totals {
		if !isTransfer(t.site.KindCode) || t.site.Implicit == 0 {
			continue
		}
		k := key{t.site.variable, t.site.place()}
		s := lookup.Make(sums, k, func() *sum { return &sum{key: k} })
		if direction(t.site.KindCode) == "upload" {
			s.uploads += t.Count
		} else {
			s.downloads += t.Count
		}
		s.bytes += t.Bytes
		s.time += t.device.Time
	}
	var order []*sum
	for _, s := range sums {
		copies := (s.uploads + s.downloads) * int64(1+strings.Count(s.variable, ", ")) // of variables
		if max(s.uploads, s.downloads) >= manyTransfers && s.bytes/copies >= arrayBytes {
			order = append(order, s)
		}
	}
	slices.SortFunc(order, func(a, b *sum) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.variable, b.variable), cmp.Compare(a.place, b.place))
	})
	if len(order) == 0 {
		return nil
	}
	var items []string
	for _, s := range order {
		items = append(items, fmt.Sprintf("%s%s (%d times, %s)", named(s.variable), at(s.place), s.uploads+s.downloads, ShowBytes(float64(s.bytes))))
	}
	return []string{"copied by constructs again and again: " + some(items, namedAtMost) + "; a data construct around the loop keeps it on the device"}
}

// remained says which data were on the device to the end.
func (f *facts) remained(trace *store.Trace, filter Filter) ([]string, error) {
	leaks, open, err := f.left(trace, filter)
	if err != nil {
		return nil, err
	}
	var sentences []string
	for _, said := range []struct {
		table       *Table
		before, end string
	}{{leaks, "never deleted: ", "; exit data delete frees it"}, {open, "open when the program ended: ", ""}} {
		var items []string
		for _, row := range said.table.Rows {
			variable, _ := row[0].(string)
			place, _ := row[1].(string)
			items = append(items, fmt.Sprintf("%s%s (%s)", named(variable), at(place), Show(row[3], Bytes)))
		}
		if len(items) > 0 {
			sentences = append(sentences, said.before+some(items, namedAtMost)+said.end)
		}
	}
	return sentences, nil
}

// some are the first of a list, and how many more there are.
func some(items []string, most int) string {
	if more := len(items) - most; more > 0 {
		items = append(items[:most:most], fmt.Sprintf("%d more", more))
	}
	return strings.Join(items, ", ")
}

// named is what data count under, in a sentence.
func named(variable string) string {
	if variable == store.Unknown {
		return "data"
	}
	return variable
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(most-3, 0)]) + "..."
}

// cutTitle is cut, but that the program at a title's end stays, which tells it from others.
func cutTitle(title string, most int) string {
	begin := strings.LastIndex(title, " (")
	if end := len([]rune(title[max(begin, 0):])); begin > 0 && strings.HasSuffix(title, ")") && end < most/2 {
		return cut(title[:begin], most-end) + title[begin:]
	}
	return cut(title, most)
}
