package store

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// head is what rows are unpacked by: of a job's many sites it is all that is kept where
// nobody asks for more.
type head struct {
	kind   int32 // 0: there is no such site, or it is another rank's
	thread model.ThreadID
	depth  int32
	device model.DeviceID
	parent int32 // acc_construct_t
}

// heads are those of sites whose numbers are close.
type heads struct {
	first  int64
	newest int64 // site of the trace when they were read
	of     [readAtOnce]head
}

// mostHeads bounds how many are kept: those of a quarter of a million sites, in 5 MiB. Rows
// that come one after the other are of sites whose numbers are close.
const mostHeads = 1024

// head gives what is known of a site that has a row.
func (t *Trace) head(site int64) (head, error) {
	first, last := neighbours(site)
	list := t.lastHeads
	if list == nil || list.first != first {
		if list = t.heads[first]; list == nil {
			list = &heads{first: first, newest: -1}
		}
		t.lastHeads = list
	}
	if found := list.of[site-first]; found.kind != 0 || site <= list.newest {
		return found, nil
	}
	// They are not read yet, or the trace has grown.
	if len(t.heads) >= mostHeads {
		clear(t.heads)
	}
	err := t.query("SELECT site, kind_code, thread, depth, device, parent_construct, "+t.ChosenSQL("process")+" FROM site_detail WHERE site BETWEEN ? AND ?", []int64{first, last},
		func(s *sqlite.Stmt) error {
			t.heads[first] = list // not where there are none: damage could name any
			if !s.ColumnBool(6) {
				return nil
			}
			list.of[s.ColumnInt64(0)-first] = head{s.ColumnInt32(1), model.ThreadID(s.ColumnInt64(2)), max(s.ColumnInt32(3), 0), model.DeviceID(s.ColumnInt64(4)), s.ColumnInt32(5)}
			return nil
		})
	if err != nil {
		return head{}, schema.Explain(t.path, err)
	}
	newest, err := schema.Integer(t.conn, "SELECT coalesce(max(site), 0) FROM site_detail")
	list.newest = max(newest, site)
	return list.of[site-first], schema.Explain(t.path, err)
}
