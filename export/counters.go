package export

import (
	"cmp"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/store"
)

// Counters calls begin for each counter of the exported processes and for those of
// GPUs, which belong to none; what begin gives is called for its values in the
// exported time, in their order: first, at its begin, for what the counter was until
// then. There are none where only some events are exported.
func (o *Options) Counters(trace *store.Trace, begin func(*store.Counter) (func(store.CounterValue) error, error)) error {
	if o.Filter.Match != nil || o.Report.ChoosesEvents() {
		return nil
	}
	list, err := trace.Sampled().Counters()
	if err != nil {
		return err
	}
	from, to := cmp.Or(o.Filter.From, math.MinInt64), cmp.Or(o.Filter.To, math.MaxInt64)
	for i := range list {
		c := &list[i]
		if o.Filter.Process != 0 && c.Process != 0 && c.Process != o.Filter.Process {
			continue
		}
		value, err := begin(c)
		if err != nil {
			return err
		}
		if held, known, err := trace.Sampled().CounterBefore(c.ID, from+1); err != nil {
			return err
		} else if known { // it holds until the next one
			if err := value(store.CounterValue{Time: from, Value: held.Value}); err != nil {
				return err
			}
		}
		if err := trace.Sampled().CounterValues(c.ID, from+1, to, value); err != nil {
			return err
		}
	}
	return nil
}

// CounterName is what to call a counter beside its process or GPU.
func CounterName(c *store.Counter) string { return strings.ReplaceAll(c.Name, "_", " ") }

// GPU is one of a host's GPUs, by its number there.
type GPU struct {
	Host   int64
	Number int
}

// GPUOf is the GPU whose counter it is.
func GPUOf(c *store.Counter) GPU { return GPU{c.Host, c.GPU} }
