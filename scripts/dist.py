#!/usr/bin/env python3
"""Packs a static-stdlib binary with what belongs to it: a tarball, a .deb and their checksums.

    dist.py BINARY [--out DIR] [--checkouts DIR]

Two runs from the same binary and commit write the same bytes: files in the order of their names, owned by root, with
the time of the commit (SOURCE_DATE_EPOCH, where it is set, instead). --checkouts: where SwiftPM keeps the sources of
the packages, whose licences go into the archive; the default is 'checkouts' of the build that BINARY lies in.
Exit code 1: the binary cannot be packed, and why.
"""

import argparse
import gzip
import hashlib
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAINTAINER = "screenrig maintainers <maintainers@screenrig.invalid>"

# The package of each library, with the oldest version that was tried (Debian 12). That of libc comes from the symbols.
# Debian 13 and Ubuntu 24.04 call some of them ...t64 and provide these names.
PACKAGES = {
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libcurl.so.4": "libcurl4 (>= 7.88)",
    "libgcc_s.so.1": "libgcc-s1 (>= 12)",
    "libjemalloc.so.2": "libjemalloc2 (>= 5.3)",
    "libsqlite3.so.0": "libsqlite3-0 (>= 3.40)",
    "libssl.so.3": "libssl3 (>= 3.0)",
    "libcrypto.so.3": "libssl3 (>= 3.0)",
    "libstdc++.so.6": "libstdc++6 (>= 12)",
}

DOCUMENTS = ["README.md", "CHANGELOG.md"]

DESCRIPTION = """load tester for second-screen sign-in services
 A TV shows a registration code and polls; a phone enters the code and signs in
 with a pay-TV provider. screenrig puts thousands of such households in front of
 a staging server, times and checks every exchange, and leaves a report and a
 verdict.
"""


def stop(words):
    sys.exit("dist.py: " + words)


def output(*command):
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout


def git(*arguments):
    """What git says about the commit; None outside a clone."""
    try:
        return output("git", *arguments).strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def architecture(binary):
    """The name of the processor: as Debian has it, which the names of the archives follow."""
    machines = {62: "amd64", 183: "arm64"}
    with open(binary, "rb") as file:
        head = file.read(20)
    if head[:4] != b"\x7fELF":
        stop("%s is no program for Linux (ELF)" % binary)
    machine = int.from_bytes(head[18:20], "little")
    return machines.get(machine) or stop("%s is for machine %d; there are packages for %s" % (
        binary, machine, " and ".join(machines.values())))


def dependencies(binary):
    """The packages whose libraries the program asks for, and what else it needs."""
    said = output("objdump", "-p", binary)
    needed = re.findall(r"^ *NEEDED +(\S+)", said, re.M)
    swift = [name for name in needed if name.startswith(("libswift", "libFoundation", "lib_Foundation", "libdispatch"))]
    if swift:
        stop("%s needs %s of the Swift toolchain; build it with --static-swift-stdlib, as 'make dist' does" % (
            binary, swift[0]))
    unknown = sorted(set(needed) - PACKAGES.keys())
    if unknown:
        stop("no package is known for %s, which %s needs; add it to PACKAGES" % (unknown[0], binary))
    libc = max((tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_([0-9.]+)", said)), default=None)
    # Certificates are checked against the system's roots unless a rig says otherwise: no run without them.
    packages = {PACKAGES[name] for name in needed} | {"ca-certificates"}
    if libc:
        packages = packages - {"libc6"} | {"libc6 (>= %s)" % ".".join(map(str, libc))}
    return ", ".join(sorted(packages))


def version(binary):
    """That of the program; of a commit without that version's tag, with date and commit behind it."""
    number = output(binary, "--version").strip()
    commit = git("rev-parse", "--short=8", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no")
    if commit is None or not changed and git("tag", "--points-at", "HEAD", "--list", "v" + number):
        return number
    date = git("log", "-1", "--format=%cd", "--date=format-local:%Y%m%d")
    return "%s+%s.%s%s" % (number, date, commit, ".changed" if changed else "")


def put(source, target, mode=0o644):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, mode)


def add_documents(prefix, checkouts):
    """README, changelog, pages and licences."""
    folder = os.path.join(prefix, "share/doc/screenrig")
    pages = ["docs/" + name for name in os.listdir(os.path.join(ROOT, "docs")) if name.endswith((".md", ".png"))]
    for name in DOCUMENTS + pages:
        put(os.path.join(ROOT, name), os.path.join(folder, name))
    # So that links from the pages to rigs lead somewhere.
    os.symlink("../../screenrig/rigs", os.path.join(folder, "rigs"))
    for name in DOCUMENTS + pages:
        if name.endswith(".md"):
            drop_dead_links(os.path.join(folder, name))
    put(os.path.join(ROOT, "deploy/package/copyright"), os.path.join(folder, "copyright"))
    texts = licences(checkouts)
    for name, source in texts:
        put(source, os.path.join(folder, "licenses", name))


def drop_dead_links(page):
    """Links to what is not packed, such as sources, become plain text."""
    def kept(link):
        text, target = link.group(1), link.group(2)
        there = "://" in target or os.path.exists(os.path.join(os.path.dirname(page), target))
        return link.group(0) if there else text

    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(page, "w", encoding="utf-8") as file:
        file.write(re.sub(r"(?<!!)\[([^\]\n]*)\]\(([^)#\s]+)(?:#[^)\s]*)?\)", kept, text))


def licences(checkouts):
    """Name in the archive and file of each licence and notice: of the packages that are linked, and of Swift."""
    found = []
    for folder, folders, files in os.walk(checkouts):
        folders[:] = sorted(set(folders) - {"Tests", ".git"})
        for file in sorted(files):
            if re.match(r"(LICENSE|NOTICE|COPYING)(\.|$)", file):
                path = os.path.join(folder, file)
                found.append((os.path.relpath(path, checkouts).replace("/", "-"), path))
    if not found:
        stop("no licences of packages in %s; build with 'make dist', or name their folder by --checkouts" % checkouts)
    resources = re.search(r'"runtimeResourcePath" *: *"(.*)/lib/swift', output("swift", "-print-target-info"))
    licence = os.path.join(resources.group(1), "share/swift/LICENSE.txt") if resources else ""
    if not os.path.exists(licence):
        stop("the Swift toolchain has no share/swift/LICENSE.txt")
    return found + [("swift-LICENSE.txt", licence)]


def keep_tracked_rigs(prefix):
    """A rig or a list of accounts that somebody keeps under rigs/ is not for others."""
    folder = os.path.join(prefix, "share/screenrig/rigs")
    tracked = git("ls-files", "--", "rigs")
    for place, folders, files in os.walk(folder, topdown=False):
        for file in files:
            path = os.path.join(place, file)
            name = "rigs/" + os.path.relpath(path, folder)
            if "__pycache__" in name or (tracked is not None and name not in tracked.split("\n")):
                os.remove(path)
        if not os.listdir(place):
            os.rmdir(place)


def stage(binary, prefix, checkouts):
    """The tree below 'bin' and 'share'."""
    small = prefix + ".binary"
    # Both are hashes of how the compiler was called, such as in which folder; nothing reads them.
    hashes = ["--remove-section=.swift_modhash", "--remove-section=.note.gnu.build-id"]
    subprocess.run(["strip"] + hashes + ["-o", small, binary], check=True)
    subprocess.run(["sh", os.path.join(ROOT, "scripts/install.sh"), small, prefix], check=True, stdout=subprocess.DEVNULL)
    os.remove(small)
    keep_tracked_rigs(prefix)
    add_documents(prefix, checkouts)


def debianize(prefix):
    """The same tree where Debian wants it: zsh looks elsewhere, pages of the manual are compressed."""
    zsh = os.path.join(prefix, "share/zsh")
    os.rename(os.path.join(zsh, "site-functions"), os.path.join(zsh, "vendor-completions"))
    manual = os.path.join(prefix, "share/man/man1")
    for name in os.listdir(manual):
        path = os.path.join(manual, name)
        with open(path, "rb") as page:
            text = page.read()
        with open(path + ".gz", "wb") as file:
            file.write(compressed(text))
        os.remove(path)


def compressed(data):
    buffer = io.BytesIO()
    # No name, no time: neither belongs to the content.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def paths(tree):
    """Every folder, file and link below 'tree', by name."""
    found = []
    for folder, folders, files in os.walk(tree):
        found += [os.path.relpath(os.path.join(folder, name), tree) for name in folders + files]
    return sorted(found)


def archive(tree, root, epoch):
    """A tar of the tree: sorted, owned by root, modes of a usual umask, one time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in [""] + paths(tree):
            path = os.path.join(tree, name)
            entry = tar.gettarinfo(path, arcname=os.path.join(root, name).rstrip("/"))
            # Two names of one file are two files.
            if entry.islnk():
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", os.path.getsize(path)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mtime = epoch
            runs = entry.isdir() or (entry.isreg() and entry.mode & 0o100)
            entry.mode = 0o777 if entry.issym() else 0o755 if runs else 0o644
            if entry.isreg():
                with open(path, "rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)
    return buffer.getvalue()


def debian_package(tree, control, epoch):
    """deb(5): an ar archive of the format's version, the control files and the tree."""
    with tempfile.TemporaryDirectory() as folder:
        sums = []
        for name in paths(tree):
            path = os.path.join(tree, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    sums.append("%s  %s\n" % (hashlib.md5(file.read()).hexdigest(), name))
        for name, text in [("control", control), ("md5sums", "".join(sums))]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        members = [
            ("debian-binary", b"2.0\n"),
            ("control.tar.xz", lzma.compress(archive(folder, ".", epoch))),
            ("data.tar.xz", lzma.compress(archive(tree, ".", epoch))),
        ]
    package = b"!<arch>\n"
    for name, data in members:
        package += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name.encode(), epoch, 0, 0, b"100644", len(data))
        package += data + b"\n" * (len(data) % 2)
    return package


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--out", default=os.path.join(ROOT, "dist"))
    parser.add_argument("--checkouts")
    options = parser.parse_args()
    binary = os.path.realpath(options.binary)
    if not os.access(binary, os.X_OK):
        stop("%s is not there; type 'make dist'" % options.binary)
    # BUILD/<target>/release/screenrig
    checkouts = options.checkouts or os.path.join(os.path.dirname(binary), "../../checkouts")
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    if not epoch or not epoch.isdigit():
        stop("SOURCE_DATE_EPOCH must say when the sources were made, in seconds: this is no clone of git")
    epoch = int(epoch)
    os.environ["TZ"] = "UTC"
    time.tzset()

    machine, depends, number = architecture(binary), dependencies(binary), version(binary)
    name = "screenrig-%s-linux-%s" % (number, machine)
    made = {}
    with tempfile.TemporaryDirectory() as work:
        prefix = os.path.join(work, "tree/usr")
        os.makedirs(os.path.dirname(prefix))
        stage(binary, prefix, checkouts)
        made[name + ".tar.gz"] = compressed(archive(prefix, name, epoch))
        debianize(prefix)
        tree = os.path.dirname(prefix)
        size = sum(os.path.getsize(path) for path in (os.path.join(tree, name) for name in paths(tree))
                   if os.path.isfile(path) and not os.path.islink(path))
        control = [
            ("Package", "screenrig"), ("Version", number), ("Architecture", machine), ("Maintainer", MAINTAINER),
            ("Installed-Size", -(-size // 1024)), ("Depends", depends), ("Suggests", "python3"),
            ("Section", "net"), ("Priority", "optional"), ("Description", DESCRIPTION.rstrip("\n")),
        ]
        text = "".join("%s: %s\n" % field for field in control)
        made["screenrig_%s_%s.deb" % (number, machine)] = debian_package(tree, text, epoch)
    sums = "".join("%s  %s\n" % (hashlib.sha256(made[name]).hexdigest(), name) for name in sorted(made))
    made["SHA256SUMS"] = sums.encode()

    os.makedirs(options.out, exist_ok=True)
    for old in os.listdir(options.out):
        if re.fullmatch(r"screenrig[-_].*\.(tar\.gz|deb)|SHA256SUMS", old):
            os.remove(os.path.join(options.out, old))
    for name, data in made.items():
        path = os.path.join(options.out, name)
        with open(path, "wb") as file:
            file.write(data)
        print("%s  %.1f MB" % (os.path.relpath(path), len(data) / 1e6) if name != "SHA256SUMS" else os.path.relpath(path))


if __name__ == "__main__":
    main()
