// The page of a crawler: how many hosts and registered domains block it in each crawl, and which domains do.

import { chart } from "./chart.js";
import { crawlers, rowsOf, site } from "./data.js";
import { count, dayOf, digits, link, make, number, share, table } from "./dom.js";
import { hostOfSurt, similar } from "./names.js";

const PAGE = 50;

/** Returns the title, the elements of the page, and a sentence for the status. */
export async function crawlerPage(agent) {
  const [about, registry] = await Promise.all([site(), crawlers()]);
  const crawler = registry.get(agent);
  if (!crawler) return missing(agent, registry);
  const [{ rows: counts }, { rows: blockers }] = await Promise.all([rowsOf("trends", agent), rowsOf("blockers", agent)]);
  const trend = counts.map(({ crawl, ...row }) => ({ ...row, position: crawl, ...about.crawls[crawl], hosts: Number(row.hosts) })).sort((a, b) => a.position - b.position);
  const last = trend.at(-1);
  const isAll = agent === "*";
  const title = isAll ? "Crawlers that a file does not name (*)" : crawler.token;
  const facts = isAll ? [] : [crawler.operator && `Operator: ${crawler.operator}`, crawler.category && `category: ${crawler.category.replaceAll("_", " ")}`,
    crawler.fallbacks.length > 0 && `without a group of its own, it obeys that for ${crawler.fallbacks.join(", ")}`, crawler.ignoresWildcard && "ignores the group for *"].filter(Boolean);
  const parts = [facts.length > 0 && make("p", {}, `${facts.join("; ")}.`)];
  if (!last) parts.push(make("p", { "class": "missing" }, "No crawl has a verdict for it."));
  else {
    if (!isAll) {
      parts.push(make("p", { "class": "lead", id: "lead" }, `In ${last.crawl}, ${count(last.by_name, "host")} of ${digits(last.hosts)} with a known verdict (${share(last.by_name, last.hosts)}) blocked ${crawler.token} by name. `,
        `Of ${count(last.domains, "registered domain")}, ${digits(last.domains_by_name)} had at least one such host. Hosts that block it through the rules for crawlers that they do not name (*), or answer 429 or 5xx, are in the table below.`),
      Number(last.by_name) >= 5 && Number(last.largest_domain) * 2 >= Number(last.by_name) && make("p", { "class": "warning" }, `${share(last.largest_domain, last.by_name)} of these hosts are of one registered domain.`),
      last.is_sample && make("p", { "class": "warning" }, "The archives of this crawl are a random sample, so shares of all hosts have an error."),
      chart(`Shares of hosts that block ${crawler.token} by name`, trend, { part: "by_name", whole: "hosts" }));
    }
    parts.push(make("section", { id: "trend" }, make("h3", {}, "Crawls"),
      table(`Hosts that block ${isAll ? "all crawlers that they do not name" : crawler.token}, crawl by crawl`,
        ["Crawl", "Median day", ...isAll ? [] : [number("Hosts that block by name"), number("Domains with such a host"), number("of domains")], number("Hosts with a known verdict"), number("Block through *"), number("429 or 5xx"), number("Block some paths")],
        trend.toReversed().map((row) => [row.crawl, dayOf(row.median),
          ...isAll ? [] : [number(`${digits(row.by_name)} (${share(row.by_name, row.hosts)})`), number(digits(row.domains_by_name)), number(digits(row.domains))],
          number(digits(row.hosts)), ...["by_wildcard", "by_status", "partly"].map((column) => number(`${digits(row[column])} (${share(row[column], row.hosts)})`))]), "blocks"),
      make("p", { "class": "hint" }, "A registered domain is counted if at least one of its hosts blocks by name. Rules for * and statuses name no crawler.")));
    if (!isAll) parts.push(blockersOf(crawler, last, blockers.sort((a, b) => a.rank - b.rank), about));
  }
  return { title, parts, status: last && !isAll ? `${crawler.token}: blocked by name by ${count(last.by_name, "host")} in ${last.crawl}` : title };
}

/** Returns the list of domains that block a crawler, page by page. */
function blockersOf(crawler, last, blockers, about) {
  const section = make("section", { id: "blockers" });
  const show = (page, isAsked) => {
    const pages = Math.ceil(blockers.length / PAGE);
    const button = (text, other) => {
      const element = make("button", { type: "button", disabled: other < 0 || other >= pages ? "" : null }, text);
      element.addEventListener("click", () => show(other, true));
      return element;
    };
    const heading = make("h3", { tabindex: "-1" }, `Who blocks ${crawler.token}`);
    section.replaceChildren(...[heading, blockers.length ? table(
      `Registered domains whose hosts block ${crawler.token} by name in ${last.crawl}: those with most hosts first, then by name`, ["Registered domain", number("Hosts that block"), "A host"],
      blockers.slice(page * PAGE, (page + 1) * PAGE).map(({ domain, hosts, host }) => [domain, number(digits(hosts)), link({ host: hostOfSurt(host), crawler: crawler.agent }, hostOfSurt(host))]))
      : make("p", { "class": "missing" }, `No host of this site blocks ${crawler.token} by name in ${last.crawl}.`),
    pages > 1 && make("nav", { "aria-label": "Pages of the list", "class": "pages" }, button("Previous", page - 1), make("span", {}, ` ${page * PAGE + 1} to ${Math.min(blockers.length, (page + 1) * PAGE)} of ${blockers.length} `), button("Next", page + 1)),
    blockers.length >= about.domains_max && make("p", { "class": "hint" }, `The list ends after ${count(about.domains_max, "domain")}.`)].filter(Boolean));
    if (isAsked) heading.focus();
  };
  show(0, false);
  return section;
}

function missing(agent, registry) {
  const tokens = new Map([...registry.values()].flatMap((crawler) => [[crawler.token.toLowerCase(), crawler], [crawler.agent, crawler]]));
  const near = [...new Set(similar(agent, [...tokens.keys()]).map((name) => tokens.get(name)))];
  return {
    title: agent || "A crawler without a name", status: `${agent} is not a crawler of this site`, parts: [
      make("p", { "class": "missing" }, `No figures for “${agent}”: it is not in the registry of crawlers, and few hosts name it. A host’s page also has the crawlers that are not listed here.`),
      near.length > 0 && make("p", { id: "similar" }, "Did you mean ", near.map((crawler, i) => [i ? ", " : "", link({ crawler: crawler.agent }, crawler.token)]), "?"),
    ],
  };
}
