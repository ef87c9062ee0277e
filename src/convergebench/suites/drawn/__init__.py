"""Pictures drawn by code, one per module; each module's `draw` returns 512 × 512 pixels.

They must be identical on every machine, so only operations that IEEE 754 rounds exactly are used: sums,
products, quotients and square roots. No sines, no powers, no matrix products, no np.sum.
"""
