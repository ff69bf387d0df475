// Shows the page of the fragment of the address, such as #host=example.com&crawler=gptbot.

import { crawlerPage } from "./crawler.js";
import { crawlers, site } from "./data.js";
import { address, count, day, dayOf, digits, escaped, link, make, table, number } from "./dom.js";
import { hostPage } from "./host.js";
import { hostOf, similar, wholeName } from "./names.js";

const main = document.getElementById("main"), status = document.getElementById("status");
const [hostField, crawlerField] = ["host", "crawler"].map((id) => document.getElementById(id));
let shown = 0;

/** Shows the page of the address. A later address ends the work for an earlier one. */
async function show() {
  const turn = ++shown;
  const { hash } = location;
  const values = new URLSearchParams(hash.slice(1));
  const [host, crawler] = [values.get("host") ?? "", values.get("crawler") ?? ""];
  [hostField.value, crawlerField.value] = [host, crawler];
  main.setAttribute("aria-busy", "true");
  status.textContent = host || crawler ? "Looking up …" : "";
  let page;
  try {
    page = await pageOf(host, crawler);
  } catch (error) {
    page = { title: "The look-up failed", parts: [make("p", { "class": "missing" }, `${error.message}.`)], status: `The look-up failed: ${error.message}` };
  }
  if (turn !== shown) return;
  const heading = make("h2", { tabindex: "-1" }, page.title);
  main.replaceChildren(heading, ...page.parts.filter(Boolean));
  // What scrolls can be reached by keyboard.
  for (const element of main.querySelectorAll(".scroll")) element.tabIndex = element.scrollWidth > element.clientWidth ? 0 : -1;
  main.removeAttribute("aria-busy");
  main.dataset.shown = hash;
  document.title = escaped(`${page.title} – ${(await site().catch(() => ({}))).name ?? ""}: robots.txt`);
  status.textContent = escaped(page.status);
  if (host || crawler) heading.focus();
}

async function pageOf(host, crawler) {
  if (!host && !crawler) return home();
  const agent = wholeName(crawler);
  if (!host) return crawlerPage(agent);
  const name = hostOf(host);
  if (name === null) return { title: host, parts: [make("p", { "class": "missing" }, `“${host}” is not the name of a host. Type a name such as example.com.`)], status: "This is not the name of a host" };
  if (!crawler) return hostPage(name, null);
  const registry = await crawlers();
  const known = registry.get(agent);
  const near = known ? [] : similar(agent, [...registry.keys()]);
  const page = await hostPage(name, known ?? { agent, token: crawler.trim(), fallbacks: [], ignoresWildcard: false, isMisspelt: near.length > 0 });
  if (near.length) page.parts.unshift(make("p", { "class": "warning", id: "similar" }, `“${crawler.trim()}” is not in the registry of crawlers. Did you mean `, near.map((other, i) => [i ? ", " : "", link({ host: name, crawler: other }, registry.get(other).token)]), "?"));
  return page;
}

/** Returns the first page: what the site holds. */
async function home() {
  const about = await site();
  const { crawls } = about;
  return {
    title: "What does a site ask of crawlers?", status: "", parts: [
      make("p", {}, `This site has the robots.txt files of ${count(about.hosts, "host")}, from ${count(crawls.length, "crawl")}`, crawls.length > 1 ? ` between ${day(crawls[0].median)} and ${day(crawls.at(-1).median)}. ` : ". ",
        "Type a host to see its captures, and whether each crawler may fetch its pages. Type a crawler to see how many hosts block it, and which. ",
        about.with_rules ? "" : "Verdicts, dates and line numbers are shown, and the places of the records; the texts are not."),
      make("p", {}, "For example: ", ["gptbot", "ccbot", "claudebot", "google-extended"].map((agent, i) => [i ? ", " : "", link({ crawler: agent }, { gptbot: "GPTBot", ccbot: "CCBot", claudebot: "ClaudeBot", "google-extended": "Google-Extended" }[agent])]), "."),
      table("Crawls", ["Crawl", "First capture", "Last capture", number("Hosts"), number("Registered domains")], crawls.toReversed().map((row) => [
        row.is_sample ? `${row.crawl} (a sample)` : row.crawl, dayOf(row.first), dayOf(row.last), number(digits(row.hosts)), number(digits(row.domains))])),
    ],
  };
}

function submitted(event) {
  event.preventDefault();
  const next = address({ host: hostField.value.trim(), crawler: crawlerField.value.trim() });
  if (location.hash === next) show();
  else location.hash = next;
}

/** Fills the suggestions for names of crawlers, when the field is used first. */
async function suggest() {
  try {
    const names = [...(await crawlers()).values()].filter(({ isRegistered }) => isRegistered).map(({ token }) => token).sort((a, b) => a.localeCompare(b, "en"));
    document.getElementById("crawlers").replaceChildren(...names.map((name) => make("option", { value: name })));
  } catch {
    // Names can be typed without suggestions.
  }
}

document.getElementById("form").addEventListener("submit", submitted);
crawlerField.addEventListener("focus", suggest, { once: true });
addEventListener("hashchange", show);
// The address stays that of the page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  (main.querySelector("h2") ?? main).focus();
});
site().then((about) => {
  document.getElementById("home").textContent = `robots.txt look-up: ${about.name}`;
  document.getElementById("about").textContent = `Made on ${about.made} with robots-scan ${about.version} from the ${about.is_history ? "history" : "dataset"} “${about.name}”.`;
}, () => {});
show();
