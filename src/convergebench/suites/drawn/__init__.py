"""Pictures drawn by code, one a module; each module's `draw` gives 512 × 512 pixels.

They must come out the same on every machine, so they are drawn with nothing but what IEEE 754 rounds
exactly: sums, products, quotients and square roots. No sines, no powers, no matrix products, no np.sum.
"""
