package openacc

import "github.com/accscope/accscope/runtime/attribution"

// sites are what a thread keeps of the places of the program that call, so as not to find
// it out again. None of it changes what a call does, but varying.
type sites struct {
	namesInC   [256]nameInC  // of variables that events told of
	named      []namedSite   // by slotOf, nil before the first
	constructs []writtenSite // likewise
	joints     map[joint]string
	lists      map[uint64]*carriedList // by a hash of their names
	computes   []*computeEvents
	unsteady   unsteady
	varying    varying
	recalls    recalls
}

// forget has the next call find out all of it. Events that are in use stay.
func (s *sites) forget() {
	computes := s.computes
	for _, e := range computes {
		if e != nil && !e.busy {
			e.like, e.launched, e.told = likeness{}, launched{}, toldValues{}
		}
	}
	*s = sites{computes: computes, varying: s.varying}
}

// siteSlots is how many sites a thread keeps what it knows of.
const (
	siteBits  = 10
	siteSlots = 1 << siteBits
)

// slotOf is where a thread keeps what it knows of a site with an async value, and of others.
func slotOf(at attribution.CallSite, async int) uintptr {
	hash := (uint64(at.ReturnAddress) ^ uint64(async)<<32) * 0xff51afd7ed558ccd
	return uintptr((hash ^ hash>>32) * 0xc4ceb9fe1a85ec53 >> (64 - siteBits))
}
