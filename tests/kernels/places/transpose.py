def reference(i, p): return {"out": i["in"].T}
