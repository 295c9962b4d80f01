"""Every process starts others until no more can be started, then all wait to be counted."""

import os
import time

deadline = time.monotonic() + 3
first = os.getpid()
while time.monotonic() < deadline:
    try:
        os.fork()
    except OSError:
        break
if os.getpid() != first:
    time.sleep(60)
    os._exit(0)
count = len([name for name in os.listdir("/proc") if name.isdigit()])
print("processes", count, flush=True)
