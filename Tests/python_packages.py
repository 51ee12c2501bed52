"""Packages of PyPI for checks that run another implementation."""
import fcntl, pathlib, subprocess, sys, tempfile


def installed(name, packages, what, timeout=600, imports=None, code=0):
    """The Python of a virtual environment with these packages, made once on this machine. Where pip cannot install them, or the
    environment cannot import `imports`: prints 'SKIPPED reason' and ends with `code`."""
    folder = pathlib.Path(tempfile.gettempdir()) / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python, done, wanted = folder / "venv/bin/python", folder / "installed", " ".join(packages)
        if done.exists() and done.read_text() == wanted:
            return python
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True, capture_output=True)
            subprocess.run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages],
                           check=True, capture_output=True, timeout=timeout)
            if imports:
                subprocess.run([str(python), "-c", "import " + imports], check=True, capture_output=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
            words = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()
            print("SKIPPED pip cannot install %s: %s" % (what, words[-1] if words else error))
            sys.exit(code)
        done.write_text(wanted)
        return python
