# Answers by reference(inputs, params[, block]) of a user's script: driver.py FOLDER SCRIPT [READ...].
#
# Each byte on stdin asks; a byte on descriptor 3 says that the answer is there. The end of stdin is the end of the
# program that asks. Two processes: the first waits for that, ends the second whatever the script is doing, and takes
# FOLDER with it; the second answers, restricted by sandbox.py to SCRIPT's folder and READ, files or folders.
#
# FOLDER/request.json holds {"params": {..}, "inputs": {..}, "block": [x, y, z] or null}; in inputs a string is the
# name of a .npy in FOLDER, a number a scalar argument (an integer's without a point), an object a struct by
# value or what a table of addresses points to. Answers by FOLDER/answer.json:
# {"tensors": {name: file}} or {"problem": text}; "open": what the system lacks of the sandbox, where it does.
import inspect
import json
import os
import runpy
import select
import shutil
import signal
import sys
import traceback

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)  # an isolated interpreter has not put it there

import sandbox  # noqa: E402

ANSWERS = 3
LOADED = {}


class Problem(Exception):
    pass


def exact(np, array):
    """Integers stay whole, so that they can be indices; all else is float64."""
    if array.dtype.kind not in "biu":
        return array.astype(np.float64)
    return array if array.dtype == np.uint64 else array.astype(np.int64)


def load_inputs(np, folder, entries):
    def value(entry):
        if isinstance(entry, str):
            return exact(np, np.load(os.path.join(folder, entry)))
        if isinstance(entry, dict):
            return {name: value(field) for name, field in entry.items()}
        if isinstance(entry, int):
            return np.int64(entry) if entry < 2**63 else np.uint64(entry)
        return np.float64(entry)

    return {name: value(entry) for name, entry in entries.items()}


def call(function, inputs, params, block):
    if "block" in inspect.signature(function).parameters:
        return function(inputs, params, block=tuple(block) if block else None)
    return function(inputs, params)


def save(np, folder, script, result):
    if not isinstance(result, dict):
        raise Problem(f"reference() in {script} returned a {type(result).__name__}, not a dict of arrays by name")
    files = {}
    for i, (name, array) in enumerate(result.items()):
        array = np.asarray(array)
        if not isinstance(name, str) or array.dtype.kind not in "fiub":
            raise Problem(f"reference() in {script} returned under {name!r} no array of real numbers")
        files[name] = f"result{i}.npy"
        np.save(os.path.join(folder, files[name]), np.ascontiguousarray(exact(np, array)).reshape(array.shape))
    return files


def load(script):
    """The script's names; it is run once."""
    if not LOADED:
        sys.argv = [script]
        LOADED.update(runpy.run_path(script))
    return LOADED


def run(folder, script):
    try:
        import numpy as np
    except ImportError:
        raise Problem(f"{sys.executable} has no numpy: `{sys.executable} -m pip install numpy`, or name another "
                      "interpreter by WARPLENS_PYTHON") from None
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    inputs = load_inputs(np, folder, request["inputs"])
    names = load(script)
    if not callable(names.get("reference")):
        raise Problem(f"{script} defines no function reference(inputs, params)")
    return save(np, folder, script, call(names["reference"], inputs, request["params"], request["block"]))


def lines_of(error, script):
    """The user's line and what the user sees of a traceback: from the first frame of the script on."""
    shown = traceback.TracebackException.from_exception(error)
    users = [i for i, frame in enumerate(shown.stack) if frame.filename == script]
    line = shown.stack[users[-1]].lineno if users else getattr(error, "lineno", None)
    shown.stack = traceback.StackSummary.from_list(shown.stack[users[0]:] if users else [])
    shown.__cause__ = shown.__context__ = None
    lines = "".join(shown.format()).rstrip().split("\n")
    return line, [text for text in lines if not text.startswith("Traceback")][-8:]


def causes(error):
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        reason = getattr(error, "reason", None)  # of urllib
        error = error.__cause__ or error.__context__ or (reason if isinstance(reason, BaseException) else None)
    return seen


def advice(error):
    """Which limit of the sandbox the script met; empty: none."""
    if any(isinstance(cause, MemoryError) for cause in causes(error)):
        return [f"a reference may take {sandbox.memory_limit() // 10**6} MB; WARPLENS_PYTHON_MEMORY=MB allows more"]
    if any(isinstance(cause, PermissionError) or type(cause).__name__ == "gaierror" for cause in causes(error)):
        return ["a reference may not use the network, start processes, write, or read beyond its own folder; "
                "WARPLENS_PYTHON_READ=FOLDER:... lets it read more (docs/security.md)"]
    return []


def answer(folder, script):
    try:
        return {"tensors": run(folder, script)}
    except Problem as problem:
        return {"problem": str(problem)}
    except BaseException as error:  # sys.exit() and Ctrl-C in a script too
        line, lines = lines_of(error, script)
        place = f"{script}:{line}" if line else script
        said = [f"{place}: {type(error).__name__} in the Python reference", *lines, *advice(error)]
        return {"problem": "\n".join(said)}


def serve(folder, script, lacking, questions):
    sys.stdin = open(os.devnull, encoding="utf-8")
    sys.path[:] = [os.path.dirname(script), *(path for path in sys.path if path != FOLDER)]
    while os.read(questions, 1):
        said = answer(folder, script)
        if lacking:
            said["open"] = lacking
        sys.stdout.flush()
        with open(os.path.join(folder, "answer.json"), "w", encoding="utf-8") as file:
            json.dump(said, file)
        os.write(ANSWERS, b"!")
    os._exit(0)


def leave_as(status):
    """Ends as the process that answered did."""
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) != signal.SIGKILL else None
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def watch(folder, process, questions, alive):
    """`alive` ends with the process, unless the script closes it: then it is looked for."""
    waiting = select.poll()
    waiting.register(0, select.POLLIN | select.POLLHUP)
    waiting.register(alive, select.POLLIN | select.POLLHUP)
    patience = None
    while True:
        ready = [descriptor for descriptor, _ in waiting.poll(patience)]
        if alive in ready:
            waiting.unregister(alive)
            patience = 20  # ms
        if patience is not None:
            done, status = os.waitpid(process, os.WNOHANG)
            if done == process:
                leave_as(status)
        if 0 in ready:
            asked = os.read(0, 1)
            if not asked:
                break
            os.write(questions, asked)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main():
    folder, script, *more = sys.argv[1:]
    watcher = os.getpid()
    asked, questions = os.pipe()
    alive, living = os.pipe()
    process = os.fork()
    if process:
        for descriptor in (ANSWERS, asked, living):
            os.close(descriptor)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        watch(folder, process, questions, alive)
    for descriptor in (questions, alive):
        os.close(descriptor)
    os.set_inheritable(ANSWERS, False)
    sandbox.end_with(watcher)
    lacking = sandbox.restrict(folder, [os.path.dirname(script), script, *more])
    serve(folder, script, lacking, asked)


main()
