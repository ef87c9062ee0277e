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
      h("p", { class: "lead" }, "What kind of decay it is. Each number is the mean size of the drift in units of what a person just notices: below 1 it is not seen, and has a dot."),
      measured.length ? measured.map(({ rounds, place }) => section(all, place, rounds, drift.ways))
        : h("p", { class: "notice" }, "No drift was measured in this workspace. Run it again with --metric drift, which edits nothing anew."));
  }

  function section(all, place, rounds, ways) {
    const model = all.models[place];
    const last = rounds[rounds.length - 1];
    const headings = ["round", ...rounds.map((one) => ({ text: String(one.round), class: "number" })), `at round ${last.round}`];
    const measured = ways.filter((way) => rounds.some((one) => way.name in one.drifts));
    const isNoticed = (way) => rounds.some((one) => one.drifts[way.name]?.noticed >= 1);
    const [seen, unseen] = [measured.filter(isNoticed), measured.filter((way) => !isNoticed(way))];
    const rows = seen.map((way) => h("tr", {},
      h("th", { scope: "row" }, way.name),
      rounds.map((one) => cell(one.drifts[way.name])),
      h("td", { class: "words" }, words(last.drifts[way.name]))));
    return h("section", { class: "heat", "aria-label": model.name },
      h("h2", {}, convergebench.chart.key(all.style(place)), h("a", { href: address("gallery", { model: model.name }) }, model.name)),
      h("p", {}, last.sentence),
      rows.length > 0 && table(headings, rows, `Drift of ${model.name} by round`),
      unseen.length > 0 && h("p", { class: "quiet" }, "Not noticed in any round: ", unseen.map((way) => way.name).join(", "), "."));
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
