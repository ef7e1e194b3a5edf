def reference(i, p): return {"y": i["x"] * 0.5}
