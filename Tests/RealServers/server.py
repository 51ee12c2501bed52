#!/usr/bin/env python3
"""Installs, seeds and starts a public authorization server with the OAuth device grant (RFC 8628).

    server.py NAME [--users N] [--interval S] [--expires S] [--workers N] [--work DIR]

NAME is django-oauth-toolkit or django-allauth. Everything is below DIR (default: a folder of this machine's
temporary directory), the server listens on a free port of 127.0.0.1. When it answers, one line goes out:

    READY http://127.0.0.1:PORT accounts=DIR/NAME/accounts.csv database=DIR/NAME/db.sqlite3

and the server runs until standard input is closed or SIGTERM comes. Where pip cannot install it, the line is
"SKIPPED reason", with exit code 77.
"""
import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent

# oauthlib 4.0.1 breaks both servers; the versions are those that the settings were tried with.
SERVERS = {
    "django-oauth-toolkit": {
        "folder": "django_oauth_toolkit",
        "packages": ["django-oauth-toolkit==3.4.1", "oauthlib==4.0.0", "gunicorn==27.0.1"],
        "probe": "/accounts/login/",
    },
    "django-allauth": {
        "folder": "django_allauth",
        "packages": ["django-allauth[idp-oidc]==65.21.1", "requests", "oauthlib==4.0.0", "gunicorn==27.0.1"],
        "probe": "/.well-known/openid-configuration",
    },
}


def skip(reason):
    print(f"SKIPPED {reason}", flush=True)
    sys.exit(77)


def install(name, work):
    """A virtual environment with the pinned packages, made once for each work folder."""
    venv = work / f"venv-{name}"
    python = venv / "bin" / "python"
    done = venv / "installed"
    wanted = " ".join(SERVERS[name]["packages"])
    if done.exists() and done.read_text() == wanted:
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, capture_output=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *SERVERS[name]["packages"]],
            check=True, capture_output=True, timeout=600)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
        words = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()
        skip(f"pip cannot install {name}: {words[-1] if words else error}")
    done.write_text(wanted)
    return python


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def wait_until_it_answers(url, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            return False
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return True
        except OSError:
            time.sleep(0.1)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=sorted(SERVERS))
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--interval", type=int, default=1, help="seconds between polls")
    parser.add_argument("--expires", type=int, default=60, help="lifetime of the codes in seconds")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "real-servers")
    options = parser.parse_args()
    server = SERVERS[options.name]
    options.work.mkdir(parents=True, exist_ok=True)
    python = install(options.name, options.work)

    base = options.work / options.name
    shutil.rmtree(base, ignore_errors=True)
    shutil.copytree(HERE / server["folder"], base)
    port = free_port()
    environment = dict(
        os.environ, PYTHONPATH=str(base), BASE=str(base), PORT=str(port), INTERVAL=str(options.interval),
        EXPIRES=str(options.expires), DJANGO_SETTINGS_MODULE="settings")
    log = open(base / "server.log", "wb")
    seeded = subprocess.run(
        [str(python), str(base / "seed.py"), str(options.users)], env=environment, stdout=log, stderr=log)
    if seeded.returncode != 0:
        print(f"FAILED seeding; see {base / 'server.log'}", flush=True)
        return 1
    process = subprocess.Popen(
        [str(python.parent / "gunicorn"), "-w", str(options.workers), "--threads", "4", "-b", f"127.0.0.1:{port}",
         "--no-control-socket", "site_wsgi:application"],
        env=environment, cwd=base, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        if not wait_until_it_answers(url + server["probe"], process):
            print(f"FAILED the server does not answer; see {base / 'server.log'}", flush=True)
            return 1
        print(f"READY {url} accounts={base / 'accounts.csv'} database={base / 'db.sqlite3'}", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        sys.stdin.read()
        return 0
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
