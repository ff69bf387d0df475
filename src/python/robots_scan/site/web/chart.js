// A chart of shares over time: a point per crawl at the median of its times of fetching. Consecutive crawls are connected if they have
// enough hosts in common.

import { day, draw, make, share } from "./dom.js";

const WIDTH = 340, HEIGHT = 150, LEFT = 44, RIGHT = 12, TOP = 10, BOTTOM = 24;

/** Returns a figure, or null if fewer than two crawls have a time. */
export function chart(title, rows, { part, whole }) {
  const points = rows.filter((row) => row.median !== null && Number(row.hosts) > 0);
  if (points.length < 2) return null;
  const [start, end] = [points[0].median, points.at(-1).median];
  const x = (time) => LEFT + (WIDTH - LEFT - RIGHT) * (end > start ? (time - start) / (end - start) : 0.5);
  const value = (row) => Number(row[part]) / Number(row[whole]);
  const top = scaleOf(Math.max(...points.map(value)));
  const y = (height) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * height / top;
  const isConnected = (before, row) => row.is_connected && row.position === before.position + 1;
  const isWhole = points.every((row, i) => !i || isConnected(points[i - 1], row));
  const said = points.map((row) => `${row.crawl}: ${share(row[part], row[whole])}`).join("; ");
  return make("figure", { "class": "chart" }, make("figcaption", {}, title),
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}. ${said}` },
      [0, top / 2, top].map((tick) => [draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tick), y2: y(tick), "class": "grid" }),
        draw("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, `${+(100 * tick).toPrecision(3)} %`)]),
      draw("text", { x: LEFT, y: HEIGHT - 6, "text-anchor": "start" }, day(start)), draw("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, day(end)),
      draw("path", { d: points.map((row, i) => `${i && isConnected(points[i - 1], row) ? "L" : "M"}${x(row.median).toFixed(1)},${y(value(row)).toFixed(1)}`).join(" "), "class": "line" }),
      points.map((row) => draw("circle", { cx: x(row.median).toFixed(1), cy: y(value(row)).toFixed(1), r: 3, "class": "point" }, draw("title", {}, `${row.crawl}: ${share(row[part], row[whole])}`)))),
    make("p", { "class": "hint" }, "Crawls capture different hosts, so a step may be a change of the sample.", !isWhole && " Crawls that have less than half of their hosts in common are not connected."));
}

/** Returns the top of an axis: the next of 1, 2, 4, 10, … per mille. */
function scaleOf(largest) {
  const steps = [0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 1];
  return steps.find((step) => step >= largest) ?? 1;
}
