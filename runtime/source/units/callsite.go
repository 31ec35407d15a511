package units

import "debug/dwarf"

// Tags and attributes of call sites: DWARF 5 §3.4 and the GNU ones of before.
const (
	tagCallSite             = dwarf.Tag(0x48)
	tagCallSiteParameter    = dwarf.Tag(0x49)
	tagGNUCallSite          = dwarf.Tag(0x4109)
	tagGNUCallSiteParameter = dwarf.Tag(0x410a)

	attrCallReturnPC = dwarf.Attr(0x7d)
	attrCallValue    = dwarf.Attr(0x7e)
	attrCallOrigin   = dwarf.Attr(0x7f)
	attrGNUCallValue = dwarf.Attr(0x2111)
)

// CallParameters reads what the call site that returns to pc passes in which
// register. The call must be one of the wanted function: a function that was
// reached by a jump at the end of another got its arguments there.
func (u *Unit) CallParameters(fn *Scope, pc uint64, wanted func(linkage string) bool) map[int][]byte {
	r := u.data.Reader()
	r.Seek(fn.Entry.Offset)
	if e, err := r.Next(); err != nil || e == nil || !e.Children {
		return nil
	}
	for depth := 1; depth > 0; {
		e, err := u.next(r)
		if err != nil || e == nil {
			return nil
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		if e.Tag != tagCallSite && e.Tag != tagGNUCallSite || !returnsTo(e, pc) {
			if e.Children {
				depth++
			}
			continue
		}
		if !e.Children || !u.calls(e, wanted) {
			return nil
		}
		passed := map[int][]byte{}
		for {
			p, err := u.next(r)
			if err != nil || p == nil || p.Tag == 0 {
				return passed
			}
			if p.Children {
				r.SkipChildren()
			}
			where, _ := p.Val(dwarf.AttrLocation).([]byte)
			what, _ := p.Val(attrCallValue).([]byte)
			if what == nil {
				what, _ = p.Val(attrGNUCallValue).([]byte)
			}
			if len(where) == 1 && where[0] >= 0x50 && where[0] <= 0x6f && len(what) > 0 {
				passed[int(where[0]-0x50)] = what
			}
		}
	}
	return nil
}

func returnsTo(e *dwarf.Entry, pc uint64) bool {
	at, ok := e.Val(attrCallReturnPC).(uint64)
	if !ok {
		at, ok = e.Val(dwarf.AttrLowpc).(uint64)
	}
	return ok && at == pc
}

// calls tells whether a call site names a wanted function.
func (u *Unit) calls(site *dwarf.Entry, wanted func(string) bool) bool {
	for _, a := range []dwarf.Attr{attrCallOrigin, dwarf.AttrAbstractOrigin} {
		if v, e := u.Refer(site, a); e != nil {
			return wanted(v.Linkage(&Scope{Unit: v, Entry: e}))
		}
	}
	return false
}
