// Makes elements. Texts become text nodes, so that a name is never read as HTML.

// Those of src/cli/escape.rs but the line break, and surrogates.
const CONTROLS = /[\0-\t\v-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/gu;

/** Returns a text in which control characters, and those that change the direction of writing, are visible escapes. */
export const escaped = (text) => String(text).replace(CONTROLS, (char) => ({ "\r": "\\r", "\t": "\\t" })[char]
  ?? (char < "\x80" ? `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}` : `\\u{${char.charCodeAt(0).toString(16)}}`));

/** Returns an element with attributes and children: elements, texts, or lists of them; null and false are left out. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Returns an element of SVG. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, escaped(value));
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => child instanceof Node ? child : escaped(child)));
  return element;
}

/**
 * Returns a table in a container that scrolls. A row is a list of cells: texts, elements, or `number(…)`. On a narrow screen,
 * the layout "blocks" shows each cell of a row on a line of its own, and "lines" one after the other; the roles keep it a table for
 * screen readers.
 */
export function table(caption, headers, rows, layout = "") {
  const text = (cell) => cell?.isNumber ? cell.text : cell;
  const cell = (value, i) => make(i ? "td" : "th", { scope: i ? null : "row", role: i ? "cell" : "rowheader", "class": value?.isNumber && "number", "data-header": text(headers[i]) }, text(value));
  const row = (cells) => make("tr", { role: "row" }, cells);
  return make("div", { "class": `scroll ${layout}`, role: "region", "aria-label": caption },
    make("table", { role: "table" }, make("caption", {}, caption),
      make("thead", { role: "rowgroup" }, row(headers.map((header) => make("th", { scope: "col", role: "columnheader", "class": header?.isNumber && "number" }, text(header))))),
      make("tbody", { role: "rowgroup" }, rows.map((cells) => row(cells.map(cell))))));
}

/** Returns a cell whose text is at the right. */
export const number = (text) => ({ isNumber: true, text });

/** Returns the address of a lookup. It is a fragment, which browsers do not send. */
export const address = (values) => `#${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;

export const link = (values, ...children) => make("a", { href: address(values) }, ...children);

export const digits = (value) => Number(value).toLocaleString("en");

export const count = (value, noun) => `${digits(value)} ${noun}${Number(value) === 1 ? "" : "s"}`;

export const share = (part, whole) => Number(whole) ? `${(100 * Number(part) / Number(whole)).toFixed(1)} %` : "–";

/** Returns the day of a time in milliseconds, or a word if it is not known. */
export const day = (time) => time === null || time === undefined ? "time unknown" : new Date(Number(time)).toISOString().slice(0, 10);

/** Returns the day of a time as an element that is not broken. */
export const dayOf = (time) => time === null || time === undefined ? "time unknown" : make("time", { datetime: day(time) }, day(time));

export const moment = (time) => time === null || time === undefined ? "time unknown" : `${new Date(Number(time)).toISOString().slice(0, 19).replace("T", " ")} UTC`;
