package rewrite

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
)

// deviceTypes are the names of device types (§2.4, appendix A) with the values of
// acc_device_t.
var deviceTypes = map[string]string{
	"host": "2", "multicore": "2", "default": "1", "nvidia": "5", "radeon": "8", "opencl": "101", "sim": "100", "none": "0", "*": "4",
	"not_host": "4", "xeonphi": "6",
}

// currentType is acc_device_current.
const currentType = "-1"

// deviceDirective has calls do what init, shutdown and set say (§2.14).
func deviceDirective(c *construct) {
	l := c.language
	var statements []string
	number := c.find("device_num")
	types := c.find("device_type", "dtype")
	var values []string
	if types != nil {
		for _, name := range split(types.Arguments, ',') {
			value, ok := deviceTypes[strings.TrimPrefix(strings.ToLower(name), "acc_device_")]
			if !ok {
				c.refuse(name, "%s is no device type that the runtime has: give host, nvidia, radeon, sim or default", name)
				return
			}
			values = append(values, value)
		}
	}
	switch c.name {
	case "init", "shutdown":
		if values == nil {
			values = []string{currentType}
		}
		for _, value := range values {
			if number == nil {
				statements = append(statements, l.call("acc_"+c.name, value))
			} else {
				statements = append(statements, l.call("acc_"+c.name+"_device", number.Arguments, value))
			}
		}
	case "set":
		async := c.find("default_async")
		if number == nil && types == nil && async == nil {
			c.refuse("set", "set wants default_async, device_num or device_type")
			return
		}
		if len(values) > 1 {
			c.refuse(types.Name, "set takes one device type")
			return
		}
		if async != nil {
			statements = append(statements, l.call("acc_set_default_async", async.Arguments))
		}
		switch {
		case number != nil && values != nil:
			statements = append(statements, l.call("acc_set_device_num", number.Arguments, values[0]))
		case number != nil:
			statements = append(statements, l.call("acc_set_device_num", number.Arguments, currentType))
		case values != nil:
			statements = append(statements, l.call("acc_set_device_type", values[0]))
		}
	default:
		return
	}
	for _, clause := range c.clauses {
		known := []string{"device_num", "device_type", "dtype", "if"}
		if c.name == "set" {
			known = append(known, "default_async")
		}
		if !is(clause, known...) {
			c.refuse(clause.Name, "%s is no clause of %s", clause.Name, c.name)
			return
		}
	}
	if condition := c.find("if"); condition != nil {
		statements = l.when(condition.Arguments, statements)
	}
	c.before, c.dropped = append(c.before, statements...), true
	c.say(c.name, "%s is calls of the runtime's routines: GCC has no such directive", c.name)
}

// deviceType keeps of the clauses those that hold for one device (§2.4): those ahead of all
// device_type clauses, and those behind the one that names the device, or *, in place of
// their like.
func deviceType(c *construct) {
	switch c.name {
	case "init", "shutdown", "set":
		return // there it is an argument
	}
	if c.find("device_type", "dtype") == nil {
		return
	}
	var common, chosen, others []directive.Clause
	into := &common
	var ignored []directive.Clause
	named := false
	for _, clause := range c.clauses {
		if is(clause, "device_type", "dtype") {
			names := split(strings.ToLower(clause.Arguments), ',')
			switch {
			case slices.Contains(names, c.device):
				into, named = &chosen, true
			case slices.Contains(names, "*") || strings.TrimSpace(clause.Arguments) == "*":
				into = &others
			default:
				into = &ignored
			}
			continue
		}
		*into = append(*into, clause)
	}
	if !named {
		chosen = others
	}
	kept := slices.DeleteFunc(common, func(clause directive.Clause) bool {
		return slices.ContainsFunc(chosen, func(other directive.Clause) bool { return is(other, strings.ToLower(clause.Name)) })
	})
	c.clauses = append(kept, chosen...)
	c.say("device_type", "of the device_type clauses those of %s are taken, as --accscope-device says: GCC knows no such clause", c.device)
}
