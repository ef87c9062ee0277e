"use strict";

/** Curves over rounds with interval bands, a cursor, and a table that reads the curves off at the cursor. */
convergebench.chart = (() => {
  const { h, s, number, interval, infinite } = convergebench;
  const MARGIN = { top: 12, right: 14, bottom: 34, left: 52 };

  /** The cursor goes from round `first` on.
      series: [{name, style, points: [{round, mean, low, high, n, missing}]}]; floors come first, behind. */
  function chart({ series, rounds, metric, label, cursor, onpick, first = 0, height = 320, unit = "round", axis = "rounds of edit and undo" }) {
    const figure = h("div", {
      class: "chart", tabindex: "0", role: "slider", "aria-label": `${label}; ${unit}`,
      "aria-valuemin": String(first), "aria-valuemax": String(rounds),
    });
    const state = { at: cursor };
    const draw = () => {
      const width = figure.clientWidth;
      if (width) figure.replaceChildren(drawn(series, rounds, metric, width, height, state.at, axis));
    };
    const show = (round) => {
      state.at = Math.max(first, Math.min(rounds, round));
      figure.setAttribute("aria-valuenow", String(state.at));
      figure.setAttribute("aria-valuetext", `${unit} ${state.at} of ${rounds}`);
      draw();
    };
    const pick = (round) => {
      if (round === state.at) return;
      show(round);
      onpick(state.at);
    };
    const follow = (event) => {
      const box = figure.getBoundingClientRect();
      const share = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      pick(Math.max(first, Math.min(rounds, Math.round(share * rounds))));
    };
    figure.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse" && event.buttons) follow(event); });
    figure.addEventListener("pointerdown", follow);
    figure.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, Home: -rounds, End: rounds };
      if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      pick(Math.max(first, Math.min(rounds, state.at + steps[event.key])));
    });
    new ResizeObserver(draw).observe(figure);
    show(cursor);
    return { node: figure, show };
  }

  function drawn(series, rounds, metric, width, height, at, axis) {
    const [low, high] = span(series, metric);
    const x = (round) => MARGIN.left + (round / rounds) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => height - MARGIN.bottom - ((value - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
    const inside = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      grid(low, high, rounds, metric, x, y, inside, width, axis),
      s("line", { class: "cursor", x1: x(at), x2: x(at), y1: inside.top, y2: inside.bottom }),
      series.map((one) => band(one, x, y)),
      series.map((one) => curve(one, x, y, at)));
  }

  function grid(low, high, rounds, metric, x, y, inside, width, axis) {
    const step = Math.max(1, Math.ceil(rounds / Math.max(2, Math.floor(width / 56))));
    const across = Array.from({ length: rounds + 1 }, (_, round) => round).filter((round) => round % step === 0);
    return s("g", { class: "grid" },
      ticks(low, high).map(({ value, text }) => [
        s("line", { x1: inside.left, x2: inside.right, y1: y(value), y2: y(value) }),
        s("text", { x: inside.left - 7, y: y(value) + 4, "text-anchor": "end" }, text),
      ]),
      across.map((round) => s("text", { x: x(round), y: inside.bottom + 16, "text-anchor": "middle" }, String(round))),
      s("text", { class: "axis", x: inside.right, y: inside.bottom + 31, "text-anchor": "end" }, axis),
      s("text", { class: "axis", x: inside.left, y: inside.bottom + 31 }, metric.unit ? `in ${metric.unit}` : ""));
  }

  const finite = (value) => typeof value === "number";

  function segments(points) {
    const runs = [[]];
    for (const point of points) {
      if (finite(point.mean)) runs[runs.length - 1].push(point);
      else runs.push([]);
    }
    return runs.filter((run) => run.length);
  }

  function band(one, x, y) {
    const path = segments(one.points.filter((point) => finite(point.low) && finite(point.high)))
      .map((run) => {
        const over = run.map((point) => `${x(point.round)},${y(point.high)}`);
        const under = run.map((point) => `${x(point.round)},${y(point.low)}`).reverse();
        return `M${[...over, ...under].join("L")}Z`;
      }).join("");
    return s("path", { class: `band ${one.style}`, d: path });
  }

  function curve(one, x, y, at) {
    const path = segments(one.points).map((run) => `M${run.map((point) => `${x(point.round)},${y(point.mean)}`).join("L")}`).join("");
    const here = one.points.find((point) => point.round === at && finite(point.mean));
    const alone = segments(one.points).filter((run) => run.length === 1).flat();
    return [
      s("path", { class: `curve ${one.style}`, d: path }),
      alone.map((point) => s("circle", { class: `dot ${one.style}`, cx: x(point.round), cy: y(point.mean), r: 2 })),
      here && s("circle", { class: `dot ${one.style}`, cx: x(at), cy: y(here.mean), r: 4 }),
    ];
  }

  /** The whole scale where the metric has one and half of it is used, or a single value; else what there is, with some air. */
  function span(series, metric) {
    const values = series.flatMap((one) => one.points.flatMap((point) => [point.mean, point.low, point.high])).filter(finite);
    if (finite(metric.perfect) && metric.better !== "nearest") values.push(metric.perfect);
    if (!values.length) return [0, 1];
    let low = Math.min(...values);
    let high = Math.max(...values);
    const whole = finite(metric.perfect) && finite(metric.worst) && metric.better !== "nearest";
    if (whole && (low === high || (high - low) * 2 > Math.abs(metric.perfect - metric.worst))) {
      low = Math.min(low, metric.perfect, metric.worst);
      high = Math.max(high, metric.perfect, metric.worst);
    }
    const air = (high - low) * 0.04 || Math.abs(high) * 0.05 || 0.05;
    return [low - air, high + air];
  }

  /** At round numbers, each with all its digits: 0.975 written as 0.98 would be at the wrong height. */
  function ticks(low, high) {
    const rough = (high - low) / 5;
    const power = Math.floor(Math.log10(rough));
    const factor = [1, 2, 2.5, 5, 10].find((one) => one * 10 ** power >= rough);
    const [step, places] = [factor * 10 ** power, Math.max(0, (factor === 2.5 ? 1 : factor === 10 ? -1 : 0) - power)];
    const found = [];
    for (let place = Math.ceil(low / step); place * step <= high; place += 1) found.push({ value: place * step, text: number(place * step, places) });
    return found;
  }

  /** How many values a mean is over; infinite ones, as PSNR has for equal pictures, are left out. */
  const averaged = (point) => point.perfect ? `${point.n - point.perfect} of ${point.n}, ∞ left out` : String(point.n);

  /** The curves at one round as a table, best first: what a legend says, and n and missing. */
  function readout(series, round, metric, unit = "round") {
    const rows = series.map((one) => ({ one, point: one.points.find((point) => point.round === round) ?? null }));
    const place = ({ point }) => (point && (finite(point.mean) || infinite(point.mean)) ? convergebench.badness(point.mean, metric) : Infinity);
    rows.sort((a, b) => place(a) - place(b));
    const body = rows.map(({ one, point }) => h("tr", {},
      h("th", { scope: "row" }, key(one.style), one.link ? h("a", { href: one.link }, one.name) : one.name),
      h("td", { class: "number" }, number(point?.mean ?? null, metric.decimals), " ",
        h("span", { class: "quiet" }, interval(point?.low, point?.high, metric.decimals))),
      h("td", { class: "number" }, point ? averaged(point) : convergebench.ABSENT),
      h("td", { class: "number" }, point ? String(point.missing) : convergebench.ABSENT)));
    const value = { text: `${metric.title} at ${unit} ${round}`, class: "number" };
    return convergebench.table(["model", value, { text: "n", class: "number" }, { text: "missing", class: "number" }], body, "The curves read off at the cursor");
  }

  const key = (style) => s("svg", { class: "key", width: 26, height: 10, "aria-hidden": "true" },
    s("line", { class: `curve ${style}`, x1: 1, x2: 25, y1: 5, y2: 5 }));

  return { chart, readout, key };
})();
