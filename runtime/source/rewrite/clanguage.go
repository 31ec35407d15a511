package rewrite

import (
	"fmt"
	"strings"
)

// cLanguage is C and C++: how they call the runtime.
type cLanguage struct{}

func (cLanguage) fortran() bool { return false }

// parameters are the types of the routines that are called.
var parameters = map[string]string{
	"acc_init": "int", "acc_init_device": "int, int", "acc_shutdown": "int", "acc_shutdown_device": "int, int",
	"acc_set_device_type": "int", "acc_set_device_num": "int, int", "acc_set_default_async": "int",
	"acc_wait_device": "int, int", "acc_wait_all_device": "int",
	"acc_wait_device_async": "int, int, int", "acc_wait_all_device_async": "int, int",
	"acc_attach": "void **", "acc_detach": "void **", "acc_attach_async": "void **, int", "acc_detach_async": "void **, int", "acc_on_device": "int",
	"acc_is_present": "void *, __SIZE_TYPE__", "acc_deviceptr": "void *", "acc_memcpy_to_device": "void *, void *, __SIZE_TYPE__",
}

// results are their results, where it is not void.
var results = map[string]string{"acc_is_present": "int", "acc_on_device": "int", "acc_deviceptr": "void *"}

// declared is the declaration of a routine in a block, under a name that is ours: the
// program's own headers may declare it with their types, or nothing does.
func declared(routine string) string {
	result := results[routine]
	if result == "" {
		result = "void"
	}
	return fmt.Sprintf(`extern %s accscope_%s (%s) __asm__ ("%[2]s");`, result, routine, parameters[routine])
}

func (cLanguage) call(routine string, arguments ...string) string {
	joined := strings.Join(arguments, ", ")
	return fmt.Sprintf("{ %s accscope_%s (%s); }", declared(routine), routine, joined)
}

func (cLanguage) when(condition string, statements []string) []string {
	return append(append([]string{"if (" + condition + ") {"}, statements...), "}")
}

func (cLanguage) not(condition string) string {
	if condition == "" {
		return "0"
	}
	return "!(" + condition + ")"
}

func (cLanguage) and(a, b string) string { return "(" + a + ") && " + b }

func (cLanguage) product(factors []string) string {
	return "(" + strings.Join(factors, ") * (") + ")"
}

func (cLanguage) directive(text string) string { return "#pragma acc " + text }

func (l cLanguage) region(text string) (open []string, end string) {
	return []string{l.directive(text), "{"}, "}"
}

// section is where an item of a data clause begins, and its size in bytes, as expressions
// of C; ok is false for one whose length its text does not tell.
func section(item string) (address, bytes string, ok bool) {
	var element strings.Builder
	var lengths []string
	depth, from := 0, 0
	for i := 0; i < len(item); i++ {
		switch item[i] {
		case '[', '(':
			if depth == 0 {
				element.WriteString(item[from:i])
				from = i
			}
			depth++
		case ']', ')':
			if depth--; depth > 0 {
				continue
			}
			low, length, ranged := strings.Cut(item[from+1:i], ":")
			if item[i] == ')' || !ranged {
				element.WriteString(item[from : i+1])
			} else {
				if low = strings.TrimSpace(low); low == "" {
					low = "0"
				}
				if length = strings.TrimSpace(length); length == "" {
					return "", "", false
				}
				element.WriteString("[" + low + "]")
				lengths = append(lengths, "(__SIZE_TYPE__) ("+length+")")
			}
			from = i + 1
		}
	}
	element.WriteString(item[from:])
	bytes = "sizeof (" + element.String() + ")"
	for _, length := range lengths {
		bytes += " * " + length
	}
	return "(void *) &(" + element.String() + ")", bytes, true
}
