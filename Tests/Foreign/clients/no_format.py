"""No format at all: everything comes as XML."""

from suffix import Client as NoAccept
from wire import expect


class Client(NoAccept):
    user_agent = "Roku/DVP-12.0 (12.0.0-12345)"

    def path(self, path):
        return path

    def new_code(self):
        issued = super().new_code()
        expect("xml" in issued.headers["content-type"], "not XML:", issued)
        return issued
