// The page of a host: its captures, and the verdicts for the crawlers that it names, or for one crawler.

import { crawlers, rowsOf, site } from "./data.js";
import { count, day, dayOf, link, make, moment, number, table } from "./dom.js";
import { hostOfSurt, similar, surtOf } from "./names.js";
import { namedAt, since, verdictOf } from "./verdict.js";
import { DIALECTS, VERDICTS, basis, response } from "./words.js";

// Crawlers of a host and hosts of a domain that are listed at once.
const CRAWLERS_MAX = 40, NEAR_MAX = 20;
// A host is similar to a typed name if so many characters differ.
const TYPOS_MAX = 2;

/** Returns the title, the elements of the page, and a sentence for the status. `crawler` is a row of `agents.json`, or a name that is not in it, or null. */
export async function hostPage(host, crawler) {
  const key = surtOf(host);
  const [about, registry, { rows, near }] = await Promise.all([site(), crawlers(), rowsOf("captures", key)]);
  const captures = rows.map((row) => ({ ...row, crawlName: about.crawls[row.crawl].crawl })).sort((a, b) => a.number - b.number);
  if (!captures.length) return missing(host, key, near);
  const { rows: verdicts } = await rowsOf("verdicts", key);
  const name = hostOfSurt(key);
  // The rows of each capture by crawler.
  const named = captures.map((capture) => namedAt(verdicts, capture.number));
  const answersFor = (asked) => captures.map((capture, i) => ({ capture, ...verdictOf(capture, named[i], asked) }));
  const wildcard = registry.get("*") ?? { agent: "*", token: "*", fallbacks: [] };
  const asked = crawler ?? wildcard;
  const answers = answersFor(asked);
  const last = captures.at(-1);
  const parts = [
    host !== name && make("p", { "class": "hint" }, `${host} and ${name} count as one host.`),
    make("p", {}, `Captured in ${captures.length} of ${count(about.crawls.length, "crawl")}, `, captures.length === 1 ? `on ${day(last.time)}. ` : `from ${day(captures[0].time)} to ${day(last.time)}. `,
      last.domain && last.domain !== name ? `Its registered domain is ${last.domain}. ` : "", `Last response: ${response(last)}.`),
    crawler ? answer(name, asked, answers) : namedCrawlers(name, last, [...named.at(-1).keys()], answersFor, registry, wildcard),
    history(asked, answers, about.is_history),
  ];
  if (about.with_rules) parts.push(await rules(key, captures));
  parts.push(neighbours(key, last, near));
  const who = asked.agent === "*" ? "Other crawlers" : asked.token;
  const status = crawler ? `${name} and ${who}: ${VERDICTS[answers.at(-1).verdict]}` : `${name}: ${count(captures.length, "capture")}`;
  return { title: crawler ? `${who} on ${name}` : name, parts, status };
}

/** Returns the elements that say how the host treats a crawler, and since when. */
function answer(name, crawler, answers) {
  const last = answers.at(-1), { first, before } = since(answers);
  const who = crawler.agent === "*" ? "A crawler that the file does not name" : crawler.token;
  // A name that nobody knows may be a mistake, so the verdict for all others is not said of it in large type.
  const isDoubtful = crawler.isMisspelt && last.basis !== "explicit";
  const word = isDoubtful ? "Not named" : { disallow_all: "Blocked", partial: "Blocked from some paths", allow_all: "Not blocked", unknown: "Unknown" }[last.verdict];
  const line = last.line === null ? "" : ` (line ${last.line})`;
  const at = ({ capture }) => `${day(capture.time)} (${capture.crawlName})`;
  const dialects = Object.keys(DIALECTS).filter((dialect) => last.dialects[dialect] !== last.verdict);
  const verdict = VERDICTS[last.verdict] === "unknown" ? "has an unknown verdict" : VERDICTS[last.verdict];
  return make("section", { "class": `answer ${isDoubtful ? "unknown" : last.verdict}`, id: "answer" },
    make("p", { "class": "word" }, isDoubtful ? `${word}: no group on ${name} is for ${who}. A crawler that is not named ${verdict}` : `${word}: ${who} ${verdict} on ${name}`),
    make("p", {}, last.verdict === "unknown" ? `The last capture, of ${at(last)}, does not allow a decision: ` : `At the last capture, of ${at(last)}. Decided by: `, basis(last.basis, last.by), `${line}. `,
      last.basis === "http_status" && last.verdict === "disallow_all" ? "The server sent an error for robots.txt, which stops every crawler and names none. " : "",
      last.capture.refusal === "refused" ? "The server refused to send robots.txt, and may refuse pages, too. " : last.capture.refusal === "payment" ? "The server sends robots.txt only against payment. " : ""),
    make("p", { id: "since" }, before
      ? `Since the capture of ${at(first)}. The capture before it, of ${at(before)}, said: ${VERDICTS[before.verdict]}, by ${basis(before.basis, before.by)}.`
      : `Since the first capture, of ${at(first)}, or earlier.`),
    last.verdict !== "unknown" && dialects.length > 0 && make("p", {}, "Read by other rules: ", dialects.map((dialect) => `${DIALECTS[dialect]}: ${VERDICTS[last.dialects[dialect]]}`).join("; "), "."),
    crawler.agent !== "*" && make("p", {}, crawler.isRegistered && [link({ crawler: crawler.agent }, `Who else blocks ${crawler.token}`), " · "], link({ host: name }, `All crawlers on ${name}`)));
}

/** Returns the table of the crawlers that the last capture names. */
function namedCrawlers(name, last, names, answersFor, registry, wildcard) {
  const info = (agent) => registry.get(agent) ?? { agent, token: agent, fallbacks: [], category: null };
  const rank = (agent) => registry.get(agent)?.category?.startsWith("ai_") ? 0 : registry.get(agent)?.isRegistered ? 1 : 2;
  const agents = names.sort((a, b) => rank(a) - rank(b) || (info(a).token.toLowerCase() < info(b).token.toLowerCase() ? -1 : 1));
  const row = (crawler) => {
    const answers = answersFor(crawler);
    const { verdict, line, ...by } = answers.at(-1), { first, before } = since(answers);
    return [link({ host: name, crawler: crawler.agent }, crawler.agent === "*" ? "all others (*)" : crawler.token), make("span", { "class": `verdict ${verdict}` }, VERDICTS[verdict]), basis(by.basis, by.by),
      number(line === null ? "–" : String(line)), [dayOf(first.capture.time), before ? "" : " or earlier"]];
  };
  const rows = [row(wildcard), ...agents.map((agent) => row(info(agent)))];
  const headers = ["Crawler", "Verdict", "Decided by", number("Line"), "Since the capture of"];
  return make("section", { id: "named" }, make("h3", {}, "Crawlers at the last capture"),
    !last.has_named_rows && make("p", { "class": "warning" }, "The file names too many crawlers to decide for each of them."),
    table(`Verdicts of ${name} for the crawlers that it names, at the capture of ${day(last.time)}`, headers, rows.slice(0, CRAWLERS_MAX), "lines"),
    rows.length > CRAWLERS_MAX && make("details", {}, make("summary", {}, `${count(rows.length - CRAWLERS_MAX, "more crawler")}`),
      table(`More crawlers that ${name} names`, headers, rows.slice(CRAWLERS_MAX), "lines")));
}

/** Returns the table of captures, the last one first, with the verdict for a crawler. */
function history(crawler, answers, isHistory) {
  const record = (capture) => make("span", {}, make("code", {}, capture.archive ?? "unknown archive"), ` at ${capture.record_offset}`,
    capture.record_length === null ? "" : `, length ${capture.record_length}`, capture.in_member > 0 && `, record ${capture.in_member} there`,
    rulesRecord(capture));
  const rulesRecord = (capture) => capture.rules_archive !== null ? make("span", {}, "; its rules: ", make("code", {}, capture.rules_archive), ` at ${capture.rules_offset}`,
    capture.rules_in_member > 0 && `, record ${capture.rules_in_member} there`)
    : isHistory && capture.redirect_end === "resolved" ? "; its rules are in another record" : null;
  const rows = answers.toReversed().map(({ capture, verdict, line, ...by }) => [moment(capture.time), capture.crawlName, response(capture), make("span", { "class": `verdict ${verdict}` }, VERDICTS[verdict]),
    basis(by.basis, by.by), number(line === null ? "–" : String(line)), record(capture)]);
  const of = crawler.agent === "*" ? "crawlers that the file does not name" : crawler.token;
  return make("section", { id: "captures" }, make("h3", {}, "Captures"),
    table(`Captures, and the verdict of each for ${of}`, ["Fetched", "Crawl", "Response", `Verdict for ${crawler.agent === "*" ? "all others (*)" : crawler.token}`, "Decided by", number("Line"), "Record"], rows, "blocks"));
}

/** Returns the rules of the host, those of the last captures first. */
async function rules(key, captures) {
  const { rows } = await rowsOf("rules", key);
  const spans = Map.groupBy(rows, (row) => row.number);
  const about = await site();
  return make("section", { id: "rules" }, make("h3", {}, "Rules"), !spans.size && make("p", {}, "No capture has rules."),
    [...spans].sort(([a], [b]) => b - a).map(([first, lines], i) => {
      const of = captures.slice(first, first + lines[0].captures);
      return make("details", { open: i === 0 && "" }, make("summary", {}, of.length === 1 ? `Capture of ${day(of[0].time)}` : `Captures from ${day(of[0].time)} to ${day(of.at(-1).time)}`, `: ${count(lines.length, "line")}`),
        make("pre", { tabindex: "0" }, lines.sort((a, b) => a.line - b.line).map(({ line, text }) => `${String(line).padStart(6)}  ${text}\n`)),
        lines.length >= about.lines_max && make("p", {}, `The first ${count(about.lines_max, "line")}.`));
    }));
}

/** Returns links to other hosts of the registered domain that were read with the host. */
function neighbours(key, last, near) {
  const others = [...new Set(near.filter((row) => row.host !== key && last.domain !== null && row.domain === last.domain).map((row) => row.host))];
  return others.length > 0 && make("section", { id: "near" }, make("h3", {}, `Other hosts of ${last.domain}`),
    make("ul", { "class": "links" }, others.slice(0, NEAR_MAX).map((surt) => make("li", {}, link({ host: hostOfSurt(surt) }, hostOfSurt(surt)))), others.length > NEAR_MAX && make("li", {}, "and more")));
}

function missing(host, key, near) {
  const hosts = [...new Set(near.map((row) => row.host))];
  const domain = key.split(",").slice(0, 2).join(",");
  const related = hosts.filter((surt) => surt.startsWith(`${key},`) || key.startsWith(`${surt},`) || surt === domain || surt.startsWith(`${domain},`));
  const suggested = [...new Set([...similar(key, hosts, NEAR_MAX, TYPOS_MAX), ...related])].slice(0, NEAR_MAX);
  const above = key.split(",").length > 2 && !/^[0-9,]+$/.test(key) && hostOfSurt(key.replace(/,[^,]*$/, ""));
  return {
    title: host, status: `${host} is not in this site`, parts: [
      make("p", { "class": "missing" }, `No capture of ${host} is in this site. Its verdicts are unknown: it may not have been crawled, or it was left out.`),
      suggested.length === 0 && make("p", { id: "try" }, "No host with a similar name was found. Check the spelling", above && [", or try ", link({ host: above }, above)], ". A name with and without www. is the same host."),
      suggested.length > 0 && make("section", {}, make("h3", {}, "Hosts with similar names"), make("ul", { "class": "links" }, suggested.map((surt) => make("li", {}, link({ host: hostOfSurt(surt) }, hostOfSurt(surt)))))),
    ],
  };
}
