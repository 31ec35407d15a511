package schema

import (
	"strings"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// mostDemangled bounds what a connection remembers.
const mostDemangled = 1000

// addFunctions gives the SQL of a connection demangled(name): a name of an event as
// people are to see it (model.Readable), any other value as it is. The file's own
// views do without, so that every SQLite program can read them.
func addFunctions(conn *sqlite.Conn) error {
	known := make(map[string]string)
	return conn.CreateFunction("demangled", &sqlite.FunctionImpl{
		NArgs:         1,
		Deterministic: true,
		Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			if args[0].Type() != sqlite.TypeText {
				return args[0], nil
			}
			name := args[0].Text()
			if !strings.HasPrefix(name, "_Z") {
				return args[0], nil
			}
			readable, again := known[name]
			if !again {
				readable = model.Readable(name)
				if len(known) == mostDemangled {
					clear(known)
				}
				known[name] = readable
			}
			return sqlite.TextValue(readable), nil
		},
	})
}
