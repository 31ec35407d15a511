package advice

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
)

// hostConstruct is a compute construct that the host executes itself, as under an if clause that is
// false: until end it uses the host's memory, which a queue may be transferring to or from.
type hostConstruct struct {
	process model.ProcessID
	end     int64
	touch
}

// overBy sets constructs on the host that ended by a time against what queues had to do then.
// What a construct waits for it waits for before its region begins (OpenACC 3.3 §2.16.2).
func (o *ordering) overBy(until int64) {
	o.local = slices.DeleteFunc(o.local, func(c hostConstruct) bool {
		if c.end > until {
			return false
		}
		for len(o.ends) > 0 && o.ends[0].at <= c.end {
			o.followed(o.ends[0].at)
			o.ends[0].queue.waited()
			o.ends = o.ends[1:]
		}
		for _, u := range c.place.uses {
			if d := o.only(c.process, u.name); d != nil && o.means(c.place, d) {
				o.againstHost(d, &c, d.read) // what downloads write
				if u.writes {
					o.againstHost(d, &c, d.wrote)
				}
			}
		}
		return true
	})
}

// only is the data of a name on a process's devices, nil where there are several or none.
func (o *ordering) only(process model.ProcessID, name string) (only *data) {
	for device, named := range o.devices {
		if o.owner[device] != process {
			continue
		}
		for _, d := range named[name] {
			if only != nil {
				return nil
			}
			only = d
		}
	}
	return only
}

func (o *ordering) againstHost(d *data, c *hostConstruct, list []touch) {
	host := o.hosts[c.process]
	for i := range list {
		before := &list[i]
		if before.kernel || before.at >= c.at || before.queue.queue == callbacks.AsyncSync || host != nil && before.queue.doneIn(host.knows, before.at) {
			continue
		}
		p := racing{first: before.record, second: c.record, at: c.at, places: racingPlaces{c.process, before.place, c.place}, name: d.name}
		if before.low > d.low || before.high < d.high {
			p.unsure, p.part = true, before.place
		}
		if o.seen[p.places] < mostPairs {
			o.seen[p.places]++
			o.pairs = append(o.pairs, p)
		}
	}
}
