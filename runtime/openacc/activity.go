package openacc

import (
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
)

type activity struct {
	rt *Runtime
	on atomic.Bool
}

func (a *activity) init(rt *Runtime)                                        { a.rt = rt }
func (a *activity) flush()                                                  {}
func (a *activity) wanted() bool                                            { return a.on.Load() }
func (a *activity) expect(number uint64, async, queue int64, kernel string) {}
func (d *Device) finished(device.Activity)                                  {}
