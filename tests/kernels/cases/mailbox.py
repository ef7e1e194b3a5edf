def reference(inputs, params):
    rows = inputs["rows"]
    return {"mailbox": rows, "total": rows.sum(axis=0)}
