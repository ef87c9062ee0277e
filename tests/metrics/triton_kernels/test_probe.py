from __future__ import annotations

import torch

from convergebench.metrics._gpu import probe_kernel


def test_it_writes_its_number(by_kernels) -> None:
    assert by_kernels(lambda: probe_kernel.launched(torch.device("cpu"))).tolist() == [1]
