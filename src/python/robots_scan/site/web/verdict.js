// The verdict of a host for any crawler, from the rows of the crawlers that the host names. It is the rule of the macro `verdicts_of`:
// if you change it there, change it here. tests/python/test_site.py compares them.

/**
 * Returns the verdict of a capture for a crawler: `verdict`, `basis`, `line`, and `dialects`.
 *
 * `named` has the rows of the capture by crawler, and `crawler` is a row of `agents.json`. The crawler obeys its own group, otherwise
 * that of the first of its fallbacks that has one, otherwise `*`.
 */
export function verdictOf(capture, named, crawler) {
  const own = named.get(crawler.agent);
  const group = crawler.agent === "*" ? undefined : [crawler.agent, ...crawler.fallbacks].map((name) => named.get(name)).find((row) => row && (row.basis === "explicit" || row.basis === "too_complex"));
  const isUnknown = !group && !capture.has_named_rows && crawler.agent !== "*";
  const isFree = !group && !isUnknown && crawler.ignoresWildcard && capture.basis !== "http_status";
  const { verdict, basis, line } = group ?? (isUnknown ? { verdict: "unknown", basis: "too_complex", line: null }
    : isFree ? { verdict: "allow_all", basis: "no_group", line: null } : capture);
  const dialects = {};
  for (const dialect of ["google", "rfc9309", "koster1996"]) dialects[dialect] = isUnknown ? "unknown" : own?.[dialect] ?? capture[dialect];
  return { verdict, basis, line, dialects, by: group && group !== own ? group.agent : null };
}

/** Returns the rows of a capture by crawler. */
export function namedAt(verdicts, number) {
  return new Map(verdicts.filter((row) => row.number <= number && number < row.number + row.captures).map((row) => [row.agent, row]));
}

const isByName = ({ verdict, basis }) => verdict === "disallow_all" && basis === "explicit";
const isSame = (a, b) => a.verdict === b.verdict && (a.basis === "http_status") === (b.basis === "http_status") && isByName(a) === isByName(b);

/**
 * Returns since when the verdict of the last capture holds: the first of the captures at the end of the list with equal verdicts, and
 * the capture before it, which is undefined if there is none. A verdict of the HTTP status is another one than that of a file,
 * and a block by name another one than a block through *.
 */
export function since(answers) {
  let first = answers.length - 1;
  while (first > 0 && isSame(answers[first - 1], answers.at(-1))) first--;
  return { first: answers[first], before: answers[first - 1] };
}
