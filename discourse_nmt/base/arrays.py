"""Types of numpy arrays."""

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
