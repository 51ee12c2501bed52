"""R1 as a form, JSON by `Accept`: the plainest of the observed styles."""

from screens import TV


class Client(TV):
    pass
