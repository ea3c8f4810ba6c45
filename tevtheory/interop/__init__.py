"""Other projects' layouts, networkx graphs, and files."""

from tevtheory.interop.files import (
    ProblemFile,
    parse_problem,
    problem_data,
    read_npz,
    read_problem,
    read_text,
    write_npz,
    write_problem,
    write_text,
)
from tevtheory.interop.graphs import from_graph, to_graph
from tevtheory.interop.layouts import (
    Imported,
    from_child_maps,
    from_links,
    from_parents,
    from_paths,
    from_retrieve_indices,
    to_child_maps,
    to_links,
    to_parents,
    to_paths,
    to_retrieve_indices,
)

__all__ = [
    "Imported",
    "ProblemFile",
    "from_child_maps",
    "from_graph",
    "from_links",
    "from_parents",
    "from_paths",
    "from_retrieve_indices",
    "parse_problem",
    "problem_data",
    "read_npz",
    "read_problem",
    "read_text",
    "to_child_maps",
    "to_graph",
    "to_links",
    "to_parents",
    "to_paths",
    "to_retrieve_indices",
    "write_npz",
    "write_problem",
    "write_text",
]
