"""The sections of the page, in their order. Each module has a function `build(study)` that returns a `Section`."""

from . import anomalies, dialects, headline, history, host_kinds, invitations, outcomes, preferences, purposes, templates, time

ALL = (headline, time, purposes, host_kinds, preferences, invitations, templates, outcomes, anomalies, dialects)


def of(study):
    """Returns the sections of a page: a history, if one is given, answers the section about time."""
    return [history if module is time and study.history else module for module in ALL]
