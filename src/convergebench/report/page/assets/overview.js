"use strict";

/** Who keeps most of the picture, how sure that is, and how it is lost over the rounds. */
convergebench.views.overview = (() => {
  const { h, s, load, choice, number, infinite, counted, address, table } = convergebench;
  const PARTIAL = "Partially reversible edits";

  async function open(root, all, chosen, go) {
    const metric = all.metric(chosen.get("metric"));
    const part = chosen.get("part") ?? "";
    const [headline, data] = await Promise.all([load("headline"), load(`metric/${metric.name}`)]);
    const state = { round: Math.max(1, Math.min(all.rounds, Number(chosen.get("round") ?? all.rounds))) };
    const pick = (changes) => go({ metric: metric.name, part, round: chosen.get("round"), ...changes });
    root.replaceChildren(
      h("h1", {}, all.protocol === "round_trip" ? `What is left after ${all.rounds} edits and undos` : `What is left after ${counted(all.rounds, "round")} of ${all.protocol.replaceAll("_", " ")}`),
      h("p", { class: "lead" }, summary(all)),
      ...headline.map((found) => headlineTable(all, metric, found)),
      ...(headline.length ? [h("h2", {}, "By metric")] : []),
      h("div", { class: "controls" }, metricChoice(all, metric, (name) => pick({ metric: name }))),
      h("p", { class: "quiet" }, describe(metric)),
      metricTable(all, metric, data.ranking, "Ranking"),
      ...(data.partial ? [metricTable(all, metric, data.partial, PARTIAL)] : []),
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

  /** What a person sees: one sentence, then the table that it is about. */
  function headlineTable(all, metric, found) {
    const label = found.edits === "reversible" ? "Headline" : `Headline, ${PARTIAL.toLowerCase()}`;
    return h("section", { class: "headline", "aria-label": label },
      found.edits !== "reversible" && partialHeading(),
      h("p", { class: "lead" }, h("b", {}, found.headline_sentence)),
      rankingTable(all, metric, found, `${label}: what a person sees`),
      notes(found, "Intervals are 95 %, by source picture. Models that share a letter in “group” cannot be told apart. Probes and floors are calibration and have no rank."));
  }

  function metricTable(all, metric, found, label) {
    const isPartial = label === PARTIAL;
    return h("section", { "aria-label": label },
      isPartial && partialHeading(),
      rankingTable(all, metric, found, isPartial ? "Ranking of the models by partially reversible edits" : "Ranking of the models"),
      notes(found, "Intervals are 95 %, by source picture. Models that share a letter in “group” cannot be told apart. Floors have no rank."));
  }

  const partialHeading = () => [h("h2", {}, PARTIAL), h("p", { class: "quiet" }, "Edits that destroy something of the picture, so that nobody could undo them for certain. They are in no other figure of this page.")];

  const notes = (found, first) => h("ul", { class: "notes" }, h("li", {}, first), found.notes.map((note) => h("li", {}, note)));

  function rankingTable(all, metric, found, caption) {
    const domains = found.columns.map((column, place) => (column.has_intervals ? reach(found.rows.map((row) => row.cells[place])) : null));
    const lines = found.rows.map((row) => ({ row, node: rankingRow(all, metric, row, found.columns, domains) }));
    const columns = found.columns.map((column, place) => ({ text: sorter(column, place, lines), class: column.is_words || column.has_intervals ? null : "number", hint: column.explanation }));
    return table([{ text: "#", class: "number" }, "model", ...columns], lines.map((one) => one.node), caption);
  }

  /** A heading that sorts by its column, the best first, then the other way round; calibration stays below. */
  function sorter(column, place, lines) {
    if (lines.every(({ row }) => row.cells[place].value === null)) return column.heading;
    const number = (value) => (infinite(value) ? (value === "inf" ? Infinity : -Infinity) : value);
    let sign = column.better === "lower" ? -1 : 1;
    const button = h("button", { type: "button", class: "sort", onclick: () => {
      const before = (a, b) => {
        const [x, y] = [a, b].map(({ row }) => number(row.cells[place].value));
        return a.row.is_calibration - b.row.is_calibration || (x === null) - (y === null) || (x === y ? 0 : sign * (y > x ? 1 : -1));
      };
      lines[0].node.parentNode.append(...[...lines].sort(before).map((one) => one.node));
      for (const heading of button.closest("tr").children) heading.removeAttribute("aria-sort");
      button.closest("th").setAttribute("aria-sort", sign === 1 ? "descending" : "ascending");
      sign = -sign;
    } }, column.heading);
    return button;
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

  function rankingRow(all, metric, row, columns, domains) {
    const model = all.modelNumber(row.model);
    return h("tr", { class: row.is_calibration ? `${row.role} calibration` : row.role },
      h("td", { class: "number" }, row.rank ?? convergebench.ABSENT),
      h("th", { scope: "row" },
        convergebench.chart.key(all.style(model)),
        h("a", { href: address("gallery", { model: row.model, metric: metric.name }) }, row.model),
        row.role !== "model" && h("span", { class: "tag" }, row.role), row.imported && h("span", { class: "tag" }, "imported"),
        row.sentence && h("p", { class: "sentence" }, row.sentence)),
      row.cells.map((cell, place) => rankingCell(cell, columns[place], domains[place], all.style(model))));
  }

  function rankingCell(cell, column, domain, style) {
    if (cell.value === null && cell.reason) return h("td", { class: "mean" }, h("span", { class: "quiet" }, `missing: ${cell.reason}`));
    if (column.has_intervals) {
      return h("td", { class: "mean", title: cell.hint || null },
        h("span", { class: "number" }, cell.text), " ", h("span", { class: "quiet" }, cell.interval), whisker(cell, domain, style));
    }
    const classes = [column.is_words ? "" : "number", cell.is_warning ? "warn" : ""].filter(Boolean).join(" ");
    return h("td", { class: classes || null, title: cell.hint || null }, cell.text);
  }

  /** The range that all means and intervals lie in. */
  function reach(cells) {
    const values = cells.flatMap((cell) => [cell.value, cell.low, cell.high]).filter((value) => typeof value === "number");
    return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  }

  function whisker(found, [low, high], style) {
    if (typeof found.value !== "number") return null;
    const x = (value) => 4 + ((value - low) / (high - low || 1)) * 132;
    const has = typeof found.low === "number" && typeof found.high === "number";
    return s("svg", { class: "whisker", width: 140, height: 12, "aria-hidden": "true" },
      s("line", { class: "rail", x1: 4, x2: 136, y1: 6, y2: 6 }),
      has && s("line", { class: `curve ${style}`, x1: x(found.low), x2: x(found.high), y1: 6, y2: 6 }),
      s("circle", { class: `dot ${style}`, cx: x(found.value), cy: 6, r: 4 }));
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

  return { open, metricChoice };
})();
