"""The rooms of the checkout as packages below ``discourse_nmt``, the one import name; all else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

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
# Beside the rooms: an installation runs the workflow with `snakemake --snakefile`, see docs/how-to/environments.md.
WORKFLOW = ["Snakefile", "config.yaml", "config.schema.yaml", "envs", "profiles"]


class BuildWithWorkflow(build_py):
    """Builds the package with the files of the workflow, which lie at the top of the checkout."""

    def run(self) -> None:
        """Build, then copy them."""
        super().run()
        for name in [] if self.editable_mode else WORKFLOW:
            target = Path(self.build_lib) / PACKAGE / name
            if Path(name).is_dir():
                shutil.copytree(name, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(name, target)


setup(
    cmdclass={"build_py": BuildWithWorkflow},
    packages=[
        PACKAGE,
        *(f"{PACKAGE}.{name}" for name in find_packages(PACKAGE)),
        f"{PACKAGE}.resources",
        *(f"{PACKAGE}.{room}" for room in ROOMS),
        *(f"{PACKAGE}.{room}.{name}" for room in ROOMS for name in find_packages(room)),
    ],
    package_dir={PACKAGE: PACKAGE, **{f"{PACKAGE}.{room}": room for room in [*ROOMS, "resources"]}},
    # Translation takes the path of a model, so an installation has no use for these 48 MB.
    exclude_package_data={f"{PACKAGE}.resources": ["help_models/**/*"]},
    package_data={
        f"{PACKAGE}.resources": ["**/*"],
        f"{PACKAGE}.discourse.drawings": ["*.html", "*.css"],
        f"{PACKAGE}.serving": ["page.*"],
        f"{PACKAGE}.rules": ["*.smk", "captions/*.rst"],
        f"{PACKAGE}.scoring.reports": ["**/*.html", "**/*.css", "**/*.js"],
    },
)
