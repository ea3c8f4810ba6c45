"""Where randomness enters a verifier: slots, sites, the Chooser protocol, and the coin it hands out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

from tevtheory.errors import ContractError


@dataclass(frozen=True, eq=False)
class Slot:
    """A named place where a verifier draws; its index counts rounds, depths, nodes or children.

    A slot of kind "race" is drawn as argmax weight / exponential where uniforms come from a tape; its law is the same.
    Slots are compared by identity, so each is defined once, beside its verifier.
    """

    name: str
    per: Literal["round", "depth", "node", "child"]
    kind: Literal["uniform", "race"] = "uniform"

    def __repr__(self) -> str:
        return self.name


Site = tuple[Slot, int]
"""A slot and an index: the address of one draw. A site is drawn at most once in a run."""


class Chooser(Protocol):
    """The only source of randomness a verifier may use."""

    def flip(self, part: Any, of: Any = 1, *, site: Site) -> bool:
        """True with probability part / of: true iff u * of < part, so part <= 0 is False, also when `of` is 0."""

    def choose(self, weights: Sequence[Any], *, site: Site) -> int:
        """An index drawn in proportion to unnormalised weights: the first k with u * c[last] < c[k], c the sums."""

    def coin(self, *, site: Site) -> Coin:
        """A uniform on [0, 1) that may be compared with numbers and mapped affinely, and refuses all else."""


class Coin(ABC):
    """An affine image of one uniform on [0, 1).

    It supports +, -, *, / with numbers and <, <=, >, >= with numbers and with images of the same uniform, so code that
    rescales a coin or holds it against several thresholds behaves like one and the same coin. Everything else (==,
    float(), hashing, a product of two coins) raises ContractError: no exact law could be given for it.
    """

    __slots__ = ()

    @abstractmethod
    def _under(self, other: Any, closed: bool) -> bool:
        """Whether the image is < other (closed: <= other), a number or an image of the same uniform."""

    @abstractmethod
    def _times(self, factor: Any) -> Coin:
        """The image times a number."""

    @abstractmethod
    def _plus(self, shift: Any) -> Coin:
        """The image plus a number."""

    @abstractmethod
    def _over(self, divisor: Any) -> Coin:
        """The image divided by a number other than 0."""

    def __lt__(self, other: Any) -> bool:
        return NotImplemented if _is_array(other) else self._under(other, False)

    def __le__(self, other: Any) -> bool:
        return NotImplemented if _is_array(other) else self._under(other, True)

    def __gt__(self, other: Any) -> bool:
        return NotImplemented if _is_array(other) else not self._under(other, True)

    def __ge__(self, other: Any) -> bool:
        return NotImplemented if _is_array(other) else not self._under(other, False)

    def __add__(self, other: Any) -> Coin:
        return NotImplemented if _is_array(other) else self._plus(_number(other))

    def __mul__(self, other: Any) -> Coin:
        return NotImplemented if _is_array(other) else self._times(_number(other))

    def __sub__(self, other: Any) -> Coin:
        return NotImplemented if _is_array(other) else self._plus(-_number(other))

    def __truediv__(self, other: Any) -> Coin:
        if _is_array(other):
            return NotImplemented
        if _number(other) == 0:
            raise ZeroDivisionError("a coin is divided by zero")
        return self._over(other)

    def __neg__(self) -> Coin:
        return self._times(-1)

    def __rsub__(self, other: Any) -> Coin:
        return NotImplemented if _is_array(other) else self._times(-1)._plus(_number(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        refuse("test a coin for equality", "compare it with < or >=")

    def __hash__(self) -> int:  # noqa: PLE0309
        refuse("hash a coin", "key by its site")

    def __bool__(self) -> bool:  # noqa: PLE0304
        refuse("use a coin as a truth value", "compare it with a number, as in u < p")

    def __float__(self) -> float:
        refuse("turn a coin into a float", "compare it, or map it with +, -, *, /")

    def __index__(self) -> int:  # noqa: PLE0305
        refuse("turn a coin into an integer", "compare it, or use choose")


def _is_array(value: Any) -> bool:
    return getattr(value, "ndim", 0) > 0


def _number(value: Any) -> Any:
    if isinstance(value, Coin):
        refuse("add or multiply two coins", "draw the decision with flip or choose")
    return value


def refuse(act: str, remedy: str) -> NoReturn:
    """Raise the ContractError for something a coin cannot do."""
    raise ContractError(f"cannot {act}; {remedy}")
