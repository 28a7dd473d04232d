"""The manifests for Kubernetes fit the schemas of Kubernetes, and their parts fit each other and the profile."""

import re
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.conftest import ROOT

PATH = ROOT / "profiles" / "kubernetes" / "manifest.yaml"
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(PATH.read_text(encoding="utf-8")))
NODES: list[dict[str, Any]] = list(yaml.safe_load_all(PATH.with_name("nodes.yaml").read_text(encoding="utf-8")))
# The oldest and the newest version of Kubernetes that is checked.
VERSIONS = ("1.25", "1.34")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("document", DOCUMENTS + NODES, ids=lambda document: document["kind"])
def test_objects_fit_the_schema(document: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(document, version, strict=True)


def test_an_unknown_key_does_not_fit() -> None:
    job = next(document for document in DOCUMENTS if document["kind"] == "Job")
    wrong = {**job, "spec": {**job["spec"], "backOffLimit": 1}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_parts_name_each_other() -> None:
    objects = {document["kind"]: document for document in DOCUMENTS}
    account = objects["ServiceAccount"]["metadata"]["name"]
    pod = objects["Job"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == account
    assert objects["RoleBinding"]["subjects"] == [{"kind": "ServiceAccount", "name": account}]
    assert objects["RoleBinding"]["roleRef"]["name"] == objects["Role"]["metadata"]["name"]
    [container] = pod["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_pods_find_the_profile_where_the_image_has_it() -> None:
    recipe = (ROOT / "containers" / "Dockerfile").read_text(encoding="utf-8")
    [container] = next(one for one in DOCUMENTS if one["kind"] == "Job")["spec"]["template"]["spec"]["containers"]
    [profile] = [word for word in container["args"] if word.startswith("--workflow-profile=")]
    folder = profile.partition("=")[2].removesuffix("/profiles/kubernetes")
    assert f"WORKDIR {folder}\nCOPY . ." in recipe
    # The names of the storage plugin's settings, which it passes on to the jobs.
    text = PATH.read_text(encoding="utf-8")
    for name in ("ENDPOINT_URL", "ACCESS_KEY", "SECRET_KEY"):
        assert f"SNAKEMAKE_STORAGE_S3_{name}" in text


def test_the_nodes_of_a_training_find_the_first_one() -> None:
    service, job = NODES
    name, pod = job["metadata"]["name"], job["spec"]["template"]["spec"]
    assert pod["subdomain"] == service["metadata"]["name"] and service["spec"]["selector"] == {"job-name": name}
    (command,) = pod["containers"][0]["args"]
    # Kubernetes calls the pods of an indexed job by its name and their index.
    assert f"--rendezvous {name}-0.{pod['subdomain']}:" in command
    (nodes,) = re.findall(r"--nodes (\d+)", command)
    assert job["spec"]["completionMode"] == "Indexed"
    assert [job["spec"][key] for key in ("completions", "parallelism")] == [int(nodes)] * 2
