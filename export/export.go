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
	// Progress is told the number of records and activities written so far; nil
	// tells nobody.
	Progress func(done int64)
	// Compress makes formats that can compress do so.
	Compress bool
}

// Count tells progress now and then.
type Count struct {
	options *Options
	done    int64
}

// NewCount starts to count for options.
func (o *Options) NewCount() *Count { return &Count{options: o} }

// Add counts one item.
func (c *Count) Add() {
	c.done++
	if c.options.Progress != nil && c.done%4096 == 0 {
		c.options.Progress(c.done)
	}
}

// End tells the final number.
func (c *Count) End() {
	if c.options.Progress != nil {
		c.options.Progress(c.done)
	}
}
