package ptx

import (
	"maps"
	"testing"
)

// TestLifetimes: loops hold what goes around them, a guard keeps what was there, a vector's
// parts are all written, and what has no value yet lives from the start.
func TestLifetimes(t *testing.T) {
	module, err := Parse(`.version 7.0
.target sm_80
.address_size 64
.func f
{
.reg .u32 %a, %b, %c, %d, %e, %f, %n, %never;
.reg .u64 %at;
.reg .pred %p;
mov.u32 %a,1;
mov.u32 %b,2;
mov.u32 %n,3;
L:
add.u32 %n,%n,-1;
add.u32 %b,%b,%a;
setp.lt.u32 %p,%b,10;
@%p bra L;
mov.u32 %c,%b;
mov.u64 %at,64;
ld.v2.u32 {%e,%f},[%at];
st.u32 [%at],%c;
@%p mov.u32 %d,1;
add.u32 %c,%d,%f;
ret;
}
`)
	if err != nil {
		t.Fatal(err)
	}
	body, err := module.Decode(&module.Functions[0])
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Lifetime{}
	for r, life := range body.Lifetimes() {
		if life.Begin <= life.End {
			got[body.Registers[r].Name] = life
		}
	}
	want := map[string]Lifetime{"%a": {1, 13}, "%b": {3, 14}, "%n": {5, 13}, "%p": {11, 23}, "%c": {15, 25}, "%at": {17, 20}, "%e": {19, 19}, "%f": {19, 24}, "%d": {-1, 24}}
	if !maps.Equal(got, want) {
		t.Errorf("lifetimes %v, want %v", got, want)
	}
}
