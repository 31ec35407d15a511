package structure

import (
	"slices"
	"strings"
)

// Functions that change nothing that they are not given, and keep nothing, by their names.
var (
	everywhere = strings.Fields(`abs fabs fabsf sqrt sqrtf exp expf log logf log2 log10 pow powf sin sinf cos cosf tan tanf asin acos atan atan2 sinh cosh tanh floor ceil round
 fmin fmax fmaxf fminf fmod cbrt hypot erf erfc min max`)

	// In C somebody's function may have the name of one of these.
	ofFortran = strings.Fields(`mod modulo sign real dble int nint aint anint cmplx conjg dconjg aimag dabs dsqrt dexp dlog dsin dcos dmax1 dmin1 amax1 amin1 max0 min0 iabs
 sum maxval minval size lbound ubound shape product dot_product matmul any all count trim adjustl len kind selected_real_kind epsilon huge tiny float ichar char iand ior ieor btest merge`)
)

// Intrinsic says whether a name is that of a function of the mathematical library of C, or where the
// text is Fortran of one of its intrinsic functions, in small letters. A procedure of the program may
// have it, too.
func Intrinsic(name string, fortran bool) bool {
	return slices.Contains(everywhere, name) || fortran && slices.Contains(ofFortran, name)
}
