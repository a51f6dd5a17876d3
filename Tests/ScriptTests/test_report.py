"""Looks at the pages of `pushbench report` in Chromium.

Needs PUSHBENCH_BINARY, which scripts/test sets, and Debian's chromium and libjs-d3. With
PUSHBENCH_SCREENSHOTS set to a folder, pictures of the pages are left there to be looked at.
"""

import copy
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from chromium import PROGRAM, Chromium

BINARY = os.environ.get("PUSHBENCH_BINARY")
SCREENSHOTS = os.environ.get("PUSHBENCH_SCREENSHOTS")
HAS_LIBRARY = Path("/usr/share/javascript/d3/d3.min.js").exists()
WIDTHS = [320, 390, 768, 1280]
ATTACK = (
    "\"'></td></script></style><script>document.documentElement.dataset.pwned=1</script>"
    "<img src=x onerror=\"document.documentElement.dataset.pwned=2\">"
    "<a href='https://example.invalid/'>x</a><!--"
)

# Text whose colour has to stand out from what is behind it, by the rules of WCAG 2 (AA).
CONTRAST = """
(() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  for (const selector of ["h1", "h2", "h3", "p", ".hint", ".badge", "nav a", "button", "td", "th",
                          "th small", "summary", "footer", ".plot text", ".letter", "mark", "b"]) {
    for (const element of document.querySelectorAll(selector)) {
      const style = getComputedStyle(element);
      const own = light(element instanceof SVGElement ? style.fill : style.color);
      const other = light(behind(element));
      const ratio = (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05);
      if (ratio < 4.5) poor.push(`${selector}: ${ratio.toFixed(2)}`);
    }
  }
  return [...new Set(poor)];
})()
"""


def pushbench(*arguments, taken=(0,)):
    done = subprocess.run(
        [BINARY, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=240
    )
    if done.returncode not in taken:
        raise AssertionError(f"{arguments}: exit {done.returncode}: {done.stderr.decode()}")
    return done


def series(seconds, rate):
    """A course of seconds, with a slow one in it."""
    return [
        {
            "t": second * 10**9, "sent": rate, "accepted": rate - second, "rejected": second,
            "p50": 90_000 + second * 1000, "p99": 30_000_000 if second == 7 else 240_000,
            "inFlight": second,
        }
        for second in range(1, seconds + 1)
    ]


def poisoned(value):
    """The same JSON with every string replaced, but for those that decide how it is read."""
    if isinstance(value, dict):
        kept = ("schema", "startedAt", "finishedAt", "hdr")
        return {key: value[key] if key in kept else poisoned(value[key]) for key in value}
    if isinstance(value, list):
        return [poisoned(element) for element in value]
    return ATTACK if isinstance(value, str) else value


@unittest.skipUnless(BINARY, "PUSHBENCH_BINARY is not set")
@unittest.skipUnless(PROGRAM and HAS_LIBRARY, "chromium or libjs-d3 is missing")
class ReportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = Path(cls.folder.name)
        # A busy machine may miss the rate: the page is the same.
        pushbench("run", "--rate", "2000", "--duration", "500ms", "--installs", "1000", "--quiet",
                  "--allow-void", "--slo", "p99<10s", "--out", str(path / "one.json"), taken=(0, 4))
        result = json.loads((path / "one.json").read_text())
        result["runs"][0]["series"] = series(seconds=12, rate=1000)
        (path / "one.json").write_text(json.dumps(result))
        other = copy.deepcopy(result)
        other["runs"][0]["series"] = series(seconds=15, rate=800)
        other["workload"]["connections"] = 2
        other["workload"]["hash"] = "0" * 16
        (path / "two.json").write_text(json.dumps(other))
        pushbench("run", "--installs", "20000", "--repeat", "2", "--quiet",
                  "--out", str(path / "closed.json"))
        closed = json.loads((path / "closed.json").read_text())
        for run in closed["runs"]:
            run["series"] = run["series"][:1]
        (path / "closed.json").write_text(json.dumps(closed))
        bad = poisoned(copy.deepcopy(result))
        account = bad["runs"][0]["account"]
        account["rejected"] = {ATTACK: 3, "BadDeviceToken": 2}
        account["accepted"] -= 5
        bad["workload"]["languages"] = {ATTACK: 1}
        bad["workload"]["settings"] = {ATTACK: ATTACK}
        bad["runs"][0]["connections"][0]["reason"] = ATTACK
        bad["runs"][0]["cost"]["stages"][ATTACK] = {
            "cpuNanosecondsPerPush": 120, "limitNanosecondsPerPush": 80,
        }
        (path / "bad.json").write_text(json.dumps(bad))
        # A history of forty days, slower since the twentieth; its first result is another one's.
        bad["machine"]["key"], bad["workload"]["hash"] = "machine", "0" * 16
        folder = path / "store" / "machine" / ("0" * 16)
        folder.mkdir(parents=True)
        for day in range(40):
            old = copy.deepcopy(bad)
            old["id"] = f"202601{day:02}T120000Z-{ATTACK if day == 20 else day}"
            old["startedAt"] = f"2026-0{1 + day // 28}-{1 + day % 28:02}T12:00:00.000Z"
            factor = (1 if day < 20 else 1.3) * (1 + day * 7 % 11 / 1000)
            old["runs"][0]["throughput"]["pushesPerSecond"] = 2000 / factor
            old["runs"][0]["cost"]["cpuNanosecondsPerPush"] = 800 * factor
            (folder / f"{day:02}.json").write_text(json.dumps(old))
        (path / "old.json").write_text(json.dumps(old))
        pages = {
            "history": ["old.json", "--history", "--store", str(path / "store")],
            "one": ["one.json"], "pair": ["one.json", "two.json"], "closed": ["closed.json"],
            "bad": ["bad.json", "bad.json"], "tables": ["one.json", "--plots", "none"],
        }
        cls.pages = {}
        for name, words in pages.items():
            cls.pages[name] = path / f"{name}.html"
            files = [str(path / word) if word.endswith(".json") else word for word in words]
            pushbench("report", *files, "--out", str(cls.pages[name]))
        cls.browser = Chromium().__enter__()
        cls.addClassCleanup(cls.browser.__exit__)

    def each_page(self):
        for name, path in self.pages.items():
            with self.subTest(page=name):
                yield name, path

    def test_the_browser_tells_what_a_page_does(self):
        """The checks below would notice: a page that misbehaves is seen to do so."""
        page = Path(self.folder.name, "control.html")
        page.write_text(
            "<!DOCTYPE html><script>console.error('x')</script>"
            "<img src='http://127.0.0.1:9/x.png'><div style='width:3000px'>wide</div>"
            "<p style='color:#999;background:#fff'>pale</p>"
        )
        self.browser.open(page, width=390)
        self.assertTrue(self.browser.complaints())
        self.assertEqual(self.browser.requests(), ["http://127.0.0.1:9/x.png"])
        self.assertGreater(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.browser.run(CONTRAST))

    def test_pages_are_silent_and_ask_the_network_for_nothing(self):
        for _, path in self.each_page():
            self.browser.open(path)
            self.assertEqual(self.browser.complaints(), [])
            self.assertEqual(self.browser.requests(), [])

    def test_every_plot_is_drawn_and_has_a_table(self):
        for name, path in self.each_page():
            if name == "tables":
                continue
            self.browser.open(path)
            plots = self.browser.run("""
                [...document.querySelectorAll("[data-plot]")].map((plot) => ({
                  name: plot.dataset.plot,
                  label: plot.querySelector(":scope > div > svg")?.getAttribute("aria-label") || "",
                  lines: [...plot.querySelectorAll(":scope > div > svg path.line")]
                    .map((line) => line.getAttribute("d")),
                  ticks: [...plot.querySelectorAll("svg text")].map((tick) => tick.textContent),
                  tables: plot.closest("section").querySelectorAll("table").length,
                }))
            """)
            expected = {"latency", "makespan"} | (set() if name == "closed" else {"rate", "time"})
            expected |= {"history"} if name == "history" else set()
            self.assertEqual({plot["name"] for plot in plots}, expected)
            for plot in plots:
                with self.subTest(plot=plot["name"]):
                    pair = 2 if name in ("pair", "bad") else 1
                    fewest = {"latency": 1 if name == "closed" else 3, "time": 2}
                    self.assertGreaterEqual(
                        len(plot["lines"]), pair * fewest.get(plot["name"], 1)
                    )
                    for line in plot["lines"]:
                        self.assertRegex(line, r"^M[-\d.]+,[-\d.]+(L[-\d.]+,[-\d.]+)+$")
                    self.assertGreaterEqual(len(plot["ticks"]), 5)
                    self.assertNotIn("NaN", " ".join(plot["ticks"]))
                    self.assertIn("Arrow keys", plot["label"])
                    self.assertGreaterEqual(plot["tables"], 1)

    def test_a_history_shows_where_it_changed(self):
        self.browser.open(self.pages["history"])
        seen = self.browser.run("""
            [...document.querySelectorAll("[data-plot=history]")].map((plot) => ({
              metric: plot.dataset.metric,
              lines: [...plot.querySelectorAll(":scope > div > svg path.line")]
                .map((line) => line.getAttribute("d").split("L").length),
              ticks: [...plot.querySelectorAll(":scope > div > svg text")].map((tick) => tick.textContent),
              change: plot.nextElementSibling.innerText,
            }))
        """)
        self.assertEqual([plot["metric"] for plot in seen], ["rate", "p99", "cpu"])
        self.assertIsNone(self.browser.run("document.documentElement.dataset.pwned || null"))
        self.assertEqual(self.browser.run("document.querySelectorAll('img').length"), 0)
        for plot in seen:
            changed = plot["metric"] != "p99"
            self.assertEqual(plot["lines"], [40, 4] if changed else [40])
            self.assertRegex(plot["change"], "^worse .* since" if changed else "^No change point")
            self.assertIn("2026-01-01", plot["ticks"])
            self.assertEqual(len(plot["ticks"]), len(set(plot["ticks"])))
        readout = "document.querySelector('[data-metric=cpu] output').textContent"
        self.browser.run("document.querySelector('[data-metric=cpu] > div > svg').focus()")
        self.browser.press("ArrowRight")
        self.assertRegex(
            self.browser.run(readout),
            r"^2026-01-01 · result 800 ns · median between changes 80\d ns$",
        )

    def test_without_the_library_all_tables_are_there(self):
        count = "document.querySelectorAll('table').length"
        self.browser.open(self.pages["one"])
        tables = self.browser.run(count)
        self.browser.open(self.pages["tables"])
        self.assertEqual(self.browser.run(count), tables)
        self.assertIn("libjs-d3", self.browser.run("document.body.innerText"))
        self.assertEqual(self.browser.run("document.querySelectorAll('.plot svg').length"), 0)

    def test_no_width_scrolls_sideways(self):
        for _, path in self.each_page():
            for width in WIDTHS:
                with self.subTest(width=width):
                    self.browser.open(path, width=width)
                    self.assertLessEqual(
                        self.browser.run("document.documentElement.scrollWidth"), width
                    )

    def test_plots_follow_the_width(self):
        self.browser.open(self.pages["pair"], width=1280)
        box = "document.querySelector('.plot > div > svg').viewBox.baseVal.width"
        wide = self.browser.run(box)
        self.browser.call(
            "Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1,
            mobile=False,
        )
        narrow = self.browser.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
            f"() => requestAnimationFrame(() => done({box})))))"
        )
        self.assertLess(narrow, 390)
        self.assertGreater(wide, 800)

    def test_no_string_of_a_result_becomes_markup(self):
        self.browser.open(self.pages["bad"])
        self.assertIsNone(
            self.browser.run("document.documentElement.dataset.pwned || null")
        )
        self.assertEqual(self.browser.run("document.querySelectorAll('img, iframe').length"), 0)
        links = self.browser.run("[...document.links].filter(a => !a.hash).length")
        self.assertEqual(links, 0)
        self.assertIn("<img src=x", self.browser.run("document.body.innerText"))
        # Even what got into the page as markup would not be run.
        self.browser.run(
            "document.body.insertAdjacentHTML('beforeend', "
            "'<img src=x onerror=\"document.documentElement.dataset.pwned=3\">')"
        )
        self.browser.run("new Promise(done => setTimeout(done, 200))")
        self.assertIsNone(
            self.browser.run("document.documentElement.dataset.pwned || null")
        )

    def test_text_stands_out_in_light_and_dark(self):
        colour = "getComputedStyle(document.body).backgroundColor"
        for name in ["pair", "bad"]:
            colours = set()
            for dark in [False, True]:
                with self.subTest(page=name, dark=dark):
                    self.browser.open(self.pages[name], dark=dark)
                    self.assertEqual(self.browser.run(CONTRAST), [])
                    colours.add(self.browser.run(colour))
            self.assertEqual(len(colours), 2)

    def test_the_theme_button_beats_the_system(self):
        self.browser.open(self.pages["one"], dark=True)
        state = (
            "[document.getElementById('theme').textContent, "
            "getComputedStyle(document.body).backgroundColor]"
        )
        self.browser.run("localStorage.clear()")
        seen = []
        for _ in range(4):
            seen.append(self.browser.run(state))
            self.browser.run("document.getElementById('theme').click()")
        words = [word for word, _ in seen]
        self.assertEqual(
            words, ["Theme: system", "Theme: light", "Theme: dark", "Theme: system"]
        )
        self.assertEqual(seen[0][1], seen[2][1])
        self.assertNotEqual(seen[0][1], seen[1][1])
        self.browser.run("localStorage.clear()")

    def test_everything_is_reached_and_used_by_keyboard(self):
        self.browser.open(self.pages["pair"])
        reached = []
        for _ in range(60):
            self.browser.press("Tab")
            reached.append(
                self.browser.run(
                    "(document.activeElement.tagName + ' ' "
                    "+ (document.activeElement.textContent || '')).trim().slice(0, 40)"
                )
            )
        text = "\n".join(reached)
        for wanted in ["BUTTON Theme", "A Summary", "BUTTON A response", "BUTTON B lateness",
                       "svg", "SUMMARY A second by second"]:
            self.assertIn(wanted, text)
        # A line goes and comes back.
        lines = "document.querySelectorAll('[data-plot=latency] > div > svg path.line').length"
        before = self.browser.run(lines)
        self.browser.run("document.querySelector('[data-plot=latency] button').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run(lines), before - 1)
        pressed = "document.querySelector('[data-plot=latency] button').ariaPressed"
        self.assertEqual(self.browser.run(pressed), "false")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run(lines), before)
        # The arrows read values.
        self.browser.run("document.querySelector('[data-plot=latency] > div > svg').focus()")
        readout = "document.querySelector('[data-plot=latency] output').textContent"
        self.assertEqual(self.browser.run(readout), "")
        self.browser.press("End")
        self.assertRegex(self.browser.run(readout), r"^[\d.]+% · A response [\d.]+ [mµn]?s · ")
        last = self.browser.run(readout)
        self.browser.press("ArrowLeft")
        self.assertNotEqual(self.browser.run(readout), last)
        self.browser.press("Escape")
        self.assertEqual(self.browser.run(readout), "")
        self.assertEqual(self.browser.complaints(), [])

    def test_a_printed_page_has_no_controls(self):
        self.browser.open(self.pages["pair"], dark=True, media="print")
        for selector in ["nav", "#theme"]:
            self.assertEqual(
                self.browser.run(f"getComputedStyle(document.querySelector('{selector}')).display"),
                "none",
            )
        self.assertEqual(
            self.browser.run("getComputedStyle(document.body).backgroundColor"),
            "rgb(255, 255, 255)",
        )
        self.assertEqual(self.browser.run(CONTRAST), [])

    def test_pictures_of_the_pages_can_be_taken(self):
        if not SCREENSHOTS:
            self.skipTest("PUSHBENCH_SCREENSHOTS is not set")
        for name, path in self.each_page():
            for width, dark in [(1280, False), (1280, True), (390, False)]:
                self.browser.open(path, width=width, dark=dark)
                shade = "dark" if dark else "light"
                self.browser.screenshot(Path(SCREENSHOTS, f"{name}-{width}-{shade}.png"), width)


if __name__ == "__main__":
    unittest.main()
