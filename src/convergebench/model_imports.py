"""Imports of diffusers and transformers, one thread at a time.

Both import their parts when these are first used, and the parts import each other. A thread that meets
another's unfinished import finds names missing, though they are there a moment later.
"""

import threading

model_imports = threading.RLock()
