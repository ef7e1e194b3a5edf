def reference(inputs, params):
    return {"out": inputs["x"][: params["N"]][::-1] / params["N"]}
