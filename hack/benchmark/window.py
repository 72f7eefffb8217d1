"""What a client and the stub did in the middle of a run, when both were warm."""

from dataclasses import dataclass

# The window begins and ends when these shares of all events have been sent. Before it a client warms up, and sends what
# it asks before a test; after it the loop drains.
BEGIN, END = 0.15, 0.95

SHORTEST_S = 0.2


@dataclass(frozen=True)
class Sample:
    """Counts at one time, all since the start: answers that the stub has finished, events that it has sent, and CPU
    seconds of both processes."""

    seconds: float
    completed: int
    events: int
    stub_cpu_s: float
    client_cpu_s: float


@dataclass(frozen=True)
class Window:
    """The differences between two samples. Shares are of one core."""

    seconds: float
    completed: int
    events: int
    stub_cpu_s: float
    client_cpu_s: float

    @property
    def rate(self):
        return self.completed / self.seconds

    @property
    def cpu_us_per_event(self):
        return self.client_cpu_s / self.events * 1e6 if self.events else None

    @property
    def cpu_ms_per_request(self):
        return self.client_cpu_s / self.completed * 1e3 if self.completed else None

    @property
    def stub_share(self):
        return self.stub_cpu_s / self.seconds

    @property
    def client_share(self):
        return self.client_cpu_s / self.seconds


def steady(samples):
    """The window of a run's samples; None if the run was too short to have one."""
    if not samples:
        return None
    # Without streams there are no events.
    done = (lambda s: s.events) if samples[-1].events else (lambda s: s.completed)
    total = done(samples[-1])
    inside = [s for s in samples if BEGIN * total <= done(s) <= END * total]
    if len(inside) < 2 or inside[-1].seconds - inside[0].seconds < SHORTEST_S:
        return None
    first, last = inside[0], inside[-1]
    return Window(
        seconds=last.seconds - first.seconds,
        completed=last.completed - first.completed,
        events=last.events - first.events,
        stub_cpu_s=last.stub_cpu_s - first.stub_cpu_s,
        client_cpu_s=last.client_cpu_s - first.client_cpu_s,
    )
