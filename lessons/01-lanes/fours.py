# Each four neighbours become the largest of them.
def reference(inputs, params):
    return {"y": inputs["x"].reshape(-1, 4).max(axis=1).repeat(4)}
