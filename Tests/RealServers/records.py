"""What a server's own records say of a run: who approved and refused each code, which tokens were given for it, whose they are.

Owners of tokens come from the server's tables. Decisions do for django-oauth-toolkit and glewlwyd; django-allauth keeps
its codes in the cache until they are used, so there the site's own note of each decision counts (audit.py), by the user
of the session. Nothing of it comes from screenrig.
"""
import base64
import csv
import hashlib
import json
import sqlite3


class Code:
    """One user code, by the server's records. Times are seconds since 1970."""

    def __init__(self):
        self.approvals = []  # (user, begun, ended), confirmed to the person
        self.refusals = []
        self.polls = []  # (begun, ended, error, access token's mark)
        self.refreshed = []  # (begun, shown, new refresh token's mark)
        self.revoked = []  # ended
        self.owners = []  # users of the access tokens that were given for it

    @property
    def tokens(self):
        return {access for _, _, _, access in self.polls if access}

    def is_foreign(self):
        approved = {user for user, _, _ in self.approvals}
        return any(owner not in approved for owner in self.owners)

    # What a promise says, from these records; those that are not here the records cannot tell.

    def device_code_once(self):
        return len(self.tokens) > 1

    def refresh_token_once(self):
        shown = [mark for _, mark, new in self.refreshed if new and new != mark]
        return len(shown) > len(set(shown))

    def one_decision(self):
        return bool(self.approvals and self.refusals)

    def refusal_delivered(self):
        return not self.approvals and any(
            begun > refused[2] and error == "authorization_pending"
            for refused in self.refusals for begun, _, error, _ in self.polls)

    def sign_in_delivered(self):
        """Approved, pending all the same, and never a token until the code was over."""
        return bool(
            self.approvals and not self.refusals and not self.tokens
            and any(begun > self.approvals[-1][2] and error == "authorization_pending"
                    for begun, _, error, _ in self.polls))

    def logout_final(self):
        late = [begun for begun, _, _, access in self.polls if access]
        late += [begun for begun, _, new in self.refreshed if new]
        return any(begun > ended for ended in self.revoked for begun in late)

    def linearizable(self):
        """The contradiction that a script looks for: two people were told that the device is theirs."""
        return len({user for user, _, _ in self.approvals}) > 1

    one_owner = linearizable

    def token_isolation(self):
        return self.is_foreign()


class Records:
    """The codes of a server, by their user codes."""

    def __init__(self, name, database):
        self.codes = {}
        # Tokens that no record explains.
        self.strangers = 0
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            self.base = database.rsplit("/", 1)[0]
            with open(self.base + "/accounts.csv") as file:
                self.users = {row["user-id"]: row["user"] for row in csv.DictReader(file)}
            if name == "glewlwyd":
                self.read_glewlwyd(connection)
            else:
                self.read_django(connection, name == "django-oauth-toolkit")

    def of(self, user_code):
        """Nil where the server never gave such a code. glewlwyd keeps a hash of it."""
        hashed = "{SHA256}" + base64.b64encode(hashlib.sha256(user_code.encode()).digest()).decode()
        plain = user_code.replace("-", "").lower()
        return self.codes.get(plain) or self.codes.get(hashed)

    def read_django(self, connection, is_toolkit):
        names = dict(connection.execute("select id, username from auth_user"))
        if is_toolkit:
            rows = connection.execute("select token_checksum, user_id from oauth2_provider_accesstoken")
        else:
            rows = connection.execute("select hash, user_id from allauth_idp_oidc_token where type = 'at'")
        owners = {mark: names.get(user) for mark, user in rows}
        by_device, by_token = {}, {}
        with open(self.base + "/audit.jsonl") as file:
            lines = [json.loads(line) for line in file]
        for line in lines:
            if line["what"] == "codes" and line["user_code"]:
                code = self.codes.setdefault(line["user_code"].replace("-", "").lower(), Code())
                by_device[line["device"]] = code
        for line in sorted(lines, key=lambda line: line["begun"]):
            begun, ended = line["begun"], line["ended"]
            if line["what"] in ("approval", "refusal") and line["confirmed"]:
                code = self.of(line["user_code"])
                if code:
                    kept = code.approvals if line["what"] == "approval" else code.refusals
                    kept.append((names.get(line["user"]), begun, ended))
            elif line["what"] == "token":
                code = by_device.get(line["device"]) or by_token.get(line["shown"])
                if not code:
                    continue
                if line["grant"] == "device_code":
                    code.polls.append((begun, ended, line["error"], line["access"]))
                else:
                    code.refreshed.append((begun, line["shown"], line["refresh"]))
                by_token.update({mark: code for mark in (line["access"], line["refresh"]) if mark})
                # A token that was given back, or replaced by another, has no row any more in some servers.
                if line["access"] in owners:
                    code.owners.append(owners[line["access"]])
            elif line["what"] == "revocation" and line["shown"] in by_token:
                by_token[line["shown"]].revoked.append(ended)
        self.strangers = sum(1 for mark in owners if mark not in by_token)

    def read_glewlwyd(self, connection):
        """Codes and tokens have the address of the TV, which screenrig makes one for each."""
        rows = connection.execute(
            "select gpgda_user_code_hash, gpgda_username, gpgda_status, gpgda_issued_for from gpg_device_authorization")
        by_address = {}
        for user_code, user, status, address in rows:
            code = self.codes.setdefault(user_code, Code())
            if status in (1, 2):
                code.approvals.append((user, 0, 0))
            by_address.setdefault(address, []).append(code)
        rows = connection.execute(
            "select gpga_username, gpga_issued_for, gpga_issued_at, gpga_token_hash from gpg_access_token "
            "where gpga_authorization_type = 6")
        for user, address, at, mark in rows:
            found = by_address.get(address.split(" - ")[0], [])
            if not found:
                self.strangers += 1
            # Where several codes have one address (all of a script), which of them it was for is not known.
            elif len(found) == 1:
                found[0].owners.append(user)
                found[0].polls.append((at, at, None, mark))

    # Against a run of screenrig.

    def held_against(self, run):
        """Counts of what the records confirm and contradict of a run directory."""
        told = {}
        with sqlite3.connect(f"file:{run}/history.sqlite?mode=ro", uri=True) as connection:
            rows = connection.execute(
                "select household, operation, answer_code, result, tag_user from exchanges "
                "where operation in ('device-authorization', 'device-token', 'userinfo', 'approval', 'refusal')")
            for household, operation, code, result, user in rows:
                seen = told.setdefault(household, {"codes": set(), "users": set(), "approved": set(), "tokens": 0})
                if operation == "device-authorization" and code:
                    seen["codes"].add(code)
                if result != "success" or not user:
                    continue
                if operation == "approval":
                    seen["approved"].add(self.users.get(user, user))
                elif operation in ("device-token", "userinfo"):
                    seen["users"].add(self.users.get(user, user))
        found = {"codes": 0, "with token": 0, "foreign": 0, "strangers": self.strangers, "contradicted": []}
        for household, seen in told.items():
            codes = [self.of(code) for code in seen["codes"]]
            if None in codes:
                found["contradicted"].append(f"household {household}: a code that the server does not know")
                continue
            found["codes"] += len(codes)
            found["with token"] += sum(1 for code in codes if code.owners)
            found["foreign"] += sum(1 for code in codes if code.is_foreign())
            owners = {owner for code in codes for owner in code.owners}
            if owners and not seen["users"] <= owners:
                found["contradicted"].append(
                    f"household {household}: saw {sorted(seen['users'])}, tokens are of {sorted(owners)}")
            approved = {user for code in codes for user, _, _ in code.approvals}
            if not seen["approved"] <= approved:
                found["contradicted"].append(
                    f"household {household}: {sorted(seen['approved'])} approved, by the records {sorted(approved)}")
        found["accusations"] = self.accusations(run, told, found["contradicted"])
        return found

    def accusations(self, run, told, contradicted):
        """For each promise: households accused, borne out by the records, and not told by them."""
        counts = {}
        with open(run + "/violations.csv") as file:
            accused = {(row["invariant"], int(row["household"])) for row in csv.DictReader(file)}
        for invariant, household in sorted(accused):
            count = counts.setdefault(invariant, {"accused": 0, "borne out": 0, "not told": 0})
            count["accused"] += 1
            codes = [self.of(code) for code in told.get(household, {"codes": ()})["codes"]]
            verdict = self.verdict(invariant, [code for code in codes if code])
            if verdict is None:
                count["not told"] += 1
            elif verdict:
                count["borne out"] += 1
            else:
                contradicted.append(f"household {household}: {invariant}, and the records say it was kept")
        return counts

    @staticmethod
    def verdict(invariant, codes):
        tells = getattr(Code, invariant.replace("-", "_"), None)
        return None if tells is None else any(tells(code) for code in codes)

    def broken(self, invariant):
        """Codes of which the records say that it was broken; nil where they cannot tell."""
        if not any(code.polls for code in self.codes.values()):
            return None
        tells = getattr(Code, invariant.replace("-", "_"), None)
        return None if tells is None else sum(1 for code in self.codes.values() if tells(code))
