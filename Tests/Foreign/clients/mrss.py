"""Resources as MRSS: a title in CDATA with a comma in it, the same written plainly, a trailing blank."""

from screens import TV
from wire import expect


def fragment(title):
    return ('<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>'
            f"<title>{title}</title><item><title>Match of the day, part 2</title>"
            '<guid>e-17,2</guid><media:rating scheme="urn:v-chip">tv-pg</media:rating>'
            "</item></channel></rss>")


class Client(TV):
    resources = [fragment("<![CDATA[Sports, News & More]]>"), "news ", fragment("Movies, Kids") + " "]

    def play(self):
        super().play()
        # The same resource, however it is written.
        plain = fragment("Sports, News &amp; More")
        answer = self.get("/api/v1/tokens/media", resource=plain)
        expect(answer.status == 200, "written without CDATA", answer)
        answer = self.get("/api/v1/tokens/media", resource="news")
        expect(answer.status == 200, "written without its blank", answer)
        denied = self.get("/api/v1/tokens/media", resource=fragment("Other"))
        expect(denied.status == 403, "never authorized", denied)
