package gather

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/accscope/accscope/collector/gather/link"
)

// ownServer is a NATS server in this process.
type ownServer struct {
	server *server.Server
	token  string
	scheme string
	moved  bool // it listens at another port than it was to
}

// ready is how long a server may take to listen.
const ready = time.Minute

// startServer starts a server that keeps its streams in the result's folder.
func startServer(o *Options, name string, warn func(string)) (*ownServer, error) {
	host, port, err := address(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	token, err := link.ReadToken(o.Files.Token)
	if err != nil {
		return nil, err
	}
	options := &server.Options{
		ServerName: name, Host: host, Port: port, Authorization: token,
		JetStream: true, StoreDir: filepath.Join(o.Folder, "stream"), NoSigs: true, NoLog: true,
		MaxPayload: server.MAX_PAYLOAD_SIZE, ConnectErrorReports: reportEvery, ReconnectErrorReports: reportEvery,
	}
	own := &ownServer{token: token, scheme: "nats"}
	if o.Files.Cert != "" {
		if options.TLSConfig, err = serving(o.Files); err != nil {
			return nil, err
		}
		own.scheme = "tls"
		options.TLS, options.TLSTimeout = true, ready.Seconds()
		options.TLSVerify = o.Files.CA != ""
	} else if o.Files.Key != "" || o.Files.CA != "" {
		return nil, errors.New("--tls-ca and --tls-key go with --tls-cert")
	}
	if len(o.Peers) > 0 {
		if err := cluster(options, o, token); err != nil {
			return nil, err
		}
	}
	err = own.listen(options, warn)
	// Agents are told the address of a collector that is alone; peers know each other's before.
	if errors.Is(err, errPort) && port != server.RANDOM_PORT && len(o.Peers) == 0 {
		options.Port = server.RANDOM_PORT
		if again := own.listen(options, warn); again == nil {
			own.moved = true
			warn(fmt.Sprintf("%v: agents are taken at %s", err, own.address()))
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return own, nil
}

// errPort is wrapped by listen's error where the server can't have its address.
var errPort = errors.New("cannot listen")

// listen starts the server.
func (s *ownServer) listen(options *server.Options, warn func(string)) (err error) {
	// A server changes its options.
	if s.server, err = server.NewServer(options.Clone()); err != nil {
		return fmt.Errorf("cannot start a server: %w", err)
	}
	l := &logger{warn: warn, fatal: make(chan string, 1)}
	s.server.SetLoggerV2(l, false, false, false)
	s.server.Start()
	there := make(chan bool, 1)
	go func() { there <- s.server.ReadyForConnections(ready) }()
	why := ""
	select {
	case ok := <-there:
		if ok {
			return nil
		}
	case why = <-l.fatal:
	}
	s.stop()
	return fmt.Errorf("%w at %s: is another program there? (%s)", errPort, net.JoinHostPort(options.Host, strconv.Itoa(options.Port)), why)
}

// serving is the TLS of a server: agents, too, have to show a certificate where there is
// one to check theirs by.
func serving(files link.Files) (*tls.Config, error) {
	config, err := link.TLS(files)
	if err == nil && files.CA != "" {
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, err
}

// cluster has a server share its streams with those of the other collectors.
func cluster(options *server.Options, o *Options, token string) error {
	host, port, err := address(o.PeerListen)
	if err != nil {
		return fmt.Errorf("--peer-listen: %w", err)
	}
	options.Cluster = server.ClusterOpts{Name: "accscope-" + o.Job, Host: host, Port: port, Advertise: o.PeerName, NoAdvertise: true}
	var user *url.Userinfo
	if token != "" {
		options.Cluster.Username, options.Cluster.Password = "accscope", token
		user = url.UserPassword("accscope", token)
	}
	if options.TLSConfig != nil {
		options.Cluster.TLSConfig = options.TLSConfig.Clone()
		options.Cluster.TLSTimeout = ready.Seconds()
	}
	for _, peer := range o.Peers {
		host, port, err := address(peer)
		if err != nil {
			return fmt.Errorf("--peers: %w", err)
		}
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats", User: user, Host: net.JoinHostPort(host, strconv.Itoa(port))})
	}
	return nil
}

// address reads HOST:PORT. Port 0 is a server's "any that is free".
func address(text string) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0, fmt.Errorf("%q is no address: want HOST:PORT", text)
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q is no address: want HOST:PORT", text)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if host == "" {
		host = server.DEFAULT_HOST
	}
	return host, port, nil
}

// address is where the server is reached: by the machine's name, where it listens at all its
// addresses.
func (s *ownServer) address() string {
	at := s.server.Addr().String()
	if host, port, err := net.SplitHostPort(at); err == nil && net.ParseIP(host).IsUnspecified() {
		at = net.JoinHostPort(ownName(), port)
	}
	return s.scheme + "://" + at
}

// ownName is what other machines call this one: its name, or an address where nobody knows that.
func ownName() string {
	name, err := os.Hostname()
	if err == nil {
		if _, err = net.LookupHost(name); err == nil {
			return name
		}
	}
	addresses, _ := net.InterfaceAddrs() // none where they can't be had
	for _, each := range addresses {
		if at, ok := each.(*net.IPNet); ok && at.IP.IsGlobalUnicast() {
			return at.IP.String()
		}
	}
	return "127.0.0.1"
}

// peerAddress is where the servers of other collectors reach it, "" without any.
func (s *ownServer) peerAddress() string {
	if at := s.server.ClusterAddr(); at != nil {
		return at.String()
	}
	return ""
}

// connect connects to the server without a network.
func (s *ownServer) connect(warn func(string)) (*nats.Conn, error) {
	options := []nats.Option{nats.InProcessServer(s.server), nats.Name("accscope gather"),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { warn(err.Error()) })}
	if s.token != "" {
		options = append(options, nats.Token(s.token))
	}
	conn, err := nats.Connect("", options...)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the server of this process: %w", err)
	}
	return conn, nil
}

func (s *ownServer) stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// logger tells of a server what is worth knowing.
type logger struct {
	warn  func(string)
	fatal chan string // gets what the server cannot go on with
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}
func (l *logger) Warnf(string, ...any)   {}

// reportEvery is how many times a server tries in vain to reach another one before that is
// told: they start one after the other, and try once a second.
const reportEvery = 10

// connection is what tells a connection from others of the same machine, or a try from others,
// in what a server says.
var connection = regexp.MustCompile(`(\S+):\d+ - [a-z]+:\d+ - | tcp \S+->\S+:| \(attempt \d+\)`)

func (l *logger) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "(attempt 1)") {
		return
	}
	// Whoever is refused tries again and again: it is told once.
	from := ""
	if who := connection.FindStringSubmatch(text); who != nil && who[1] != "" {
		from = who[1] + ": "
	}
	l.warn("server: " + from + connection.ReplaceAllString(text, ""))
}

func (l *logger) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
		l.Errorf(format, v...)
	}
}
