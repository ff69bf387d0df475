"""Charts as SVG, drawn by Vega-Lite in a wide and in a narrow form.

Text and axes are in `currentColor`, so that a chart follows the colours of its page. The colours of marks are four of Okabe and Ito's
palette for colour-blind readers, a grey and a gold, chosen because they contrast with white and with black by more than 3.
"""

import datetime
import math
import re
import textwrap
from dataclasses import dataclass, field

from .._terminal import escaped

BLUE, VERMILION, GREEN, PURPLE, GREY, GOLD = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#767676", "#997700"
SERIES = (BLUE, VERMILION, GREEN, PURPLE, GREY, GOLD)
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [10, 4])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

# Widths of whole charts in pixels; a page of 390 pixels has 350 for its content.
WIDE, NARROW = 720, 350
# Pixels: the height of a bar, and how far it is below the middle of its row if a label is above it.
BAR_HEIGHT, BELOW_LABEL = 16, 8
# Pixels: the width of a character of a text, on average.
CHARACTER = 6.3
DAY = 86_400_000
# With fewer changes of year, years are too few labels.
YEARS_MIN = 3
# Lines whose points differ by less than this part of the largest share hide each other.
NEAR = 0.01
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


@dataclass(frozen=True)
class Chart:
    """What is drawn. `kind` is 'bars' or 'lines'; `rows` have the fields that the functions below describe."""

    kind: str
    description: str
    rows: list[dict] = field(repr=False)
    unit: str = "hosts"

    def caption(self):
        """Returns what bars and symbols mean; the legend of a chart has the rest."""
        parts = []
        if any(row.get("low") is not None for row in self.rows) and self.kind == "lines":
            parts.append("Vertical line: 95 % interval of the share of hosts")
        if any(row.get("alone") for row in self.rows):
            parts.append("A name: a crawl that no line connects with others")
        if self.kind == "lines":
            parts += coinciding(self.rows)
        if self.kind == "bars":
            parts += ["Bars: registered domains", f"◆: {self.unit}"]
            if any("(" in row["text"] for row in self.rows):
                parts.append(f"in brackets: few {self.unit}")
            if any(row.get("low") is not None for row in self.rows):
                parts.append("line: 95 % interval")
            shown = "".join(row["marks"] for row in self.rows)
            if "▲" in shown:
                parts.append("▲: ≥ 50\u00a0% in one domain")
            if "■" in shown:
                parts.append("■: ≥ 50\u00a0% with the same rules")
        return "; ".join(parts) + "." if parts else ""

    def svg(self, converter):
        """Returns the wide and the narrow form, or none if they cannot be drawn."""
        draw, description = {"bars": bars, "lines": lines}[self.kind], escaped(self.description)
        rows = [{name: escaped(value) if isinstance(value, str) else value for name, value in row.items()} for row in self.rows]
        forms = []
        for form, width in (("wide", WIDE), ("narrow", NARROW)):
            svg = converter.svg({"title": title(description, width), **draw(rows, width), "config": CONFIG})
            if svg is None:
                return []
            forms.append(finished(svg, description, form))
        return forms


def bars(rows, width):
    """Bars for shares of domains, with a diamond for the share of hosts and a line for its interval.

    Rows have label, domains and hosts (shares), text (the share of domains in words), marks (about hosts), described (for screen readers), and
    perhaps low and high. The text is before the bar, where nobody can take it for that of the diamond.
    """
    is_narrow = width == NARROW
    labels, numbers, plot = columns_of(rows, width)
    values = [{**row, "end": max(row["domains"], row["hosts"], row.get("high") or 0)} for row in rows]
    highest = max(row["end"] for row in values)
    ticks = ticks_of(highest)
    # The marks at the end of the longest bar need room.
    room = (max(len(row["marks"]) for row in rows) * CHARACTER + 8) / plot
    axis_end = max(ticks[-1], highest / max(0.3, 1 - room))
    y = label_axis(rows, width, labels, numbers)
    below = BELOW_LABEL if is_narrow else 0
    x = {"type": "quantitative", "scale": {"domain": [0, axis_end], "nice": False, "zero": True},
         "axis": {"values": ticks, "format": tick_format(ticks), "title": None}}
    text = {"type": "text", "color": "currentColor", "aria": False}
    layers = [*label_layer(width, y, numbers), {"mark": {"type": "bar", "color": BLUE, "height": BAR_HEIGHT, "yOffset": below},
               "encoding": {"y": y, "x": {**x, "field": "domains"}, "description": {"field": "described"}}}]
    if any(row.get("low") is not None for row in rows):
        layers.append({"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "stroke": "currentColor", "strokeWidth": 1.5, "yOffset": below, "aria": False},
                       "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}})
    layers.append({"mark": {"type": "point", "shape": "diamond", "filled": True, "size": 90, "color": VERMILION, "opacity": 1, "yOffset": below, "aria": False},
                   "encoding": {"y": y, "x": {**x, "field": "hosts"}}})
    layers.append({"mark": {**text, "align": "right", "dy": -11 if is_narrow else 0},
                   "encoding": {"y": y, "x": {"value": plot if is_narrow else -6}, "text": {"field": "text"}}})
    layers.append({"transform": [{"filter": "datum.marks"}], "mark": {**text, "align": "left", "dx": 8, "dy": below},
                   "encoding": {"y": y, "x": {**x, "field": "end"}, "text": {"field": "marks"}}})
    return {"width": plot, "height": {"step": step_of(width)}, "data": {"values": values}, "layer": layers}


def lines(rows, width):
    """Two panels of lines over time. Rows have crawl, time (in milliseconds since 1970), line (points with the same number are connected),
    alone (the name of a crawl without a line, or None), panel, series, share, described, and perhaps low and high."""
    series = list(dict.fromkeys(row["series"] for row in rows))
    times = sorted({row["time"] for row in rows})
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    per_row = len(panels) if width == WIDE else 1
    plot = (width - 60) // per_row - 40 if per_row > 1 else width - 60
    highest = max(max(row["share"], row.get("high") or 0) for row in rows)
    ticks = ticks_of(highest)
    margin = max(DAY, (times[-1] - times[0]) / 15)
    # The time of a text's height: texts that are nearer would overlap.
    height = (times[-1] - times[0] + 2 * margin) * 16 / plot
    names = names_at({row["time"]: row["alone"] for row in rows if row["alone"]}, height)
    rows = [{**row, "name": names.get(row["time"]) if row["alone"] and row["series"] == series[0] else None} for row in rows]
    x = {"field": "time", "type": "temporal", "scale": {"type": "utc", "domain": [times[0] - margin, times[-1] + margin], "nice": False},
         "axis": {"title": None, "labelAngle": -60, "labelOverlap": False, "grid": False, **dates_of(times, height)}}
    # The symbols of many crawls are smaller, so that they do not hide the lines.
    size = min(50, max(9, (plot / len(times)) ** 2))
    y = {"field": "share", "type": "quantitative", "scale": {"domain": [0, max(ticks[-1], highest)], "nice": False},
         "axis": {"values": ticks, "format": tick_format(ticks), "title": None}}

    def of_series(values):
        return {"field": "series", "type": "nominal", "legend": legend(width, series),
                "scale": {"domain": series, "range": [values[i % len(values)] for i in range(len(series))]}}

    return {
        "data": {"values": rows},
        "facet": {"field": "panel", "sort": panels, "title": None, "header": {"labelColor": "currentColor", "labelFontSize": 12, "labelFontWeight": "bold"}},
        "columns": per_row,
        "resolve": {"axis": {"x": "independent", "y": "independent"}},
        "spec": {
            "width": plot, "height": 200,
            "encoding": {"x": x, "y": y, "color": of_series(list(SERIES))},
            "layer": [
                {"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
                 "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}}},
                {"mark": {"type": "line", "strokeWidth": 2, "aria": False}, "encoding": {"strokeDash": of_series(DASHES), "detail": {"field": "line"}}},
                {"transform": [{"filter": "isValid(datum.name)"}],
                 "mark": {"type": "text", "angle": 270, "align": "right", "baseline": "bottom", "dy": -4, "fontSize": 10, "limit": 190, "aria": False},
                 "encoding": {"x": x, "y": {"value": 0}, "color": {"value": "currentColor"}, "text": {"field": "name"}}},
                {"mark": {"type": "point", "filled": True, "size": size, "opacity": 1},
                 "encoding": {"shape": of_series(SHAPES), "description": {"field": "described"}}},
            ]}}


def coinciding(rows):
    """Returns a sentence for the series of each panel whose lines hide each other."""
    found = {}
    for panel in dict.fromkeys(row["panel"] for row in rows):
        series = {}
        for row in (row for row in rows if row["panel"] == panel):
            series.setdefault(row["series"], {})[row["time"]] = row["share"]
        near = NEAR * max(max(points.values()) for points in series.values())
        groups = []
        for name, points in series.items():
            of_points = next((group for group in groups if all(abs(share - series[group[0]].get(time, math.inf)) <= near for time, share in points.items())), None)
            groups.append([name]) if of_points is None else of_points.append(name)
        for group in groups[:] if len(series) > 1 else []:
            found.setdefault(tuple(group), []).append(panel)
    return [f"{', '.join(group[:-1])} and {group[-1]} have the same line ({', '.join(panels)})" for group, panels in found.items() if len(group) > 1]


def title(description, width):
    """Returns the title of a chart, so that a picture of it alone says what it shows."""
    return {"text": textwrap.wrap(description, width // 7), "anchor": "start", "fontSize": 12, "color": "currentColor", "offset": 10, "aria": False}


def columns_of(rows, width):
    """Returns the widths of the labels, of the numbers and of the plot. In the narrow form, both are above their bars."""
    numbers = max(len(row["text"]) for row in rows) * 6.6 + 8
    if width == NARROW:
        return 0, numbers, width - 24
    longest = max(len(row["label"]) for row in rows) * 6.6 + 6
    labels = min(longest, width * 0.36)
    return labels, numbers, int(width - labels - numbers - 30)


def step_of(width):
    return 42 if width == NARROW else 26


def label_axis(rows, width, limit, numbers):
    axis = None if width == NARROW else {"title": None, "labelLimit": limit, "ticks": False, "domain": False, "grid": False, "labelPadding": numbers + 6}
    return {"field": "label", "type": "nominal", "sort": list(dict.fromkeys(row["label"] for row in rows)), "axis": axis}


def label_layer(width, y, numbers):
    """Returns the labels above the bars of the narrow form."""
    if width != NARROW:
        return []
    return [{"mark": {"type": "text", "align": "left", "dy": -11, "color": "currentColor", "limit": NARROW - 30 - numbers, "aria": False},
             "encoding": {"y": y, "x": {"value": 1}, "text": {"field": "label"}}}]


def legend(width, names):
    """Returns the legend: a line of the wide form, or columns if the names do not fit in a line."""
    one_line = sum(len(name) * 6.6 + 28 for name in names) <= width
    columns = {} if one_line or width == NARROW else {"columns": math.ceil(len(names) / 2)}
    return {"title": None, "orient": "top", "direction": "horizontal" if width == WIDE else "vertical", "labelLimit": width - 60, "labelFontSize": 12, **columns}


def ticks_of(highest):
    """Returns about five ticks from 0 up to the largest share, which are shares of at most 1."""
    if highest <= 0:
        return [0, 0.01]
    step = 10 ** math.floor(math.log10(highest / 4))
    step = next(step * factor for factor in (1, 2, 5, 10) if highest / (step * factor) <= 4)
    n = min(math.ceil(highest / step - 1e-9), round(1 / step))
    return [round(step * i, 12) for i in range(n + 1)]


def tick_format(ticks):
    """Returns a format that shows each tick exactly."""
    digits = max(0, -math.floor(math.log10(ticks[1] * 100) + 1e-9)) if len(ticks) > 1 else 0
    return f".{digits}%"


def names_at(names, least):
    """Returns names by time. Those of times that are nearer than `least` are one text, at the last of these times."""
    found = {}
    for time in sorted(names, reverse=True):
        near = next((other for other in found if other - time < least), time)
        found[near] = f"{names[time]}, {found[near]}" if near in found else names[time]
    return found


def dates_of(times, least):
    """Returns the labels of an axis of time: the crawls, or the years if there are too many crawls in them for a label each."""
    shown = apart(times, least)
    first, last = (datetime.datetime.fromtimestamp(time / 1000, datetime.UTC).year for time in (times[0], times[-1]))
    if len(shown) < len(times) and last - first >= YEARS_MIN:
        years = [datetime.datetime(year, 1, 1, tzinfo=datetime.UTC) for year in range(first + 1, last + 1)]
        return {"values": [year.timestamp() * 1000 for year in years], "format": "%Y"}
    return {"values": shown, "format": "%Y-%m" if times[-1] - times[0] > 60 * DAY else "%Y-%m-%d"}


def apart(times, least):
    """Returns the times of which each is at least this far from the one after it, and the last of them."""
    found = []
    for time in reversed(times):
        if not found or found[-1] - time >= least:
            found.append(time)
    return found[::-1]


CONFIG = {
    "background": None, "font": FONT, "padding": 4, "view": {"stroke": None},
    "axis": {"labelColor": "currentColor", "labelFontSize": 12, "gridColor": "currentColor", "gridOpacity": 0.15, "domainColor": "currentColor",
             "domainOpacity": 0.5, "tickColor": "currentColor", "tickOpacity": 0.5, "aria": False},
    "text": {"fontSize": 12, "font": FONT}, "legend": {"labelColor": "currentColor", "aria": False},
    "header": {"labelFont": FONT}, "title": {"font": FONT},
}

# Parts of Vega's SVG that draw nothing.
INVISIBLE = re.compile(r'<path class="(?:background|foreground)"[^>]*?/>|<text[^>]*? opacity="0"[^>]*>[^<]*</text>')
# Coordinates, whose last digits nobody sees. Texts and labels are left as they are.
COORDINATES = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
LONG_NUMBER = re.compile(r"(-?\d+\.\d{2})\d+")


def finished(svg, description, form):
    """Returns Vega's SVG as an `svg` element of the class `form`."""
    # The title of a panel is a text, not a mark.
    svg = COORDINATES.sub(lambda found: LONG_NUMBER.sub(r"\1", found[0]), INVISIBLE.sub("", svg)).replace(' role="graphics-symbol" aria-roledescription="title"', "")
    head, body = svg.split(">", 1)
    size = re.search(r'width="(\d+)" height="(\d+)"', head)
    label = description.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="{form}" role="graphics-document" aria-label="{label}" '
            f'width="{size[1]}" height="{size[2]}" viewBox="0 0 {size[1]} {size[2]}">{body}')
