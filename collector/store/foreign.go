package store

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// comments are those of SQL, which may stand between any two words.
var comments = regexp.MustCompile(`(?s)/\*.*?(\*/|$)|--[^\n]*`)

// CheckSQL refuses a statement of the user's that runs a view of the file's own: it
// may be anybody's SQL. A view of ours is found by its plain name.
func (t *Trace) CheckSQL(sql string) error {
	plain := comments.ReplaceAllString(sql, " ")
	return t.each("SELECT name, sql FROM main.sqlite_schema WHERE type = 'view'", nil, func(s *sqlite.Stmt) error {
		name, text := s.ColumnText(0), s.ColumnText(1)
		if strings.Contains(schema.Views, text+";") {
			return nil // it is ours
		}
		word := `(\W|^)` + regexp.QuoteMeta(name) + `(\W|$)`
		if strings.Contains(ownViews, "CREATE TEMP VIEW "+name+" ") {
			word = "main[\"'`\\]]?\\s*\\.\\s*[\"'`\\[]?" + regexp.QuoteMeta(name) + `(\W|$)`
		}
		if names, err := regexp.MatchString("(?i)"+word, plain); err != nil || !names {
			return err
		}
		return fmt.Errorf("view %q is the file's own, and not run: give the SQL itself, or name accscope's view without main", name)
	})
}
