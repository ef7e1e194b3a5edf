# The truth for nbody.cu in FP64.
import numpy as np


def reference(inputs, params):
    bodies, law = inputs["bodies"], inputs["law"]
    at, mass = bodies["at"][:, :3], bodies["at"][:, 3]
    apart = at[None] - at[:, None]
    inverse = 1 / np.sqrt((apart**2).sum(-1) + law["softening"] ** 2)
    pull = law["gravity"] * np.einsum("ijk,ij,j->ik", apart, inverse**3, mass)
    potential = -law["gravity"] * (inverse @ mass)
    energy = np.zeros(-(-len(at) // params["THREADS"]))
    np.add.at(energy, np.arange(len(at)) // params["THREADS"], 0.5 * mass * potential)
    return {"bodies.pull": np.column_stack([pull, potential]), "bodies.energy": energy}
