package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Target is a database of a ClickHouse server.
type Target struct {
	// Endpoint is the URL of its HTTP interface, which may have a user and a password; "" leaves
	// it to CLICKHOUSE_URL, else it is that of this machine.
	Endpoint string
	Database string // "" is accscope
	// User is "" for CLICKHOUSE_USER, else the server's default user. The password is that of
	// CLICKHOUSE_PASSWORD unless PasswordFile names a file, whose first line it is.
	User         string
	PasswordFile string
	// CA is a file (PEM) with the certificates that may have signed the server's, Cert and Key
	// files with a certificate to show it; "" are those of the system, and none.
	CA, Cert, Key string
}

const (
	defaultEndpoint = "http://localhost:8123"
	defaultDatabase = "accscope"
	// The oldest version that the statements here were tried on.
	oldestMajor, oldestMinor = 18, 16
	// mostAnswer is how much of an answer is read, bytes.
	mostAnswer = 1 << 20
	// patience is how long the server may take to answer after it has got a batch.
	patience = 5 * time.Minute
)

// name is what the name of a database may be: it is part of statements.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// client asks a server.
type client struct {
	http           *http.Client
	url            url.URL
	user, password string
	database       string
}

// resolve fills in what the environment says.
func (t *Target) resolve() (address *url.URL, user, password string, err error) {
	endpoint := cmp.Or(t.Endpoint, os.Getenv("CLICKHOUSE_URL"), defaultEndpoint)
	address, err = url.Parse(endpoint)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, "", "", fmt.Errorf("the endpoint is no URL such as %s, of ClickHouse's HTTP interface", defaultEndpoint)
	}
	user, password = cmp.Or(t.User, address.User.Username(), os.Getenv("CLICKHOUSE_USER")), os.Getenv("CLICKHOUSE_PASSWORD")
	if given, has := address.User.Password(); has {
		password = given
	}
	address.User = nil
	if t.PasswordFile != "" {
		data, err := os.ReadFile(t.PasswordFile)
		if err != nil {
			return nil, "", "", fmt.Errorf("--password-file: %w", err)
		}
		password, _, _ = strings.Cut(string(data), "\n")
		password = strings.TrimSuffix(password, "\r")
	}
	return address, user, password, nil
}

// String says where it goes to, without the password.
func (t Target) String() string {
	address, _, _, err := t.resolve()
	if err != nil {
		return "ClickHouse"
	}
	return "database " + cmp.Or(t.Database, defaultDatabase) + " at " + address.String()
}

// connect makes a client, which has not connected yet.
func (t *Target) connect() (*client, error) {
	address, user, password, err := t.resolve()
	if err != nil {
		return nil, err
	}
	c := &client{url: *address, user: user, password: password, database: cmp.Or(t.Database, defaultDatabase)}
	if !name.MatchString(c.database) {
		return nil, fmt.Errorf("--database %q: want a name of letters, digits and _", c.database)
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("--tls-cert and --tls-key go together")
	}
	if address.Scheme != "https" && (t.CA != "" || t.Cert != "") {
		return nil, fmt.Errorf("--tls-ca, --tls-cert and --tls-key go with an endpoint https://, not %s", address)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = patience
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		data, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("--tls-ca %s holds no certificate (PEM)", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	// The password goes to nobody but the endpoint.
	c.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// ask sends a statement, and the data of an INSERT behind it; what the server answers comes
// back as text.
func (c *client) ask(ctx context.Context, statement string, data []byte) (string, error) {
	address, body := c.url, []byte(statement)
	if address.Path == "" {
		address.Path = "/"
	}
	if data != nil {
		query := address.Query()
		query.Set("query", statement)
		address.RawQuery, body = query.Encode(), data
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	if c.user != "" || c.password != "" {
		request.SetBasicAuth(cmp.Or(c.user, "default"), c.password)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return "", c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return "", c.unreachable(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return "", c.refused(response, string(answer))
	}
	return string(answer), nil
}

// rows asks for rows of text: lines of cells.
func (c *client) rows(ctx context.Context, statement string) (rows [][]string, err error) {
	answer, err := c.ask(ctx, statement+" FORMAT TabSeparated", nil)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(answer) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows, nil
}

// checkVersion refuses what is no ClickHouse, and one that is too old.
func (c *client) checkVersion(ctx context.Context) error {
	answer, err := c.ask(ctx, "SELECT version()", nil)
	if err != nil {
		return err
	}
	version := strings.TrimSpace(answer)
	parts := strings.Split(version, ".")
	var numbers [2]int
	for i := range numbers {
		if len(parts) <= i {
			return c.noServer(answer)
		}
		if numbers[i], err = strconv.Atoi(parts[i]); err != nil {
			return c.noServer(answer)
		}
	}
	if numbers[0] < oldestMajor || numbers[0] == oldestMajor && numbers[1] < oldestMinor {
		return fmt.Errorf("%s is ClickHouse %s: want %d.%d or later", c.url.String(), version, oldestMajor, oldestMinor)
	}
	return nil
}
