"""Any value of a declared type, every field of a dataclass filled."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

Plain = Mapping[type, st.SearchStrategy[Any]]


def any_of(kind: Any, plain: Plain, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return anything a type can be: of `plain` types as that says, fields of a dataclass as `given`."""
    if kind in plain:
        return plain[kind]
    parts = get_args(kind)
    if get_origin(kind) is UnionType:
        return st.one_of(
            st.none() if each is NoneType else st.deferred(lambda each=each: any_of(each, plain))
            for each in parts
        )
    if get_origin(kind) is tuple:
        if parts[-1] is Ellipsis:
            return st.lists(any_of(parts[0], plain), max_size=2).map(tuple)
        return st.tuples(*(any_of(each, plain) for each in parts))
    if is_dataclass(kind):
        hints = get_type_hints(kind).items()
        return st.builds(
            kind, **{name: given[name] if name in given else any_of(hint, plain) for name, hint in hints}
        )
    assert issubclass(kind, enum.StrEnum), f"nothing is said of {kind}"
    return st.sampled_from(kind)
