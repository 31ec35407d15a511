package nvidia

import (
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/device"
)

// GeometryVariable is gangs:workers:vector for what a program leaves open, each of which
// may be left out, as GCC's library has it.
const GeometryVariable = "GOMP_OPENACC_DIM"

// ReadGeometry reads GOMP_OPENACC_DIM; a dimension that is not given is 0.
func ReadGeometry(lookup func(string) (string, bool)) (device.Geometry, error) {
	var g device.Geometry
	text, ok := lookup(GeometryVariable)
	if text = strings.TrimSpace(text); !ok || text == "" {
		return g, nil
	}
	fields := strings.Split(text, ":")
	dimensions := []*uint32{&g.Gangs, &g.Workers, &g.Vector}
	if len(fields) > len(dimensions) {
		return g, badGeometry(text)
	}
	for i, field := range fields {
		if field = strings.TrimSpace(field); field == "" || field == "-" {
			continue
		}
		n, err := strconv.ParseUint(field, 10, 31)
		if err != nil {
			return g, badGeometry(text)
		}
		*dimensions[i] = uint32(n)
	}
	return g, nil
}

func badGeometry(text string) error {
	return device.Errorf(device.DeviceInit, 0, "%s=%q is no launch geometry: give gangs:workers:vector, such as 128:4:32 or :8", GeometryVariable, text)
}
