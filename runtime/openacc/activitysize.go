package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
)

// The size fields of what subscribers and snapshots receive.
const (
	activityRecordSize  = uint32(unsafe.Sizeof(callbacks.ActivityRecord{}))
	activityMappingSize = uint32(unsafe.Sizeof(callbacks.ActivityMapping{}))
	activityQueueSize   = uint32(unsafe.Sizeof(callbacks.ActivityQueue{}))
)
