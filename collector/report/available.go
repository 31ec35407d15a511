package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// availableAtMost is how many values of a filter's kind are named where the
// user's matches nothing.
const availableAtMost = 10

// whatThereIs says of a filter that matches nothing what it could have matched.
func whatThereIs(trace *store.Trace, filter Filter) ([]string, error) {
	if filter == (Filter{}) {
		return nil, nil
	}
	all, err := load(trace, Filter{})
	if err != nil || len(all.totals) == 0 {
		return nil, err
	}
	var lines []string
	for _, part := range []struct {
		what  string
		value any
		given bool
		only  Filter
		of    func(*total) any // what there is, nil: nothing of the kind
	}{
		{"kernel", filter.Kernel, filter.Kernel != "", Filter{Kernel: filter.Kernel}, func(t *total) any {
			if t.site.KindCode != model.EnqueueLaunchStart {
				return nil
			}
			return name(t.site.Name)
		}},
		{"variable", filter.Variable, filter.Variable != "", Filter{Variable: filter.Variable}, func(t *total) any {
			if !t.site.isData() {
				return nil
			}
			return t.site.variable
		}},
		{"source", filter.Source, filter.Source != "", Filter{Source: filter.Source}, func(t *total) any { return name(t.site.place()) }},
		{"queue", number(filter.Queue), filter.Queue != nil, Filter{Queue: filter.Queue}, func(t *total) any {
			if t.site.KindCode != model.EnqueueLaunchStart && !isTransfer(t.site.KindCode) {
				return nil
			}
			return queueName(t.site.AsyncQueue)
		}},
		{"device number", number(filter.Device), filter.Device != nil, Filter{Device: filter.Device}, func(t *total) any { return fmt.Sprint(t.site.DeviceNumber) }},
		{"rank", number(filter.Rank), filter.Rank != nil, Filter{Rank: filter.Rank}, func(t *total) any {
			if rank := all.rankOfThread(t.thread); rank != nil {
				return fmt.Sprint(rank)
			}
			return nil
		}},
	} {
		if !part.given {
			continue
		}
		matches, there, err := all.values(part.only, part.of)
		if err != nil {
			return nil, err
		}
		if matches {
			continue
		}
		line := fmt.Sprintf("nothing matches %s %v: ", part.what, part.value)
		if there == "" {
			line += "the trace has none"
		} else {
			line += "there are " + there
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{fmt.Sprintf("nothing matches all that was asked for, of %d events from %s to %s", all.events,
			ShowDuration(float64(all.first)), ShowDuration(float64(all.last)))}
	}
	return lines, nil
}

// values says whether something matches, and gives the different values of totals, those
// with the most host time first.
func (f *facts) values(only Filter, of func(*total) any) (matches bool, there string, err error) {
	weights := map[string]int64{}
	err = f.each(0, func(t *total) error {
		if t.site.Own() {
			return nil
		}
		matches = matches || only.accepts(t.site, f.rankOfThread(t.thread))
		if value, ok := of(t).(string); ok {
			weights[value] += t.Time
		}
		return nil
	})
	names := slices.SortedFunc(maps.Keys(weights), func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b)) })
	return matches, some(names, availableAtMost), err
}

// number is a filter's number, for people.
func number(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}
