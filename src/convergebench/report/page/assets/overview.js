"use strict";

/** Who keeps most of the picture, first in pictures, then how sure that is and how it is lost over the rounds. */
convergebench.views.overview = (() => {
  const { h, s, load, choice, number, counted, address } = convergebench;
  const { dataTable } = convergebench.tables;
  const PARTIAL = "Partially reversible edits";

  async function open(root, all, chosen, go) {
    const metric = all.metric(chosen.get("metric"));
    const part = chosen.get("part") ?? "";
    const [headline, strips, data, live] = await Promise.all([load("headline"), load("strips"), load(`metric/${metric.name}`), convergebench.live.panel(all)]);
    const state = { round: Math.max(1, Math.min(all.rounds, Number(chosen.get("round") ?? all.rounds))) };
    const hide = chosen.getAll("hide");
    const pick = (changes) => go({ metric: metric.name, part, round: chosen.get("round"), hide, ...changes });
    const view = { all, metric: chosen.get("metric"), strips: new Map(strips.map((one) => [one.model, one])), hide, onhide: (keys) => {
      hide.splice(0, hide.length, ...keys);
      history.replaceState(null, "", address("overview", { metric: chosen.get("metric"), part, round: chosen.get("round"), hide }));
    } };
    const [first, partial] = [headline.find((one) => one.edits === "reversible") ?? headline[0], headline.find((one) => one.edits !== "reversible")];
    root.replaceChildren(
      h("h1", {}, all.protocol === "round_trip" ? `What is left after ${all.rounds === 1 ? "an edit and its undo" : `${all.rounds} edits and undos`}` : `What is left after ${counted(all.rounds, "round")} of ${all.protocol.replaceAll("_", " ")}`),
      first && h("p", { class: "verdict-line" }, live && "So far: ", first.headline_sentence),
      h("p", { class: "quiet" }, summary(all)),
      live,
      standings(view, first ?? data.ranking, first ? "Headline" : "Ranking"),
      partial && partial !== first && folded(PARTIAL, partialNote(), h("p", { class: "lead" }, partial.headline_sentence), rankingTable(view, partial, `${PARTIAL}: what a person sees`), notes(partial)),
      first && curves(all, first.score.metric, first.score, part, { ...state }, pick, scoreHeading()),
      h("h2", {}, "By metric"),
      h("div", { class: "controls" }, metricChoice(all, metric, (name) => pick({ metric: name }))),
      h("p", { class: "quiet" }, describe(metric)),
      curves(all, metric, data, part, state, pick, h("h3", {}, `${metric.title} over the rounds`)),
      first && section(`${metric.title}, every figure`, rankingTable(view, data.ranking, "Ranking of the models"), notes(data.ranking)),
      data.partial && folded(`${PARTIAL} by ${metric.title}`, partialNote(), rankingTable(view, data.partial, "Ranking of the models by partially reversible edits"), notes(data.partial)));
  }

  function summary(all) {
    const trajectories = all.uses.reduce((sum, use) => sum + use.trajectories, 0);
    const complete = all.uses.reduce((sum, use) => sum + use.complete, 0);
    const failures = all.uses.reduce((sum, use) => sum + use.failures, 0);
    const edits = all.uses.reduce((sum, use) => sum + use.edits, 0);
    const said = trajectories
      ? `${counted(trajectories, "trajectory").replace("trajectorys", "trajectories")}, ${complete.toLocaleString("en")} complete; ${counted(edits, "edit")}, ${counted(failures, "failure")}.`
      : "Measured elsewhere and imported.";
    return [h("b", {}, all.suite), `: ${counted(all.cases.length, "case")}, ${counted(all.models.length, "model")}. `, said];
  }

  const scoreHeading = () => [
    h("h2", {}, "Score over the rounds"),
    h("p", { class: "quiet" }, "That of a round is 100 × √(undid · kept) where the edit happened, 100 × undid for an edit of the whole picture, and otherwise 0. The mean of all rounds is the score."),
  ];
  const section = (label, ...content) => h("section", { "aria-label": label }, content);
  const folded = (title, ...content) => h("details", { class: "folded" }, h("summary", {}, title), section(title, content));
  const partialNote = () => h("p", { class: "quiet" }, "Edits that destroy something of the picture, so that nobody could undo them for certain. They are in no other figure of this page.");
  const notes = (found) => h("ul", { class: "notes" },
    h("li", {}, `Intervals are 95 %, by source picture. Models that share a letter in “group” cannot be told apart. ${found.headline ? "Probes and floors are calibration and have" : "Floors have"} no rank.`), found.notes.map((note) => h("li", {}, note)));

  // Each model in pictures, beside its figures

  function standings(view, found, label) {
    const domains = domainsOf(found);
    const [models, calibration] = [found.rows.filter((row) => !row.is_calibration), found.rows.filter((row) => row.is_calibration)];
    const list = (rows) => h("ol", { class: "standings" }, rows.map((row) => standing(view, row, found.columns, domains)));
    return section(label,
      list(models.length ? models : calibration),
      models.length > 0 && calibration.length > 0 && folded(`Calibration: ${calibration.map((row) => row.model).join(", ")}`,
        h("p", { class: "quiet" }, "Probes wear a picture in a known way, and floors do next to nothing: what the figures come to where nobody edits."), list(calibration)),
      folded("All figures as a table, to sort and copy", rankingTable(view, found, label === "Headline" ? "Headline: what a person sees" : "Ranking of the models")),
      notes(found));
  }

  function standing({ all, metric, strips }, row, columns, domains) {
    const model = all.modelNumber(row.model);
    const shown = columns.map((column, place) => ({ column, cell: row.cells[place], domain: domains[place] }));
    const [wide, narrow] = [shown.filter((one) => one.column.has_intervals), shown.filter((one) => !one.column.has_intervals)];
    return h("li", { class: `standing ${row.role}`, "aria-label": row.model },
      strips.has(model) ? convergebench.strips.strip(all, strips.get(model)) : h("p", { class: "quiet" }, convergebench.strips.IMPORTED),
      h("div", {},
        h("h2", {}, h("span", { class: "place" }, row.rank === null ? convergebench.ABSENT : String(row.rank)), nameOf(all, metric, row)),
        row.sentence && h("p", { class: "sentence" }, row.sentence),
        h("dl", { class: "figures" }, [...wide, ...narrow].map(({ column, cell, domain }) => h("div", { class: column.has_intervals ? "wide" : null, title: column.explanation },
          h("dt", {}, column.heading), h("dd", { title: cell.hint || null, class: cell.is_warning ? "warn" : null }, figure(cell, column, domain, all.style(model))))))));
  }

  const nameOf = (all, metric, row) => [
    convergebench.chart.key(all.style(all.modelNumber(row.model))),
    h("a", { href: address("gallery", { model: row.model, metric }) }, row.model),
    row.role !== "model" && h("span", { class: "tag" }, row.role), row.imported && h("span", { class: "tag" }, "imported"),
  ];

  function figure(cell, column, domain, style) {
    if (cell.value === null && cell.reason) return h("span", { class: "quiet" }, `missing: ${cell.reason}`);
    if (!column.has_intervals) return cell.text;
    return [h("b", { class: "number" }, cell.text), " ", h("span", { class: "quiet" }, cell.interval), whisker(cell, domain, style)];
  }

  // Every figure in a table

  function rankingTable({ all, metric, hide, onhide }, found, caption) {
    const domains = domainsOf(found);
    const columns = [
      { key: "rank", text: "#", class: "number", stays: true, cell: (row) => h("td", { class: "number" }, row.rank ?? convergebench.ABSENT), words: (row) => row.rank ?? "", plain: (row) => ({ rank: row.rank }) },
      { key: "model", text: "model", stays: true, words: (row) => row.model, cell: (row) => h("th", { scope: "row" }, nameOf(all, metric, row), row.sentence && h("p", { class: "sentence" }, row.sentence)) },
      ...found.columns.map((column, place) => ({
        key: column.key, text: column.heading, hint: column.explanation, better: column.better, class: column.is_words || column.has_intervals ? null : "number",
        value: (row) => row.cells[place].value, words: (row) => [row.cells[place].text, row.cells[place].interval].filter(Boolean).join(" "),
        plain: (row) => plainCell(column, row.cells[place]),
        cell: (row) => rankingCell(row.cells[place], column, domains[place], all.style(all.modelNumber(row.model))),
      })),
    ];
    return dataTable({ caption, columns, rows: found.rows, rowClass: (row) => (row.is_calibration ? `${row.role} calibration` : row.role), hidden: hide, onhide });
  }

  const plainCell = (column, cell) => (column.is_words || cell.value === null ? { [column.key]: cell.text } : column.has_intervals
    ? { [column.key]: cell.value, [`${column.key}_low`]: cell.low, [`${column.key}_high`]: cell.high } : { [column.key]: cell.value });

  function rankingCell(cell, column, domain, style) {
    const isMissing = cell.value === null && cell.reason;
    const classes = [column.has_intervals || isMissing ? "mean" : column.is_words ? "" : "number", cell.is_warning ? "warn" : ""].filter(Boolean).join(" ");
    return h("td", { class: classes || null, title: cell.hint || null }, figure(cell, column, domain, style));
  }

  /** With the score, which the overview shows by itself. */
  const figureChoice = (all, figure, onpick) => metricChoice(all, figure, onpick, all.score ? [["What a person sees", [[all.score.name, all.score.title]]]] : []);

  function metricChoice(all, metric, onpick, first = []) {
    const of = (dimension) => all.metrics.filter((one) => one.dimension === dimension)
      .map((one) => [one.name, one.measured ? one.title : `${one.title} (no values)`]);
    const measured = [["quality", "Quality"], ["semantic", "Semantics"], ["drift", "Drift"]].map(([name, group]) => [group, of(name)]);
    const groups = [...first, ...measured].map(([group, options]) => ({ group, options })).filter((one) => one.options.length);
    return choice("Metric", groups, metric.name, onpick);
  }

  function describe(metric) {
    const better = { higher: "Higher is better.", lower: "Lower is better.", nearest: `Nearest to ${number(metric.perfect, 0)} is better.` };
    return [metric.summary, better[metric.better]].filter(Boolean).join(" ");
  }

  /** The range that all means and intervals of a column lie in. */
  const domainsOf = (found) => found.columns.map((column, place) => (column.has_intervals ? reach(found.rows.map((row) => row.cells[place])) : null));

  function reach(cells) {
    const values = cells.flatMap((cell) => [cell.value, cell.low, cell.high]).filter((value) => typeof value === "number");
    if (!values.length) return [0, 1];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return low === high ? [Math.min(0, low), Math.max(high, 0) || 1] : [low, high];
  }

  /** A mean and its interval on an axis that is the same for all models, with its ends in numbers. */
  function whisker(found, [low, high], style) {
    if (typeof found.value !== "number") return null;
    const x = (value) => 4 + ((value - low) / (high - low || 1)) * 132;
    const has = typeof found.low === "number" && typeof found.high === "number";
    const places = high - low > 20 ? 0 : high - low > 2 ? 1 : high - low > 0.1 ? 2 : 3;
    return s("svg", { class: "whisker", width: 140, height: 24, "aria-hidden": "true" },
      s("line", { class: "rail", x1: 4, x2: 136, y1: 6, y2: 6 }),
      has && s("line", { class: `curve ${style}`, x1: x(found.low), x2: x(found.high), y1: 6, y2: 6 }),
      s("circle", { class: `dot ${style}`, cx: x(found.value), cy: 6, r: 4 }),
      s("text", { x: 2, y: 21 }, number(low, places)), s("text", { x: 138, y: 21, "text-anchor": "end" }, number(high, places)));
  }

  // The curves

  function curves(all, metric, data, part, state, pick, heading) {
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
    return h("section", { "aria-label": `Curves of ${metric.title}` },
      heading,
      h("div", { class: "controls" }, choice("Cases", options, part, (key) => pick({ part: key }))),
      h("div", { class: "curves" }, drawing.node, reading),
      h("p", { class: "quiet" }, `Bands are 95 % intervals${series.some((one) => one.role === "floor") ? "; dashed grey curves are floors" : ""}. Drag or use the arrow keys on the chart to read another round.`));
  }

  /** Before the first edit nothing is lost; decibels have no number for that. */
  const withSource = (points, metric) => typeof metric.perfect === "number"
    ? [{ round: 0, mean: metric.perfect, low: null, high: null, n: points[0]?.n ?? 0, missing: 0 }, ...points] : points;

  return { open, figureChoice };
})();
