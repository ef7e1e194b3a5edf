# The truth for bulk.cu.
def reference(inputs, params):
    return {"out": inputs["in"].sum(axis=1)}
