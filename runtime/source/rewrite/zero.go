package rewrite

import (
	"fmt"

	"github.com/accscope/accscope/runtime/source/directive"
)

// zero has the device memory of a clause's items be zeroed where it is allocated for them
// (§2.7.4): the clause moves to a data region around the construct, which zeroes what was
// not on the device before.
func (c *construct) zero(clause *directive.Clause) {
	if c.name == "declare" {
		c.zeroDeclared(clause)
		return
	}
	if c.language.fortran() {
		c.zeroFortran(clause)
		return
	}
	when, suffix := "", c.condition()
	if given := c.find("if"); given != nil {
		when = " && (" + given.Arguments + ")"
	}
	var flags, zeroed []string
	for _, item := range split(clause.Arguments, ',') {
		address, bytes, ok := section(item)
		if !ok {
			c.refuse("zero", "zero of %s wants the section's length", item)
			return
		}
		c.flags++
		flag := fmt.Sprintf("accscope_new_%d_%d", c.line, c.flags)
		flags = append(flags, fmt.Sprintf("%s const int %s = !accscope_acc_is_present (%s, %s)%s;", declared("acc_is_present"), flag, address, bytes, when))
		zeroed = append(zeroed, fmt.Sprintf("if (%s) { %s %s const __SIZE_TYPE__ accscope_bytes = %s; void *const accscope_zeros = __builtin_calloc (accscope_bytes, 1); "+
			"accscope_acc_memcpy_to_device (accscope_acc_deviceptr (%s), accscope_zeros, accscope_bytes); __builtin_free (accscope_zeros); }",
			flag, declared("acc_deviceptr"), declared("acc_memcpy_to_device"), bytes, address))
	}
	c.say("zero", "the memory is zeroed by a copy where it was not on the device before: GCC knows no zero")
	c.before = append(c.before, flags...)
	if !c.structured() {
		c.after = append(c.after, zeroed...)
		return
	}
	c.around("data " + clause.Name + "(" + clause.Arguments + ")" + suffix)
	c.before = append(c.before, zeroed...)
	clause.Name = "present"
}

// zeroDeclared is zero for a declare directive: of a local variable, which is not on the device
// before. One at file scope has zeros there by C's rules where nothing initialises it.
func (c *construct) zeroDeclared(clause *directive.Clause) {
	if c.language.fortran() || c.local == nil {
		c.refuse("zero", "zero of declare cannot be had with GCC")
		return
	}
	for _, item := range split(clause.Arguments, ',') {
		switch local, initialised := c.local(item); {
		case local:
			c.after = append(c.after, fmt.Sprintf("if (({ %s accscope_acc_deviceptr ((void *) &%s); }) != (void *) &%[2]s) { %[3]s void *const accscope_zeros = __builtin_calloc (sizeof %[2]s, 1); "+
				"({ %[1]s accscope_acc_memcpy_to_device (accscope_acc_deviceptr ((void *) &%[2]s), accscope_zeros, sizeof %[2]s); }); __builtin_free (accscope_zeros); }",
				declared("acc_deviceptr"), item, declared("acc_memcpy_to_device")))
		case initialised:
			c.refuse("zero", "zero of %s, which is initialised, cannot be had with GCC", item)
			return
		}
	}
	c.say("zero", "the memory is zeroed by a copy, or is zero at file scope: GCC knows no zero")
}

// zeroFortran is zero for Fortran: a kernel sets to zero what was not on the device before.
func (c *construct) zeroFortran(clause *directive.Clause) {
	l, when, suffix := c.language, "", c.condition()
	if given := c.find("if"); given != nil {
		when = " .and. (" + given.Arguments + ")"
	}
	begin := []string{"block", "use openacc, only: accscope_is_present => acc_is_present"}
	var flags, zeroed []string
	for _, item := range split(clause.Arguments, ',') {
		c.flags++
		flag := fmt.Sprintf("accscope_new_%d", c.flags)
		begin = append(begin, "logical :: "+flag)
		flags = append(flags, flag+" = .not. accscope_is_present("+item+")"+when)
		zeroed = append(zeroed, "if ("+flag+") then", l.directive("kernels present("+item+")"), item+" = 0", l.directive("end kernels"), "end if")
	}
	c.say("zero", "a kernel sets to zero what was not on the device before: GCC knows no zero")
	c.before = append(append(c.before, begin...), flags...)
	if !c.structured() {
		c.after = append(append(c.after, zeroed...), "end block")
		return
	}
	c.around("data "+clause.Name+"("+clause.Arguments+")"+suffix, "end block")
	c.before = append(c.before, zeroed...)
	clause.Name = "present"
}
