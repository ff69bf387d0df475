// Names of hosts and crawlers: as people type them, and as the tables have them.

/** Returns the host of a typed name or address in punycode, or null. */
export function hostOf(text) {
  const typed = text.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  if (/[\s%]/.test(typed.split(/[/?#]/)[0])) return null;
  try {
    const { hostname } = new URL(`http://${typed}`);
    return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "").toLowerCase() || null;
  } catch {
    return null;
  }
}

/** Returns the key of a host in the tables, as the macro `surt_of`: its labels reversed, without `www`. */
export function surtOf(host) {
  if (/^[0-9.]+$/.test(host) || host.includes(":")) return host.split(".").reverse().join(",");
  return host.replace(/^www\.(?=.*\.)/, "").split(".").reverse().join(",");
}

/** Returns the host of a key. */
export function hostOfSurt(surt) {
  return surt.split(",").reverse().join(".");
}

/** Returns the whole name of a crawler, as the macro `whole_name`. */
export function wholeName(name) {
  if (/^[ \t\n\v\f\r]*[*](?:[ \t\n\v\f\r]|$)/.test(name)) return "*";
  return /^[^/,;(*]*/.exec(name)[0].replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replace(/[ \t\n\v\f\r]+/g, " ").replace(/^ +| +$/g, "").replace(/ [0-9.]+$/, "");
}

/** Compares two names by the bytes of their UTF-8, as the files are sorted. */
export function compare(a, b) {
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i].codePointAt(0) - y[i].codePointAt(0);
  }
  return x.length - y.length;
}

/** Returns the names of a list that are most similar to a name, the nearest first, with at most so many characters changed. */
export function similar(name, names, count = 5, changed = Math.max(2, name.length / 2)) {
  const scored = names.map((other) => [distance(name, other) - (other.startsWith(name) || name.startsWith(other) ? 2 : 0), other]);
  scored.sort((a, b) => a[0] - b[0] || compare(a[1], b[1]));
  return scored.filter(([score]) => score <= changed).slice(0, count).map(([, other]) => other);
}

/** Returns how many characters must be changed, added or removed, of names that are cut at 60 characters. */
function distance(a, b) {
  const [x, y] = [a.slice(0, 60), b.slice(0, 60)];
  let row = Array.from({ length: y.length + 1 }, (_, i) => i);
  for (let i = 1; i <= x.length; i++) {
    const next = [i];
    for (let j = 1; j <= y.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (x[i - 1] === y[j - 1] ? 0 : 1));
    row = next;
  }
  return row[y.length];
}
