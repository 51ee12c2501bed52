"""A Slurm of four nodes on this machine: munged, slurmctld and four slurmd (`slurmd -N`), on loopback, with everything in a folder of
its own; no systemd. Debian's slurm-wlm (22.05) can do it. Jobs run as root: whoever starts this must be root.

What it starts is ended by the number of its process, never by name: this process is the subreaper of all that it starts, so that what
becomes a daemon (slurmstepd) stays its descendant.
"""
import ctypes, os, pathlib, re, shutil, signal, socket, subprocess, tempfile, time

PACKAGES = ["slurm-wlm", "munge"]
PROGRAMS = ["munged", "slurmctld", "slurmd", "slurmstepd", "sbatch", "srun", "squeue", "scancel", "sinfo"]
PLACES = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
PR_SET_CHILD_SUBREAPER = 36


def missing():
    return [name for name in PROGRAMS if not shutil.which(name, path=PLACES)]


def why_not(installs):
    """Why there can be no cluster here; None: there can. Installs the packages where it may."""
    if os.geteuid() != 0:
        return "slurmd starts jobs as their users, which takes root"
    if missing() and installs and shutil.which("apt-get"):
        print("installing %s" % " ".join(PACKAGES), flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends"] + PACKAGES):
            ended = subprocess.run(["apt-get"] + words, env=environment, capture_output=True, text=True)
            if ended.returncode:
                break
    if missing():
        return "no %s: apt-get install %s" % (", ".join(missing()), " ".join(PACKAGES))
    return None


def free_ports(count):
    servers = [socket.socket() for _ in range(count)]
    for server in servers:
        server.bind(("127.0.0.1", 0))
    ports = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return ports


def parents():
    """Process: its parent, of all processes there are."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as file:
                    found[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
    return found


def below(roots):
    """The processes that descend from these, and these."""
    above, found = parents(), set(roots)
    while True:
        more = {process for process, parent in above.items() if parent in found} - found
        if not more:
            return found
        found |= more


def title(process):
    try:
        with open("/proc/%d/cmdline" % process, "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def end(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Cluster:
    """`nodes` nodes that each say they have `cpus` processors."""

    def __init__(self, nodes=4, cpus=4):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # Short, and not below a folder that others may write to: paths of sockets end after 107 bytes, and munged is strict.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.names = ["node%d" % (number + 1) for number in range(nodes)]
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": PLACES + ":" + os.environ["PATH"]}
        # Of a job that this runs in, if it does.
        for name in list(self.environment):
            if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF":
                del self.environment[name]
        self.daemons = {}
        for name in ["munge", "state", "spool", "log"]:
            (self.folder / name).mkdir(mode=0o700)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        ports = free_ports(nodes + 1)
        (self.folder / "slurm.conf").write_text(self.configuration(ports[0], ports[1:], cpus))

    def configuration(self, controller, ports, cpus):
        host, folder = socket.gethostname().split(".")[0], self.folder
        nodes = "\n".join("NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=16000" % (name, host, port, cpus)
                          for name, port in zip(self.names, ports))
        return f"""ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job of a lost node runs again when its old credential has run out: 2 minutes, if nobody says less.
AuthInfo=socket={folder}/munge/socket,cred_expire=10
# Only loopback listens.
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2
ReturnToService=2
SlurmdTimeout=10
KillWait=5
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
# Nodes say that they have more processors and memory than this machine.
SlurmdParameters=config_overrides
{nodes}
PartitionName=main Nodes={",".join(self.names)} Default=YES MaxTime=INFINITE State=UP
"""

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def daemon(self, name, *words):
        log = open(self.folder / "log" / (name + ".out"), "ab")
        program = shutil.which(words[0], path=PLACES)
        self.daemons[name] = subprocess.Popen([program] + list(words[1:]), env=self.environment, stdin=subprocess.DEVNULL,
                                              stdout=log, stderr=log, start_new_session=True, cwd=self.folder)

    def start(self):
        munge = self.folder / "munge"
        self.daemon("munged", "munged", "--foreground", "--force", "--key-file=%s/key" % munge, "--socket=%s/socket" % munge,
                    "--log-file=%s/log" % munge, "--pid-file=%s/pid" % munge, "--seed-file=%s/seed" % munge)
        self.wait("socket of munged", lambda: (munge / "socket").exists())
        self.daemon("slurmctld", "slurmctld", "-D", "-c", "-f", str(self.folder / "slurm.conf"))
        for name in self.names:
            self.start_node(name)
        self.wait("idle nodes", lambda: sorted(self.lines("sinfo", "-h", "-N", "-t", "idle", "-o", "%N")) == sorted(self.names))

    def start_node(self, name):
        self.daemon(name, "slurmd", "-D", "-N", name, "-f", str(self.folder / "slurm.conf"))

    def wait(self, what, test, seconds=60):
        end = time.time() + seconds
        while True:
            found = test()
            if found:
                return found
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None and not getattr(daemon, "was_killed", False):
                    raise RuntimeError("%s ended with %s: %s" % (name, daemon.returncode, self.log(name)))
            if time.time() > end:
                raise RuntimeError("no %s within %d s: %s" % (what, seconds, self.log("slurmctld")))
            time.sleep(0.1)

    def log(self, name):
        files = {"slurmctld": ["slurmctld.out", "slurmctld"]}.get(name, [name + ".out", "slurmd." + name])
        return "\n".join((self.folder / "log" / file).read_text(errors="replace")[-1500:] for file in files
                         if (self.folder / "log" / file).exists())

    def run(self, *words, **more):
        return subprocess.run(words, env={**self.environment, **more.pop("environment", {})}, capture_output=True, text=True, **more)

    def lines(self, *words):
        return self.run(*words).stdout.split("\n")[:-1]

    def running(self, job):
        return [line for line in self.lines("squeue", "-h", "-j", job, "-t", "R", "-o", "%i") if line]

    def kill_node(self, name):
        """As if the node had lost its power: SIGKILL to its slurmd, to its slurmstepds, and to all that runs below them."""
        jobs = set(self.lines("squeue", "-h", "-w", name, "-o", "%A"))
        ours = below([os.getpid()])
        steps = [process for process in ours
                 if (found := re.match(r"slurmstepd: \[(\d+)\.", title(process))) and found[1] in jobs]
        self.daemons[name].was_killed = True
        victims = below(steps + [self.daemons[name].pid])
        end(victims, signal.SIGKILL)
        self.daemons[name].wait()
        return len(victims)

    def stop(self):
        """Ends all that descends from this process but what was not started here (there is nothing), and removes the folder."""
        ours = lambda: below([os.getpid()]) - {os.getpid()}
        if "slurmctld" in self.daemons and self.daemons["slurmctld"].poll() is None:
            subprocess.run([shutil.which("scancel", path=PLACES), "--user=root", "--quiet"], env=self.environment,
                           capture_output=True, timeout=20)
        for number, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
            end(ours(), number)
            until = time.time() + patience
            while ours() and time.time() < until:
                self.reap()
                time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def reap():
        """Descendants that have ended stay until somebody asks for them."""
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
