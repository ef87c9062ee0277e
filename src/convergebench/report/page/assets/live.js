"use strict";

/** How a run is getting on, while it goes on. */
convergebench.live = (() => {
  const { h, load, number, counted, address } = convergebench;

  /** Null where the page is not live, or no run is going on. */
  async function panel(all) {
    const found = all.live ? await load("progress") : null;
    if (!found) return null;
    const share = found.planned ? found.done / found.planned : 0;
    const bar = h("progress", { max: 1, "aria-label": "Edits made" });
    bar.value = share;
    return h("section", { class: "live", "aria-label": "The run" },
      h("h2", {}, "The run so far"),
      h("p", { class: "live-figures" }, bar, h("b", {}, `${number(100 * share, 0)} %`), ` ${found.done.toLocaleString("en")} of ${counted(found.planned, "edit")}`,
        h("span", {}, found.seconds_left === null ? "time left not known yet" : `about ${span(found.seconds_left)} left`),
        h("span", {}, found.cost_usd === null ? "cost unknown" : `$${number(found.cost_usd, 2)} so far`),
        h("span", { class: "quiet" }, `began ${clock(found.started)}`, found.last ? `, last edit ${clock(found.last)}` : "")),
      found.pictures.length > 0 && h("div", { class: "newest" }, found.pictures.map((one) => h("a", { class: "shot", href: to(one) },
        convergebench.strips.image(one.digest, `${one.model}, ${one.case}`), h("b", {}, one.model), ` ${one.is_return ? "return" : "edit"} ${one.round}: `, one.asked))),
      found.failures.length > 0 && h("ul", { class: "failures" }, found.failures.map((one) =>
        h("li", {}, h("b", { class: "warn" }, one.failure.replaceAll("_", " ")), ` ${one.model}, ${one.case}, round ${one.round}: ${one.reason} `, h("span", { class: "quiet" }, clock(one.at))))));
  }

  const to = (one) => (one.protocol === "one_shot" ? address("edits", { suite: one.suite, case: one.case, model: one.model })
    : address("film", { case: one.case, model: one.model, seed: one.seed || "", round: one.round, step: one.is_return ? "" : "edit" }));

  const clock = (at) => `${at.slice(11, 16)} UTC`;

  function span(seconds) {
    if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
    return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${number(seconds / 3600, 1)} h`;
  }

  return { panel };
})();
