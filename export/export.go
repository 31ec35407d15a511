// Package export holds what all export formats share: which part of a trace is
// exported, and how progress is told.
package export

import (
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

// Count tells progress now and then: host records come first, then activity.
type Count struct {
	progress       func(done, total int64)
	records, total int64
	calls          int
}

// NewCount starts to count for options.
func (o *Options) NewCount(trace *store.Trace) *Count {
	c := &Count{progress: o.Progress}
	if c.progress == nil {
		return c
	}
	records, activities, err := trace.Size()
	if err != nil { // reading the rows fails as well, and says so
		c.progress = nil
		return c
	}
	c.records, c.total = records, records+activities
	return c
}

// Record says that a host record was read.
func (c *Count) Record(r *store.Record) {
	if c.calls++; c.calls&4095 == 0 {
		c.tell(r.ID)
	}
}

// Activity says that a device activity was read.
func (c *Count) Activity(a *store.Activity) {
	if c.calls++; c.calls&4095 == 0 {
		c.tell(c.records + a.ID)
	}
}

// End says that all was read.
func (c *Count) End() { c.tell(c.total) }

func (c *Count) tell(done int64) {
	if c.progress != nil {
		c.progress(done, c.total)
	}
}
