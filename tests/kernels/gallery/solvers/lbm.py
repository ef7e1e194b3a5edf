# The truth for lbm.cu.
import numpy as np

DX = [0, 1, 0, -1, 0, 1, -1, -1, 1]
DY = [0, 0, 1, 0, -1, 1, 1, -1, -1]
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]
WEIGHT = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4


def reference(inputs, params):
    f, solid = inputs["f"].astype(np.float64), inputs["solid"] != 0
    ny, nx = solid.shape
    own = np.zeros_like(f)
    for q in range(9):
        for y in range(ny):
            for x in range(nx):
                sx, sy = (x - DX[q]) % nx, y - DY[q]
                blocked = sy < 0 or sy >= ny or solid[sy, sx]
                own[q, y, x] = f[OPPOSITE[q], y, x] if blocked else f[q, sy, sx]
    rho = own.sum(axis=0)
    ux = sum(DX[q] * own[q] for q in range(9)) / rho
    uy = sum(DY[q] * own[q] for q in range(9)) / rho
    omega = float(np.float32(1.3))
    out = np.zeros_like(f)
    for q in range(9):
        cu = DX[q] * ux + DY[q] * uy
        eq = WEIGHT[q] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy))
        out[q] = np.where(solid, own[q], own[q] - omega * (own[q] - eq))
    return {"out": out, "density": rho}
