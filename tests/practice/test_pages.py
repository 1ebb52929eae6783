"""The page that the gateway's address shows in a browser."""

from html.parser import HTMLParser

from keybench.practice.gateway import BURST
from keybench.practice.openapi import CHOICES, OPERATIONS
from practice.bench import Bench


class Read(HTMLParser):
    """The page's texts, and the names of its elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.elements: set[str] = set()
        self.feed(page)
        self.text = "\n".join(self.texts)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


async def test_the_address_tells_a_browser_what_there_is(bench: Bench) -> None:
    bench.state.fleet.change("till-1", nickname="<script>alert('1 & 2')</script>")
    answer = await bench.client.get("/")  # as a browser asks, without the portal's header
    assert answer.headers["Content-Type"].startswith("text/html")
    page = Read(answer.text)
    assert "script" not in page.elements
    told = [
        *("http://127.0.0.1", "counter1", "sell on devices", "<script>alert('1 & 2')</script>", "20.23"),
        *("approved for 10.00 only: the rest was not", f"{BURST:.0f} at once for each key"),
        *(f"{one.method} {one.path}" for one in OPERATIONS),
        *(choice for _, choice in CHOICES),
    ]
    assert [each for each in told if each not in page.text] == []
    assert await bench.log() == []
