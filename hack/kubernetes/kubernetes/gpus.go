package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	plugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const pollInterval = time.Second

// gpus is a device plugin whose devices do not exist. Scheduler and kubelet count them as they would real ones.
type gpus struct {
	plugin.UnimplementedDevicePluginServer
	count     int
	unhealthy string
}

// gpuPlugin serves the devices until the process is ended, and registers anew whenever the kubelet has started anew.
func gpuPlugin() int {
	flags := flag.NewFlagSet("gpu-plugin", flag.ExitOnError)
	folder := flags.String("folder", plugin.DevicePluginPath, "the kubelet's folder of device plugins")
	resource := flags.String("resource", "nvidia.com/gpu", "name of the resource")
	count := flags.Int("count", 8, "number of devices, which are called gpu-0, gpu-1 and so on")
	unhealthy := flags.String("unhealthy", "", "a file that lists devices that are out of order")
	_ = flags.Parse(os.Args[1:])
	socket := filepath.Join(*folder, "loadgen-gpus.sock")
	for {
		if err := serveUntilRemoved(socket, *resource, &gpus{count: *count, unhealthy: *unhealthy}); err != nil {
			log.Printf("%s: %v", *resource, err)
			time.Sleep(pollInterval)
		}
	}
}

// serveUntilRemoved returns when the socket is gone, since a kubelet that starts empties its folder.
func serveUntilRemoved(socket, resource string, devices *gpus) error {
	_ = os.Remove(socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	defer server.Stop()
	plugin.RegisterDevicePluginServer(server, devices)
	go func() { _ = server.Serve(listener) }()
	if err := register(filepath.Dir(socket), filepath.Base(socket), resource); err != nil {
		return err
	}
	log.Printf("%s: %d devices", resource, devices.count)
	for {
		time.Sleep(pollInterval)
		if _, err := os.Stat(socket); err != nil {
			return nil
		}
	}
}

func register(folder, endpoint, resource string) error {
	kubelet, err := grpc.NewClient("unix://"+filepath.Join(folder, "kubelet.sock"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer kubelet.Close()
	patience, done := context.WithTimeout(context.Background(), 10*time.Second)
	defer done()
	_, err = plugin.NewRegistrationClient(kubelet).Register(patience,
		&plugin.RegisterRequest{Version: plugin.Version, Endpoint: endpoint, ResourceName: resource},
		grpc.WaitForReady(true))
	return err
}

func (g *gpus) devices() []*plugin.Device {
	var outOfOrder []string
	if listed, err := os.ReadFile(g.unhealthy); err == nil {
		outOfOrder = strings.Fields(string(listed))
	}
	devices := make([]*plugin.Device, g.count)
	for i := range devices {
		devices[i] = &plugin.Device{ID: fmt.Sprintf("gpu-%d", i), Health: plugin.Healthy}
		for _, id := range outOfOrder {
			if id == devices[i].ID {
				devices[i].Health = plugin.Unhealthy
			}
		}
	}
	return devices
}

func (g *gpus) GetDevicePluginOptions(context.Context, *plugin.Empty) (*plugin.DevicePluginOptions, error) {
	return &plugin.DevicePluginOptions{}, nil
}

func (g *gpus) ListAndWatch(_ *plugin.Empty, stream plugin.DevicePlugin_ListAndWatchServer) error {
	sent := ""
	for {
		devices := g.devices()
		if state := fmt.Sprint(devices); state != sent {
			if err := stream.Send(&plugin.ListAndWatchResponse{Devices: devices}); err != nil {
				return err
			}
			sent = state
		}
		select {
		case <-stream.Context().Done():
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// Allocate tells a container its devices as NVIDIA's plugin does.
func (g *gpus) Allocate(_ context.Context, request *plugin.AllocateRequest) (*plugin.AllocateResponse, error) {
	response := &plugin.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses, &plugin.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(container.DevicesIds, ",")},
		})
	}
	return response, nil
}
