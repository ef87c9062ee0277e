"use strict";

/** In which ways each model's pictures drift, round by round, in amounts that a person just notices. */
convergebench.views.drift = (() => {
  const { h, load, breakable, number, address, table, badness, counted, changeMap, changeLegend, meanMap } = convergebench;
  const STEPS = [1, 2, 4, 8, 16];
  const EXAMPLES = 3;

  async function open(root, all, chosen) {
    const figures = [...new Set(all.models.map((model) => figureOf(all, model)))];
    const [drift, pictures, ...values] = await Promise.all([load("drift"), load("pictures"), ...figures.map((one) => load(`values/${one.name}`))]);
    const places = lastReturns(all, pictures, new Map(figures.map((one, place) => [one, values[place]])));
    const measured = drift.models.map((rounds, place) => ({ rounds, place })).filter((one) => one.rounds.length);
    root.replaceChildren(
      h("h1", {}, "Drift"),
      h("p", { class: "lead" }, "What kind of decay it is. Each number is the median size of the drift, in units of what a person just notices: below 1 most returns do not show it, and it has a dot."),
      places.some((one) => one.length) && changeLegend(all.change_scale),
      measured.length ? null : h("p", { class: "notice" }, "No drift was measured in this workspace. ", pictures.films.length ? "Run it again with --metric drift, which edits nothing anew." : convergebench.strips.IMPORTED),
      measured.map(({ rounds, place }) => section(all, place, rounds, drift.ways, places[place])),
      all.models.map((model, place) => (drift.models[place].length || !places[place].length ? null
        : h("section", { "aria-label": model.name }, heading(all, place), where(all, place, places[place])))));
  }

  /** What says which returns of a model are worst. Probes and floors, which do not edit, have no score. */
  const figureOf = (all, model) => (model.role === "model" ? all.figure() : all.metric("ssim"));

  /** Of each model the returns at the last round, the worst first. */
  function lastReturns(all, pictures, values) {
    const key = (one) => `${one.model} ${one.case} ${one.seed}`;
    const last = new Map([...values].map(([figure, rows]) => [figure, new Map(rows.map((one) => [key(one), one.values.at(-1)]))]));
    const found = all.models.map(() => []);
    for (const film of pictures.films) {
      const [source, digest] = [pictures.sources[film.case], film.digests.at(-1)];
      const figure = figureOf(all, all.models[film.model]);
      const value = last.get(figure).get(key(film)) ?? null;
      if (source && digest && all.cases[film.case].edits === all.edits) found[film.model].push({ ...film, source, digest, bad: value === null ? -Infinity : badness(value, figure) });
    }
    for (const one of found) one.sort((a, b) => b.bad - a.bad);
    return found;
  }

  /** Where in the picture it changes: the mean over all cases, and the worst of them. */
  function where(all, place, returns) {
    const model = all.models[place].name;
    const link = (one) => address("film", { case: all.cases[one.case].id, model, seed: one.seed || "", round: all.rounds, mode: "delta" });
    return h("div", { class: "where" },
      h("figure", {}, h("img", { src: meanMap(place), alt: `Where the returns of ${model} differ from their sources on average`, width: 152, height: 152, loading: "lazy" }),
        h("figcaption", {}, `ΔE at round ${all.rounds}, mean of ${counted(returns.length, "return")}, each stretched to a square`)),
      returns.slice(0, EXAMPLES).map((one) => h("a", { href: link(one) },
        h("img", { src: changeMap(one.source, one.digest), alt: "", height: 152, loading: "lazy" }),
        h("span", {}, all.cases[one.case].asked ? `${all.cases[one.case].asked} · ${all.cases[one.case].picture}` : breakable(all.cases[one.case].id)))),
      returns.length > 1 && h("p", { class: "quiet" }, `Beside the mean: the returns that are worst by ${figureOf(all, all.models[place]).title}.`));
  }

  const heading = (all, place) => h("h2", {}, convergebench.chart.key(all.style(place)), h("a", { href: address("gallery", { model: all.models[place].name }) }, all.models[place].name));

  function section(all, place, rounds, ways, returns) {
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
      heading(all, place),
      h("p", {}, last.sentence),
      rows.length > 0 && table(headings, rows, `Drift of ${model.name} by round`),
      unseen.length > 0 && h("p", { class: "quiet" }, "Below what a person notices in most returns of every round: ", unseen.map((way) => way.name).join(", "), "."),
      returns.length > 0 && where(all, place, returns));
  }

  function cell(drift) {
    if (!drift) return h("td", { title: "not measured" }, convergebench.ABSENT);
    const level = STEPS.filter((step) => drift.noticed >= step).length;
    return h("td", { class: level ? `level level${level}` : "", title: words(drift) },
      level ? number(drift.noticed, drift.noticed < 10 ? 1 : 0) : h("span", { class: "quiet", "aria-label": "not noticed" }, "·"));
  }

  const words = (drift) => (drift ? `${drift.words} (noticed in ${drift.noticing} of ${drift.n})` : "not measured");

  return { open };
})();
