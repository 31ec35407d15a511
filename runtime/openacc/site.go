package openacc

// A site is a place of the program that calls the runtime: with the outlined
// function if it is a compute construct, else 0.
type site struct {
	returnAddress, function uintptr
}

// siteSlots is how many sites a thread keeps what it knows of.
const (
	siteBits  = 10
	siteSlots = 1 << siteBits
)

// slot is where a thread keeps what it knows of a site with an async value, and of others.
func (at site) slot(async int) uintptr {
	hash := (uint64(at.returnAddress) ^ uint64(async)<<32) * 0xff51afd7ed558ccd
	return uintptr((hash ^ hash>>32) * 0xc4ceb9fe1a85ec53 >> (64 - siteBits))
}
