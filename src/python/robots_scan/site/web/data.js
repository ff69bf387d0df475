// Reads the files of the site. A lookup reads the footer of one Parquet file and one or two of its row groups, by range requests.

import { parquetMetadata } from "./libraries/hyparquet/src/metadata.js";
import { parquetReadObjects } from "./libraries/hyparquet/src/read.js";
import { gunzip } from "./libraries/hyparquet-compressors/src/gzip.js";
import { compare } from "./names.js";

const compressors = { GZIP: (input, length) => gunzip(input, new Uint8Array(length)) };
const loaded = new Map();

/** Returns the answer of a function, which is called once per key unless it fails. */
function once(key, load) {
  if (!loaded.has(key)) {
    loaded.set(key, load().catch((error) => {
      loaded.delete(key);
      throw error;
    }));
  }
  return loaded.get(key);
}

async function fetched(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(`cannot fetch ${path}: is the network up?`);
  }
  if (!response.ok) throw new Error(`cannot fetch ${path}: the server answered ${response.status}`);
  return response;
}

const json = (name) => once(name, async () => (await fetched(`data/${name}`)).json());

/** Returns the description of the site, with its crawls in order. */
export const site = () => json("site.json");

/** Returns the crawlers by name. */
export const crawlers = () => once("crawlers", async () => new Map((await json("agents.json")).map(([agent, token, operator, category, fallbacks, ignoresWildcard]) => [
  agent, { agent, token: token ?? agent, operator, category, fallbacks: fallbacks ? fallbacks.split(",").map((name) => name.trim()) : [], ignoresWildcard, isRegistered: token !== null },
])));

/** Returns bytes of a file. A server that ignores ranges sends the whole file. */
async function bytes(path, start, end) {
  const response = await fetched(path, { headers: { Range: `bytes=${start}-${end - 1}` } });
  const buffer = await response.arrayBuffer();
  const found = response.status === 206 ? buffer : buffer.slice(start, end);
  if (found.byteLength !== end - start) throw new Error(`${path} is not the file that was published: reload the page`);
  return found;
}

/** Returns the row groups of a file, with the first and last value of a key in each. */
function openFile(table, number, [size, footerSize], key) {
  const path = `data/${table}/${String(number).padStart(4, "0")}.parquet`;
  return once(path, async () => {
    const metadata = parquetMetadata(await bytes(path, size - footerSize, size));
    let row = 0;
    const groups = metadata.row_groups.map((group) => {
      const columns = group.columns.map((column) => column.meta_data);
      const { min_value: first, max_value: last } = columns.find((column) => column.path_in_schema[0] === key).statistics ?? {};
      const starts = columns.map((column) => Number(column.dictionary_page_offset ?? column.data_page_offset));
      const ends = columns.map((column, i) => starts[i] + Number(column.total_compressed_size));
      const rows = { rowStart: row, rowEnd: row + Number(group.num_rows) };
      row = rows.rowEnd;
      return { first, last, ...rows, start: Math.min(...starts), end: Math.max(...ends) };
    });
    return { path, size, metadata, groups };
  });
}

/** Reads consecutive row groups with one request. */
async function readGroups({ path, size, metadata }, groups) {
  const [start, end] = [groups[0].start, groups.at(-1).end];
  const buffer = await bytes(path, start, end);
  const file = { byteLength: size, slice: (from, to) => buffer.slice(from - start, to - start) };
  return parquetReadObjects({ file, metadata, compressors, rowStart: groups[0].rowStart, rowEnd: groups.at(-1).rowEnd });
}

/** Returns the rows of a table that have a value of its key, and the rows that were read with them. */
export async function rowsOf(table, value) {
  const files = await json("files.json");
  const { key, sizes } = files.tables[table];
  const firsts = files[key];
  if (!firsts.length) return { rows: [], near: [] };
  let number = firsts.length - 1;
  while (number > 0 && compare(firsts[number], value) > 0) number--;
  const file = await openFile(table, number, sizes[number], key);
  if (!file.groups.length) return { rows: [], near: [] };
  const holds = ({ first, last }) => first === undefined || (compare(first, value) <= 0 && compare(last, value) >= 0);
  let groups = file.groups.filter(holds);
  // The rows around the place where the value would be.
  if (!groups.length) groups = [file.groups.findLast(({ first }) => compare(first, value) < 0) ?? file.groups[0]];
  const near = await once(`${file.path} ${groups[0].start} ${groups.at(-1).end}`, () => readGroups(file, groups));
  return { rows: near.filter((row) => row[key] === value), near };
}
