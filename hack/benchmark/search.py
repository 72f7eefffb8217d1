"""The highest rate that a client sustains."""

import math

# A client that cannot keep up answers late, and an open-loop queue shows as time to the first token. The slack is
# wide, since it also has to cover what a noisy host adds.
TTFT_SLACK_MS = 250

# Samples are completed by the end of the schedule and the time that one takes, give or take this share.
SCHEDULE_SLACK = 0.05

LOWEST = 1


def sustains(workload, figures):
    """Whether a Server run kept its schedule, with 90 % of the first tokens in time and no errors."""
    if figures is None or figures.errors:
        return False
    planned = figures.samples / figures.scheduled + workload.answer_seconds
    in_time = figures.ttft_ms[90] <= workload.ttft_ms + TTFT_SLACK_MS
    return in_time and figures.seconds <= planned * (1 + SCHEDULE_SLACK)


def highest(holds, start, step, refinements, cap=math.inf):
    """The highest rate that holds, with what `holds` returned for it; (None, None) if no rate does.

    holds(rate) returns something true or None. From `start` the rate moves by the factor `step` until the answer
    changes; then the gap is halved, by ratio, `refinements` times. No rate above `cap` is tried.
    """
    low, high, best = None, None, None
    rate = min(start, cap)
    while low is None or high is None:
        held = holds(rate)
        if held:
            low, best = rate, held
            if low >= cap:
                return low, best
            rate = min(rate * step, cap)
        else:
            high = rate
            rate /= step
            if low is None and rate < LOWEST:
                return None, None
    for _ in range(refinements):
        rate = math.sqrt(low * high)
        held = holds(rate)
        if held:
            low, best = rate, held
        else:
            high = rate
    return low, best
