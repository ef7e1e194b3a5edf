# What a reference may not do: reach the network, other processes, or files beyond its folder; take all memory.
#
# restrict() is irreversible and of the calling process, which must have one thread. Landlock (Linux 5.13) decides
# about files, a seccomp filter about system calls, rlimits about memory. What the system lacks is returned in words.
import errno
import os
import platform
import resource
import struct
import sys

try:
    import ctypes

    LIBC = ctypes.CDLL(None, use_errno=True)
except ImportError:  # an interpreter that was built without libffi
    LIBC = None

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38

# ---- files: linux/landlock.h; the numbers are those of every architecture
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION, PATH_BENEATH = 1, 1
WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
# Plain files and folders are made and removed. Who asks reads and writes there too: it must meet no link, no pipe.
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
OWN = WRITE_FILE | READ_FILE | READ_DIR | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG
# Access rights, TCP and scopes that a version of Landlock knows (kernel.org, userspace-api/landlock, "Previous
# limitations").
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
RIGHTS_NOW = 16
BIND_AND_CONNECT, NET_SINCE = 3, 4
ABSTRACT_SOCKETS_AND_SIGNALS, SCOPES_SINCE = 3, 6

# What the interpreter, numpy and the C library read.
SYSTEM = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store", "/gnu/store", "/etc/alternatives",
          "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/os-release",
          "/etc/nsswitch.conf", "/etc/passwd", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
          "/proc/version", "/proc/filesystems", "/proc/sys/kernel", "/proc/sys/vm", "/sys/devices/system",
          "/sys/fs/cgroup", "/dev/zero", "/dev/urandom", "/dev/random"]

# ---- system calls: linux/seccomp.h, linux/filter.h, linux/audit.h
ALLOW, DENY, LACKING = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data; an argument has 8 bytes, low half first
CLONE_THREAD = 0x10000
MACHINES = {
    "x86_64": (0xC000003E, {
        "socket": 41, "fork": 57, "vfork": 58, "ptrace": 101, "pivot_root": 155, "chroot": 161, "mount": 165,
        "umount2": 166, "unshare": 272, "setns": 308, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "add_key": 248, "request_key": 249, "keyctl": 250, "process_vm_readv": 310, "process_vm_writev": 311,
        "open_by_handle_at": 304, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297, "tkill": 200, "shmget": 29,
        "msgget": 68, "semget": 64, "mq_open": 240, "setrlimit": 160, "clone": 56, "clone3": 435, "kill": 62,
        "tgkill": 234, "prlimit64": 302}),
    "aarch64": (0xC00000B7, {
        "socket": 198, "ptrace": 117, "pivot_root": 41, "chroot": 51, "mount": 40, "umount2": 39, "unshare": 97,
        "setns": 268, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "add_key": 217, "request_key": 218,
        "keyctl": 219, "process_vm_readv": 270, "process_vm_writev": 271, "open_by_handle_at": 265,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "tkill": 130, "shmget": 194, "msgget": 186, "semget": 190,
        "mq_open": 180, "setrlimit": 164, "clone": 220, "clone3": 435, "kill": 129, "tgkill": 131,
        "prlimit64": 261}),
}
EVERYWHERE = {"io_uring_setup": 425, "pidfd_send_signal": 424, "pidfd_getfd": 438}
MOST_CALLS = 0x40000000  # from here on x32's numbers of the same calls


class Lacking(Exception):
    pass


def called(result, what):
    if result < 0:
        raise Lacking(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def syscall(number, *arguments):
    return LIBC.syscall(ctypes.c_long(number), *(ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments))


def is_home(path):
    """The user's home folder, or one that it lies in."""
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.commonpath([home, path]) == path


def readable(folders):
    """Files and folders that may be read, by their real paths, with the rights. Of a folder that holds all of home
    its own Python files and arrays alone; names may be listed there, as imports do."""
    kept = {path: READ_FILE | READ_DIR for path in SYSTEM if os.path.exists(path)}
    for folder in folders:
        path = os.path.realpath(folder)
        if not os.path.exists(path):
            continue
        if not os.path.isdir(path) or not is_home(path):
            kept[path] = READ_FILE | READ_DIR
            continue
        kept.setdefault(path, READ_DIR)
        with os.scandir(path) as entries:
            kept.update({e.path: READ_FILE for e in entries
                         if e.name.endswith((".py", ".npy", ".npz")) and e.is_file()})
    return kept


def allow(rules, path, rights):
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):
        rights &= WRITE_FILE | READ_FILE | TRUNCATE
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor), 12)
    done = syscall(ADD_RULE, rules, PATH_BENEATH, rule, 0)
    os.close(descriptor)
    called(done, f"no rule for {path}")


def keep_to_files(read, write):
    version = called(syscall(CREATE_RULESET, 0, 0, VERSION), "Landlock")
    all_rights = (1 << RIGHTS.get(version, RIGHTS_NOW)) - 1
    ruleset = struct.pack("=QQQ", all_rights, BIND_AND_CONNECT if version >= NET_SINCE else 0,
                          ABSTRACT_SOCKETS_AND_SIGNALS if version >= SCOPES_SINCE else 0)
    size = 24 if version >= SCOPES_SINCE else 16 if version >= NET_SINCE else 8
    rules = called(syscall(CREATE_RULESET, ctypes.create_string_buffer(ruleset, 24), size, 0), "Landlock")
    for path, rights in read.items():
        allow(rules, path, rights)
    for path in write:
        allow(rules, path, OWN & all_rights)
    allow(rules, "/dev/null", READ_FILE | (WRITE_FILE | TRUNCATE) & all_rights)
    called(syscall(RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)


def filter_program():
    """Instructions of classic BPF: threads may be made, processes may not; signals go to this process alone; limits
    may be read."""
    arch, numbers = MACHINES[platform.machine()]
    code = []

    def step(op, value, if_true=0, if_false=0):
        code.append(struct.pack("=HBBI", op, if_true, if_false, value))

    step(LOAD, ARCH)
    step(JUMP_EQUAL, arch, 1, 0)
    step(RETURN, DENY)
    step(LOAD, NUMBER)
    step(JUMP_ABOVE, MOST_CALLS, 0, 1)
    step(RETURN, DENY)
    judged = ("clone", "clone3", "kill", "tgkill", "prlimit64")
    for name, number in {**numbers, **EVERYWHERE}.items():
        if name not in judged:
            step(JUMP_EQUAL, number, 0, 1)
            step(RETURN, DENY)
    step(JUMP_EQUAL, numbers["clone3"], 0, 1)  # its flags lie in memory; the C library goes on to clone
    step(RETURN, LACKING)
    step(JUMP_EQUAL, numbers["clone"], 0, 4)
    step(LOAD, ARGUMENTS)
    step(JUMP_BITS, CLONE_THREAD, 0, 1)
    step(RETURN, ALLOW)
    step(RETURN, DENY)
    for name in ("kill", "tgkill"):
        step(JUMP_EQUAL, numbers[name], 0, 4)
        step(LOAD, ARGUMENTS)
        step(JUMP_EQUAL, os.getpid(), 0, 1)
        step(RETURN, ALLOW)
        step(RETURN, DENY)
    step(JUMP_EQUAL, numbers["prlimit64"], 0, 6)
    step(LOAD, ARGUMENTS + 2 * 8)
    step(JUMP_EQUAL, 0, 0, 3)
    step(LOAD, ARGUMENTS + 2 * 8 + 4)
    step(JUMP_EQUAL, 0, 0, 1)
    step(RETURN, ALLOW)
    step(RETURN, DENY)
    step(RETURN, ALLOW)
    return b"".join(code), len(code)


def keep_from_calls():
    if platform.machine() not in MACHINES:
        raise Lacking(f"no filter of system calls for {platform.machine()}")
    text, count = filter_program()
    instructions = ctypes.create_string_buffer(text, len(text))
    program = struct.pack("@HP", count, ctypes.addressof(instructions))
    called(LIBC.prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(program, len(program)), 0, 0), "seccomp")


def memory_limit():
    """Bytes: $WARPLENS_PYTHON_MEMORY megabytes, else three quarters of the machine's, but not less than 4 GiB."""
    asked = os.environ.get("WARPLENS_PYTHON_MEMORY", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked) * 10**6
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(machine * 3 // 4, 4 << 30)


def limit(what, most):
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def end_with(parent):
    """Whatever this process is in the middle of."""
    if LIBC:
        LIBC.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def interpreters():
    """Where modules come from."""
    return [path for path in {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path} if os.path.isabs(path)]


def restrict(folder, read):
    """Reads `read`, the interpreter's modules and what the system needs, writes below `folder`. Returns what this
    system lacks of that, in words; empty: nothing."""
    most = memory_limit()
    for what, value in ((resource.RLIMIT_AS, most), (resource.RLIMIT_FSIZE, most), (resource.RLIMIT_CORE, 0)):
        limit(what, value)
    if os.environ.get("WARPLENS_PYTHON_SANDBOX") == "off":
        return ""
    if not LIBC:
        return f"{sys.executable} has no ctypes"
    more = [path for path in os.environ.get("WARPLENS_PYTHON_READ", "").split(":") if path]
    allowed = readable([*interpreters(), *read, *more])
    os.environ["HOME"] = os.environ["TMPDIR"] = folder
    lacking = []
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for step in (lambda: keep_to_files(allowed, [folder]), keep_from_calls):
        try:
            step()
        except (Lacking, OSError) as problem:
            lacking.append(str(problem))
    return "; ".join(lacking)
