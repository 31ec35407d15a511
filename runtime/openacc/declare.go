package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/goacc"
)

// Declare is the entry or exit of a block with a declare directive (OpenACC 3.3
// §2.13): variables whose lifetime begins, and such whose lifetime ends.
func (t *directives) Declare(c *Construct) {
	t.enter("declare directive", callbacks.Declare, AsyncSync)
	enters := false
	for i := range c.Arguments.Kinds {
		switch goacc.Kind(c.Arguments.Kinds[i]) {
		case goacc.From, goacc.ForceFrom, goacc.Release, goacc.Delete:
		default:
			enters = true
		}
	}
	sync := *c
	sync.Async, sync.Waits = AsyncSync, nil
	if !enters {
		t.standalone(&sync, callbacks.ExitDataStart, func(d *Device, q *Queue) {
			s := t.scratch
			if !t.decode(c, goacc.ExitData) {
				return
			}
			for i := range s.items {
				t.declareExit(&s.items[i])
			}
			t.endLifetimes(d, q)
		})
		return
	}
	t.standalone(&sync, callbacks.EnterDataStart, func(d *Device, q *Queue) {
		s := t.scratch
		if !t.decode(c, goacc.EnterData) {
			return
		}
		for i := range s.items {
			t.declareEntry(d, &s.items[i])
		}
		t.beginLifetimes(d, q, &mapper{t: &t.lifetimes, d: d, declared: true})
	})
}

// declareEntry adapts an item to the entry of a block with a declare directive.
// Such a block's mappings count dynamic references, but GCC never ends those of
// copyin clauses, and copyin and copy look the same here. So a variable that is
// present for another reason is not counted, and its exit, if any, is skipped;
// one left over from an earlier call of the function keeps its count. present
// only checks.
func (t *directives) declareEntry(d *Device, item *goacc.Item) {
	d.mu.Lock()
	defer d.mu.Unlock()
	span := hostRange{low: item.Host, high: item.Host + item.Size}
	t.declared = slices.DeleteFunc(t.declared, func(r hostRange) bool { return r == span })
	m, presence := d.table.Find(item.Host, item.Size)
	if presence != dataenv.Present {
		return
	}
	switch {
	case item.Action == goacc.ActionPresent:
		item.Action = goacc.ActionNone
	case item.Action != goacc.ActionMap || m.Infinite:
	case blockOf(m).scope && m.Dynamic > 0:
		m.Dynamic--
	default:
		item.Action = goacc.ActionNone
		t.declared = append(t.declared, span)
	}
}

// declareExit skips the exit of a variable that declareEntry did not count.
func (t *directives) declareExit(item *goacc.Item) {
	span := hostRange{low: item.Host, high: item.Host + item.Size}
	if i := slices.Index(t.declared, span); i >= 0 && item.Action == goacc.ActionRelease {
		t.declared = slices.Delete(t.declared, i, i+1)
		item.Action = goacc.ActionNone
	}
}
