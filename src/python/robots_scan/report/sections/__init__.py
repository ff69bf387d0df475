"""The sections of the page, in their order. Each module has a function `build(study)` that returns a `Section`."""

from . import anomalies, breakdowns, crawlers, dialects, headline, invitations, outcomes, preferences, templates, time

ALL = (headline, outcomes, crawlers, time, breakdowns, templates, preferences, invitations, anomalies, dialects)
