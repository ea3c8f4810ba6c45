"""Counter-based tapes: Philox against its published answers, and the addresses apart from each other."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
import torch

from tevtheory.choices import Slot
from tevtheory.errors import InputError
from tevtheory_gpu import tapes
from tevtheory_gpu.tapes import ArrayTape, CounterTape, philox

SLOT = Slot("token", per="node")

# The known answers of Random123 for philox4x32-10: counter, key, words.
ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "words"), ANSWERS)
def test_philox_gives_its_published_answers(counter: str, key: str, words: str) -> None:
    given = [torch.tensor([int(word, 16)]) for word in counter.split()]
    first, second = (int(word, 16) for word in key.split())
    got = philox((given[0], given[1], given[2], given[3]), (first, second))
    assert [f"{int(word):08x}" for word in got] == words.split()


def naive(tape: CounterTape, slot: int, index: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    place = rows + tape.start
    words = philox((place & 0xFFFFFFFF, place >> 32, torch.full_like(rows, slot), index), tape.key)
    return tapes._to_uniform(words[0], words[1])


def test_the_compiled_tape_is_the_tensor_one() -> None:
    tape = CounterTape((0xFFFFFFFF, 123456789), start=(1 << 33) + 5)
    rows, index = torch.arange(1000), torch.arange(1000) % 7
    number = zlib.crc32(SLOT.name.encode())
    assert torch.equal(tape.uniform(SLOT, index, rows), naive(tape, number, index, rows))


def test_every_part_of_an_address_matters_and_rows_go_on_where_the_last_tape_ended() -> None:
    rows = torch.arange(50)
    one = CounterTape((1, 2)).uniform(SLOT, 3, rows)
    others = [
        CounterTape((1, 3)).uniform(SLOT, 3, rows),
        CounterTape((2, 2)).uniform(SLOT, 3, rows),
        CounterTape((1, 2)).uniform(SLOT, 4, rows),
        CounterTape((1, 2)).uniform(Slot("other", per="node"), 3, rows),
        CounterTape((1, 2), start=50).uniform(SLOT, 3, rows),
        CounterTape((1, 2), start=1 << 32).uniform(SLOT, 3, rows),
    ]
    assert all(not (one == other).any() for other in others)
    assert torch.equal(CounterTape((1, 2), start=20).uniform(SLOT, 3, rows[:30]), one[20:])
    assert torch.equal(CounterTape((1, 2)).uniform(SLOT, 3, rows[10:12]), one[10:12])


def test_uniforms_are_uniform() -> None:
    values = CounterTape((5, 6)).uniform(SLOT, 0, torch.arange(1 << 20)).numpy()
    assert values.min() >= 0
    assert values.max() < 1
    counts = np.bincount((values * 256).astype(int), minlength=256)
    # Chi-squared with 255 degrees of freedom: above 400 with probability 2e-8; the seed is fixed.
    assert ((counts - 4096) ** 2 / 4096).sum() < 400
    low_bits = (values * 2.0**53).astype(np.int64) & 255
    assert ((np.bincount(low_bits, minlength=256) - 4096) ** 2 / 4096).sum() < 400


def test_a_tape_without_the_slot_says_what_it_has() -> None:
    with pytest.raises(InputError, match="expected draws at the slot 'token', got a tape of exit"):
        ArrayTape({"exit": torch.zeros(1, 1)}).uniform(SLOT, 0, torch.tensor([0]))
