// Package clickhousetest runs ClickHouse servers for tests, each in a folder of its own.
package clickhousetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	crypto "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Server is a server that runs. User may do everything by its password, and default without
// one; reader may only read.
type Server struct {
	Endpoint       string // URL of its HTTP interface
	Secure         string // the same by TLS
	CA             string // file with the certificate that signed the server's
	User, Password string
}

// Program finds the server, of Debian's package clickhouse-server or of ClickHouse's own. The
// test is skipped where there is none.
func Program(t testing.TB) (command []string) {
	t.Helper()
	for _, place := range []string{"clickhouse-server", "/usr/sbin/clickhouse-server"} {
		if path, err := exec.LookPath(place); err == nil {
			return []string{path}
		}
	}
	if path, err := exec.LookPath("clickhouse"); err == nil {
		return []string{path, "server"}
	}
	t.Skip("no clickhouse-server: install the package of that name (.ci/setup test, where the distribution has it)")
	return nil
}

// configuration of a server: its ports, its folder for data, what is temporary, and the
// certificate's two files.
const configuration = `<yandex>
<logger><level>warning</level><console>1</console></logger>
<listen_host>127.0.0.1</listen_host><http_port>%d</http_port><https_port>%d</https_port>
<path>%s/data/</path><tmp_path>%s/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>16777216</mark_cache_size>
<openSSL><server><certificateFile>%s/server.pem</certificateFile><privateKeyFile>%s/key.pem</privateKeyFile>
<verificationMode>none</verificationMode><cacheSessions>true</cacheSessions><disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>
</yandex>
`

// users of a server.
const users = `<yandex>
<profiles><default><fsync_metadata>0</fsync_metadata></default><reading><readonly>1</readonly></reading></profiles><quotas><default></default></quotas>
<users>
<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<writer><password>se&amp;cret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></writer>
<reader><password></password><networks><ip>127.0.0.1</ip></networks><profile>reading</profile><quota>default</quota></reader>
</users>
</yandex>
`

// Start runs a server until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	return start(t, Program(t), &syscall.SysProcAttr{})
}

// StartOnSmallDisk is Start of a server whose disk has so many MiB. The test is skipped where it
// may not mount one.
func StartOnSmallDisk(t testing.TB, size int) *Server {
	t.Helper()
	command := Program(t)
	// In a mount namespace of its own, which ends with the server.
	own := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	mount := fmt.Sprintf("mkdir -p data && mount -t tmpfs -o size=%dm none data", size)
	try := exec.Command("sh", "-c", mount)
	try.SysProcAttr, try.Dir = own, t.TempDir()
	if output, err := try.CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small disk: %v: %s", err, output)
	}
	return start(t, append([]string{"sh", "-c", mount + ` && exec "$0" "$@"`}, command...), own)
}

// start runs a server by a command.
func start(t testing.TB, command []string, process *syscall.SysProcAttr) *Server {
	t.Helper()
	s := &Server{User: "writer", Password: "se&cret"}
	folder := quickFolder(t)
	s.CA = certify(t, folder)
	for range 10 { // somebody else may have taken a port meanwhile
		plain, secure := freePort(t), freePort(t)
		for name, text := range map[string]string{"users.xml": users,
			"config.xml": fmt.Sprintf(configuration, plain, secure, folder, folder, folder, folder)} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.Endpoint, s.Secure = fmt.Sprintf("http://127.0.0.1:%d", plain), fmt.Sprintf("https://127.0.0.1:%d", secure)
		if s.run(t, folder, command, process) {
			return s
		}
	}
	t.Fatal("of ten servers none began to listen")
	return nil
}

// quickFolder is a folder of the test in memory, where the machine has one with room: a server
// makes and renames many small files, each of which waits for the disk's journal.
func quickFolder(t testing.TB) string {
	t.Helper()
	const memory, room = "/dev/shm", 1 << 30
	var is unix.Statfs_t
	if err := unix.Statfs(memory, &is); err != nil || is.Bavail*uint64(is.Bsize) < room {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp(memory, "clickhouse-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// run starts a server, and says whether it came to listen.
func (s *Server) run(t testing.TB, folder string, command []string, process *syscall.SysProcAttr) bool {
	t.Helper()
	server := exec.Command(command[0], append(slices.Clip(command[1:]), "--config-file="+filepath.Join(folder, "config.xml"))...)
	server.Dir, server.SysProcAttr = folder, process
	var log bytes.Buffer
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		server.Wait() //nolint:errcheck // it is killed
		close(ended)
	}()
	stop := func() {
		server.Process.Kill() //nolint:errcheck // it may have ended
		<-ended
	}
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			if strings.Contains(log.String(), "Address already in use") {
				return false
			}
			t.Fatalf("the server ended:\n%s", log.String())
		default:
		}
		if response, err := http.Get(s.Endpoint + "/ping"); err == nil {
			response.Body.Close()
			t.Cleanup(func() {
				stop()
				if t.Failed() {
					t.Log(log.String())
				}
			})
			return true
		}
	}
	stop()
	t.Fatalf("the server does not listen:\n%s", log.String())
	return false
}

// Ask is what the server answers to a query, in a database of it.
func (s *Server) Ask(t testing.TB, database, query string) string {
	t.Helper()
	answer, err := s.Try(database, query)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	return answer
}

// Try is Ask of a query that may fail.
func (s *Server) Try(database, query string) (string, error) {
	response, err := http.Post(s.Endpoint+"/?database="+url.QueryEscape(database), "text/plain", strings.NewReader(query))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %s: %s", response.Status, answer)
	}
	return string(answer), err
}

// freePort finds a port that nobody uses: one of those that the kernel gives to nobody who does
// not ask for it.
func freePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			listener.Close()
			return port
		}
	}
	t.Fatal("of 1000 ports none is free")
	return 0
}

// certify writes a certificate for this machine and its key, and gives the file of who signed it.
func certify(t testing.TB, folder string) (ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crypto.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "127.0.0.1"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	certificate, err := x509.CreateCertificate(crypto.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	ca = filepath.Join(folder, "server.pem")
	for name, block := range map[string]*pem.Block{ca: {Type: "CERTIFICATE", Bytes: certificate}, filepath.Join(folder, "key.pem"): {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ca
}
