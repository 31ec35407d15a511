package openacc

import (
	"testing"

	"github.com/accscope/accscope/runtime/attribution"
)

// Kernels of one program hardly ever share the slot in which a thread keeps what it
// knows of them, however far their calls lie apart.
func TestSiteSlots(t *testing.T) {
	const kernels = 120
	for _, apart := range []uintptr{64, 128, 272, 1024, 4096} {
		for _, async := range []int{AsyncSync, AsyncNoval, 0, 3} {
			taken := map[uintptr]bool{}
			for i := range uintptr(kernels) {
				taken[slotOf(attribution.CallSite{ReturnAddress: 0x401000 + i*apart}, async)] = true
			}
			if len(taken) < kernels*4/5 {
				t.Errorf("%d kernels %d bytes apart, async %d: %d slots", kernels, apart, async, len(taken))
			}
		}
	}
}
