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

// asked is a kernel, a transfer or a wait that a thread asks for.
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
	case h.kernel(), h.download(), h.upload() && int64(h.Bytes) >= smallestBytes, h.wait() && h.Site.Implicit == 0:
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
