"""The smallest kernel: where it can be launched, the others can be."""

# No postponed annotations: Triton reads them.
# mypy: disable-error-code="no-untyped-def,untyped-decorator"
import torch
import triton
import triton.language as tl


def launched(device: torch.device) -> torch.Tensor:
    """One number, which the kernel makes 1."""
    number = torch.zeros(1, dtype=torch.int32, device=device)
    _write_one[(1,)](number)
    return number


@triton.jit
def _write_one(number_at):
    tl.store(number_at, 1)
