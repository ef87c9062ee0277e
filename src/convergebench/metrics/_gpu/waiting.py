"""How threads wait for the device."""

from __future__ import annotations

import ctypes

_SLEEPING = 4  # CU_CTX_SCHED_BLOCKING_SYNC


def wait_asleep() -> None:
    """Have the threads of this process sleep while they wait, for every device. By default they spin, which
    takes the cores from others that have work. To be called before anything uses a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return
    count, device = ctypes.c_int(), ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return
    for number in range(count.value):
        if not driver.cuDeviceGet(ctypes.byref(device), number):
            driver.cuDevicePrimaryCtxSetFlags_v2(device, _SLEEPING)
