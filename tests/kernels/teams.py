# The truth for teams.cu.
def reference(inputs, params):
    return {"out": abs(inputs["in"].sum(axis=1))}
