"use strict";

/** Sessions of several turns: each figure as curves over the turns, of every model and protocol. */
convergebench.views.sessions = (() => {
  const { h, load } = convergebench;
  const COLOURS = 7;

  async function open(root) {
    const sets = await load("sessions");
    root.replaceChildren(
      h("h1", {}, "Sessions"),
      h("p", { class: "lead" }, "Several instructions in a row, nothing undone: what is kept of the picture where nothing was asked to change, and how many sessions pass every turn so far."),
      sets.map((set) => h("section", { "aria-label": set.suite }, h("h2", {}, set.suite), sections(set))));
  }

  /** A model and protocol has one colour in all figures of a set. */
  function sections(set) {
    const names = [...new Set(set.figures.flatMap((figure) => figure.curves.map((one) => one.name)))];
    const style = (name) => `colour${names.indexOf(name) % COLOURS} dash${Math.floor(names.indexOf(name) / COLOURS) % 4}`;
    return set.figures.map((figure) => section(figure, style));
  }

  function section(figure, style) {
    const metric = { title: figure.title, better: figure.better, decimals: figure.decimals };
    const series = figure.curves.map((one) => ({ name: one.name, style: style(one.name), points: one.points }));
    const reading = h("div", { class: "reading" });
    const read = (turn) => reading.replaceChildren(convergebench.chart.readout(series, turn, { ...metric, title: "mean" }, "turn"));
    read(figure.turns);
    const drawing = convergebench.chart.chart({
      series, rounds: figure.turns, metric, label: `${figure.title} over the turns`, cursor: figure.turns, first: 1,
      unit: "turn", axis: "turns", onpick: read,
    });
    return h("section", { "aria-label": figure.title },
      h("h3", {}, figure.title),
      h("div", { class: "curves" }, drawing.node, reading));
  }

  return { open };
})();
