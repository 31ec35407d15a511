package store

import (
	"errors"
	"math"

	"github.com/accscope/accscope/collector/store/schema"
)

// nextChunk is how many records Next reads at once when it goes backwards.
const nextChunk = 1 << 14

// Next gives the first record of some sites that starts after a time, or the last
// one that starts before it; nil if there is none.
func (t *Trace) Next(sites map[int64]bool, time int64, backwards bool) (*Record, error) {
	if len(sites) == 0 {
		return nil, nil
	}
	lateness, err := schema.Integer(t.conn, "SELECT value FROM meta WHERE key = 'lateness'")
	if err != nil {
		return nil, schema.Explain(t.path, err)
	}
	best, at := int64(0), int64(0)
	look := func(id int64, v []int64) error {
		start := v[1]
		if best != 0 && !backwards && start > at+lateness {
			return errStop
		}
		if !sites[v[0]] || backwards != (start < time) || start == time {
			return nil
		}
		if best == 0 || backwards && start >= at || !backwards && start < at {
			best, at = id, start
		}
		return nil
	}
	scan := func(first, last int64) error {
		err := t.pages.Scan("record", "id", []string{"site", "time"}, first, last, look)
		if errors.Is(err, errStop) {
			return nil
		}
		return err
	}
	if !backwards {
		first, err := t.firstRecord(max(time, math.MinInt64+lateness) - lateness)
		if err != nil {
			return nil, err
		}
		if err := scan(first, math.MaxInt64); err != nil {
			return nil, err
		}
	} else {
		last, err := t.firstRecord(min(time, math.MaxInt64-lateness) + lateness)
		if err != nil {
			return nil, err
		}
		for stop := int64(0); last > stop; last -= nextChunk {
			if err := scan(last-nextChunk+1, last); err != nil {
				return nil, err
			}
			if best != 0 && stop == 0 {
				// An earlier record may have started later.
				if stop, err = t.firstRecord(max(at, math.MinInt64+lateness) - lateness); err != nil {
					return nil, err
				}
			}
		}
	}
	if best == 0 {
		return nil, nil
	}
	return t.Record(best)
}
