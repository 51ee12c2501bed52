"""What all cells share: the binary, a rig, certificates, a case to replay, a clock to preload."""

import os
import subprocess
import sys

import certificates

HERE = os.path.dirname(os.path.abspath(__file__))

RIG = """rig: chaos
target:
  base: {base}
  timeout: 2s
  engine: {engine}
  http: "{http}"
  format: {form}
  max-rate: none
{extra}load: {{closed: {{households: 4{lasts}}}, settle: 1s}}
kinds:
  - name: household
    viewer: {{notices-code: 100ms, signs-in: 100ms, gives-up: 0%}}
polling: {{every: 1s}}
after-sign-in: [user-metadata, preauthorize, authorize, media-token, {{logout: 100%}}]
lanes: 1
validity: {{on-breach: warn}}
"""


class Bench:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.case, self.clock = os.path.abspath(binary), folder, "", ""
        self.certificates = {}

    def certificate(self, name):
        return self.certificates[name]

    def prepare(self):
        """Certificates, the clock and the case; what cannot be had here is said, and its cells are left out."""
        missing = []
        for name in certificates.NAMES:
            self.certificates[name] = certificates.make(self.folder, name)
        certificates.trust(self.certificates["good"], [self.certificates["name"], self.certificates["expired"]])
        self.clock = os.path.join(self.folder, "clock.so")
        try:
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.clock, os.path.join(HERE, "clock.c"), "-ldl"],
                           check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            missing.append("our own clock's jumps: no C compiler")
            self.clock = ""
        with open(os.path.join(self.folder, "case.yaml"), "w") as file:
            file.write(RIG.format(base="embedded", engine="auto", http="1.1", form="json", extra="", lasts=""))
        subprocess.run([self.binary, "run", "case.yaml", "--out", "case", "--quiet", "--fault", "ack-before-apply:window=3s"],
                       cwd=self.folder, capture_output=True, timeout=120)
        self.case = os.path.join(self.folder, "case/cases/sign-in-visible.json")
        if not os.path.exists(self.case):
            sys.exit("no case to replay came of 'run --fault ack-before-apply:window=3s'")
        try:
            subprocess.run(["unshare", "-m" if os.geteuid() == 0 else "-rm", "true"], check=True, capture_output=True)
            self.has_mounts = True
        except (OSError, subprocess.CalledProcessError):
            missing.append("names that change: no mount namespace here")
            self.has_mounts = False
        return missing
