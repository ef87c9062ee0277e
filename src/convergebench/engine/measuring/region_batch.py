"""A batch of forward pictures and returns, measured together on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from convergebench.engine.measuring.items import ChainReturn, ForwardPicture, SessionTurnPicture
from convergebench.engine.measuring.region_pictures import EditKey, RegionPictures
from convergebench.errors import BadPicture, WorkspaceError
from convergebench.metrics._gpu.region_edits import EditToLocate
from convergebench.metrics._gpu.region_references import Referenced
from convergebench.metrics._gpu.region_returns import ReturnToMeasure
from convergebench.metrics._gpu.regions import RegionsOnGpu
from convergebench.metrics.regions import LocatedEdit, ReturnRegions, edit_scope
from convergebench.picture import Picture

RegionItem: TypeAlias = ForwardPicture | ChainReturn | SessionTurnPicture
Found: TypeAlias = LocatedEdit | ReturnRegions | None


class _Edit(NamedTuple):
    """An edit of which an item needs the footprint."""

    source: Picture
    input: Picture
    forward: Picture
    category: str

    @property
    def key(self) -> EditKey:
        return self.input.digest, self.forward.digest, edit_scope(self.category)


def measured_together(
    items: Sequence[RegionItem], pictures: RegionPictures, device: RegionsOnGpu
) -> list[Found]:
    """For each item the regions of a return, or the edit of a forward picture; None for what is left to the
    processor, such as a picture that cannot be opened."""
    edits = _located(items, pictures, device)
    found: list[Found] = [
        edits.get(_edit_of(item).key) if isinstance(item, ForwardPicture) else None for item in items
    ]
    returns: dict[int, ReturnToMeasure] = {}
    for place, item in enumerate(items):
        if isinstance(item, ChainReturn):
            request = _return(item, edits, pictures)
            if request is not None:
                returns[place] = request
    for place, regions in zip(returns, device.measured(list(returns.values())), strict=True):
        found[place] = regions
    return found


def _located(
    items: Sequence[RegionItem], pictures: RegionPictures, device: RegionsOnGpu
) -> Mapping[EditKey, LocatedEdit]:
    wanted: dict[EditKey, EditToLocate] = {}
    edits: dict[EditKey, LocatedEdit] = {}
    for item in items:
        for edit in _edits_of(item, pictures):
            known = edits.get(edit.key) or pictures.known_edit(edit.key)
            if known is not None:
                edits[edit.key] = known
            elif edit.key not in wanted:
                try:
                    wanted[edit.key] = _to_locate(edit, pictures)
                except (BadPicture, WorkspaceError):
                    continue  # the item itself says so
    for key, made in zip(wanted, device.located(list(wanted.values())), strict=True):
        if made is not None:
            pictures.add(key, made)
            edits[key] = made
    return edits


def _edits_of(item: RegionItem, pictures: RegionPictures) -> Iterator[_Edit]:
    """The item's own edit, and those before it whose footprints are not known."""
    yield _edit_of(item)
    if isinstance(item, SessionTurnPicture):
        earlier = item.earlier
    else:
        earlier = (
            () if isinstance(item, ForwardPicture) else tuple((*pair, item.category) for pair in item.earlier)
        )
    for input, forward, category in earlier:
        if pictures.known_footprint((input.digest, forward.digest, edit_scope(category))) is None:
            yield _Edit(item.source, pictures.open(input), pictures.open(forward), category)


def _edit_of(item: RegionItem) -> _Edit:
    if isinstance(item, SessionTurnPicture):
        return _Edit(item.source, item.input, item.picture, item.task)
    return _Edit(item.source, item.input, item.forward, item.category)


def _to_locate(edit: _Edit, pictures: RegionPictures) -> EditToLocate:
    reference = pictures.reference(edit.source, edit.input)
    forward = pictures.fitted(edit.source, edit.forward)
    return EditToLocate(Referenced(edit.input.digest, reference), forward, edit_scope(edit.category))


def _return(
    item: ChainReturn, edits: Mapping[EditKey, LocatedEdit], pictures: RegionPictures
) -> ReturnToMeasure | None:
    edit = edits.get(_edit_of(item).key)
    scope = edit_scope(item.category)
    earlier = [
        pictures.known_footprint((input.digest, forward.digest, scope)) for input, forward in item.earlier
    ]
    if edit is None or any(footprint is None for footprint in earlier):
        return None
    try:
        source = Referenced(item.source.digest, pictures.reference(item.source, item.source))
        returned = pictures.fitted(item.source, item.returned)
    except (BadPicture, WorkspaceError):
        return None
    input = Referenced(item.input.digest, edit.input)
    return ReturnToMeasure(source, input, edit, returned, [each for each in earlier if each is not None])
