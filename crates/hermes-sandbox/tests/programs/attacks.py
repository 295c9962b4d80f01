"""Tries to get out of the confinement it runs in.

Prints one line per attempt: `held NAME WHY` or `BREACH NAME WHAT`. Anything else is a
fault of this program. Many attempts harm the machine if they succeed: without the fact
`confined` it only makes those that are named in `harmless`. Takes one argument, a JSON object that says where things are:
home, workspace, outside (a writable folder that must not be), runtime and outer (process
numbers), descriptor, abstract, socket, segment, namespaces (whether there are any).
"""

import ctypes
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import sys
import termios

facts = json.loads(sys.argv[1])
home, workspace, outside = facts["home"], facts["workspace"], facts["outside"]
libc = ctypes.CDLL(None, use_errno=True)
# Attacks run in children of this program.
executor = os.getppid()
# Numbers of system calls: x86_64, aarch64.
CALLS = {
    "ptrace": (101, 117), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "perf_event_open": (298, 241), "add_key": (248, 217), "keyctl": (250, 219), "request_key": (249, 218),
    "userfaultfd": (323, 282), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "io_uring_setup": (425, 425), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "fsopen": (430, 430), "open_tree": (428, 428), "move_mount": (429, 429),
    "mount_setattr": (442, 442), "clone": (56, 220), "clone3": (435, 435), "syslog": (103, 116),
    "kcmp": (312, 272), "swapon": (167, 224), "reboot": (169, 142), "settimeofday": (164, 170),
    "personality": (135, 92), "acct": (163, 89), "sethostname": (170, 161), "fanotify_init": (300, 262),
    "shmctl": (31, 195), "capset": (126, 91), "memfd_create": (319, 279),
}
ARCHITECTURE = 0 if os.uname().machine == "x86_64" else 1
NEW_USER, NEW_MOUNTS, NEW_NETWORK, NEW_PROCESSES = 0x10000000, 0x20000, 0x40000000, 0x20000000


def call(name, *arguments):
    """A system call by number; raises OSError as the os module does."""
    number = CALLS[name][ARCHITECTURE] if isinstance(name, str) else name
    arguments = [ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments]
    answer = libc.syscall(ctypes.c_long(number), *arguments)
    if answer == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


attacks = {}


def attack(function):
    attacks[function.__name__] = function
    return function


def read(path):
    with open(path, "rb") as file:
        return file.read(64)


def write(path):
    with open(path, "ab") as file:
        file.write(b"")
    return "opened for writing"


# --- the home's secrets -----------------------------------------------------------

@attack
def secret_by_path():
    return read(f"{home}/.env")


@attack
def other_secret_by_path():
    return read(f"{home}/auth.json")


@attack
def secret_by_link():
    link = f"{workspace}/link"
    if not os.path.islink(link):
        os.symlink(f"{home}/.env", link)
    return read(link)


@attack
def secret_by_link_made_before():
    return read(f"{workspace}/planted")


@attack
def secret_by_hard_link():
    os.link(f"{home}/.env", f"{workspace}/hard")
    return read(f"{workspace}/hard")


@attack
def secret_by_rename():
    os.rename(f"{home}/.env", f"{workspace}/moved")
    return read(f"{workspace}/moved")


@attack
def secret_by_rename_of_its_folder():
    os.rename(home, f"{home}-moved")
    return read(f"{home}-moved/.env")


@attack
def secret_through_proc_root():
    return read(f"/proc/1/root{home}/.env")


@attack
def secret_through_own_proc_root():
    return read(f"/proc/self/root{home}/.env")


@attack
def secret_through_proc_cwd_of_runtime():
    return read(f"/proc/{facts['runtime']}/root{home}/.env")


@attack
def secret_by_relative_path():
    os.chdir(workspace)
    return read(os.path.relpath(f"{home}/.env", workspace))


@attack
def secret_by_inherited_descriptor():
    return os.read(facts["descriptor"], 64)


@attack
def secret_by_descriptor_of_the_executor():
    return read(f"/proc/{executor}/fd/{facts['descriptor']}")


@attack
def secret_by_descriptor_of_the_runtime():
    return os.readlink(f"/proc/{facts['runtime']}/fd/0")


@attack
def secret_by_handle():
    handle = ctypes.create_string_buffer(136)
    handle[0:4] = (128).to_bytes(4, "little")
    mount_id = ctypes.c_int()
    call("name_to_handle_at", -100, workspace.encode(), handle, ctypes.byref(mount_id), 0)
    folder = os.open(workspace, os.O_RDONLY)
    return call("open_by_handle_at", folder, handle, os.O_RDONLY)


@attack
def names_in_the_home():
    names = os.listdir(home)
    if ".env" not in names:
        raise OSError(errno.ENOENT, f"only {names}")
    return names


@attack
def key_of_the_user():
    return read(facts["key"])


# --- the runtime and the executor ---------------------------------------------------

@attack
def environment_of_the_runtime():
    return read(f"/proc/{facts['runtime']}/environ")


@attack
def environment_of_the_executor():
    return read(f"/proc/{executor}/environ")


@attack
def memory_of_the_runtime():
    return open(f"/proc/{facts['runtime']}/mem", "rb")


@attack
def memory_of_the_executor():
    return open(f"/proc/{executor}/mem", "rb")


@attack
def map_of_the_executor():
    return read(f"/proc/{executor}/maps")


@attack
def memory_of_the_executor_by_call():
    return call("process_vm_readv", executor, 0, 0, 0, 0, 0)


@attack
def attach_to_the_executor():
    return call("ptrace", 16, executor, 0, 0)


@attack
def seize_the_runtime():
    return call("ptrace", 0x4206, facts["runtime"], 0, 0)


@attack
def trace_oneself():
    return call("ptrace", 0, 0, 0, 0)


@attack
def descriptor_of_the_executor_by_call():
    process = call("pidfd_open", executor, 0)
    return call("pidfd_getfd", process, 0, 0)


@attack
def compare_with_the_executor():
    return call("kcmp", os.getpid(), executor, 0, 0, 0)


# --- mounts and namespaces ----------------------------------------------------------

@attack
def mount_memory():
    return call("mount", b"none", workspace.encode(), b"tmpfs", 0, 0)


@attack
def unmount_what_hides():
    return call("umount2", home.encode(), 2)


@attack
def make_the_root_writable():
    return call("mount", b"none", b"/", b"none", 0x20 | 0x1000, 0)


@attack
def new_mount_interface():
    return call("fsopen", b"tmpfs", 0)


@attack
def clone_a_mount():
    return call("open_tree", -100, b"/", 1)


@attack
def change_mount_attributes():
    attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
    return call("mount_setattr", -100, b"/", 0, attributes, 32)


@attack
def pivot_root():
    return call("pivot_root", workspace.encode(), workspace.encode())


@attack
def change_root():
    return os.chroot(workspace)


@attack
def unshare_users():
    return call("unshare", NEW_USER)


@attack
def unshare_mounts():
    return call("unshare", NEW_MOUNTS)


@attack
def unshare_network():
    return call("unshare", NEW_NETWORK)


@attack
def clone_users():
    answer = call("clone", NEW_USER | signal.SIGCHLD, 0, 0, 0, 0)
    if answer == 0:
        os._exit(0)
    return answer


@attack
def clone3_users():
    arguments = (ctypes.c_uint64 * 8)(NEW_USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    answer = call("clone3", arguments, 64)
    if answer == 0:
        os._exit(0)
    return answer


@attack
def enter_namespace_of_the_executor():
    return call("setns", os.open("/proc/self/ns/uts", os.O_RDONLY), 0)


@attack
def map_users():
    return write_text("/proc/self/uid_map", "0 0 1")


# --- the kernel ---------------------------------------------------------------------

def write_text(path, text):
    with open(path, "w") as file:
        file.write(text)
    return f"wrote {path}"


@attack
def bpf_map():
    attributes = (ctypes.c_uint32 * 16)(2, 4, 4, 1)
    return call("bpf", 0, attributes, 64)


@attack
def perf_event():
    attributes = (ctypes.c_uint32 * 32)(1, 128)
    return call("perf_event_open", attributes, 0, -1, -1, 0)


@attack
def keyring():
    return call("keyctl", 0, -3, 1)


@attack
def key():
    return call("add_key", b"user", b"name", b"value", 5, -3)


@attack
def fault_handler():
    return call("userfaultfd", 1)


@attack
def another_kernel():
    return call("kexec_load", 0, 0, 0, 0)


@attack
def ring():
    parameters = (ctypes.c_uint32 * 30)()
    return call("io_uring_setup", 4, parameters)


@attack
def module():
    return call("init_module", b"", 0, b"")


@attack
def module_from_file():
    return call("finit_module", os.open("/dev/null", os.O_RDONLY), b"", 0)


@attack
def kernel_log():
    return call("syslog", 10, 0, 0)


@attack
def clock():
    return call("settimeofday", (ctypes.c_int64 * 2)(1, 0), 0)


@attack
def host_name():
    return call("sethostname", b"breach", 6)


@attack
def capabilities():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    return call("capset", header, (ctypes.c_uint32 * 6)(0xFFFFFFFF, 0xFFFFFFFF, 0))


@attack
def another_user():
    return os.setuid(1 if os.getuid() == 0 else 0)


@attack
def second_entry_to_calls():
    if ARCHITECTURE != 0:
        raise OSError(errno.ENOSYS, "not on this architecture")
    return call(0x40000000 | 521, 0, 0, 0, 0)


@attack
def crash_handler():
    return write("/proc/sys/kernel/core_pattern")


@attack
def magic_key():
    return write("/proc/sysrq-trigger")


@attack
def kernel_memory():
    return read("/proc/kcore")


@attack
def devices_of_the_machine():
    for name in ("vda", "sda", "nvme0n1", "mem", "kmsg", "kvm", "loop0", "fuse", "mapper/control", "vsock"):
        if os.path.exists(f"/dev/{name}"):
            try:
                return read(f"/dev/{name}") or name
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EPERM):
                    raise
    raise OSError(errno.ENOENT, "no device could be opened")


@attack
def make_a_device():
    os.mknod(f"{workspace}/disk", 0o60666, os.makedev(254, 0))
    return read(f"{workspace}/disk")


@attack
def settings_of_the_kernel():
    return write("/sys/kernel/mm/transparent_hugepage/enabled" if os.getuid() == 0 else "/sys/kernel/uevent_seqnum")


# --- files outside --------------------------------------------------------------------

for name, path in {
    "root_folder": "/breach", "system_folder": "/usr/breach", "configuration": "/etc/breach",
    "variable_data": "/var/lib/breach", "folder_of_the_user": f"{outside}/breach",
    "home_of_hermes": f"{home}/breach", "skills": f"{home}/skills/breach",
}.items():
    def create(path=path):
        return write_text(path, "breach")
    create.__name__ = f"write_{name}"
    attack(create)


@attack
def empty_a_file_outside():
    return os.truncate(f"{outside}/file", 0)


@attack
def change_a_file_outside():
    return write(f"{outside}/file")


@attack
def remove_a_file_outside():
    return os.unlink(f"{outside}/file")


@attack
def set_user_id_outside():
    return os.chmod(f"{outside}/file", 0o4755)


@attack
def set_group_id_outside_by_descriptor():
    return os.fchmod(os.open(f"{outside}/file", os.O_RDONLY), 0o2755)


@attack
def leave_the_control_group():
    for folder in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
        if os.path.exists(f"{folder}/cgroup.procs"):
            return write_text(f"{folder}/cgroup.procs", str(os.getpid()))
    raise OSError(errno.ENOENT, "no control groups")


@attack
def change_the_own_control_group():
    with open("/proc/self/cgroup") as file:
        for line in file:
            _, controllers, path = line.strip().split(":", 2)
            if controllers == "pids":
                return write_text(f"/sys/fs/cgroup/pids{path}/pids.max", "max")
    raise OSError(errno.ENOENT, "no such group")


# --- processes outside ----------------------------------------------------------------

@attack
def signal_the_runtime():
    return os.kill(facts["runtime"], 0)


@attack
def signal_the_outer_process():
    return os.kill(facts["outer"], 0) if facts["outer"] else os.kill(facts["runtime"], 0)


@attack
def limit_the_runtime():
    return resource.prlimit(facts["runtime"], resource.RLIMIT_NOFILE)


@attack
def raise_own_limits():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        return resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard + 1))
    except ValueError as error:
        raise OSError(errno.EPERM, str(error)) from error


@attack
def open_too_many_files():
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(facts["open_files"] + 1)]


# --- sockets --------------------------------------------------------------------------

def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as stream:
        stream.connect(address)
        return "connected"


@attack
def abstract_socket():
    return connect(socket.AF_UNIX, "\0" + facts["abstract"])


@attack
def control_socket_by_path():
    return connect(socket.AF_UNIX, facts["socket"])


@attack
def control_socket_of_the_engine():
    for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
        if os.path.exists(path):
            return connect(socket.AF_UNIX, path)
    raise OSError(errno.ENOENT, "none is seen")


for name, family, kind, protocol in (
    ("hypervisor", 40, socket.SOCK_STREAM, 0), ("packets", 17, socket.SOCK_RAW, 0), ("ciphers", 38, 5, 0),
    ("raw_internet", socket.AF_INET, socket.SOCK_RAW, 1), ("packet_filter", 16, socket.SOCK_RAW, 12),
    ("kernel_events", 16, socket.SOCK_RAW, 15), ("bluetooth", 31, socket.SOCK_RAW, 1), ("rds", 21, 5, 0),
    ("keys", 15, socket.SOCK_RAW, 2), ("tipc", 30, 5, 0),
):
    def make(family=family, kind=kind, protocol=protocol):
        return socket.socket(family, kind, protocol)
    make.__name__ = f"socket_of_{name}"
    attack(make)


# --- terminals ------------------------------------------------------------------------

@attack
def type_into_a_terminal():
    master, slave = os.openpty()
    try:
        return fcntl.ioctl(slave, termios.TIOCSTI, b"x")
    finally:
        os.close(master)
        os.close(slave)


@attack
def type_into_a_terminal_with_high_bits():
    master, slave = os.openpty()
    try:
        answer = libc.ioctl(slave, ctypes.c_ulong(0xDEAD00000000 | termios.TIOCSTI), b"x")
        if answer == -1:
            raise OSError(ctypes.get_errno(), "refused")
        return answer
    finally:
        os.close(master)
        os.close(slave)


@attack
def paste_in_the_console():
    return fcntl.ioctl(0, 0x541C, b"\x02")


# --- what only namespaces keep apart ----------------------------------------------------

if facts["namespaces"]:
    @attack
    def change_mode_outside():
        return os.chmod(f"{outside}/file", 0o777)

    @attack
    def change_times_outside():
        return os.utime(f"{outside}/file", (1, 1))

    @attack
    def see_the_runtime():
        return os.stat(f"/proc/{facts['runtime']}")

    @attack
    def shared_memory_of_the_host():
        return call("shmctl", facts["segment"], 2, ctypes.create_string_buffer(256))

    @attack
    def fill_the_temporary_folder():
        with open("/tmp/filler", "wb") as file:
            for _ in range(facts["temporary_mib"] + 1):
                file.write(bytes(1 << 20))
        return "filled"

    @attack
    def temporary_folder_of_the_host():
        return read(facts["temporary_file"])


HELD, BREACHED = 0, 3


def attempt(name):
    """In a process of its own, so that no attempt changes the next one."""
    child = os.fork()
    if child == 0:
        try:
            result = attacks[name]()
        except OSError as error:
            print("held", name, error, flush=True)
            os._exit(HELD)
        print("BREACH", name, repr(result), flush=True)
        os._exit(BREACHED)
    outcome = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if outcome not in (HELD, BREACHED):
        print("broken", name, "ended with", outcome, flush=True)
    return outcome


# The harmless ones go first: where one of them succeeds, no other is tried.
outcomes = [attempt(name) for name in facts["harmless"]]
if facts["confined"] and BREACHED not in outcomes:
    for name in attacks:
        if name not in facts["harmless"]:
            attempt(name)
