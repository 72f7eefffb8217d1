package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Addresses inside the namespace, where nothing else listens.
const (
	apiServerAddress = "127.0.0.1:6443"
	apiServer        = "https://" + apiServerAddress
	etcdClients      = "http://127.0.0.1:2379"
	etcdPeers        = "http://127.0.0.1:2380"
	serviceRange     = "10.98.0.0/16"

	startDeadline = 2 * time.Minute
)

// serviceAddress is the first of serviceRange, which the API server takes for the Service "kubernetes".
var serviceAddress = net.IPv4(10, 98, 0, 1)

// controlPlane starts the programs of a control plane.
type controlPlane struct {
	programs, state string
	hasNode         bool
	ended           chan error
}

// runInside is the life of the first process of the namespaces: it starts everything, says "ready", and stays until
// it is killed or one of its programs ends.
func runInside() int {
	plane := &controlPlane{
		programs: os.Getenv("LOADGEN_CLUSTER_PROGRAMS"),
		state:    os.Getenv("LOADGEN_CLUSTER_STATE"),
		hasNode:  os.Getenv("LOADGEN_CLUSTER_IMAGES") != "",
		ended:    make(chan error, 1),
	}
	if err := plane.run(); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		return 1
	}
	return 0
}

func (plane *controlPlane) run() error {
	begin := time.Now()
	if err := isolate(); err != nil {
		return err
	}
	listener, err := net.FileListener(os.NewFile(3, "outside"))
	if err != nil {
		return err
	}
	say := func(what string) { fmt.Printf("%5.1f s  %s\n", time.Since(begin).Seconds(), what) }
	say("network namespace without a route")
	var its *node
	loaded := make(chan error, 1)
	if plane.hasNode {
		its = &node{plane: plane, images: os.Getenv("LOADGEN_CLUSTER_IMAGES"), cgroups: os.Getenv("LOADGEN_CLUSTER_CGROUPS")}
		if err := its.prepare(); err != nil {
			return err
		}
		go func() { loaded <- its.loadImages() }()
	}
	if err := plane.start("etcd", plane.etcd()); err != nil {
		return err
	}
	if err := plane.start("kube-apiserver", plane.apiServer()); err != nil {
		return err
	}
	if err := plane.await("/readyz"); err != nil {
		return err
	}
	say("API server")
	go func() { plane.ended <- relay(listener, apiServerAddress) }()
	if err := plane.start("kube-controller-manager", plane.controllers()); err != nil {
		return err
	}
	if err := plane.start("kube-scheduler", plane.scheduler()); err != nil {
		return err
	}
	// Pods are refused until the controllers have made it.
	if err := plane.await("/api/v1/namespaces/default/serviceaccounts/default"); err != nil {
		return err
	}
	say("controllers and scheduler")
	if its != nil {
		if err := <-loaded; err != nil {
			return err
		}
		say("images")
		if err := its.join(); err != nil {
			return err
		}
		if err := confined(); err != nil {
			return err
		}
		say("node")
	}
	fmt.Printf("KUBECONFIG=%s\nready\n", filepath.Join(plane.state, "kubeconfig"))
	return <-plane.ended
}

func (plane *controlPlane) program(name string) string { return filepath.Join(plane.programs, name) }

// start starts one of Kubernetes' own programs.
func (plane *controlPlane) start(program string, arguments []string) error {
	return plane.startProgram(program, plane.program(program), arguments...)
}

func (plane *controlPlane) startProgram(program, path string, arguments ...string) error {
	log, err := os.Create(filepath.Join(plane.state, "log", program+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(path, arguments...)
	command.Env = programEnvironment(plane.state)
	command.Dir = filepath.Join(plane.state, "pki")
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return err
	}
	go func() {
		err := command.Wait()
		plane.ended <- fmt.Errorf("%s ended: %w: %s", program, err, lastLines(log.Name()))
	}()
	return nil
}

// await returns when the API server answers a path with 200.
func (plane *controlPlane) await(path string) error {
	client, err := plane.client()
	if err != nil {
		return err
	}
	return plane.until(path, func(patience context.Context) error {
		answer, err := get(patience, client, apiServer+path)
		if err != nil {
			return fmt.Errorf("%w %s", err, answer)
		}
		return nil
	})
}

func get(patience context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(patience, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return string(body), err
}

func (plane *controlPlane) client() (*http.Client, error) {
	pki := filepath.Join(plane.state, "pki")
	authority, err := os.ReadFile(filepath.Join(pki, "ca.crt"))
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(pki, "inside.crt"), filepath.Join(pki, "inside.key"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}},
	}, nil
}

func (plane *controlPlane) etcd() []string {
	return []string{
		"--name=test", "--data-dir=" + filepath.Join(plane.state, "etcd"), "--log-level=warn",
		"--listen-client-urls=" + etcdClients, "--advertise-client-urls=" + etcdClients,
		"--listen-peer-urls=" + etcdPeers, "--initial-advertise-peer-urls=" + etcdPeers,
		"--initial-cluster=test=" + etcdPeers,
		// The data is thrown away with the cluster.
		"--unsafe-no-fsync",
	}
}

func (plane *controlPlane) apiServer() []string {
	// Pods reach it at the node's address. Without a node there is none but loopback, which may not be advertised, and
	// nobody to advertise to.
	reach := []string{"--bind-address=127.0.0.1", "--endpoint-reconciler-type=none"}
	if plane.hasNode {
		reach = []string{
			"--bind-address=0.0.0.0", "--kubelet-preferred-address-types=InternalIP", "--kubelet-certificate-authority=ca.crt",
			"--kubelet-client-certificate=kubelet-client.crt", "--kubelet-client-key=kubelet-client.key",
		}
	}
	return append(reach,
		"--etcd-servers="+etcdClients, "--secure-port=6443", "--service-cluster-ip-range="+serviceRange,
		"--advertise-address="+nodeAddress.String(),
		"--authorization-mode=Node,RBAC", "--allow-privileged", "--enable-admission-plugins=NodeRestriction",
		"--client-ca-file=ca.crt", "--tls-cert-file=apiserver.crt", "--tls-private-key-file=apiserver.key",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=serviceaccounts.pub", "--service-account-signing-key-file=serviceaccounts.key",
		"--enable-aggregator-routing=false", "--profiling=false", "--shutdown-delay-duration=0s",
	)
}

func (plane *controlPlane) controllers() []string {
	return append(plane.asClient("controllers"),
		"--secure-port=10257", "--use-service-account-credentials", "--root-ca-file=ca.crt", "--client-ca-file=ca.crt",
		"--service-account-private-key-file=serviceaccounts.key",
		"--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key",
		"--controllers=*", "--pvclaimbinder-sync-period=1s")
}

func (plane *controlPlane) scheduler() []string {
	return append(plane.asClient("scheduler"), "--secure-port=10259")
}

// asClient has what controller manager and scheduler take alike. There is one of each, so none is elected; the limits
// on their calls are those of a large cluster, since a test creates within seconds what a small one sees in a day.
func (plane *controlPlane) asClient(name string) []string {
	kubeconfig := filepath.Join(plane.state, name+".kubeconfig")
	return []string{
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1", "--cert-dir=" + filepath.Join(plane.state, "pki", name),
		"--leader-elect=false", "--profiling=false", "--kube-api-qps=300", "--kube-api-burst=500",
	}
}

// lastLines is the end of a log, for an error message.
func lastLines(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
