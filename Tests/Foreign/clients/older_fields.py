"""The deprecated fields, in the query beside an empty object, and read back out of the record."""

from urllib.parse import urlencode

from screens import REQUESTOR, TV
from wire import ask, expect

FIELDS = {"deviceType": "tvOS", "deviceUser": "living-room", "appId": "com.example.tv",
          "appVersion": "7.1", "registrationURL": "https://login.example.test/activate"}


class Client(TV):
    def parameters(self, path):
        kept = {name: FIELDS[name] for name in ("deviceType", "deviceUser", "appId")}
        return super().parameters(path) | kept

    def code_fields(self):
        return super().code_fields() | FIELDS

    def new_code(self):
        path = f"/reggie/v1/{REQUESTOR}/regcode"
        headers = self.headers("POST", path) | {"Content-Type": "application/json"}
        return ask("POST", f"{self.base}{path}?{urlencode(self.code_fields())}", headers, "{}")

    def check_code(self, record):
        super().check_code(record)
        for name, value in FIELDS.items():
            expect(record["info"].get(name) == value, name, "is not echoed:", record["info"])
