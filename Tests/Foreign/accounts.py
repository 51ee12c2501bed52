"""Who may sign in, and as whom the service shows them."""

import csv
import hashlib


class Accounts:
    """Accounts of a CSV file (mvpd, user, password, perhaps user-id; its first line names them).

    Without a file everybody may sign in. A user without `user-id` is shown under an opaque name that
    has nothing of the login in it and stays the same at each sign-in.
    """

    def __init__(self, path=None):
        self.known = None
        if path is None:
            return
        self.known = {}
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file, skipinitialspace=True):
                key = (row["mvpd"].strip(), row["user"].strip())
                shown = (row.get("user-id") or "").strip()
                self.known[key] = ((row.get("password") or "").strip(), shown)

    @property
    def mvpds(self):
        return sorted({mvpd for mvpd, _ in self.known or {}})

    def user(self, mvpd, login, password):
        """As whom the service shows this login; None when it may not sign in."""
        if self.known is None:
            return opaque(mvpd, login) if login and password else None
        account = self.known.get((mvpd, login))
        if account is None or account[0] != password:
            return None
        return account[1] or opaque(mvpd, login)


def opaque(*parts):
    return "u-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:14]
