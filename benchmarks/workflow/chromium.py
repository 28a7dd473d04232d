"""Debian's Chromium without a window, for benchmarks and tests in a browser."""

import shutil

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from discourse_nmt.base.errors import InputError


def headless() -> webdriver.Chrome:
    """Start it, with the messages of the console in ``get_log``.

    Raises :class:`InputError`: it is not installed.
    """
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        raise InputError("Chromium is absent", remedy="apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    # Root may not use the sandbox, and containers have little shared memory.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))
