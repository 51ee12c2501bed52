"""Comments of GitHub and of GitLab, as far as screenrig-comment needs them, and a package to fetch: prints its address.
POST adds a comment, PATCH or PUT replaces one; comments.json in the working directory has what there is."""

import http.server
import json
import re
import sys

comments = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, code, value):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_all(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        if path == "/packages/screenrig.deb":
            return self.answer(200, open("screenrig.deb", "rb").read())
        if "Bearer right" != self.headers.get("Authorization") and "right" != self.headers.get("PRIVATE-TOKEN"):
            return self.answer(403, {"message": "no"})
        place = r"/repos/team/app/issues/7/comments|/projects/42/merge_requests/7/notes"
        known = r"/repos/team/app/issues/comments/(\d+)|/projects/42/merge_requests/7/notes/(\d+)"
        one = re.fullmatch(known, path)
        if self.command == "GET" and re.fullmatch(place, path):
            page = int(re.search(r"[?&]page=(\d+)", self.path).group(1))
            return self.answer(200, list(comments.values())[100 * (page - 1):100 * page])
        if self.command == "POST" and re.fullmatch(place, path):
            number = len(comments) + 1
        elif self.command == ("PATCH" if "repos" in path else "PUT") and one:
            number = int(one.group(1) or one.group(2))
            if number not in comments:
                return self.answer(404, {})
        else:
            return self.answer(404, {})
        comments[number] = {"id": number, "body": json.loads(body)["body"]}
        with open("comments.json", "w") as file:
            json.dump(list(comments.values()), file)
        self.answer(200, comments[number])

    do_GET = do_POST = do_PATCH = do_PUT = handle_all

    def log_message(self, *words):
        pass


# Others' comments, more than a page of them.
for number in range(1, 121):
    comments[number] = {"id": number, "body": "comment %d" % number}
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
