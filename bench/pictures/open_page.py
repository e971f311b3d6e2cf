"""How long a browser needs for a page, from its opening until it has drawn itself.

usage: open_page.py PAGE
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "pictures"))

import browser  # noqa: E402


def main() -> None:
    if not browser.find():
        print("opening it: skipped, there is no Chromium")
        return
    chromium = browser.Browser()
    try:
        took = []
        for _ in range(3):
            page = chromium.open(pathlib.Path(sys.argv[1]))
            took.append(page.run("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
            page.close()
        print(f"{'opened and drawn by Chromium':<44} {min(took):8.3f} s")
    finally:
        chromium.close()


main()
