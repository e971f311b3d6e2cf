"""Pages in a headless browser: opened, sorted, filtered, cuts clicked, by keyboard alone, on a phone,
in the dark, with hostile names. Screenshots stay in the build tree, for people to look at."""
import json
import os
import pathlib
import tempfile
import unittest

import browser
import pages
import tool

OF_A_PROCESS = pathlib.Path(__file__).resolve().parents[1] / "cli" / "older" / "stale.loupe"
PRODUCTS = pathlib.Path(os.environ.get("LOUPE_PRODUCTS", ".")) / "screenshots"
CONTRAST = """(() => {
    const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number).map((c) => c / 255)
        .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const under = (element) => { for (let at = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (!/, 0\\)$/.test(color)) return color; } return 'rgb(255, 255, 255)'; };
    const worst = [...document.querySelectorAll('p, li, td, th, h1, h2, h3, button, dd, dt, span, code')]
        .filter((element) => element.checkVisibility() && element.textContent.trim())
        .map((element) => { const a = light(getComputedStyle(element).color), b = light(under(element));
            return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.textContent.slice(0, 40)]; });
    return worst.sort((a, b) => a[0] - b[0])[0]; })()"""


def setUpModule():
    global chromium, folder
    if not browser.find():
        raise unittest.SkipTest("there is no Chromium (Debian: apt-get install chromium)")
    folder = pathlib.Path(tempfile.mkdtemp())
    chromium = browser.Browser()


def tearDownModule():
    chromium.close()


class PageTest(unittest.TestCase):
    def open(self, path, **options):
        page = chromium.open(path, **options)
        self.addCleanup(page.close)
        self.addCleanup(lambda: self.assertEqual([], page.complaints()))
        return page

    def assert_fits(self, page):
        """Nothing hangs out of the page at its right."""
        wide = page.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertEqual(0, wide)


class Rings(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.path = pages.answer_page(folder, "held", pages.held_ring(), "--title", "2 retain cycles")

    def told(self, page, number=0):
        return page.run(f"document.querySelectorAll('.told')[{number}].textContent")

    def test_it_opens(self):
        page = self.open(self.path)
        self.assertEqual("2 retain cycles", page.run("document.querySelector('h1').textContent"))
        self.assertEqual(2, page.run("document.querySelectorAll('section').length"))
        self.assertEqual(["PhotoViewController", "block"], page.run(
            "[...document.querySelectorAll('section')[0].querySelectorAll('.thing .name')].map((e) => e.textContent)"))
        self.assertEqual(1, page.run("document.querySelectorAll('section')[0].querySelectorAll('.arrow.proposed').length"))
        self.assertEqual(1, page.run("document.querySelectorAll('section')[1].querySelectorAll('.arrow.outside').length"))
        self.assertIn("A repeating timer keeps its target", page.run("document.body.textContent"))
        page.screenshot(PRODUCTS / "ring.png", whole=True)

    def test_a_cut_is_clicked(self):
        page = self.open(self.path)
        page.click(".arrow.proposed text.path")
        self.assertEqual("true", page.run("document.querySelector('.arrow.proposed').getAttribute('aria-pressed')"))
        self.assertEqual("Then PhotoViewController and block are freed.", self.told(page))
        self.assertEqual(2, page.run("document.querySelectorAll('section')[0].querySelectorAll('.thing.dead').length"))
        self.assertEqual("true", page.run("document.querySelector('.changes button').getAttribute('aria-pressed')"))
        page.screenshot(PRODUCTS / "ring-cut.png", selector="section")
        page.click(".changes button")
        self.assertEqual("", self.told(page))
        self.assertEqual(0, page.run("document.querySelectorAll('.dead').length"))

    def test_what_is_held_from_outside_stays(self):
        page = self.open(self.path)
        page.run("document.querySelectorAll('section')[1].scrollIntoView()")
        number = page.run("""[...document.querySelectorAll('section')[1].querySelectorAll('.arrow[data-arrow]')]
            .findIndex((arrow) => arrow.getAttribute('aria-label').includes('_timer '))""")
        arrows = "section:nth-of-type(2) .arrow[data-arrow] text.path"
        page.click(arrows, number)
        self.assertIn("Then nothing drawn here is freed", self.told(page, 1))
        page.click("section:nth-of-type(2) .arrow.proposed text.path")
        self.assertIn("Then Clock is freed.", self.told(page, 1))

    def test_the_patch_of_a_fix(self):
        self.assertEqual(0, self.open(self.path).run("document.querySelectorAll('.patch').length"))
        page = self.open(pages.answer_page(folder, "patched", pages.patched_ring()))
        lines = "[...document.querySelectorAll('section .patch span')].map((line) => %s)"
        self.assertEqual([line.replace("\t", "    ") for line in pages.DIFF], page.run(lines % "line.textContent"))
        self.assertEqual(["removed", "added", "faint", "removed", "added"], page.run(lines % "line.className"))
        self.assertIn("Compiled.", page.run("document.querySelectorAll('section')[1].textContent"))
        long = pages.patched_ring()
        long["knots"][1]["fixes"][0]["diff"] = "+" + "x" * 9000 + "\n" * 900
        page = self.open(pages.answer_page(folder, "long_patch", long))
        self.assertEqual(200, page.run("document.querySelectorAll('.patch span').length"))
        self.assertIn("700 more lines had no room", page.run("document.body.textContent"))

    def test_by_keyboard_alone(self):
        page = self.open(self.path)
        for _ in range(40):
            page.key("Tab")
            if page.run("document.activeElement.classList.contains('proposed')"):
                break
        self.assertIn("Cut block at PhotoViewController.m:42 self (captured)",
                      page.run("document.activeElement.getAttribute('aria-label')"))
        self.assertIn("in slot 0x2f20", page.run("document.querySelector('.detail').textContent"))
        page.key("Enter")
        self.assertEqual("Then PhotoViewController and block are freed.", self.told(page))
        page.key(" ")
        self.assertEqual("", self.told(page))

    def test_on_a_phone(self):
        page = self.open(self.path, width=320, height=640)
        self.assert_fits(page)
        self.assertEqual(2, page.run("document.querySelectorAll('svg.ring').length"))
        self.assertTrue(page.run("""[...document.querySelectorAll('svg.ring text')].every((text) => {
            const box = text.getBoundingClientRect(); return box.left >= 0 && box.right <= 320; })"""))
        page.screenshot(PRODUCTS / "ring-phone.png", whole=True)
        page.click(".arrow.proposed text.path")
        self.assertEqual("Then PhotoViewController and block are freed.", self.told(page))

    def test_in_light_and_dark(self):
        seen = []
        for dark in (False, True):
            page = self.open(self.path, dark=dark)
            seen.append(page.run("getComputedStyle(document.body).backgroundColor"))
            self.assertGreaterEqual(page.run(CONTRAST)[0], 4.5, page.run(CONTRAST))
            page.screenshot(PRODUCTS / f"ring-{'dark' if dark else 'light'}.png")
        self.assertNotEqual(*seen)

    def test_a_screen_reader_is_told(self):
        page = self.open(self.path)
        nodes = page.send("Accessibility.getFullAXTree")["nodes"]
        told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored")]
        self.assertIn(("main", ""), told)
        self.assertIn(("heading", "2 retain cycles"), told)
        self.assertIn(("group", "Retain cycle of 2 objects, drawn as a loop"), told)
        self.assertEqual([], [role for role, name in told if role in ("button", "link") and not name])
        self.assertIn("image", [role.replace("img", "image") for role, _ in told])


class LargeKnots(PageTest):
    def test_a_thousand_objects_are_folded_and_unfold(self):
        page = self.open(pages.answer_page(folder, "long", pages.long_ring(1000)))
        self.assertLessEqual(page.run("document.querySelectorAll('.thing').length"), 14)
        self.assertIn("more steps", page.run("document.querySelector('svg.ring').textContent"))
        rows = "document.querySelectorAll('section > details:last-of-type tbody tr').length"
        page.screenshot(PRODUCTS / "knot-of-1000.png", whole=True)
        page.click(".thing.fold rect")
        self.assertTrue(page.run("document.activeElement.tagName === 'SUMMARY'"))
        self.assertEqual(100, page.run(rows))
        self.assertEqual(["Node", "_next", "Node", "999"], page.run(
            "[...document.querySelector('details table tbody tr').children].map((e) => e.textContent)"))

    def test_four_thousand_fit_a_page(self):
        path = pages.answer_page(folder, "longer", pages.long_ring(4096))
        self.assertLess(path.stat().st_size, 5_000_000)
        self.assert_fits(self.open(path, width=320))


class Heaps(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.path = pages.heap_page(folder, "heap", ["demo/Zebra", "demo/Aardvark"])

    def first_classes(self, page):
        return page.run("[...document.querySelectorAll('section[aria-labelledby=classes] tbody tr')].slice(0, 2)"
                        ".map((row) => row.firstChild.textContent)")

    def test_classes_are_sorted_and_filtered(self):
        page = self.open(self.path)
        self.assertEqual("demo.ImageCache", self.first_classes(page)[0])
        heads = "section[aria-labelledby=classes] th button"
        page.click(heads, 0)
        self.assertEqual(["demo.Aardvark", "demo.ImageCache"], self.first_classes(page))
        self.assertEqual("ascending", page.run("document.querySelector('[aria-labelledby=classes] th').ariaSort"))
        page.click(heads, 1)
        self.assertEqual("demo.Node", self.first_classes(page)[0])
        page.click("#filter")
        page.type("zeb")
        self.assertEqual(["demo.Zebra"], self.first_classes(page))
        page.screenshot(PRODUCTS / "heap-filtered.png")

    def test_the_map_zooms_and_shows_paths(self):
        page = self.open(self.path)
        page.screenshot(PRODUCTS / "heap.png", whole=True)
        self.assertTrue(page.run("document.querySelector('.map button').getAttribute('aria-label')")
                        .startswith("demo.ImageCache 0x40000, retains "))
        self.assertEqual(["JNI global", "demo.ImageCache 0x40000"], page.run(
            "[...document.querySelectorAll('section[aria-labelledby=map] .way li')].map((e) => e.textContent)"))
        page.click(".map button", corner=True)  # the one that is shown: goes in
        self.assertEqual(2, page.run("document.querySelectorAll('.crumbs li').length"))
        self.assertEqual(["JNI global", "demo.ImageCache 0x40000", "↓ entries demo.Node[] 0x50000"], page.run(
            "[...document.querySelectorAll('section[aria-labelledby=map] .way li')].map((e) => e.textContent)"))

    def test_memory_without_a_class_is_called_by_who_points_to_it(self):
        path = folder / "native.html"
        done = tool.run("snapshot", str(OF_A_PROCESS), str(path))
        self.assertEqual(0, done.returncode, done)
        page = self.open(path)
        labels = page.run("[...document.querySelectorAll('.map button')].map((e) => e.getAttribute('aria-label'))")
        self.assertIn("memory of a global in libc.so.6 0x5569978a3a50, retains 4.1 kB in 1 allocation, 4.1 kB of its own", labels)
        self.assertFalse([label for label in labels if "(raw memory)" in label])
        page.click(".map button", corner=True)
        [*_, last] = page.run("[...document.querySelectorAll('section[aria-labelledby=map] .way li')].map((e) => e.textContent)")
        self.assertRegex(last, "^memory of a global in libloupe_test_objc.so 0x")

    def test_the_map_by_keyboard(self):
        page = self.open(self.path)
        page.run("document.querySelector('.map button[tabindex=\"0\"]').focus()")
        page.key("Enter")
        self.assertEqual(2, page.run("document.querySelectorAll('.crumbs li').length"))
        page.key("ArrowDown")
        page.key("ArrowRight")
        self.assertIn("demo.Node", page.run("document.activeElement.getAttribute('aria-label')"))
        page.key("Escape")
        self.assertEqual(1, page.run("document.querySelectorAll('.crumbs li').length"))

    def test_an_object_of_a_class_has_its_path(self):
        page = self.open(self.path)
        page.click("#filter")
        page.type("Node[]")
        page.click("section[aria-labelledby=classes] td button.link")
        page.click("section[aria-labelledby=classes] [aria-live] td button.link")
        self.assertIn("↓ entries demo.Node[] 0x50000", page.run(
            "document.querySelector('section[aria-labelledby=map] .way').textContent"))

    def test_rings_that_are_held_come_last(self):
        page = self.open(self.path)
        self.assertIn("Retain cycle of 2 objects", page.run("document.querySelector('#others').textContent"))
        self.assertEqual("", page.run("document.querySelector('#findings').textContent.match(/[Rr]etain cycle/g) || ''"))

    def test_who_keeps_most_comes_first(self):
        page = self.open(self.path)
        self.assertIn("ImageCache", page.run("document.querySelector('section h2').textContent"))
        self.assertRegex(page.run("document.querySelector('section h2').textContent"), "keeps .* % of what is alive")

    def test_owners_are_drawn_and_lead_to_paths_by_two_clicks(self):
        page = self.open(self.path)
        rows = page.run("[...document.querySelectorAll('.icicle button')].map((e) => "
                        "[e.getAttribute('aria-label'), e.offsetTop, e.offsetLeft, e.offsetWidth])")
        self.assertTrue(rows[0][0].startswith("All that is alive"), rows[0])
        self.assertEqual([0, 24], [row[1] for row in rows[:2]])
        for _, top, left, width in rows:  # each below one that is as wide or wider
            self.assertTrue(top == 0 or any(above == top - 24 and at - 1 <= left and
                                            left + width <= at + wide + 1
                                            for _, above, at, wide in rows), (top, left, width))
        page.click(".icicle button", 2)
        self.assertIn("↓ entries demo.Node[] 0x50000", page.run(
            "document.querySelector('section[aria-labelledby=map] .way').textContent"))
        self.assertEqual("Node[]", page.run(
            "document.querySelector('.map [aria-pressed=true] span').textContent").split()[0])

    def test_the_chosen_one_does_not_hide_its_inside(self):
        page = self.open(self.path)
        self.assertTrue(page.run("""(() => {
            const chosen = document.querySelector('.map [aria-pressed=true]');
            chosen.scrollIntoView({block: 'center'});
            const outer = chosen.getBoundingClientRect();
            const top = document.elementFromPoint(outer.left + outer.width / 2, outer.top + outer.height / 2);
            return !top.closest('[aria-pressed=true]'); })()"""))

    def test_on_a_phone_and_in_the_dark(self):
        page = self.open(self.path, width=320, height=640, dark=True)
        self.assert_fits(page)
        self.assertGreaterEqual(page.run(CONTRAST)[0], 4.5, page.run(CONTRAST))
        page.screenshot(PRODUCTS / "heap-phone-dark.png", whole=True)


class Hostile(PageTest):
    NAMES = [name for name in pages.HOSTILE if "\ud800" not in name]

    def check(self, page):
        self.assertIsNone(page.run("window.owned ?? null"))
        text = page.run("document.documentElement.outerHTML.replace(/<script type=\"application\\/json\".*?<\\/script>/s, '')")
        for letter in "\u202e\u2066\u200b\ufeff\u2028\x1b\x07":
            self.assertNotIn(letter, text)
        self.assertEqual(0, page.run("document.querySelectorAll('img, iframe, object, embed, svg [onload], [onerror]').length"))
        self.assertEqual(2, page.run("document.scripts.length"))
        self.assert_fits(page)

    def test_names_of_an_answer(self):
        path = pages.answer_page(folder, "hostile", pages.hostile_answer(), "--title", pages.HOSTILE[0])
        self.assertLess(path.stat().st_size, 5_000_000)
        for width in (1000, 320):
            page = self.open(path, width=width)
            page.run("document.querySelectorAll('#page > button').forEach((button) => button.click())")
            self.assertIn("</script><script>", page.run("document.querySelector('h1').textContent"))
            self.assertIn("\\u{202e}", page.run("document.body.textContent"))
            self.check(page)
            page.screenshot(PRODUCTS / f"hostile-{width}.png", whole=True)

    def test_names_of_classes_in_a_heap(self):
        path = pages.heap_page(folder, "odd", self.NAMES)
        self.assertLess(path.stat().st_size, 5_000_000)
        page = self.open(path, width=320)
        self.check(page)
        page.screenshot(PRODUCTS / "hostile-heap.png", whole=True)

    def test_a_script_that_came_in_all_the_same_does_not_run(self):
        page = chromium.open(pages.answer_page(folder, "strict", pages.held_ring()))
        self.addCleanup(page.close)
        page.run("""(() => { const script = document.createElement('script');
            script.textContent = 'window.owned = 1'; document.body.append(script);
            document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="window.owned = 2">');
            const link = document.createElement('script'); link.src = 'https://example.com/x.js';
            document.body.append(link); })()""")
        page.settle()
        self.assertIsNone(page.run("window.owned ?? null"))
        refused = [told for told in page.complaints() if "Content Security Policy" in told]
        self.assertGreaterEqual(len(refused), 3, json.dumps(page.complaints())[:3000])


if __name__ == "__main__":
    unittest.main()
