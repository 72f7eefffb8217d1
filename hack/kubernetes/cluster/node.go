package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Where a node is reached, and its pods. Nobody outside the namespaces can.
const (
	nodeName   = "node"
	nodePrefix = "10.99.0.1/24"
	podRange   = "10.99.0.0/24"
	bridgeName = "loadgen0"
	gpuCount   = 8

	pauseImage       = "loadgen.dev/pause:1"
	pluginsFolder    = "/usr/lib/cni"
	containerdSocket = "/run/containerd/containerd.sock"
)

// nodeAddress is that of the node, by which pods reach what runs on it.
var nodeAddress = net.IPv4(10, 99, 0, 1)

// nodeProblem says what a node lacks on this machine; nil: nothing.
func nodeProblem() error {
	if os.Geteuid() != 0 {
		return errors.New("a node needs root, for its mounts and control groups")
	}
	for program, packaged := range map[string]string{
		"containerd": "containerd", "ctr": "containerd", "containerd-shim-runc-v2": "containerd", "runc": "runc", "nft": "nftables",
	} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("a node needs %s (Debian package %s)", program, packaged)
		}
	}
	for _, plugin := range []string{"bridge", "host-local", "loopback"} {
		if _, err := os.Stat(filepath.Join(pluginsFolder, plugin)); err != nil {
			return fmt.Errorf("a node needs %s (Debian package containernetworking-plugins)", filepath.Join(pluginsFolder, plugin))
		}
	}
	return nil
}

// node starts the programs of a node beside a control plane.
type node struct {
	plane   *controlPlane
	images  string
	cgroups string
}

// prepare makes the network of the node, and folders of its own where its programs expect those of a machine.
func (n *node) prepare() error {
	if err := n.mounts(); err != nil {
		return fmt.Errorf("mounts of the node: %w", err)
	}
	if err := bridge(); err != nil {
		return fmt.Errorf("bridge of the node: %w", err)
	}
	return confined()
}

func (n *node) mounts() error {
	// Volumes are mounted by the kubelet and seen by containers. The peers of these mounts are in this namespace alone.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return err
	}
	for _, hidden := range []string{"/run", "/var/lib", "/var/log"} {
		for _, needed := range []string{n.plane.programs, n.plane.state, n.images} {
			resolved, err := filepath.EvalSymlinks(needed)
			if err != nil {
				return err
			}
			if strings.HasPrefix(resolved, hidden+"/") {
				return fmt.Errorf("%s is below %s, which the node has for itself: choose a folder elsewhere", needed, hidden)
			}
		}
		if err := unix.Mount("tmpfs", hidden, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
			return fmt.Errorf("%s: %w", hidden, err)
		}
	}
	// Named network namespaces are mounts, which containers' runtimes make and others enter.
	for _, folder := range []string{"/run/netns", "/run/containerd", "/var/log/containers", "/var/lib/kubelet"} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for _, folder := range []string{"kubelet", "containerd", "pods", "cni", "home"} {
		if err := os.MkdirAll(filepath.Join(n.plane.state, folder), 0o700); err != nil {
			return err
		}
	}
	// Volumes of pods lie on the disk.
	if err := unix.Mount(filepath.Join(n.plane.state, "kubelet"), "/var/lib/kubelet", "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return n.kernelSettings()
}

// kernelSettings puts files in place of the settings that a kubelet changes, since they are the whole machine's.
func (n *node) kernelSettings() error {
	for _, setting := range []string{
		"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
		"kernel/keys/root_maxbytes",
	} {
		machines := filepath.Join("/proc/sys", setting)
		value, err := os.ReadFile(machines)
		if err != nil {
			return err
		}
		own := filepath.Join("/run/settings", setting)
		if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(own, value, 0o644); err != nil {
			return err
		}
		if err := unix.Mount(own, machines, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", machines, err)
		}
	}
	// This one is the network namespace's.
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644)
}

// bridge is what pods are connected to. Its address is the node's; Services are reached through it.
func bridge() error {
	made := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridgeName}}
	if err := netlink.LinkAdd(made); err != nil {
		return err
	}
	address, err := netlink.ParseAddr(nodePrefix)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(made, address); err != nil {
		return err
	}
	if err := netlink.LinkSetUp(made); err != nil {
		return err
	}
	_, services, err := net.ParseCIDR(serviceRange)
	if err != nil {
		return err
	}
	return netlink.RouteAdd(&netlink.Route{LinkIndex: made.Attrs().Index, Dst: services, Scope: netlink.SCOPE_LINK})
}

// loadImages starts the container runtime and gives it the images, none of which it could pull.
func (n *node) loadImages() error {
	if err := n.write("containerd.toml", n.containerd()); err != nil {
		return err
	}
	if err := n.write("cni/10-bridge.conflist", bridgeNetwork); err != nil {
		return err
	}
	if err := n.plane.startProgram("containerd", "containerd", "--config", filepath.Join(n.plane.state, "containerd.toml")); err != nil {
		return err
	}
	if err := n.plane.until("containerd", func(context.Context) error {
		connection, err := net.Dial("unix", containerdSocket)
		if err == nil {
			connection.Close()
		}
		return err
	}); err != nil {
		return err
	}
	load := exec.Command("ctr", "--address", containerdSocket, "--namespace", "k8s.io", "images", "import", n.images)
	load.Env = programEnvironment(n.plane.state)
	if answer, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("images of %s: %w: %s", n.images, err, answer)
	}
	return nil
}

// join starts the kubelet and its neighbours; returns when pods can run and ask for GPUs.
func (n *node) join() error {
	for file, content := range map[string]string{"kubelet.yaml": n.kubelet(), "proxy.yaml": n.proxy(), "Corefile": n.names(), "resolv.conf": ""} {
		if err := n.write(file, content); err != nil {
			return err
		}
	}
	state := n.plane.state
	for _, program := range []struct {
		name, path string
		arguments  []string
	}{
		{"kubelet", n.plane.program("kubelet"), []string{
			"--config=" + filepath.Join(state, "kubelet.yaml"), "--kubeconfig=" + filepath.Join(state, "kubelet.kubeconfig"),
			"--hostname-override=" + nodeName, "--node-ip=" + nodeAddress.String(), "--root-dir=/var/lib/kubelet",
		}},
		{"kube-proxy", n.plane.program("kube-proxy"), []string{"--config=" + filepath.Join(state, "proxy.yaml")}},
		{"coredns", n.plane.program("coredns"), []string{"-conf", filepath.Join(state, "Corefile")}},
		{"gpu-plugin", n.plane.program("gpu-plugin"), []string{
			"--count=" + strconv.Itoa(gpuCount), "--unhealthy=" + filepath.Join(state, "unhealthy-gpus"),
		}},
	} {
		if err := n.plane.startProgram(program.name, program.path, program.arguments...); err != nil {
			return err
		}
	}
	client, err := n.plane.client()
	if err != nil {
		return err
	}
	return n.plane.until("node", func(patience context.Context) error { return ready(patience, client) })
}

// ready says what the node still lacks.
func ready(patience context.Context, client *http.Client) error {
	answer, err := get(patience, client, apiServer+"/api/v1/nodes/"+nodeName)
	if err != nil {
		return err
	}
	var seen struct {
		Status struct {
			Allocatable map[string]string
			Conditions  []struct{ Type, Status, Message string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &seen); err != nil {
		return err
	}
	for _, condition := range seen.Status.Conditions {
		if condition.Type == "Ready" && condition.Status != "True" {
			return errors.New(condition.Message)
		}
	}
	if seen.Status.Allocatable["nvidia.com/gpu"] != strconv.Itoa(gpuCount) {
		return fmt.Errorf("allocatable is %v", seen.Status.Allocatable)
	}
	return nil
}

func (n *node) write(file, content string) error {
	return os.WriteFile(filepath.Join(n.plane.state, file), []byte(content), 0o600)
}

// snapshotter is that of container images: an overlay cannot lie on another one, as it would within a container.
func (n *node) snapshotter() string {
	var system unix.Statfs_t
	if err := unix.Statfs(n.plane.state, &system); err == nil && system.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return "native"
	}
	return "overlayfs"
}

func (n *node) containerd() string {
	return fmt.Sprintf(`version = 2
root = %q
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.tracing"]
[grpc]
address = %q
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd-opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = %q
# Lowering it needs a capability that root in a container or a virtual machine may lack.
restrict_oom_score_adj = true
stream_server_address = "127.0.0.1"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = %q
conf_dir = %q
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = %q
default_runtime_name = "runc"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
`, filepath.Join(n.plane.state, "containerd"), containerdSocket, pauseImage, pluginsFolder, filepath.Join(n.plane.state, "cni"), n.snapshotter())
}

// bridgeNetwork connects pods to the bridge. The route that they get ends at the node, which has none to pass on to.
const bridgeNetwork = `{"cniVersion": "0.4.0", "name": "pods", "plugins": [{
  "type": "bridge", "bridge": "` + bridgeName + `", "isGateway": true, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "/run/pod-addresses", "ranges": [[{"subnet": "` + podRange + `"}]],
    "routes": [{"dst": "0.0.0.0/0"}]}
}]}
`

func (n *node) kubelet() string {
	pki := filepath.Join(n.plane.state, "pki")
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %[1]s
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: %[2]s/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: %[2]s/kubelet-serving.crt
tlsPrivateKeyFile: %[2]s/kubelet-serving.key
healthzBindAddress: 127.0.0.1
containerRuntimeEndpoint: unix://%[3]s
# Control groups of either version will do.
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: %[4]s
clusterDNS: [%[1]s]
clusterDomain: cluster.local
resolvConf: %[5]s/resolv.conf
podLogsDir: %[5]s/pods
volumePluginDir: /run/volume-plugins
makeIPTablesUtilChains: false
failSwapOn: false
oomScoreAdj: 0
# The machine's disk is not the node's alone.
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 100Mi, nodefs.available: 1%%, imagefs.available: 1%%, nodefs.inodesFree: 1%%, imagefs.inodesFree: 1%%}
nodeStatusUpdateFrequency: 5s
`, nodeAddress, pki, containerdSocket, n.cgroups, n.plane.state)
}

func (n *node) proxy() string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clientConnection: {kubeconfig: %s}
clusterCIDR: %s
bindAddress: %s
hostnameOverride: %s
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
nodePortAddresses: [primary]
oomScoreAdj: 0
# Those of connection tracking are the machine's.
conntrack: {maxPerCore: 0, min: 0}
`, filepath.Join(n.plane.state, "proxy.kubeconfig"), podRange, nodeAddress, nodeName)
}

func (n *node) names() string {
	return fmt.Sprintf(`. {
  bind %s
  errors
  kubernetes cluster.local {
    kubeconfig %s
    ttl 1
  }
}
`, nodeAddress, filepath.Join(n.plane.state, "inside.kubeconfig"))
}

// programEnvironment is that of every program. A proxy of this machine's network would be out of reach.
func programEnvironment(state string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(state, "home"), "TMPDIR=" + os.TempDir(),
		// A quarter of their processor time is for garbage otherwise.
		"GOGC=400",
	}
}

// until tries something again and again.
func (plane *controlPlane) until(what string, attempt func(context.Context) error) error {
	patience, done := context.WithTimeout(context.Background(), startDeadline)
	defer done()
	for {
		err := attempt(patience)
		if err == nil {
			return nil
		}
		select {
		case err := <-plane.ended:
			return err
		case <-patience.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(patience.Err(), err))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
