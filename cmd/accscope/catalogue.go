package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/schema"
)

// The views of a trace and their columns, as this program has them.
const (
	viewsQuery   = "SELECT name AS view FROM temp.sqlite_schema WHERE type = 'view' ORDER BY name"
	columnsQuery = `SELECT v.name AS view, c.name AS column FROM temp.sqlite_schema v, pragma_table_info(v.name) c
		WHERE v.type = 'view' AND v.name LIKE ?1 ORDER BY v.name, c.cid`
)

// dotCommand gives the SQL behind what users of sqlite3 type to find their way:
// .tables and .schema VIEW. Other text is SQL itself.
func dotCommand(conn *sqlite.Conn, text string) (string, error) {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasPrefix(words[0], ".") {
		return text, nil
	}
	switch {
	case words[0] == ".tables" && len(words) == 1:
		return viewsQuery, nil
	case words[0] == ".schema" && len(words) == 1:
		return strings.Replace(columnsQuery, "?1", "'%'", 1), nil
	case words[0] == ".schema" && len(words) == 2:
		views, err := column(conn, viewsQuery)
		if err != nil {
			return "", err
		}
		if !slices.Contains(views, words[1]) {
			return "", usageError{fmt.Errorf(".schema: there is no view %q; there are %s", words[1], strings.Join(views, ", "))}
		}
		return strings.Replace(columnsQuery, "?1", "'"+words[1]+"'", 1), nil
	}
	return "", usageError{fmt.Errorf("%q: there are .tables, which lists the views, and .schema VIEW, which lists a view's columns", text)}
}

// column is the last column of a query.
func column(conn *sqlite.Conn, sql string, args ...any) (texts []string, err error) {
	err = sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		texts = append(texts, s.ColumnText(s.ColumnCount()-1))
		return nil
	}})
	return texts, err
}

var word = regexp.MustCompile(`\w+`)

// explainSQL says what is wrong with a statement, and what could have stood there.
func explainSQL(conn *sqlite.Conn, sql string, err error) error {
	text := schema.Plain(err)
	help := ""
	switch views, failed := column(conn, viewsQuery); {
	case failed != nil:
	case strings.Contains(text, "no such table"):
		help = "; the views are " + strings.Join(views, ", ")
	case strings.Contains(text, "no such column"):
		var asked []string
		for _, name := range word.FindAllString(strings.ToLower(sql), -1) {
			if slices.Contains(views, name) && !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
		}
		for _, view := range asked {
			columns, failed := column(conn, columnsQuery, view)
			if failed == nil {
				help += fmt.Sprintf("\n%s has %s", view, strings.Join(columns, ", "))
			}
		}
	}
	return errors.New("SQL: " + text + help)
}
