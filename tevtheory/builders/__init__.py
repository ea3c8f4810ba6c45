"""Builders: draft trees from scores."""

from tevtheory.builders.oracle import oracle_tree

__all__ = ["oracle_tree"]
