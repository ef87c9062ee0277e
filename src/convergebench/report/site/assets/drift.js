"use strict";

/** In which ways each model's pictures drift, round by round, in amounts that a person just notices. */
convergebench.views.drift = (() => {
  const { h, load, number, address, table } = convergebench;
  const STEPS = [1, 2, 4, 8, 16];

  async function open(root, all, chosen) {
    const drift = await load("drift");
    const measured = drift.models.map((rounds, place) => ({ rounds, place })).filter((one) => one.rounds.length);
    root.replaceChildren(
      h("h1", {}, "Drift"),
      h("p", { class: "lead" }, "What kind of decay it is. Each number is the mean size of the drift in units of what a person just notices: below 1 it is not seen, and the cell stays empty."),
      measured.length ? measured.map(({ rounds, place }) => section(all, place, rounds, drift.ways))
        : h("p", { class: "notice" }, "No drift was measured in this workspace. Run it again with --metric drift, which edits nothing anew."));
  }

  function section(all, place, rounds, ways) {
    const model = all.models[place];
    const last = rounds[rounds.length - 1];
    const headings = ["", ...rounds.map((one) => ({ text: String(one.round), class: "number" })), `at round ${last.round}`];
    const rows = ways.filter((way) => rounds.some((one) => way.name in one.drifts)).map((way) => h("tr", {},
      h("th", { scope: "row" }, way.name),
      rounds.map((one) => cell(one.drifts[way.name])),
      h("td", { class: "words" }, words(last.drifts[way.name]))));
    return h("section", { class: "heat", "aria-label": model.name },
      h("h2", {}, convergebench.chart.key(all.style(place)), h("a", { href: address("gallery", { model: model.name }) }, model.name)),
      h("p", {}, last.sentence),
      table(headings, rows, `Drift of ${model.name} by round`));
  }

  function cell(drift) {
    if (!drift) return h("td", { title: "not measured" }, convergebench.ABSENT);
    const level = STEPS.filter((step) => drift.noticed >= step).length;
    return h("td", { class: level ? `level level${level}` : "", title: `${drift.words}; n = ${drift.n}` },
      level ? number(drift.noticed, drift.noticed < 10 ? 1 : 0) : h("span", { class: "quiet", "aria-label": "not noticed" }, "·"));
  }

  const words = (drift) => (drift ? `${drift.words}${drift.either_way ? " either way" : ""} (n = ${drift.n})` : "not measured");

  return { title: "Drift", open };
})();
