package cuda

import (
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/device"
)

// The variables of GCC's library that programs for its offloading are run with.
const (
	geometryVariable = "GOMP_OPENACC_DIM" // gangs:workers:vector, each may be left out
	jitVariable      = "GOMP_NVPTX_JIT"   // -O0 to -O4
)

// readGeometry reads GOMP_OPENACC_DIM; a dimension that is not given is 0.
func readGeometry(lookup func(string) (string, bool)) (device.Geometry, error) {
	var g device.Geometry
	text, ok := lookup(geometryVariable)
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
	return device.Errorf(device.DeviceInit, 0, "%s=%q is no launch geometry: give gangs:workers:vector, such as 128:4:32 or :8", geometryVariable, text)
}

// optimisation is the level that GOMP_NVPTX_JIT asks of the driver's compiler,
// -1 for its default.
func optimisation(lookup func(string) (string, bool)) int {
	text, _ := lookup(jitVariable)
	for _, field := range strings.Fields(text) {
		if len(field) == 3 && strings.HasPrefix(field, "-O") && field[2] >= '0' && field[2] <= '4' {
			return int(field[2] - '0')
		}
	}
	return -1
}
