"""Storage as clouds have it: a server of S3 on this machine, with one bucket."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.conftest import ROOT

CONFIG = Path(__file__).parent / "small.yaml"
STORAGE = ("--default-storage-provider", "s3", "--default-storage-prefix")


class Bucket:
    """A bucket of the server; ``environment`` leads Snakemake's plugin to it."""

    def __init__(self, endpoint: str) -> None:
        keys = {"endpoint_url": endpoint, "region": "us-east-1", "access_key": "key", "secret_key": "secret"}
        self.environment = {f"SNAKEMAKE_STORAGE_S3_{name.upper()}": value for name, value in keys.items()}
        service = boto3.resource(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
        )
        self._bucket = service.create_bucket(Bucket="bucket")

    def names(self, prefix: str) -> list[str]:
        """Names of the objects below ``prefix``, without it."""
        return [one.key.removeprefix(prefix) for one in self._bucket.objects.filter(Prefix=prefix)]

    def upload(self, text: str, name: str) -> None:
        """Put an object with ``text``."""
        self._bucket.put_object(Key=name, Body=text.encode())

    def download(self, prefix: str, folder: Path) -> None:
        """Write the objects below ``prefix`` to ``folder``."""
        for name in self.names(prefix):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            self._bucket.download_file(prefix + name, str(folder / name))


@pytest.fixture(scope="session")
def bucket() -> Iterator[Bucket]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield Bucket(f"http://{host}:{port}")
    server.stop()


def start(
    folder: Path, environment: dict[str, str], *options: str, configuration: Path = CONFIG
) -> subprocess.Popen[str]:
    """Snakemake in ``folder``, on the small workflow by default, as a session of its own.

    Its output goes to the file log there.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SNAKEMAKE_"))}
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"]
    folder.mkdir(exist_ok=True)
    with (folder / "log").open("w", encoding="utf-8") as log:
        return subprocess.Popen(
            [*command, "--configfile", str(configuration), *options],
            cwd=folder,
            env={**inherited, "OMP_NUM_THREADS": "1", "AWS_EC2_METADATA_DISABLED": "true", **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def output(folder: Path) -> str:
    """What the last call in ``folder`` has printed."""
    return (folder / "log").read_text(encoding="utf-8")
