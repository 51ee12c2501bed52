"""Certificates by openssl: one that is good, one of another name, one that has expired, one that nobody trusts."""

import os
import subprocess

NAMES = {"good": "IP:127.0.0.1,DNS:chaos.test", "unknown": "IP:127.0.0.1", "name": "DNS:elsewhere.test",
         "expired": "IP:127.0.0.1"}
DATES = {"expired": ("20200101000000Z", "20200102000000Z")}
CONFIGURATION = """[ca]
default_ca = own
[own]
new_certs_dir = {folder}
database = {folder}/index.txt
serial = {folder}/serial
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = {subject}
"""


def make(folder, name):
    """The path of a PEM file with a self-signed certificate and its key."""
    inside = os.path.join(folder, f"certificate-{name}")
    os.mkdir(inside)
    path, key, request, settings = (os.path.join(inside, each) for each in ("both.pem", "key", "request", "settings"))
    with open(settings, "w") as file:
        file.write(CONFIGURATION.format(folder=inside, subject=NAMES[name]))
    open(os.path.join(inside, "index.txt"), "w").close()
    with open(os.path.join(inside, "serial"), "w") as file:
        file.write("01\n")
    run("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN=chaos {name}", "-keyout", key, "-out", request)
    first, last = DATES.get(name, ("20200101000000Z", "20991231000000Z"))
    run("ca", "-batch", "-selfsign", "-config", settings, "-keyfile", key, "-in", request, "-out", path, "-notext",
        "-startdate", first, "-enddate", last)
    with open(path, "a") as file, open(key) as other:
        file.write(other.read())
    return path


def trust(path, others):
    """Adds the certificates of `others` to a PEM file: then only their date or name is wrong."""
    with open(path, "a") as file:
        for other in others:
            with open(other) as certificate:
                file.write(certificate.read().split("-----BEGIN PRIVATE")[0])


def run(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
