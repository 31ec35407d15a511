package advice

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// sequences follows what each thread asks of devices, for the rules whose SQL begins with
// operations.
type sequences struct {
	last map[model.ThreadID]*asked
	told []sequencer
}

// sequencer is a rule that goes by sequences: a thread asks next for a, behind last; nil: nothing.
type sequencer func(last, a *asked)

// asked is a kernel, a transfer or a wait that a thread asks for, or what else is ordered.
type asked struct {
	kind    int32 // an enqueue's, or a wait's
	site    *store.Site
	start   int64 // on the host
	end     int64
	ended   bool
	device  device
	outside enclosing
}

// sequences gives the pass's, made when it is first asked for.
func (p *pass) sequences(s sequencer) watcher {
	if p.asked != nil {
		p.asked.told = append(p.asked.told, s)
		return nil
	}
	p.asked = &sequences{last: map[model.ThreadID]*asked{}, told: []sequencer{s}}
	return p.asked
}

func (ss *sequences) take(h *happening) {
	switch {
	case h.kernel(), (h.upload() || h.download()) && !h.byValue(), h.wait() && h.Site.Implicit == 0, h.ordered():
	default:
		return
	}
	a := &asked{h.Site.KindCode, h.Site, h.Start, h.End(), h.ended, h.device, h.outside}
	last := ss.last[h.Thread]
	for _, tell := range ss.told {
		tell(last, a)
	}
	ss.last[h.Thread] = a
}

func (*sequences) end() {}

// byValue says whether a transfer is one that a compute construct makes beside its data: of what
// goes to a kernel by value, alone or, without an address, with others, or of scalars that it copies back by itself.
func (h *happening) byValue() bool {
	return (int64(h.Bytes) < smallestBytes || h.Host == 0) && h.byConstruct() && (h.upload() || h.Site.Implicit != 0)
}

// byConstruct says whether a compute construct makes a transfer.
func (h *happening) byConstruct() bool {
	if h.outside.site == nil {
		return false
	}
	switch h.outside.site.Construct {
	case "parallel", "kernels", "serial":
		return true
	}
	return false
}

// ordered says whether a record is neither kernel, transfer nor wait and goes by their order all
// the same: data that are mapped or deleted, a host_data region, a call of MPI.
func (h *happening) ordered() bool {
	switch h.Site.KindCode {
	case model.Create, model.Delete:
		return h.Site.Implicit == 0 || int64(h.Bytes) >= smallestBytes
	case model.MPIStart:
		return true
	}
	return h.Span && h.Site.Kind == "enter_data" && h.Site.Construct == "host_data"
}
