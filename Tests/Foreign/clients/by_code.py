"""Polls `/api/v1/authenticate/{code}` instead of asking by its device."""

from screens import REQUESTOR, TV


class Client(TV):
    def parameters(self, path):
        if path.startswith("/api/v1/authenticate/"):
            return {"requestor": REQUESTOR}
        return super().parameters(path)

    def poll(self, code):
        return self.get("/api/v1/authenticate/" + code)
