"""`format=json` as a parameter of every request, within the body of R1 too."""

from screens import TV


class Client(TV):
    def headers(self, method, path):
        return {name: value for name, value in super().headers(method, path).items()
                if name != "Accept"}

    def parameters(self, path):
        return super().parameters(path) | {"format": "json"}

    def code_fields(self):
        return super().code_fields() | {"format": "json"}
