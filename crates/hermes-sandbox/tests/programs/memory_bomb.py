"""Takes the memory that it is told to take, in MiB, and touches every page of it."""

import sys

taken = []
try:
    for _ in range(int(sys.argv[1])):
        taken.append(bytearray(1 << 20))
except MemoryError:
    print("held", len(taken), flush=True)
    sys.exit(1)
print("BREACH", len(taken), flush=True)
