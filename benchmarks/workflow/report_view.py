"""Times of a report in Chromium: first paint, load, the viewer's first document, and then other documents.

Needs Debian's packages chromium and chromium-driver. Times are medians over loads of the page in one browser.
"""

import statistics
from pathlib import Path

from benchmarks.workflow.chromium import headless
from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow_scripts.command import arguments, run

FIRST_VIEW = """
const paint = performance.getEntriesByName('first-contentful-paint')[0];
const shown = performance.getEntriesByName('viewer-shown')[0];
if (!paint || !shown) return null;
return [paint.startTime, performance.getEntriesByType('navigation')[0].loadEventEnd, shown.startTime];
"""
NEXT_DOCUMENTS = """
const [viewer, list] = [document.getElementById('viewer'), document.getElementById('choose-document')];
return (async () => {
  while (!list.options.length) await new Promise((next) => setTimeout(next));
  const times = [];
  for (let number = 1; number < Math.min(list.options.length, 51); number++) {
    const began = performance.now();
    list.value = number;
    list.dispatchEvent(new Event('change'));
    while (viewer.dataset.shown !== `${number}`) await new Promise((next) => setTimeout(next));
    times.push(performance.now() - began);
  }
  return times;
})();
"""


def main() -> None:
    """Load the page, print the times."""
    parser = arguments(__doc__)
    parser.add_argument("report", type=Path, help="report.html of a run")
    parser.add_argument("--loads", type=int, default=5, help="how often the page is loaded")
    options = parser.parse_args()
    if not options.report.is_file():
        raise InputError("no such report", file=options.report, remedy="make report")
    chromium = headless()
    chromium.set_script_timeout(300)
    # CPU time of the page's main thread, which other work on the machine does not change.
    chromium.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    try:
        views = []
        for _ in range(options.loads):
            chromium.get(options.report.resolve().as_uri())
            while (view := chromium.execute_script(FIRST_VIEW)) is None:
                pass
            metrics = chromium.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
            (busy,) = [metric["value"] for metric in metrics if metric["name"] == "TaskDuration"]
            views.append([*view, 1000 * busy])
        times = chromium.execute_script(NEXT_DOCUMENTS)
    finally:
        chromium.quit()
    print(f"size of the page: {options.report.stat().st_size / 1e6:.2f} MB")
    for name, values in zip(
        ("first paint", "load", "first document shown", "CPU time of the page so far"), zip(*views)
    ):
        print(f"{name}: median {statistics.median(values):.0f} ms, longest {max(values):.0f} ms")
    if times:
        print(f"another document: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


if __name__ == "__main__":
    run(main)
