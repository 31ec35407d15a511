package openacc

import (
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/goacc"
)

// Written is what a call that has the events of a construct was written as. GCC's calls do
// not tell parallel, kernels and serial apart, nor a data construct from the declare
// directives of a Fortran procedure: map kinds may, or the directive's text, which a has;
// nil for nobody who does.
func Written(a Attributor, place attribution.Place, c *Construct, as construct) construct {
	switch {
	case as == callbacks.Parallel && c.Arguments.Kernels():
		return callbacks.Kernels
	case a != nil:
		return a.Written(place, c.Function, as)
	}
	return as
}

// constructEvents are the events that say what they are part of, but for errors, in
// Registry.WantedEvents.
const constructEvents = 1<<(callbacks.WaitEnd+1) - 1

// written is what the construct in progress was written as, as far as anybody is to be
// told. An error looks for the text itself.
func (t *namer) written(c *Construct, as construct) construct {
	switch wanted := atomic.LoadUint32(t.wantedEvents); {
	case wanted == 0:
		return as
	case wanted&constructEvents == 0:
		return Written(nil, t.place, c, as)
	}
	here := t.answered()
	if !here.read {
		here.read, here.as = true, Written(t.rt.options.Attributor, t.place, c, as)
	}
	return here.as
}

// impliedData is the field implicit of an event about data of the compute construct in
// progress: 0 for a variable that a data clause of its directive lists, else 1, as for
// what serves several variables (OpenACC 3.3 §5.1.4, §5.1.9).
func (t *namer) impliedData(host, size uintptr, name string) int32 {
	s := t.scratch
	clause, smallest := goacc.ClauseNone, ^uintptr(0)
	for range s.items {
		if s.nearest++; s.nearest >= len(s.items) {
			s.nearest = 0
		}
		item := &s.items[s.nearest]
		if item.Value || host < item.Host || host+size > item.Host+item.Size || item.Size >= smallest {
			continue
		}
		if clause, smallest = item.Clause, item.Size; smallest == size {
			break
		}
	}
	switch {
	case clause == goacc.ClauseStated:
		return 0
	case clause == goacc.ClauseOpen && name != "" && t.rt.options.Namer != nil:
		return t.rt.options.Namer.Implied(t.place, t.function, name)
	}
	return 1
}
