package openacc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// environment is what the variables of OpenACC 3.3 chapter 4 and of PGI's model
// say, read once. A variable's error is reported at the first use of a device.
type environment struct {
	deviceType device.Type // DeviceDefault where not given
	number     int         // 0 where not given
	chosenBy   string      // the variable that chose the type, "" if none
	numberBy   string      // the variable that chose the number, "" if none
	notify     bool        // one line on standard output for each kernel
	forgetful  bool        // each call finds out anew what its place in the program is
	bad        string      // the error line, "" if none
}

// readEnvironment takes ACC_DEVICE_TYPE before ACC_DEVICE (PGI's name for it).
// Values are trimmed and case-insensitive.
func readEnvironment(lookup func(string) (string, bool), names []typeChoice) environment {
	e := environment{deviceType: DeviceDefault}
	value := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	for _, name := range []string{"ACC_DEVICE_TYPE", "ACC_DEVICE"} {
		text := value(name)
		if text == "" {
			continue
		}
		i := slices.IndexFunc(names, func(c typeChoice) bool { return strings.EqualFold(c.name, text) })
		if kind, known := callbacks.DeviceTypeNamed(strings.ToLower(text)); i < 0 && known && kind > callbacks.DeviceNotHost {
			e.deviceType, e.chosenBy = device.Type(kind), name // of which there is no device
			break
		}
		if i < 0 {
			var allowed []string
			for _, c := range names {
				allowed = append(allowed, c.name)
			}
			e.bad = fmt.Sprintf("%s=%q names no device type; allowed values: %s", name, text, strings.Join(allowed, ", "))
			return e
		}
		e.deviceType, e.chosenBy = names[i].kind, name
		break
	}
	if text := value("ACC_DEVICE_NUM"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 0 {
			e.bad = fmt.Sprintf("ACC_DEVICE_NUM=%q is no device number; allowed values: 0 and up", text)
			return e
		}
		e.number, e.numberBy = number, "ACC_DEVICE_NUM"
	}
	if text := value("ACC_NOTIFY"); text != "" {
		level, err := strconv.Atoi(text)
		if err != nil || level < 0 {
			e.bad = fmt.Sprintf("ACC_NOTIFY=%q is no number; allowed values: 0 (silent) and up (a line for each kernel)", text)
			return e
		}
		e.notify = level > 0
	}
	switch text := value("ACCSCOPE_SITES"); text {
	case "", "1":
	case "0":
		e.forgetful = true
	default:
		e.bad = fmt.Sprintf("ACCSCOPE_SITES=%q is no choice; allowed values: 1 (keep what a place of the program is) and 0 (for tests: find it out in each call)", text)
	}
	return e
}

// A typeChoice is a name that selects a device type.
type typeChoice struct {
	name string
	kind device.Type
}

// typeChoices lists the names that select one of the backends: each backend's
// own, the standard's name of its type, and the two that leave the choice.
func typeChoices(backends []device.Backend) []typeChoice {
	var choices []typeChoice
	add := func(name string, kind device.Type) {
		if !slices.ContainsFunc(choices, func(c typeChoice) bool { return c.name == name }) {
			choices = append(choices, typeChoice{name, kind})
		}
	}
	for _, b := range backends {
		add(b.Name(), b.Type())
	}
	for _, b := range backends {
		add(typeName(b.Type()), b.Type())
	}
	add("default", DeviceDefault)
	add("not_host", DeviceNotHost)
	return choices
}
