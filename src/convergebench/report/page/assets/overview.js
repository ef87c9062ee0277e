"use strict";

/** Who keeps most of the picture, how sure that is, and how it is lost over the rounds. */
convergebench.views.overview = (() => {
  const { h, s, load, choice, number, interval, infinite, counted, address, table } = convergebench;

  async function open(root, all, chosen, go) {
    const metric = all.metric(chosen.get("metric"));
    const part = chosen.get("part") ?? "";
    const data = await load(`metric/${metric.name}`);
    const state = { round: Math.max(1, Math.min(all.rounds, Number(chosen.get("round") ?? all.rounds))) };
    const pick = (changes) => go({ metric: metric.name, part, round: chosen.get("round"), ...changes });
    root.replaceChildren(
      h("h1", {}, all.protocol === "round_trip" ? `What is left after ${all.rounds} edits and undos` : `What is left after ${counted(all.rounds, "round")} of ${all.protocol.replaceAll("_", " ")}`),
      h("p", { class: "lead" }, summary(all)),
      h("div", { class: "controls" }, metricChoice(all, metric, (name) => pick({ metric: name }))),
      h("p", { class: "quiet" }, describe(metric)),
      ranking(all, metric, data, data.ranking),
      data.partial && ranking(all, metric, data, data.partial),
      curves(all, metric, data, part, state, pick));
  }

  function summary(all) {
    const trajectories = all.uses.reduce((sum, use) => sum + use.trajectories, 0);
    const complete = all.uses.reduce((sum, use) => sum + use.complete, 0);
    const failures = all.uses.reduce((sum, use) => sum + use.failures, 0);
    const edits = all.uses.reduce((sum, use) => sum + use.edits, 0);
    const told = trajectories
      ? `${counted(trajectories, "trajectory").replace("trajectorys", "trajectories")}, ${complete.toLocaleString("en")} complete; ${counted(edits, "edit")}, ${counted(failures, "failure")}.`
      : "Measured elsewhere and imported.";
    return [h("b", {}, all.suite), `: ${counted(all.cases.length, "case")}, ${counted(all.models.length, "model")}. `, told];
  }

  // The ranking

  function ranking(all, metric, data, found) {
    const rows = found.rows;
    const isSecond = found === data.partial;
    const domain = reach(rows, metric);
    const gated = rows.some((row) => row.score?.gated);
    const headings = [
      { text: "#", class: "number" }, "model",
      { text: `${metric.title} at round ${found.round}`, hint: "Mean with 95 % interval, by source picture" },
      { text: "group", hint: "Models that share a letter cannot be told apart" },
      { text: "half-life", class: "number", hint: "Rounds until less than half of the picture is left: Kaplan–Meier median" },
      { text: "AUC", class: "number", hint: "Area under the curve, 1 to 0" },
      { text: "score", class: "number", hint: "Convergence score, 0 to 100: quality and semantics over all rounds" },
      gated && { text: "gated", class: "number", hint: "The score where rounds whose forward edit did not happen earn nothing" },
      { text: "edits that happened", class: "number", hint: "Forward edits that did something, of those that could be told" },
      { text: "s/edit", class: "number" }, { text: "cost", class: "number" },
      { text: "n", class: "number" }, { text: "missing", class: "number" },
    ].filter(Boolean);
    const body = rows.map((row) => rankingRow(all, metric, found.forward, row, domain, gated));
    return h("section", { "aria-label": isSecond ? "Partially reversible edits" : "Ranking" },
      isSecond && [h("h2", {}, "Partially reversible edits"), h("p", { class: "quiet" }, "Edits that destroy something of the picture, so that nobody could undo them for certain. They are in no other figure of this page.")],
      table(headings, body, isSecond ? "Ranking of the models by partially reversible edits" : "Ranking of the models"),
      h("ul", { class: "notes" },
        h("li", {}, "Intervals are 95 %, by source picture. Models that share a letter in “group” cannot be told apart. Floors have no rank."),
        found.notes.map((note) => h("li", {}, note))));
  }

  function metricChoice(all, metric, onpick) {
    const of = (dimension) => all.metrics.filter((one) => one.dimension === dimension)
      .map((one) => [one.name, one.measured ? one.title : `${one.title} (no values)`]);
    const groups = [["quality", "Quality"], ["semantic", "Semantics"], ["drift", "Drift"]]
      .map(([name, group]) => ({ group, options: of(name) })).filter((one) => one.options.length);
    return choice("Metric", groups, metric.name, onpick);
  }

  function describe(metric) {
    const better = { higher: "Higher is better.", lower: "Lower is better.", nearest: `Nearest to ${number(metric.perfect, 0)} is better.` };
    return [metric.summary, better[metric.better]].filter(Boolean).join(" ");
  }

  function rankingRow(all, metric, forwards, row, domain, gated) {
    const model = all.modelNumber(row.model);
    const found = row.metrics[metric.name];
    const forward = forwards.find((one) => one.model === row.model);
    return h("tr", { class: row.role },
      h("td", { class: "number" }, row.rank ?? convergebench.ABSENT),
      h("th", { scope: "row" },
        convergebench.chart.key(all.style(model)),
        h("a", { href: address("gallery", { model: row.model, metric: metric.name }) }, row.model),
        row.role !== "model" && h("span", { class: "tag" }, row.role), row.imported && h("span", { class: "tag" }, "imported"),
        row.sentence && h("p", { class: "sentence" }, row.sentence)),
      h("td", { class: "mean" }, found.mean === null
        ? h("span", { class: "quiet" }, `missing: ${found.missing_reason}`)
        : [h("span", { class: "number" }, number(found.mean, metric.decimals)), " ",
          h("span", { class: "quiet" }, interval(found.low, found.high, metric.decimals)), whisker(found, domain, all.style(model))]),
      h("td", {}, row.group || convergebench.ABSENT),
      h("td", { class: "number" }, halfLife(row.half_life)),
      h("td", { class: "number" }, number(row.auc?.mean, 2)),
      points(row.score?.together),
      gated && points(row.score?.gated),
      h("td", { class: "number", title: forward?.says ?? null }, forward?.rate == null ? convergebench.ABSENT : `${forward.happened} of ${forward.judged}`),
      h("td", { class: "number" }, convergebench.duration(row.mean_seconds)),
      h("td", { class: "number" }, row.cost_usd === null ? convergebench.ABSENT : `$${number(row.cost_usd, 2)}`),
      h("td", { class: "number" }, String(row.n)),
      h("td", { class: row.missing ? "number warn" : "number" }, String(row.missing)));
  }

  const points = (one) => h("td", { class: "number", title: one ? interval(one.low, one.high, 1) : null }, number(one?.mean, 1));

  function halfLife(life) {
    if (!life) return convergebench.ABSENT;
    const written = (value) => (infinite(value) ? `>${life.watched}` : number(value, 1));
    const ends = life.low === null ? "" : `[${written(life.low)}, ${written(life.high)}]`;
    const fell = `${life.fell} of ${life.n} trajectories fell below ${Math.round(life.threshold * 100)} %`;
    return h("span", { title: `${fell} ${ends}` }, written(life.median));
  }

  /** The range that all intervals lie in, and the perfect value where it is near. */
  function reach(rows, metric) {
    const values = rows.flatMap((row) => { const one = row.metrics[metric.name]; return [one.mean, one.low, one.high]; })
      .filter((value) => typeof value === "number");
    return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  }

  function whisker(found, [low, high], style) {
    if (typeof found.mean !== "number") return null;
    const x = (value) => 4 + ((value - low) / (high - low || 1)) * 132;
    const has = typeof found.low === "number" && typeof found.high === "number";
    return s("svg", { class: "whisker", width: 140, height: 12, "aria-hidden": "true" },
      s("line", { class: "rail", x1: 4, x2: 136, y1: 6, y2: 6 }),
      has && s("line", { class: `curve ${style}`, x1: x(found.low), x2: x(found.high), y1: 6, y2: 6 }),
      s("circle", { class: `dot ${style}`, cx: x(found.mean), cy: 6, r: 4 }));
  }

  // The curves

  function curves(all, metric, data, part, state, pick) {
    const parts = data.curves.map((one) => [one.by ? `${one.by}:${one.part}` : "", one]);
    const shown = (parts.find(([key]) => key === part) ?? parts[0])[1];
    const options = [["", "All cases"], ...["category", "kind"].map((by) => ({
      group: by === "kind" ? "Kind of picture" : "Category of edit",
      options: parts.filter(([, one]) => one.by === by).map(([key, one]) => [key, one.part || "(none)"]),
    }))];
    const series = shown.models.map((one) => ({
      name: all.models[one.model].name, style: all.style(one.model), role: all.models[one.model].role,
      points: withSource(one.points, metric),
    })).sort((a, b) => (b.role === "floor") - (a.role === "floor"));
    const reading = h("div", { class: "reading" });
    const read = (round) => reading.replaceChildren(convergebench.chart.readout(series, round, metric));
    read(state.round);
    const drawing = convergebench.chart.chart({
      series, rounds: all.rounds, metric, label: `${metric.title} over the rounds`, cursor: state.round, first: 1,
      onpick: (round) => { state.round = round; read(round); },
    });
    return h("section", { "aria-label": "Curves" },
      h("h2", {}, `${metric.title} over the rounds`),
      h("div", { class: "controls" }, choice("Cases", options, part, (key) => pick({ part: key }))),
      h("div", { class: "curves" }, drawing.node, reading),
      h("p", { class: "quiet" }, "Bands are 95 % intervals; dashed grey curves are floors. Drag or use the arrow keys on the chart to read another round."));
  }

  /** Before the first edit nothing is lost; decibels have no number for that. */
  const withSource = (points, metric) => typeof metric.perfect === "number"
    ? [{ round: 0, mean: metric.perfect, low: null, high: null, n: points[0]?.n ?? 0, missing: 0 }, ...points] : points;

  return { title: "Overview", open, metricChoice };
})();
