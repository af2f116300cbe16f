#!/usr/bin/env python3
"""Makes virnucpro-X.Y.Z-0.conda of the tree that tools/package.sh made (packaging/conda/recipe.yaml).

    tools/make_conda.py VERSION STAGE OUTPUT_FOLDER

Needs packaging/conda/requirements.txt. No channel is asked: the package has no dependencies but
conda's virtual ones. Packing one tree twice gives the same bytes.
"""

import json
import os
import shutil
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from rattler.package_streaming import extract
from rattler_build import RenderConfig, Stage0Recipe, ToolConfiguration, assemble_package, collect_files
from rattler_build.progress import SimpleProgressCallback

RECIPE = Path(__file__).parents[1] / "packaging" / "conda" / "recipe.yaml"


def build(version, stage, folder):
    """Builds the package of the recipe; its times and the paths in its recipe are of this build."""
    context = {"version": version, "stage": str(Path(stage).resolve())}
    (result,) = Stage0Recipe.from_file(shutil.copy(RECIPE, folder)).run_build(
        output_dir=folder / "channel", channels=[], no_build_id=True, progress_callback=SimpleProgressCallback(),
        tool_config=ToolConfiguration(compression_threads=1), render_config=RenderConfig(extra_context=context))
    (package,) = result.packages
    return package


def pack_again(package, folder, output):
    """Packs the package again with the time SOURCE_DATE_EPOCH and the source's recipe."""
    tree = folder / "tree"
    extract(package, tree)
    index, about = (json.loads((tree / "info" / f"{name}.json").read_text()) for name in ("index", "about"))
    (folder / "recipe").mkdir()
    shutil.copy(RECIPE, folder / "recipe")
    licence = shutil.move(tree / "info" / "licenses" / "LICENSE", folder)
    shutil.rmtree(tree / "info")
    return assemble_package(
        name=index["name"], version=index["version"], target_platform=index["subdir"], build_string=index["build"],
        output_dir=output, files=collect_files(tree), license=about["license"], summary=about["summary"],
        depends=index["depends"], build_number=index["build_number"], license_files=[licence],
        recipe_dir=folder / "recipe", compression_threads=1, detect_prefix=False,
        timestamp=datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc))


def main(version, stage, output):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packed = pack_again(build(version, stage, folder), folder, output)
        print(f"conda: {packed.path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
