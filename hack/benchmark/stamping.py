"""How long after the stub sent a token a client stamped it.

Stub and client read the same clock, CLOCK_MONOTONIC. The stub notes when it begins to write the first token and the
end of each stream; the client has its own stamps of both. A request is known by the first number of its prompt. Of
several with the same prompt the order of times is the same on either side: which of two overlapping requests reached
the stub first cannot be known, and the mean does not depend on it.
"""

from dataclasses import dataclass

# Of two readings of one clock on two cores, and of the microseconds to which stamps are kept.
TOLERANCE_NS = 50_000


class UnmatchedError(Exception):
    """The stamps of a client and the sends of the stub are not of the same requests."""


@dataclass(frozen=True)
class Stamps:
    """Times of one request, in nanoseconds: at the stub arrival and sends, at the client its start and stamps."""

    prompt: int
    begun: int
    first: int
    ended: int


def delays_ms(sends, stamps):
    """The delays of all first tokens and ends, in the order of the client's stamps.

    Requests that the stub saw before the client's first one began are its checks before the test.
    """
    if not stamps:
        raise UnmatchedError("the client stamped nothing")
    begin = min(s.begun for s in stamps)
    sent, stamped = {}, {}
    for one in sends:
        if one.begun >= begin:
            sent.setdefault(one.prompt, []).append(one)
    for one in stamps:
        stamped.setdefault(one.prompt, []).append(one)
    delays = []
    for prompt in sent.keys() | stamped.keys():
        at_stub, at_client = sent.get(prompt, []), stamped.get(prompt, [])
        if len(at_stub) != len(at_client):
            raise UnmatchedError(f"of prompt {prompt} the stub sent {len(at_stub)} streams and the client stamped {len(at_client)}")
        for time in (lambda one: one.first, lambda one: one.ended):
            delays += [(c, c - s) for s, c in zip(sorted(map(time, at_stub)), sorted(map(time, at_client)))]
    earliest = min(delay for _, delay in delays)
    if earliest < -TOLERANCE_NS:
        raise UnmatchedError(f"a token was stamped {-earliest / 1e6:.3f} ms before it was sent")
    return [delay / 1e6 for _, delay in sorted(delays)]


def percentile(values, percent):
    """By the nearest rank."""
    ranked = sorted(values)
    return ranked[(len(ranked) * percent + 99) // 100 - 1]
