package directive

import (
	"fmt"
	"strings"
	"testing"
)

// TestRoutines: the calls of routines in a text, with what they are given, and which of them may
// run in the place of which others.
func TestRoutines(t *testing.T) {
	const c = `#define UP(x) acc_update_device (x, \
  8)
#define OURS(x) (x)
void acc_copyin (void *);
void f (void)
{
  acc_copyin (a + 10, /* acc_create (x) */ 80); acc_create ((void *) &b[2],
    8);
  UP (c);
  if (x) acc_copyin (d, 8); else acc_copyin (e, 8);
  acc_memcpy_to_device (p, q->r, 8), acc_wait (1), acc_copyin (OURS (g), 8);
  for (;;)
    if (acc_is_present (h, 8)) { acc_copyin (i, 8); }
  // acc_copyin (z, 8);
}
`
	const fortran = `subroutine f ! call acc_copyin(z)
  call acc_copyin(a); call ACC_Create (b(:, & ! more
    & 2:3)) ! comment
  print *, 'call acc_copyin(z)'
  if (x) call acc_copyin_async(c%d, 1)
end subroutine
`
	for _, test := range []struct {
		path, text, want string
		apart            string // pairs of these calls
	}{
		{"a.c", c, "acc_copyin 7-7:3/7:14 a + 10|acc_create 7-7:49/7:60 (void *) &b[2]|acc_update_device 9-9:3 ?|acc_copyin 10-10:10/10:21 d|acc_copyin 10-10:34/10:45 e|" +
			"acc_memcpy_to_device 11-11:3/11:24 q->r|acc_copyin 11-11:52/11:63 OURS (g)|acc_is_present 13-13:9/13:24 h|acc_copyin 13-13:34/13:45 i",
			"3,4 3,7 3,8 4,7 4,8 5,6"},
		{"a.f90", fortran, "acc_copyin 2-2:20/2:21 a|acc_create 2-3:11/3:12 b(:, 2:3)|acc_copyin_async 5-5:38/5:39 c%d", ""},
	} {
		var list, apart []string
		calls := routinesOf([]byte(test.text), test.path)
		for i, d := range calls {
			var places []string
			for _, at := range d.places {
				places = append(places, fmt.Sprintf("%d:%d", at.line, at.column))
			}
			text, ok := d.HostArgument()
			if !ok {
				text = "?"
			}
			list = append(list, fmt.Sprintf("%s %d-%s %s", d.Name, d.Line, strings.Join(places, "/"), text))
			if at := d.places[0]; !d.MadeAt(at.line, at.column) || d.MadeAt(at.line, at.column-1) || d.Last < d.Line {
				t.Errorf("%s: call %d is not where its name is: %+v", test.path, i, d.places)
			}
			for k, other := range calls[i+1:] {
				if d.Apart(other) {
					apart = append(apart, fmt.Sprintf("%d,%d", i, i+1+k))
				}
			}
		}
		if got := strings.Join(list, "|"); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.path, strings.ReplaceAll(got, "|", "\n"), strings.ReplaceAll(test.want, "|", "\n"))
		}
		if got := strings.Join(apart, " "); got != test.apart {
			t.Errorf("%s: apart are %s, want %s", test.path, got, test.apart)
		}
	}
}
