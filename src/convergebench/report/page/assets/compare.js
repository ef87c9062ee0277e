"use strict";

/** Two models on the cases that both have: the difference, and which cases make it. */
convergebench.views.compare = (() => {
  const { h, s, load, breakable, choice, number, signed, interval, infinite, address, counted, roundField } = convergebench;
  const EXTREMES = 4;
  const LONGEST_LABEL = 30; // letters, beside the numbers of an axis
  const PREFERRED = ["undid", "ssim"];
  const ONE_DECIMAL = ["score", "usable for"];

  async function open(root, all, chosen, go) {
    const metrics = all.metrics.filter((one) => one.scaled);
    const metric = metrics.find((one) => one.name === chosen.get("metric")) ?? PREFERRED.map((name) => metrics.find((one) => one.name === name)).find(Boolean) ?? metrics[0];
    if (all.models.length < 2 || !metric) {
      root.replaceChildren(h("h1", {}, "Compare"), h("p", { class: "notice" }, "There is only one model here, or nothing that says how much is left."));
      return;
    }
    const [first, second] = twoOf(all, chosen);
    const round = Math.max(1, Math.min(all.rounds, Number(chosen.get("round")) || all.rounds));
    const tested = metric.compared_rounds.includes(round);
    const [seen, pairs, values, pictures, data] = await Promise.all([load(`seen/${Math.min(first, second)}`), tested ? load(`pairs/${metric.name}/${round}/${Math.min(first, second)}`) : null, load(`values/${metric.name}`), load("pictures"), load(`metric/${metric.name}`)]);
    const view = { all, metric, round, first, second };
    const pick = (changes) => go({ a: all.models[first].name, b: all.models[second].name, metric: metric.name, round: chosen.get("round"), ...changes });
    const rows = differences(view, values);
    root.replaceChildren(
      h("h1", {}, all.models[first].name, " and ", all.models[second].name),
      modelControls(view, pick),
      whatIsSeen(view, seen),
      h("h2", {}, "By metric"),
      metricControls(view, metrics, pick),
      pairs ? verdict(view, pairs) : untested(view, rows),
      h("div", { class: "halves" }, rows.length > 0 && scatter(view, rows), curves(view, data)),
      rows.length > 0 && byCategory(view, rows),
      rows.length > 0 && pictures.films.length > 0 && extremes(view, rows, pictures),
      rows.length > 0 && bars(view, rows));
  }

  function twoOf(all, chosen) {
    const models = all.models.map((_, place) => place).filter((place) => all.models[place].role !== "floor");
    const [one, other] = [...models, ...all.models.keys()].filter((place, at, list) => list.indexOf(place) === at);
    const named = (name, fallback) => { const place = all.modelNumber(chosen.get(name)); return place >= 0 ? place : fallback; };
    const first = named("a", one);
    const second = named("b", first === other ? one : other);
    return [first, second];
  }

  function modelControls({ all, first, second }, pick) {
    const models = all.models.map((model) => [model.name, model.name]);
    return h("div", { class: "controls" },
      choice("First", models, all.models[first].name, (a) => pick({ a })),
      choice("Second", models, all.models[second].name, (b) => pick({ b })),
      h("button", { type: "button", onclick: () => pick({ a: all.models[second].name, b: all.models[first].name }) }, "Swap"));
  }

  function metricControls({ all, metric, round }, metrics, pick) {
    return h("div", { class: "controls" },
      choice("Metric", metrics.map((one) => [one.name, one.title]), metric.name, (name) => pick({ metric: name })),
      all.rounds > 1 && roundField(round, all.rounds, (wanted) => pick({ round: wanted })));
  }

  /** The score and what it consists of; nothing where it was not measured. */
  function whatIsSeen({ all, first, second }, seen) {
    const [one, other] = [all.models[first].name, all.models[second].name];
    const pair = seen.find((each) => isPair(each, one, other));
    if (!pair) return null;
    const sides = pair.quantities.map((found) => turnedTo(found, one));
    const [score] = sides;
    const cell = (text) => h("td", { class: "number" }, text);
    const lines = sides.map((side) => h("tr", {}, h("th", { scope: "row" }, side.quantity),
      cell(number(side.ours, decimals(side))), cell(number(side.theirs, decimals(side))),
      cell([signed(side.mean, decimals(side)), " ", h("span", { class: "quiet" }, interval(side.low, side.high, decimals(side)))]),
      cell(chance(side.p_value)), cell(String(side.n)), h("td", { class: "phrase" }, side.verdict)));
    return h("section", { "aria-label": "What a person sees" },
      h("p", { class: "lead" }, h("b", {}, score.verdict), `: score ${number(score.ours, 1)} against ${number(score.theirs, 1)}, difference ${signed(score.mean, 1)} ${interval(score.low, score.high, 1)}.`),
      convergebench.table(["what a person sees", named(one), named(other), right("difference"), right("p"), right("chains"), "verdict"], lines, "Both models by what a person sees"),
      h("p", { class: "quiet" }, `95 % intervals by picture, over shared chains. With so many pictures p is at best ${chance(score.smallest_p_value)}. Higher is better in each row.`));
  }

  const decimals = (side) => (ONE_DECIMAL.includes(side.quantity) ? 1 : 2);
  const isPair = (found, one, other) => (found.first === one && found.second === other) || (found.first === other && found.second === one);

  /** A difference as the first of both sees it. */
  function turnedTo(found, one) {
    const { mean, low, high, n, clusters } = found.difference;
    return found.first === one
      ? { ...found, ours: found.first_mean, theirs: found.second_mean, mean, low, high, n, clusters }
      : { ...found, ours: found.second_mean, theirs: found.first_mean, mean: -mean, low: negative(high), high: negative(low), n, clusters, only_first: found.only_second, only_second: found.only_first };
  }

  /** A report may lack the tests at some rounds, which are slow for many models. */
  function untested({ all, metric, round }, rows) {
    const mean = rows.reduce((sum, row) => sum + row.difference, 0) / rows.length;
    return h("div", {},
      h("p", { class: "lead" }, rows.length ? `${metric.title} at round ${round}: difference ${signed(mean, metric.decimals)} over ${counted(rows.length, "shared chain")}.` : "These two share no case with a finite value of this metric."),
      h("p", { class: "quiet" }, `This report tests how sure that is at ${metric.compared_rounds.length > 1 ? "rounds" : "round"} ${metric.compared_rounds.join(", ")} only; convergebench view does so at every round.`));
  }

  function verdict({ all, metric, round, first, second }, pairs) {
    const [one, other] = [all.models[first].name, all.models[second].name];
    const pair = pairs.find((each) => isPair(each, one, other));
    if (!pair) return h("p", { class: "notice" }, first === second ? "Choose two different models." : "These two share no case with a finite value of this metric.");
    const found = turnedTo(pair, one);
    const missed = found.minimum_detectable === null ? "" : ` So many pictures would show a true difference of ${number(found.minimum_detectable, metric.decimals)} in four cases of five.`;
    const unbounded = found.infinite ? ` ${counted(found.infinite, "shared chain")} where a value is infinite left out.` : "";
    return h("div", {},
      h("p", { class: "lead" }, h("b", {}, found.verdict), ` at round ${round}: `,
        `${metric.title} ${number(found.ours, metric.decimals)} against ${number(found.theirs, metric.decimals)}, `,
        `difference ${signed(found.mean, metric.decimals)} ${interval(found.low, found.high, metric.decimals)}.`),
      h("p", { class: "quiet" }, `${counted(found.n, "shared chain")} of ${counted(found.clusters, "picture")}; 95 % interval by picture; p-value ${chance(found.p_value)} `,
        `(at best ${chance(found.smallest_p_value)} with so many pictures).${missed} `,
        `Chains that only the first has: ${found.only_first}; only the second: ${found.only_second}.${unbounded} ${metric.better === "higher" ? "Higher" : "Lower"} is better.`));
  }

  const right = (text) => ({ text, class: "number" });
  const named = (text) => ({ text, class: "number name" });
  const negative = (value) => (value === null ? null : -value);
  const chance = (p) => (p < 0.001 ? "below 0.001" : number(p, 3));

  /** Case by case, the first's biggest win first; `gain` is above 0 where the first is better. */
  function differences({ all, metric, round, first, second }, values) {
    const at = (model) => new Map(values.filter((one) => one.model === model && all.cases[one.case].edits === all.edits).map((one) => [`${one.case} ${one.seed}`, one]));
    const theirs = at(second);
    const rows = [];
    for (const [key, ours] of at(first)) {
      const [a, b] = [ours.values[round - 1], theirs.get(key)?.values[round - 1]];
      if (a == null || b == null || infinite(a) || infinite(b)) continue;
      rows.push({ case: ours.case, seed: ours.seed, a, b, difference: a - b, gain: metric.better === "higher" ? a - b : b - a });
    }
    return rows.sort((x, y) => y.gain - x.gain);
  }

  function extremes(view, rows, pictures) {
    const { all, round, first, second } = view;
    const films = new Map(pictures.films.map((film) => [`${film.model} ${film.case} ${film.seed}`, { digest: film.digests[round - 1], crop: film.crops[round - 1] }]));
    const wins = rows.filter((row) => row.gain > 0).slice(0, EXTREMES);
    const losses = rows.filter((row) => row.gain < 0).slice(-EXTREMES).reverse();
    const list = (title, chosen) => chosen.length > 0 && h("section", { "aria-label": title }, h("h2", {}, title), chosen.map((row) => triple(view, row, pictures.sources[row.case], films)));
    return h("div", { class: wins.length && losses.length ? "versus" : "" },
      list(`${all.models[first].name} is ahead most`, wins), list(`${all.models[second].name} is ahead most`, losses));
  }

  /** The source beside what both made of it. */
  function triple(view, row, source, films) {
    const { all, metric, first, second } = view;
    const shot = (model, value) => {
      const { digest, crop } = films.get(`${model} ${row.case} ${row.seed}`) ?? {};
      const text = `${all.models[model].name}, ${all.cases[row.case].id}`;
      return h("span", { class: "shot" }, convergebench.strips.image(digest, text), convergebench.strips.broke(crop, text), all.models[model].name, " ", h("b", {}, number(value, metric.decimals)));
    };
    return h("div", { class: "tiles" }, h("h3", {}, link(view, row)),
      h("div", { class: "gallery-pictures" }, h("span", { class: "shot" }, convergebench.strips.image(source, "The source"), "source"), shot(first, row.a), shot(second, row.b)));
  }

  // Both at once

  /** Every case as a dot that opens it: above the diagonal the second has more, below it the first. */
  function scatter(view, rows) {
    const { all, metric, first, second } = view;
    const [size, edge] = [340, 40];
    const values = rows.flatMap((row) => [row.a, row.b]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const at = (value) => (value - low) / (high - low || 1);
    const [x, y] = [(value) => edge + at(value) * (size - edge - 12), (value) => size - edge - at(value) * (size - edge - 12)];
    const text = (value) => number(value, metric.decimals);
    const dots = rows.map((row) => s("a", { href: to(view, row), "aria-label": `${all.cases[row.case].asked || all.cases[row.case].id}: ${text(row.a)} and ${text(row.b)}` },
      s("circle", { class: `dot ${row.gain >= 0 ? all.style(first) : all.style(second)}`, cx: x(row.a), cy: y(row.b), r: 6 }, s("title", {}, `${all.cases[row.case].id}: ${text(row.a)} and ${text(row.b)}`))));
    const name = (place) => all.models[place].name;
    const axis = (place) => `${name(place).length > LONGEST_LABEL ? `${name(place).slice(0, LONGEST_LABEL)}…` : name(place)} →`;
    return h("section", { "aria-label": "Case against case" }, h("h2", {}, "Every case"),
      s("svg", { class: "scatter", viewBox: `0 0 ${size} ${size}`, role: "group", "aria-label": `${metric.title} of ${name(first)} across, of ${name(second)} up` },
        s("rect", { class: "frame", x: edge, y: 12, width: size - edge - 12, height: size - edge - 12 }),
        s("line", { class: "rail", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }), dots,
        s("text", { x: edge, y: size - 24 }, text(low)), s("text", { x: size - 12, y: size - 24, "text-anchor": "end" }, text(high)),
        s("text", { x: edge - 4, y: size - edge, "text-anchor": "end" }, text(low)), s("text", { x: edge - 4, y: 22, "text-anchor": "end" }, text(high)),
        s("text", { x: size / 2 + 14, y: size - 6, "text-anchor": "middle" }, axis(first)), s("text", { x: 12, y: size / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${size / 2})` }, axis(second))),
      h("p", { class: "quiet" }, `${metric.better === "higher" ? "Below" : "Above"} the diagonal ${name(first)} is better. A dot opens its case.`));
  }

  function curves({ all, metric, round, first, second }, data) {
    const series = data.curves[0].models.filter((one) => one.model === first || one.model === second)
      .map((one) => ({ name: all.models[one.model].name, style: all.style(one.model), points: one.points }));
    const reading = h("div", { class: "reading" });
    const read = (at) => reading.replaceChildren(convergebench.chart.readout(series, at, metric));
    read(round);
    const drawing = convergebench.chart.chart({ series, rounds: all.rounds, metric, label: `${metric.title} of both over the rounds`, cursor: round, first: 1, height: 260, onpick: read });
    return h("section", { "aria-label": "Curves of both" }, h("h2", {}, `${metric.title} over the rounds`), drawing.node, reading);
  }

  function byCategory(view, rows) {
    const { all, metric, first, second } = view;
    const groups = new Map();
    for (const row of rows) {
      const name = all.cases[row.case].category || "(none)";
      groups.set(name, [...(groups.get(name) ?? []), row]);
    }
    const mean = (found, read) => found.reduce((sum, row) => sum + read(row), 0) / found.length;
    const cell = (text) => h("td", { class: "number" }, text);
    const lines = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, found]) => h("tr", {}, h("th", { scope: "row" }, name),
      cell(String(found.length)), cell(number(mean(found, (row) => row.a), metric.decimals)), cell(number(mean(found, (row) => row.b), metric.decimals)),
      cell(signed(mean(found, (row) => row.difference), metric.decimals)), cell(String(found.filter((row) => row.gain > 0).length)), cell(String(found.filter((row) => row.gain < 0).length))));
    return h("section", { "aria-label": "By category" }, h("h2", {}, "By category"),
      convergebench.table(["category", right("cases"), named(all.models[first].name), named(all.models[second].name), right("difference"), right("first better"), right("second better")], lines, "Both models by category of edit"));
  }

  const to = ({ all, metric, round, first, second }, row) => address("film", { case: all.cases[row.case].id, model: [all.models[first].name, all.models[second].name], seed: row.seed || "", round, metric: metric.name });

  const link = (view, row) => h("a", { href: to(view, row) }, view.all.cases[row.case].asked ? `${view.all.cases[row.case].asked} · ${view.all.cases[row.case].picture}` : breakable(view.all.cases[row.case].id), row.seed ? ` (seed ${row.seed})` : "");

  function bars(view, rows) {
    const { all, metric, first, second } = view;
    const most = Math.max(...rows.map((row) => Math.abs(row.gain)), 1e-12);
    return h("section", {}, h("h2", {}, "Case by case"),
      h("p", { class: "quiet" }, `${all.models[first].name} minus ${all.models[second].name}; to the right ${all.models[first].name} is better.`),
      h("ul", { class: "bars" }, rows.map((row) => h("li", {}, link(view, row),
        s("svg", { viewBox: "-100 0 200 14", preserveAspectRatio: "none", "aria-hidden": "true" },
          s("rect", { class: "bar-rail", x: -0.4, y: 0, width: 0.8, height: 14 }),
          s("rect", { class: row.gain >= 0 ? `bar ${all.style(first)}` : `bar ${all.style(second)}`, x: Math.min(0, (row.gain / most) * 100), y: 2, width: (Math.abs(row.gain) / most) * 100, height: 10 })),
        h("span", { class: "number" }, signed(row.difference, metric.decimals))))));
  }

  return { open };
})();
