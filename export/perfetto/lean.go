package perfetto

import (
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// siteArguments is how many arguments of its site a slice has at most: with its
// size, or that it never ended, that makes five.
const siteArguments = 4

// told is what a slice says of its site unless all is asked for, what matters
// most first: what its name, its track and the trace's attributes do not say
// already.
var told = []string{"message", "kernel", "variable", "gangs", "vector_length", "workers", "async_queue", "implicit", "device_type", "device_number"}

// lean chooses the arguments of a site's slices.
func (e *exporter) lean(s *store.Site) []export.Field {
	list := slices.DeleteFunc(export.Fields(s), func(f export.Field) bool { return !slices.Contains(told, f.Name) || e.says(s, f) })
	slices.SortStableFunc(list, func(a, b export.Field) int { return slices.Index(told, a.Name) - slices.Index(told, b.Name) })
	return list[:min(len(list), siteArguments)]
}

// says says whether a field of a site is known without an argument: it is what
// it is where nobody chose it, or something else shows it.
func (e *exporter) says(s *store.Site, f export.Field) bool {
	switch f.Name {
	case "kernel", "variable":
		return s.Symbol == s.Name // it is in the slice's name
	case "gangs", "vector_length", "workers":
		return f.Value == uint64(1)
	case "async_queue":
		// Arrows lead from what is enqueued to its queue.
		return s.Kind != "wait" || f.Value == int64(model.AsyncSync)
	case "implicit":
		return f.Value == false
	case "device_type", "device_number":
		return e.common[f.Name] == f.Value
	}
	return false
}

// common finds what all events of a trace that have a field say alike.
func common(sites []*store.Site) map[string]any {
	values, differ := map[string]any{}, map[string]bool{}
	for _, s := range sites {
		for _, f := range export.Fields(s) {
			if value, known := values[f.Name]; known && value != f.Value {
				differ[f.Name] = true
			}
			values[f.Name] = f.Value
		}
	}
	for name := range differ {
		delete(values, name)
	}
	return values
}
