package cuda

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/device"
)

// jitVariable is -O0 to -O4 for the driver's compiler, as GCC's library has it.
const jitVariable = "GOMP_NVPTX_JIT"

// value is what a variable is set to; "" where that is nothing, or blanks.
func value(lookup func(string) (string, bool), variable string) string {
	text, _ := lookup(variable)
	return strings.TrimSpace(text)
}

// optimisation is the level that GOMP_NVPTX_JIT asks of the driver's compiler,
// -1 for its default.
func optimisation(lookup func(string) (string, bool)) int {
	for _, field := range strings.Fields(value(lookup, jitVariable)) {
		if len(field) == 3 && strings.HasPrefix(field, "-O") && field[2] >= '0' && field[2] <= '4' {
			return int(field[2] - '0')
		}
	}
	return -1
}

// stackVariable is how many bytes of stack each thread on the device has.
const stackVariable = "ACCSCOPE_CUDA_STACK"

// A thread has 512 KiB of memory of its own at most (CUDA C++ Programming Guide, "Compute
// Capabilities"), and the driver gives it 1 KiB of stack where nobody asks for more.
const (
	leastStack = 1 << 10
	mostStack  = 512 << 10
)

// stackWanted reads ACCSCOPE_CUDA_STACK: bytes, or "64KiB", "64k"; 0 where it is not set.
func stackWanted(lookup func(string) (string, bool)) (int, error) {
	text := value(lookup, stackVariable)
	if text == "" {
		return 0, nil
	}
	digits, unit := strings.ToLower(text), 1
	for _, suffix := range []string{"kib", "k"} {
		if rest, found := strings.CutSuffix(digits, suffix); found {
			digits, unit = strings.TrimSpace(rest), 1<<10
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if bytes := int(n) * unit; err == nil && bytes >= leastStack && bytes <= mostStack {
		return bytes, nil
	}
	return 0, device.Errorf(device.DeviceInit, 0, "%s=%q is no stack for each thread of a GPU; give bytes from %d to %d, such as 65536 or 64KiB", stackVariable, text, leastStack, mostStack)
}

// A Setting is a variable by which kernels that go wrong on a GPU may go right.
type Setting struct {
	Variable string
	Value    string // "" where it is not set, or to blanks
	Problem  error  // of a value that means nothing
	Does     string // set so
	For      string // when to set it
}

// Settings are those variables, as an environment has them.
func Settings(lookup func(string) (string, bool)) []Setting {
	level := Setting{Variable: jitVariable, Value: value(lookup, jitVariable), For: "-O0 where a kernel that is right elsewhere fails or gives wrong results, as the driver's compiler has faults"}
	if n := optimisation(lookup); n >= 0 {
		level.Does = fmt.Sprintf("the driver compiles device code at level %d, which may make it slower", n)
	} else if level.Value != "" {
		level.Problem = fmt.Errorf("%s=%q names no level of the driver's compiler, and has no effect; give -O0 to -O4", jitVariable, level.Value)
	}
	stack := Setting{Variable: stackVariable, Value: value(lookup, stackVariable), For: "more than 1024 bytes where a routine calls itself, or others by their addresses"}
	bytes, err := stackWanted(lookup)
	if stack.Problem = err; bytes > 0 {
		stack.Does = fmt.Sprintf("each thread has %d bytes of stack", bytes)
	}
	return []Setting{level, stack}
}
