package cuda

import "strings"

// jitVariable is -O0 to -O4 for the driver's compiler, as GCC's library has it.
const jitVariable = "GOMP_NVPTX_JIT"

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
