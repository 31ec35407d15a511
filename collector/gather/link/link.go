// Package link connects to the NATS servers of a job: addresses, tokens and TLS, and
// connections that come back by themselves.
package link

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/wire"
)

// DefaultJob is the job of who names none, and is in no batch system's.
const DefaultJob = "job"

// BatchJob is the job that a batch system has given this process, as a name, with how often it
// was started again: the collector of one try is not that of the next. "" outside of one. Flux
// is not here: it gives a job's tasks other numbers than its script.
func BatchJob() string {
	for _, each := range []struct {
		system    string
		variables []string // the last ones need not be there
	}{{"slurm", []string{"SLURM_JOB_ID", "SLURM_RESTART_COUNT"}}, {"pbs", []string{"PBS_JOBID"}}, {"lsf", []string{"LSB_JOBID", "LSB_JOBINDEX"}}} {
		name := each.system
		for i, variable := range each.variables {
			value := os.Getenv(variable)
			if i == 0 && value == "" {
				name = ""
				break
			}
			if i == 0 || value != "" && value != "0" {
				name += "-" + value
			}
		}
		if name != "" {
			return strings.Map(func(r rune) rune {
				if r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
					return r
				}
				return '_'
			}, name[:min(len(name), 100)])
		}
	}
	return ""
}

// Files are what a connection is trusted by; "" where there is none.
type Files struct {
	Token string // file that holds the token
	CA    string // certificates that the other side's must be signed by, PEM
	Cert  string // own certificate, PEM
	Key   string // and its key
}

// Target is where a job's collectors are reached.
type Target struct {
	Servers []string // nats://host:port or tls://host:port
	Job     string   // "": the addresses name none
	files   Files
	token   string
	tls     *tls.Config
}

// Parse reads addresses, separated by commas: nats://HOST[:PORT][/JOB], or tls:// where
// the connection is encrypted. The job of the last that names one is all's.
func Parse(text string, files Files) (*Target, error) {
	t := &Target{files: files}
	secure := files.CA != "" || files.Cert != ""
	for address := range strings.SplitSeq(text, ",") {
		address = strings.TrimSpace(address)
		if !strings.Contains(address, "://") {
			address = "nats://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return nil, fmt.Errorf("%q is no address of a job's collector: want nats://HOST:PORT or tls://HOST:PORT, with /JOB if it has a name", address)
		}
		if u.User != nil {
			return nil, fmt.Errorf("the address of %s has a password in it, which others may see: put a token into a file", u.Hostname())
		}
		if job := strings.Trim(u.Path, "/"); job != "" {
			if !ValidJob(job) {
				return nil, fmt.Errorf("%q cannot be a job's name: letters, digits, - and _", job)
			}
			t.Job = job
		}
		port := u.Port()
		if port == "" {
			port = "4222"
		}
		secure = secure || u.Scheme == "tls"
		t.Servers = append(t.Servers, u.Scheme+"://"+net.JoinHostPort(u.Hostname(), port))
	}
	var err error
	if t.token, err = ReadToken(files.Token); err != nil {
		return nil, err
	}
	if secure {
		if t.tls, err = TLS(files); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ValidJob says whether a job may have a name: it is a part of subjects.
func ValidJob(job string) bool { return wire.ValidName(job) && !strings.Contains(job, ".") }

// ReadToken reads a token's file, "" for none.
func ReadToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s holds no token", path)
	}
	return token, nil
}

// TLS is the configuration of either side.
func TLS(files Files) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if (files.Cert == "") != (files.Key == "") {
		return nil, errors.New("a certificate needs its key, and a key its certificate")
	}
	if files.Cert != "" {
		pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
		if err != nil {
			return nil, fmt.Errorf("cannot read the certificate %s: %w", files.Cert, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if files.CA != "" {
		text, err := os.ReadFile(files.CA)
		if err != nil {
			return nil, fmt.Errorf("cannot read the certificates to trust: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", files.CA)
		}
		config.RootCAs, config.ClientCAs = pool, pool
	}
	return config, nil
}

// again is how long a connection that was lost waits before it is tried anew.
const again = 200 * time.Millisecond

// Connect connects, now or whenever a server can be reached, and again as often as the
// connection is lost. What is sent while there is none fails at once. tell, if not nil,
// gets what goes wrong.
func (t *Target) Connect(name string, tell func(error)) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(name), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(again),
		nats.ReconnectJitter(again, again), nats.ReconnectBufSize(-1), nats.Timeout(5 * time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if tell != nil {
				tell(err)
			}
		}),
	}
	if t.token != "" {
		options = append(options, nats.Token(t.token))
	}
	if t.tls != nil {
		options = append(options, nats.Secure(t.tls.Clone()))
	}
	conn, err := nats.Connect(strings.Join(t.Servers, ","), options...)
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", strings.Join(t.Servers, ", "), err)
	}
	return conn, nil
}

// At is the same job's collector at another address, trusted by the same files.
func (t *Target) At(address string) (*Target, error) { return Parse(address, t.files) }

// String is where the target is, for people.
func (t *Target) String() string {
	text := strings.Join(t.Servers, ",")
	if t.Job != "" {
		text += "/" + t.Job
	}
	return text
}
