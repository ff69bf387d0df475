"""The sections of the page, in their order. Each module has a function `build(study)` that returns a `Section`."""

from . import anomalies, breakdowns, crawlers, dialects, headline, history, invitations, outcomes, preferences, templates, time

ALL = (headline, outcomes, crawlers, time, breakdowns, templates, preferences, invitations, anomalies, dialects)


def of(study):
    """Returns the sections of a page: a history, if one is given, answers the section about time."""
    return [history if module is time and study.history else module for module in ALL]
