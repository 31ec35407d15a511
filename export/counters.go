package export

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/store"
)

// Counters calls begin for each counter of the exported processes and for those of
// GPUs, which belong to none; what begin gives is called for its values in the
// exported time, in their order.
func (o *Options) Counters(trace *store.Trace, begin func(*store.Counter) (func(store.CounterValue) error, error)) error {
	list, err := trace.Counters()
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
		if err := trace.CounterValues(c.ID, from, to, value); err != nil {
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

// GPUName is what to call a counter's GPU: its number, model and host.
func GPUName(c *store.Counter) string {
	name := fmt.Sprintf("GPU %d %s", c.GPU, c.GPUName)
	if c.On != "" {
		name += " on " + c.On
	}
	return name
}
