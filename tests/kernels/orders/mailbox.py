def reference(inputs, params):
    return {"sum": inputs["in"].sum(0)}
