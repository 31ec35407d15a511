// Package export holds what all export formats share: which part of a trace is
// exported, and how progress is told.
package export

import (
	"iter"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Options choose the part of a trace to export.
type Options struct {
	Filter store.Filter
	// Report is the same choice for formats that hold a report's tables.
	Report report.Filter
	// Progress is told how many of the trace's rows were read so far, of how many;
	// nil tells nobody.
	Progress func(done, total int64)
	// Full makes formats that leave out what is hardly ever read write that too.
	Full bool
	// Version is accscope's, for formats that say what wrote them.
	Version string
	// Compress makes formats that can compress do so.
	Compress bool
}

// Selects says whether a process is exported.
func (o *Options) Selects(id model.ProcessID) bool {
	return o.Filter.Process == 0 || o.Filter.Process == id
}

// Records are the host records that options choose, in order.
func (o *Options) Records(trace *store.Trace) iter.Seq2[*store.Record, error] {
	return counted(o, trace, trace.Records(o.Filter), func(r *store.Record, _ int64) int64 { return r.ID }, false)
}

// Activities are what options choose of what devices did. They come after the records.
func (o *Options) Activities(trace *store.Trace) iter.Seq2[*store.Activity, error] {
	return counted(o, trace, trace.Activities(o.Filter), func(a *store.Activity, records int64) int64 { return records + a.ID }, true)
}

// counted tells progress of rows now and then, and, of the last ones, that all were read.
func counted[T any](o *Options, trace *store.Trace, rows iter.Seq2[*T, error], place func(row *T, records int64) int64, last bool) iter.Seq2[*T, error] {
	if o.Progress == nil {
		return rows
	}
	records, activities, err := trace.Size()
	if err != nil { // reading the rows fails as well, and says so
		return rows
	}
	return func(yield func(*T, error) bool) {
		n := 0
		for row, err := range rows {
			if n++; err == nil && n&4095 == 0 {
				o.Progress(place(row, records), records+activities)
			}
			if !yield(row, err) {
				return
			}
		}
		if last {
			o.Progress(records+activities, records+activities)
		}
	}
}
