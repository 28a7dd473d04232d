"""The rooms of the checkout as packages below ``discourse_nmt``, the one import name; all else is in pyproject.toml."""

from setuptools import find_packages, setup

PACKAGE = "discourse_nmt"
ROOMS = [
    "corpus",
    "demo",
    "discourse",
    "models",
    "rules",
    "scoring",
    "serving",
    "text",
    "training",
    "translation",
    "workflow_scripts",
]

setup(
    packages=[
        PACKAGE,
        f"{PACKAGE}.commands",
        f"{PACKAGE}.resources",
        *(f"{PACKAGE}.{room}" for room in ROOMS),
        *(f"{PACKAGE}.{room}.{name}" for room in ROOMS for name in find_packages(room)),
    ],
    package_dir={PACKAGE: PACKAGE, **{f"{PACKAGE}.{room}": room for room in [*ROOMS, "resources"]}},
    package_data={
        f"{PACKAGE}.resources": ["**/*"],
        f"{PACKAGE}.discourse.drawings": ["*.html", "*.css"],
        f"{PACKAGE}.serving": ["page.*"],
        f"{PACKAGE}.scoring.reports": ["**/*.html", "**/*.css", "**/*.js"],
    },
)
