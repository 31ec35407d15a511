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
		c.refuse("zero", "zero of declare cannot be had with GCC")
		return
	}
	if c.language.fortran() {
		c.zeroFortran(clause)
		return
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
		flags = append(flags, fmt.Sprintf("%s const int %s = !accscope_acc_is_present (%s, %s);", declared("acc_is_present"), flag, address, bytes))
		zeroed = append(zeroed, fmt.Sprintf("if (%s) { %s %s const __SIZE_TYPE__ accscope_bytes = %s; void *const accscope_zeros = __builtin_calloc (accscope_bytes, 1); "+
			"accscope_acc_memcpy_to_device (accscope_acc_deviceptr (%s), accscope_zeros, accscope_bytes); __builtin_free (accscope_zeros); }",
			flag, declared("acc_deviceptr"), declared("acc_memcpy_to_device"), bytes, address))
	}
	c.say("zero", "the memory is zeroed by a copy where it was not on the device before: GCC knows no zero")
	if c.find("if") != nil {
		c.refuse("zero", "zero beside an if clause cannot be had with GCC")
		return
	}
	c.before = append(c.before, flags...)
	if !c.structured() {
		c.after = append(c.after, zeroed...)
		return
	}
	c.around("data " + clause.Name + "(" + clause.Arguments + ")")
	c.before = append(c.before, zeroed...)
	if c.compute() {
		clause.Name = "present"
	} else {
		clause.Has = false // the region around it says so
	}
}

// zeroFortran is zero for Fortran: a kernel sets to zero what was not on the device before.
func (c *construct) zeroFortran(clause *directive.Clause) {
	if c.find("if") != nil {
		c.refuse("zero", "zero beside an if clause cannot be had with GCC")
		return
	}
	l := c.language
	begin := []string{"block", "use openacc, only: accscope_is_present => acc_is_present"}
	var flags, zeroed []string
	for _, item := range split(clause.Arguments, ',') {
		c.flags++
		flag := fmt.Sprintf("accscope_new_%d", c.flags)
		begin = append(begin, "logical :: "+flag)
		flags = append(flags, flag+" = .not. accscope_is_present("+item+")")
		zeroed = append(zeroed, "if ("+flag+") then", l.directive("kernels present("+item+")"), item+" = 0", l.directive("end kernels"), "end if")
	}
	c.say("zero", "a kernel sets to zero what was not on the device before: GCC knows no zero")
	c.before = append(append(c.before, begin...), flags...)
	if !c.structured() {
		c.after = append(append(c.after, zeroed...), "end block")
		return
	}
	c.around("data " + clause.Name + "(" + clause.Arguments + ")")
	c.before = append(c.before, zeroed...)
	c.last = append(c.last, "end block")
	if c.compute() {
		clause.Name = "present"
	} else {
		clause.Has = false // the region around it says so
	}
}
