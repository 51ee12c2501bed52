#!/usr/bin/env python3
"""Installs, seeds and starts a public authorization server with the OAuth device grant (RFC 8628).

    server.py NAME [--users N] [--interval S] [--expires S] [--workers N] [--work DIR]

NAME is django-oauth-toolkit, django-allauth or glewlwyd. Everything is below DIR (default: a folder of this machine's
temporary directory, where the virtual environments always are), the server listens on a free port of 127.0.0.1. When it answers, one line goes out:

    READY http://127.0.0.1:PORT accounts=DIR/NAME/accounts.csv database=DIR/NAME/db.sqlite3

and the server runs until standard input is closed or SIGTERM comes. Where pip or apt cannot install it, the line is
"SKIPPED reason", with exit code 77.
"""
import argparse
import fcntl
import gzip
import http.cookiejar
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
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
    # Of the distribution: its version is what apt has.
    "glewlwyd": {"probe": "/config/"},
}


def skip(reason):
    print(f"SKIPPED {reason}", flush=True)
    sys.exit(77)


def install(name):
    """A virtual environment with the pinned packages, made once on this machine."""
    venvs = pathlib.Path(tempfile.gettempdir()) / "real-servers"
    venvs.mkdir(parents=True, exist_ok=True)
    venv = venvs / f"venv-{name}"
    with open(venvs / f"venv-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return installed(name, venv)


def installed(name, venv):
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


def install_glewlwyd():
    """With apt, where it is not there already."""
    if shutil.which("glewlwyd"):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        skip("glewlwyd is not installed, and this user cannot run apt-get install glewlwyd")
    try:
        subprocess.run(
            ["apt-get", "install", "-y", "--no-install-recommends", "glewlwyd"], check=True, capture_output=True,
            timeout=300, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"), stdin=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
        words = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()
        skip(f"apt cannot install glewlwyd: {words[-1] if words else error}")


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


def start_django(options, base, port, log):
    """Seeds the database and starts gunicorn."""
    python = install(options.name)
    shutil.copytree(HERE / SERVERS[options.name]["folder"], base)
    shutil.copy(HERE / "audit.py", base)
    environment = dict(
        os.environ, PYTHONPATH=str(base), BASE=str(base), PORT=str(port), INTERVAL=str(options.interval),
        EXPIRES=str(options.expires), DJANGO_SETTINGS_MODULE="settings")
    seeded = subprocess.run(
        [str(python), str(base / "seed.py"), str(options.users)], env=environment, stdout=log, stderr=log)
    if seeded.returncode != 0:
        return None
    return subprocess.Popen(
        # By default it closes connections that were idle for 2 s, as long as people of the rigs take to type: behind
        # the proxy that its documentation asks for nobody would notice.
        [str(python.parent / "gunicorn"), "-w", str(options.workers), "--threads", "4", "--keep-alive", "75",
         "-b", f"127.0.0.1:{port}", "--no-control-socket", "site_wsgi:application"],
        env=environment, cwd=base, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def start_glewlwyd(options, base, port, log):
    """Its database by the package's own script, its settings by the package's own file, without /etc and /var."""
    base.mkdir(parents=True)
    with sqlite3.connect(base / "db.sqlite3") as database:
        script = gzip.open("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz", "rt").read()
        database.executescript(script)
        # Readers and a writer side by side, as the other servers have it.
        database.execute("pragma journal_mode = wal")
    ours = {
        "port": f"port={port}\nbind_address=\"127.0.0.1\"", "external_url": f'external_url="http://127.0.0.1:{port}"',
        "log_level": 'log_level="WARNING"', "log_file": f'log_file="{base}/glewlwyd.log"',
        "hash_algorithm": 'hash_algorithm = "SHA256"', "@include": ""}
    lines = pathlib.Path("/etc/glewlwyd/glewlwyd.conf").read_text().splitlines()
    lines = [next((new for key, new in ours.items() if line.startswith(key)), line) for line in lines]
    lines += ['static_files_path="/usr/share/glewlwyd/webapp"',
              f'database = {{ type = "sqlite3"; path = "{base}/db.sqlite3"; }};']
    (base / "glewlwyd.conf").write_text("\n".join(lines) + "\n")
    return subprocess.Popen(
        ["glewlwyd", f"--config-file={base}/glewlwyd.conf"], cwd=base, stdout=log, stderr=log,
        stdin=subprocess.DEVNULL)


class Administrator:
    """The administration of glewlwyd, over its JSON calls."""

    def __init__(self, url):
        self.url = url
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.post("auth/", {"username": "admin", "password": "password"})

    def post(self, path, document):
        request = urllib.request.Request(
            f"{self.url}/api/{path}", json.dumps(document).encode(), {"Content-Type": "application/json"})
        with self.opener.open(request, timeout=10) as answer:
            return answer.status


def seed_glewlwyd(options, base, url):
    administrator = Administrator(url)
    administrator.post("scope/", {
        "name": "watch", "display_name": "Watch", "description": "tv", "password_required": True,
        "password_max_age": 0, "scheme": {}})
    administrator.post("mod/plugin/", {
        "module": "oauth2-glewlwyd", "name": "tv", "display_name": "tv", "enabled": True, "parameters": {
            "jwt-type": "sha", "jwt-key-size": "256", "key": "secret-secret-secret-secret", "code-duration": 600,
            "refresh-token-duration": 1209600, "access-token-duration": 3600, "auth-type-code-enabled": True,
            "auth-type-implicit-enabled": False, "auth-type-password-enabled": False,
            "auth-type-client-enabled": False, "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
            "device-authorization-expiration": options.expires, "device-authorization-interval": options.interval}})
    for client in ("tv", "tv-2"):
        administrator.post("client/", {
            "client_id": client, "name": client, "confidential": False,
            "authorization_type": ["device_authorization", "refresh_token"], "enabled": True})
    with open(base / "accounts.csv", "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write("mvpd,user,password,user-id\n")
        for number in range(options.users):
            name = f"viewer{number}"
            administrator.post("user/", {
                "username": name, "password": "viewer-pass", "name": "V", "email": "", "scope": ["watch"],
                "enabled": True})
            file.write(f"site,{name},viewer-pass,{name}\n")


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
    is_django = "folder" in server
    if not is_django:
        install_glewlwyd()
    base = options.work / options.name
    shutil.rmtree(base, ignore_errors=True)
    port = free_port()
    log = open(options.work / f"{options.name}.log", "wb")
    process = (start_django if is_django else start_glewlwyd)(options, base, port, log)
    if process is None:
        print(f"FAILED seeding; see {log.name}", flush=True)
        return 1
    try:
        url = f"http://127.0.0.1:{port}"
        if not wait_until_it_answers(url + server["probe"], process):
            print(f"FAILED the server does not answer; see {log.name}", flush=True)
            return 1
        if not is_django:
            seed_glewlwyd(options, base, url)
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
