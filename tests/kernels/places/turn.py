def reference(i, p): return {"y": (i["x"] * 2)[::-1].copy()}
