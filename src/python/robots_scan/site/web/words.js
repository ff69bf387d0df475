// The words of the pages for the values of the tables.

export const VERDICTS = {
  disallow_all: "may fetch nothing", partial: "may fetch some paths", allow_all: "may fetch everything", unknown: "unknown",
};

const BASES = {
  explicit: "a group for it", wildcard: "the group for *", no_group: "no group applies to it", no_rules: "the file has no rules", empty: "the file is empty",
  html: "the response is an HTML page", binary: "the response is not text", http_status: "the HTTP status", too_complex: "too complex to decide",
};

const CLASSES = { rules: "rules", no_rules: "text without rules", comments_only: "comments only", empty: "empty", html: "an HTML page", binary: "not text" };

const ENDS = { not_captured: "to a URL that was not captured", loop: "in a loop", too_many: "more than five times" };

const REFUSALS = { refused: "refused by the server", payment: "refused without payment", origin_down: "a failure of the server" };

export const DIALECTS = { google: "Google", rfc9309: "RFC 9309", koster1996: "Koster 1996" };

export const basis = (value, by) => by ? `the group for ${by}` : BASES[value] ?? value;

/** Returns the state of a capture: the response, and what led to it. */
export function response(capture) {
  const parts = [capture.status === null ? "no status" : `status ${capture.status}`];
  if (capture.refusal) parts.push(REFUSALS[capture.refusal]);
  if (capture.content_class) parts.push(CLASSES[capture.content_class] ?? capture.content_class);
  if (capture.redirects > 0 || capture.redirect_end) parts.push(`redirected ${ENDS[capture.redirect_end] ?? (capture.redirects === 1 ? "once" : `${capture.redirects} times`)}`);
  if (capture.is_revisit) parts.push("unchanged, but its content was not captured");
  return parts.join(", ");
}
