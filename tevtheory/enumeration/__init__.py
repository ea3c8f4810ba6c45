"""Enumeration: all small trees, and the rows to try on them."""

from tevtheory.enumeration.families import FAMILIES, Chunk, Family, chunks, family
from tevtheory.enumeration.rows import Fill, dyadic, rational
from tevtheory.enumeration.shapes import (
    Shape,
    draft_tree_count,
    draft_trees,
    ordered_count,
    ordered_shapes,
    unlabelled_count,
    unlabelled_shapes,
)

__all__ = [
    "FAMILIES",
    "Chunk",
    "Family",
    "Fill",
    "Shape",
    "chunks",
    "draft_tree_count",
    "draft_trees",
    "dyadic",
    "family",
    "ordered_count",
    "ordered_shapes",
    "rational",
    "unlabelled_count",
    "unlabelled_shapes",
]
