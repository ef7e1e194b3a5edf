def reference(inputs, params):
    return {"out": inputs["x"][:, : params["REACH"]].astype("float64").sum(axis=1)}
