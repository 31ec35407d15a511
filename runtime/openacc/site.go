package openacc

import "github.com/accscope/accscope/runtime/attribution"

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
