package structure

import (
	"strings"
	"testing"
)

// TestLargeSources: whatever a long text repeats, it is read in time.
func TestLargeSources(t *testing.T) {
	for _, path := range []string{"a.c", "a.f90", "a.f"} {
		for _, part := range []string{"(", "{", "for(", "f(){", "if(x){", "a={1},", "#if 1\n", "x;", "/*", "'", "do\n", "if (x) then\n", "subroutine s\n", "contains\n", "&\n",
			";", "!$acc data\n", "!$acc parallel loop\n", "      do 10 i=1,n\n", "   10 x\n", "x=y\n", "struct {", "case 1:"} {
			for _, before := range []string{"", "void f(){", "subroutine s\n"} {
				Of([]byte(before+strings.Repeat(part, 5000)), path)
			}
		}
	}
}
