package clickhouse

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// exception is how the server begins to tell an error.
var exception = regexp.MustCompile(`Code: ([0-9]+)[.,]`)

// remedies are what helps against errors, by the server's codes of them.
var remedies = map[int]string{
	192: whoAmI, 193: whoAmI, 194: whoAmI, 516: whoAmI,
	164: "the user may only read: give another with --user",
	291: "the user may not use this database: give another with --database or --user",
	497: "the user lacks that right: GRANT it, or give another with --user",
	241: "the server is short of memory: try again when it does less, or let it use more (max_memory_usage)",
	243: "the server's disk is full: make room on it, and send the run again",
	252: "the server cannot merge as fast as it gets data: send the run again later",
	202: "the server has too much to do: send the run again later",
}

const whoAmI = "give the user with --user or CLICKHOUSE_USER, and the password with CLICKHOUSE_PASSWORD or --password-file"

// Error is what the server says was wrong.
type Error struct {
	Code   int // ClickHouse's code of the error, 0 where it gave none
	Status int // of HTTP
	text   string
}

func (e *Error) Error() string { return e.text }

// refused makes an error of an answer that is none.
func (c *client) refused(response *http.Response, answer string) error {
	e := &Error{Status: response.StatusCode}
	if code := exception.FindStringSubmatch(answer); code != nil {
		e.Code, _ = strconv.Atoi(code[1]) //nolint:errcheck // digits
	}
	switch {
	case response.StatusCode >= 300 && response.StatusCode < 400:
		e.text = fmt.Sprintf("%s sends on to %s: give that as --endpoint, if it is the server", c.url.String(), response.Header.Get("Location"))
	case e.Code == 0 && response.StatusCode == http.StatusUnauthorized:
		e.text = fmt.Sprintf("%s refuses the user (HTTP %s): %s", c.url.String(), response.Status, whoAmI)
	case e.Code == 0:
		e.text = fmt.Sprintf("%s answers HTTP %s: %s; give the URL of ClickHouse's HTTP interface with --endpoint (its port is 8123, or 8443 for https)",
			c.url.String(), response.Status, excerpt(answer))
	default:
		e.text = "ClickHouse says: " + excerpt(answer)
		if remedy := remedies[e.Code]; remedy != "" {
			e.text += "; " + remedy
		}
		if strings.Contains(answer, "No space left on device") && e.Code != 243 {
			e.text += "; " + remedies[243]
		}
	}
	return e
}

// unreachable makes an error of a request that had no answer.
func (c *client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%w; --tls-ca FILE takes the certificate that signed the server's", err)
	}
	return fmt.Errorf("%w; is ClickHouse there? Give the URL of its HTTP interface with --endpoint (its port is 8123, or 8443 for https)", err)
}

// noServer says that an answer is not ClickHouse's.
func (c *client) noServer(answer string) error {
	return fmt.Errorf("%s is not ClickHouse's HTTP interface, it answers %q: give its URL with --endpoint (its port is 8123, or 8443 for https)", c.url.String(), excerpt(answer))
}

// excerpt is the beginning of an answer, in one line.
func excerpt(answer string) string {
	const most = 300
	line := strings.ToValidUTF8(strings.Join(strings.Fields(answer), " "), "?")
	line = strings.TrimSuffix(line, ", e.what() = DB::Exception")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	return line
}
