#!/usr/bin/env python3
"""What `screenrig manifest kubernetes` prints, held against the published schemas of Kubernetes.

  python3 Tests/Kubernetes/check.py --screenrig .build/debug/screenrig --work /tmp/kubernetes

kubernetes-validate (PyPI) has the schemas of each version; pip installs it into a virtual environment of this machine's temporary
directory. Strict: a key that Kubernetes does not know is an error. Besides, that the documents fit together: each name that one uses
another declares, each volume that is mounted is there, the selectors find the pods. The folders of deploy/kubernetes are validated as well; the overlay is built where kubectl or kustomize is here.
Ends with 0, or 1 and what did not hold; prints 'SKIPPED reason' where pip cannot install it.
"""
import argparse, json, os, pathlib, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Tests"))
from python_packages import installed
# The oldest version that has every key, and the newest that the package has.
VERSIONS = ["1.29", "1.33", "1.37"]
problems = []


def expect(holds, words):
    print("%s %s" % ("ok  " if holds else "FAIL", words), flush=True)
    if not holds:
        problems.append(words)


RIG = """rig: %s
target:
  base: https://auth.staging.example
  allow: [auth.staging.example]
  software-statement: ${SOFTWARE_STATEMENT}
  headers: {X-Key: "${file:keys/api.txt}"}
  tls: {ca: ca.pem}
load: {arrivals: [{ramp-to: 50/s, over: 1m}, {hold: 10m}]}
accounts: {file: accounts.csv}
forwarded-for: {file: ips.txt}
"""


def cases(folder):
    """Name, and the arguments of `manifest kubernetes`."""
    os.makedirs(folder / "keys", exist_ok=True)
    (folder / "full.yaml").write_text(RIG % json.dumps("Premiere: 'full', \"quoted\" & more"))
    (folder / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    (folder / "ips.txt").write_text("".join("203.0.113.%d\n" % n for n in range(1, 200)))
    rows = "".join("DemoCable,ann-%d,${ANN_PASSWORD}\n" % n for n in range(8))
    (folder / "accounts.csv").write_text("mvpd,user,password\n" + rows)
    os.chmod(folder / "accounts.csv", 0o600)
    image = ["--image", "registry.example/screenrig:1"]
    yield "the smallest", [str(ROOT / "rigs/smoke.yaml"), "--shards", "2"] + image
    yield "a premiere", [str(ROOT / "rigs/premiere.yaml"), "--shards", "100", "--namespace", "load", "--storage-class", "nfs"] + image
    yield "files and secrets", ["full.yaml", "--shards", "8", "--name", "full"] + image
    yield "an upload", ["full.yaml", "--shards", "8", "--name", "carried", "--upload", "aws s3 cp --recursive {} s3://loads{}",
                        "--run-id", "night-7", "--start-at", "2026-11-26T20:00:00Z"] + image
    yield "an upload and a merge", ["full.yaml", "--shards", "8", "--name", "merged", "--upload", "aws s3 cp --recursive {} s3://loads{}",
                                    "--fetch", "aws s3 cp s3://loads{}/history.sqlite -"] + image
    yield "a target file", [str(ROOT / "rigs/staging.yaml"), "--shards", "4", "--set", "load.settle=3s"] + image


def words_of(value):
    """Every map within."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from words_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words_of(inner)


def check_names(name, documents, has_run):
    """What the schemas do not see: that names are declared."""
    declared = {}
    for document in documents:
        declared.setdefault(document["kind"], {})[document["metadata"]["name"]] = document
    maps, secrets = declared.get("ConfigMap", {}), declared.get("Secret", {})
    missing = []
    # The ConfigMap of the run is made when it is started.
    run = {} if has_run else {next(iter(maps))[:-len("rig")] + "run": {"data": {"run-id": "", "start-at": ""}}}
    for document in documents:
        if document["kind"] != "Job":
            continue
        pod = document["spec"]["template"]["spec"]
        for part in words_of(pod):
            for key, known, values in (("configMapKeyRef", {**maps, **run}, "data"), ("secretKeyRef", secrets, "stringData")):
                if key in part and part[key]["key"] not in known.get(part[key]["name"], {}).get(values, {}):
                    missing.append("%s %s" % (key, part[key]))
        for volume in pod["volumes"]:
            for source in volume.get("projected", {}).get("sources", []):
                for kind, known, values in (("configMap", maps, "data"), ("secret", secrets, "stringData")):
                    if kind in source:
                        there = known.get(source[kind]["name"], {}).get(values, {})
                        missing += ["key %s" % item for item in source[kind]["items"] if item["key"] not in there]
            claim = volume.get("persistentVolumeClaim")
            if claim and claim["claimName"] not in declared.get("PersistentVolumeClaim", {}):
                missing.append("claim %s" % claim)
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            mounts = [mount["name"] for mount in container["volumeMounts"]]
            if set(mounts) != volumes or len(mounts) != len(set(mounts)):
                missing.append("mounts %s of volumes %s" % (mounts, volumes))
            security = {**pod["securityContext"], **container["securityContext"]}
            if not (security["runAsNonRoot"] and security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]):
                missing.append("a security context without root")
        labels = document["spec"]["template"]["metadata"]["labels"]
        for spread in pod.get("topologySpreadConstraints", []):
            if not spread["labelSelector"]["matchLabels"].items() <= labels.items():
                missing.append("a selector that finds the pods: %s" % spread)
        if document["spec"].get("completionMode") == "Indexed":
            shards = {e["name"]: e.get("value") for e in pod["containers"][0]["env"]}["SCREENRIG_SHARDS"]
            if not int(shards) == document["spec"]["completions"] == document["spec"]["parallelism"]:
                missing.append("one number of shards")
    expect(not missing, "%s: names, keys, volumes and selectors fit together %s" % (name, missing or ""))


def validate(name, documents):
    """Within the virtual environment."""
    import kubernetes_validate
    for version in VERSIONS:
        wrong = []
        for document in documents:
            if document["apiVersion"].startswith("kustomize"):
                continue
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError, kubernetes_validate.InvalidSchemaError) as error:
                wrong.append("%s: %s" % (document["kind"], getattr(error, "message", error)))
        kinds = sorted(d["kind"] for d in documents)
        expect(not wrong, "%s: valid in Kubernetes %s: %s %s" % (name, version, ", ".join(kinds), wrong or ""))


def check_that_it_can_fail(documents):
    """A validator that accepts everything would prove nothing."""
    import copy, kubernetes_validate
    job = copy.deepcopy(next(d for d in documents if d["kind"] == "Job"))
    job["spec"]["completionMod"] = "Indexed"
    try:
        kubernetes_validate.validate(job, VERSIONS[0], strict=True)
        expect(False, "a misspelt key is refused")
    except kubernetes_validate.ValidationError:
        expect(True, "a misspelt key is refused")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:
        python = installed("screenrig-kubernetes", ["kubernetes-validate==1.37.0"], "kubernetes-validate", timeout=300)
        sys.exit(subprocess.run([str(python), __file__, "--inside", "--screenrig", os.path.abspath(options.screenrig),
                                 "--work", options.work]).returncode)
    import yaml
    folder = pathlib.Path(options.work)
    folder.mkdir(parents=True, exist_ok=True)
    # Neither secrets nor anything else of this environment may be needed, or be in what is printed.
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "SOFTWARE_STATEMENT": "hush-1", "ANN_PASSWORD": "hush-2"}
    (folder / "keys").mkdir(exist_ok=True)
    (folder / "keys/api.txt").write_text("hush-3\n")
    for name, words in cases(folder):
        ended = subprocess.run([options.screenrig, "manifest", "kubernetes"] + words, cwd=folder, env=environment,
                               capture_output=True, text=True)
        expect(ended.returncode == 0, "%s: printed %s" % (name, ended.stderr.strip()))
        if ended.returncode:
            continue
        expect("hush" not in ended.stdout, "%s: no secret is in it" % name)
        documents = [document for document in yaml.safe_load_all(ended.stdout) if document]
        expect(len(documents) > 3, "%s: %d documents" % (name, len(documents)))
        validate(name, documents)
        check_names(name, documents, "--run-id" in words)
        if name == "files and secrets":
            check_that_it_can_fail(documents)
            config = next(d for d in documents if d["kind"] == "ConfigMap")
            for key, file in (("full.yaml", "full.yaml"), ("ca.pem", "ca.pem"), ("ips.txt", "ips.txt")):
                expect(config["data"][key] == (folder / file).read_text(), "%s comes back as it was" % file)
            secret = {d["metadata"]["name"]: set(d["stringData"]) for d in documents if d["kind"] == "Secret"}
            expect(secret == {"full-environment": {"SOFTWARE_STATEMENT", "ANN_PASSWORD"}, "full-files": {"accounts.csv", "keys_api.txt"}},
                   "every secret has a place: %s" % secret)
    base = ROOT / "deploy/kubernetes/base"
    expect(list(base.glob("*.yaml")), "deploy/kubernetes/base is there")
    files = [document for file in sorted(base.glob("*.yaml")) for document in yaml.safe_load_all(file.read_text()) if document]
    validate("deploy/kubernetes/base", files)
    kustomize = shutil.which("kustomize") and ["kustomize", "build"] or shutil.which("kubectl") and ["kubectl", "kustomize"]
    if kustomize:
        for overlay in sorted((ROOT / "deploy/kubernetes/overlays").iterdir()):
            built = subprocess.run(kustomize + [str(overlay)], capture_output=True, text=True)
            expect(built.returncode == 0, "%s is built: %s" % (overlay.name, built.stderr.strip()))
            documents = [document for document in yaml.safe_load_all(built.stdout) if document]
            validate(overlay.name, documents)
            check_names(overlay.name, documents, True)
    else:
        print("neither kustomize nor kubectl here: the overlay is not built")
    print("%d problems" % len(problems) if problems else "every manifest is valid")
    sys.exit(1 if problems else 0)


main()
