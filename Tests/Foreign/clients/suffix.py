"""`.json` at the end of every path."""

from parameter import Client as NoAccept
from screens import TV


class Client(NoAccept):
    parameters, code_fields = TV.parameters, TV.code_fields

    def path(self, path):
        return path if path == "/api/v1/logout" else path + ".json"
