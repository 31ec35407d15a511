package linkage

import (
	"regexp"
	"strings"
)

var (
	outlinedName   = regexp.MustCompile(`\._omp_fn\.\d+`)
	compilerSuffix = regexp.MustCompile(`(\.(constprop|isra|part|cold|lto_priv|localalias|\d+))+$`)
	moduleEntity   = regexp.MustCompile(`^__([a-z0-9_]+?)_MOD_(\w+)$`)
)

// Around is the name of the function around an outlined one, by its name.
func Around(outlined string) string { return outlinedName.ReplaceAllString(outlined, "") }

// Number is which of a function's constructs a name is that of, as the compiler counts
// them; "" where it is no outlined function's.
func Number(name string) string {
	n := outlinedName.FindString(name)
	return n[strings.LastIndexByte(n, '.')+1:]
}

// IsOutlined tells whether a name is that of a function outlined from a
// compute construct: f._omp_fn.N.
func IsOutlined(name string) bool { return outlinedName.MatchString(name) }

// Display makes a linkage name readable.
func Display(symbol string, fortran bool) string {
	name := outlinedName.ReplaceAllString(symbol, "")
	name = compilerSuffix.ReplaceAllString(name, "")
	if m := moduleEntity.FindStringSubmatch(name); m != nil {
		return m[1] + "::" + m[2]
	}
	if readable := Readable(name); readable != name {
		return readable
	}
	if name == "MAIN__" {
		return "main"
	}
	if fortran && strings.HasSuffix(name, "_") {
		return strings.TrimRight(name, "_")
	}
	return name
}

// Variable makes the linkage name of static data readable.
func Variable(linkage string, fortran bool) string {
	if m := moduleEntity.FindStringSubmatch(linkage); m != nil {
		return m[2]
	}
	name := Display(linkage, false)
	if fortran && strings.HasSuffix(name, "_") {
		return "/" + strings.TrimRight(name, "_") + "/"
	}
	return name
}
