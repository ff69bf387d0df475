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
# If the largest share of hosts is more than this many times that of domains, the axis fits the bars, and diamonds beyond it have their numbers.
BEYOND = 2.5
# The part of the plot before diamonds beyond the axis that ticks take.
TICKS_PART = 0.85
# Pixels: the height of a panel of lines, of a text, and of a point.
PANEL_HEIGHT, TEXT_HEIGHT, POINT = 200, 13, 9
# Pixels from a point to the middle of the number beside it, by the side.
SIDES = {"above": (0, -12), "below": (0, 13), "right": (0, 0), "left": (0, 0)}
# The outline of a mark that may be over a bar: it contrasts with bars and with the page by more than 3, in both colour schemes.
OUTLINE = {"stroke": "currentColor", "strokeWidth": 1.25, "strokeOpacity": 1}
# Of fewer hosts or registered domains, shares are not ranked: bars are grey, and points are hollow.
FEW = 30
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


@dataclass(frozen=True)
class Chart:
    """What is drawn. `kind` is 'bars' or 'lines'; `rows` have the fields that the functions below describe."""

    kind: str
    description: str
    rows: list[dict] = field(repr=False)
    unit: str = "hosts"

    def caption(self, is_first=True):
        """Returns what bars and symbols mean. The head of the page has the rest, and the first chart what most of them have."""
        parts = []
        if self.kind == "lines":
            if any(row.get("low") is not None for row in self.rows):
                parts.append("Vertical line: 95 % interval of the share of hosts")
            if any(row["few"] for row in self.rows):
                parts.append(f"Hollow: below {FEW}")
            if any(row["number"] for row in self.rows):
                parts.append("Numbers: hosts or domains, below 100")
            parts += coinciding(self.rows)
            return "; ".join(parts) + "." if parts else ""
        if any(row.get("low") is not None for row in self.rows):
            parts.append("line: 95 % interval")
        if is_first or parts or self.unit != "hosts":
            parts = ["Bars: registered domains", f"◆: {self.unit}", *parts]
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


def is_beyond(rows):
    """Returns true if shares of hosts are so much larger than those of domains that the axis fits the bars: one domain may have most hosts."""
    return max(row["hosts"] for row in rows) > BEYOND * max(row["domains"] for row in rows) > 0


def bars(rows, width):
    """Bars for shares of domains, with a diamond for the share of hosts and a line for its interval.

    Rows have label, domains and hosts (shares), text (the share of domains in words), beyond (the share of hosts in words), marks (about hosts), few
    (too few to be ranked), described (for screen readers), and perhaps low and high. The text is before the bar, where nobody can take it for that
    of the diamond.
    """
    is_narrow = width == NARROW
    labels, numbers, plot = columns_of(rows, width)
    if is_beyond(rows):
        # A diamond beyond the axis is at its edge, before its number.
        room = max(len(row["beyond"] + row["marks"]) for row in rows) * CHARACTER + 18
        ticks = ticks_of(max(row["domains"] for row in rows))
        unit = TICKS_PART * (plot - room) / ticks[-1]
        axis_end, edge = plot / unit, (plot - room) / unit
    else:
        highest = max(max(row["domains"], row["hosts"], row.get("high") or 0) for row in rows)
        ticks = ticks_of(highest)
        # The marks at the end of the longest bar need room.
        room = (max(len(row["marks"]) for row in rows) * CHARACTER + 8) / plot
        axis_end, edge = max(ticks[-1], highest / max(0.3, 1 - room)), 1
    values = []
    for row in rows:
        is_outside = row["hosts"] > edge
        low, high = (None, None) if row.get("low") is None or row["low"] > edge else (row["low"], min(row["high"], edge))
        at = min(row["hosts"], edge)
        values.append({**row, "at": at, "low": low, "high": high, "end": max(row["domains"], at, high or 0), "marks": (row["beyond"] if is_outside else "") + row["marks"]})
    y = label_axis(rows, width, labels, numbers)
    below = BELOW_LABEL if is_narrow else 0
    x = {"type": "quantitative", "scale": {"domain": [0, axis_end], "nice": False, "zero": True},
         "axis": {"values": ticks, "format": tick_format(ticks), "title": None}}
    text = {"type": "text", "color": "currentColor", "aria": False}
    layers = [*label_layer(width, y, numbers), {"mark": {"type": "bar", "height": BAR_HEIGHT, "yOffset": below},
               "encoding": {"y": y, "x": {**x, "field": "domains"}, "color": {"condition": {"test": "datum.few", "value": GREY}, "value": BLUE}, "description": {"field": "described"}}}]
    if any(row["low"] is not None for row in values):
        layers.append({"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "stroke": "currentColor", "strokeWidth": 1.5, "yOffset": below, "aria": False},
                       "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}})
    layers.append({"mark": {"type": "point", "shape": "diamond", "filled": True, "size": 90, "color": VERMILION, "opacity": 1, "yOffset": below, "aria": False, **OUTLINE},
                   "encoding": {"y": y, "x": {**x, "field": "at"}}})
    layers.append({"mark": {**text, "align": "right", "dy": -11 if is_narrow else 0},
                   "encoding": {"y": y, "x": {"value": plot if is_narrow else -6}, "text": {"field": "text"}}})
    layers.append({"transform": [{"filter": "datum.marks"}], "mark": {**text, "align": "left", "dx": 8, "dy": below},
                   "encoding": {"y": y, "x": {**x, "field": "end"}, "text": {"field": "marks"}}})
    return {"width": plot, "height": {"step": step_of(width)}, "data": {"values": values}, "layer": layers}


def lines(rows, width):
    """Two panels of lines over time, each with an axis that fits its shares. Rows have crawl, time (in milliseconds since 1970), line (points with the
    same number are connected), panel, series, share, few (too few to be ranked), number (beside the point, or an empty text), described, and
    perhaps low and high."""
    series = list(dict.fromkeys(row["series"] for row in rows))
    times = sorted({row["time"] for row in rows})
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    per_row = len(panels) if width == WIDE else 1
    plot = (width - 60) // per_row - 40 if per_row > 1 else width - 60
    highest = max(max(row["share"], row.get("high") or 0) for row in rows)
    margin = max(DAY, (times[-1] - times[0]) / 15)
    # The time of a text's height: texts that are nearer would touch.
    height = (times[-1] - times[0] + 2 * margin) * 20 / plot
    x = {"field": "time", "type": "temporal", "scale": {"type": "utc", "domain": [times[0] - margin, times[-1] + margin], "nice": False},
         "axis": {"title": None, "labelAngle": -60, "labelOverlap": False, "grid": False, **dates_of(times, height)}}
    # The symbols of many crawls are smaller, so that they do not hide the lines.
    size = min(50, max(9, (plot / len(times)) ** 2))
    y = {"field": "share", "type": "quantitative", "scale": {"nice": False, "zero": True, **({} if highest else {"domain": [0, 0.01]})},
         "axis": {"tickCount": 3, "format": "~%", "title": None}}
    sides = sides_of(rows, plot, times[0] - margin, times[-1] + margin)
    rows = [{**row, "side": sides.get(i)} for i, row in enumerate(rows)]

    def of_series(values):
        return {"field": "series", "type": "nominal", "legend": legend(width, series),
                "scale": {"domain": series, "range": [values[i % len(values)] for i in range(len(series))]}}

    def number(side):
        dx, align = {"right": (7, "left"), "left": (-7, "right")}.get(side, (0, "center"))
        return {"transform": [{"filter": f"datum.side === '{side}'"}], "mark": {
            "type": "text", "align": align, "baseline": "middle", "dx": dx, "dy": SIDES[side][1], "fontSize": 10, "aria": False},
            "encoding": {"color": {"value": "currentColor"}, "text": {"field": "number"}}}

    def points(condition, **mark):
        return {"transform": [{"filter": condition}], "mark": {"type": "point", "size": size, "opacity": 1, **mark},
                "encoding": {"shape": of_series(SHAPES), "description": {"field": "described"}}}

    return {
        "data": {"values": rows},
        "facet": {"field": "panel", "sort": panels, "title": None, "header": {"labelColor": "currentColor", "labelFontSize": 12, "labelFontWeight": "bold"}},
        "columns": per_row,
        "resolve": {"axis": {"x": "independent", "y": "independent"}, "scale": {"y": "independent"}},
        "spec": {
            "width": plot, "height": PANEL_HEIGHT,
            "encoding": {"x": x, "y": y, "color": of_series(list(SERIES))},
            "layer": [
                {"transform": [{"filter": "isValid(datum.low)"}], "mark": {"type": "rule", "strokeWidth": 1.5, "aria": False},
                 "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}}},
                {"mark": {"type": "line", "strokeWidth": 2, "aria": False}, "encoding": {"strokeDash": of_series(DASHES), "detail": {"field": "line"}}},
                points("!datum.few", filled=True), points("datum.few", filled=False, strokeWidth=1.5),
                *(number(side) for side in SIDES if side in sides.values()),
            ]}}


def sides_of(rows, plot, start, end):
    """Returns the side of each point, by its place in `rows`, on which its number has room; points without room have none."""
    found = {}
    for panel in dict.fromkeys(row["panel"] for row in rows):
        of_panel = [(i, row) for i, row in enumerate(rows) if row["panel"] == panel]
        highest = max(max(row["share"], row.get("high") or 0) for _, row in of_panel) or 0.01
        places = {i: ((row["time"] - start) / (end - start) * plot, PANEL_HEIGHT * (1 - row["share"] / highest)) for i, row in of_panel}
        taken = [box(place, POINT, POINT) for place in places.values()]
        seen = set()
        for i, row in of_panel:
            if not row["number"] or (row["time"], row["share"], row["number"]) in seen:
                continue
            seen.add((row["time"], row["share"], row["number"]))
            wide = len(row["number"]) * CHARACTER + 2
            for side, (_, dy) in SIDES.items():
                dx = {"right": 7 + wide / 2, "left": -7 - wide / 2}.get(side, 0)
                text = box((places[i][0] + dx, places[i][1] + dy), wide, TEXT_HEIGHT)
                own = box(places[i], POINT, POINT)
                if text[0] >= 0 and text[1] <= plot and text[2] >= -TEXT_HEIGHT / 2 and text[3] <= PANEL_HEIGHT and not any(are_touching(text, other) for other in taken if other != own):
                    taken.append(text)
                    found[i] = side
                    break
    return found


def box(middle, width, height):
    """Returns the left, right, upper and lower end of a box."""
    return middle[0] - width / 2, middle[0] + width / 2, middle[1] - height / 2, middle[1] + height / 2


def are_touching(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


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
    n_panels = len({row["panel"] for row in rows})
    return [f"{', '.join(group[:-1])} and {group[-1]} have the same line{'' if len(panels) == n_panels else f' ({panels[0]})'}" for group, panels in found.items() if len(group) > 1]


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
INVISIBLE = re.compile(r'<path class="(?:background|foreground)"[^>]*?/>|<g [^>]*role="graphics-symbol"[^>]*/>|<text[^>]*? opacity="0"[^>]*>[^<]*</text>')
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
