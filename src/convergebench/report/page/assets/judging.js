"use strict";

/** What judges said of the pictures: figures, and every verdict with its reason and raw reply. */
convergebench.views.judging = (() => {
  const { h, choice, buttons, counted } = convergebench;
  const { Judging, card, outcomeText } = convergebench.verdict;
  const tables = convergebench.judged;
  const PAGE = 20;
  const ANY = ["", "All"];
  /** What benchmarks call all of their figures together. */
  const SUMS = ["Overall", "AVG", "Passed (%)"];

  async function open(root, all, chosen, go) {
    if (!all.verdicts) {
      root.replaceChildren(h("h1", {}, "Judging"), h("p", { class: "notice" }, "Nobody has judged these pictures yet. Let a vision-language model look at them with convergebench judge or convergebench score."));
      return;
    }
    const judging = await Judging.open();
    const wanted = Object.fromEntries(["part", "judge", "suite", "rubric", "model", "outcome", "order", "figure"].map((name) => [name, chosen.get(name) ?? ""]));
    const rows = judging.rows.map((row) => judging.named(row));
    const pick = (changes) => go({ ...wanted, ...changes });
    const part = PARTS.some(([key]) => key === wanted.part) ? wanted.part : "";
    root.replaceChildren(
      h("h1", {}, "Judging"), lead(judging, rows),
      h("div", { class: "controls" }, buttons("Show", PARTS, part, (key) => pick({ part: key }))),
      part !== "who" && controls(rows, wanted, part, pick),
      part === "" && figures(all, judging, wanted, pick),
      part === "verdicts" && await verdicts(all, judging, rows, wanted, Number(chosen.get("page")), (page) => go({ ...wanted, page })),
      part === "who" && who(judging));
  }

  const PARTS = [["", "Figures"], ["verdicts", "Verdicts"], ["who", "Judges and rubrics"]];

  async function verdicts(all, judging, rows, wanted, asked, to) {
    const kept = sorted(rows.filter((one) => matches(one, wanted)), wanted.order);
    const page = Math.max(1, Math.min(Math.ceil(kept.length / PAGE), asked || 1));
    const shown = await Promise.all(kept.slice((page - 1) * PAGE, page * PAGE).map(async (one) => card(all, one, await judging.details(one.verdict))));
    return h("section", { "aria-label": "Verdicts" },
      pager(kept.length, page, to), shown.length ? shown : h("p", {}, "None for these choices."), kept.length > PAGE && pager(kept.length, page, to));
  }

  function matches(one, wanted) {
    return (!wanted.judge || one.judge?.name === wanted.judge) && (!wanted.suite || one.suite === wanted.suite)
      && (!wanted.rubric || one.rubric.name === wanted.rubric) && (!wanted.model || one.model === wanted.model || one.other === wanted.model)
      && (!wanted.outcome || (wanted.outcome === "missing" ? one.outcome !== "ok" : one.outcome === wanted.outcome));
  }

  /** By how good the grade is on its own scale; what is missing comes last. */
  function sorted(rows, order) {
    if (order !== "lowest" && order !== "highest") return rows;
    const share = (one) => (one.value - one.rubric.low) / (one.rubric.high - one.rubric.low);
    const sign = order === "lowest" ? 1 : -1;
    return rows.sort((a, b) => (a.value === null) - (b.value === null) || sign * (share(a) - share(b)));
  }

  function lead(judging, rows) {
    const [verdicts, given] = [new Set(rows.map((one) => one.verdict)).size, new Set(rows.filter((one) => one.outcome === "ok").map((one) => one.verdict)).size];
    return h("p", { class: "lead" }, `${counted(verdicts, "verdict")} by ${counted(judging.judges.length, "judge")} and ${counted(judging.rubrics.length, "rubric")}; ${verdicts - given} missing. `,
      "A verdict that is missing is in no mean.");
  }

  function controls(rows, wanted, part, pick) {
    const of = (read) => [...new Set(rows.map(read))].filter((one) => one !== null && one !== undefined).sort().map((one) => [one, one]);
    const outcomes = of((one) => one.outcome).map(([one]) => [one, outcomeText(one)]);
    return h("div", { class: "controls" },
      choice("Judge", [ANY, ...of((one) => one.judge?.name)], wanted.judge, (judge) => pick({ judge })),
      choice("Suite", [ANY, ...of((one) => one.suite)], wanted.suite, (suite) => pick({ suite })),
      choice("Rubric", [ANY, ...of((one) => one.rubric.name)], wanted.rubric, (rubric) => pick({ rubric })),
      choice("Model", [ANY, ...of((one) => one.model)], wanted.model, (model) => pick({ model })),
      part === "verdicts" && choice("Outcome", [ANY, ["missing", "everything missing"], ...outcomes], wanted.outcome, (outcome) => pick({ outcome })),
      part === "verdicts" && choice("Order", [["", "As judged"], ["lowest", "Lowest first"], ["highest", "Highest first"]], wanted.order, (order) => pick({ order })));
  }

  // Figures

  function figures(all, judging, wanted, pick) {
    const isChosen = (one) => (!wanted.judge || judging.judgeOf.get(one.judge)?.name === wanted.judge) && (!wanted.suite || !one.suite || one.suite === wanted.suite);
    const title = (one) => [one.suite, one.under, judging.judges.length > 1 ? judging.judgeOf.get(one.judge)?.name : null].filter(Boolean).join(", ");
    const lines = judging.summaries.filter((one) => isChosen(one) && (!wanted.model || one.model === wanted.model)
      && (!wanted.rubric || judging.rubricOf.get(one.rubric).name === wanted.rubric));
    const groups = [...new Set([...lines.filter((one) => one.suite === all.suite), ...lines].map(title))];
    const contests = judging.contests.filter((one) => isChosen(one) && (!wanted.rubric || one.rubric === wanted.rubric));
    return [
      groups.map((name) => h("section", { "aria-label": name }, h("h2", {}, name), tables.summaries(judging, lines.filter((one) => title(one) === name), name))),
      judging.subsets.filter(isChosen).map((one) => subset(one, title(one), wanted, pick)),
      contests.length > 0 && h("section", { "aria-label": "Two models compared" }, h("h2", {}, "Two models compared"), tables.contests(contests, title)),
      h("section", { "aria-label": "Calls" }, h("h2", {}, "Calls"), tables.calls(judging, judging.calls.filter(isChosen))),
    ];
  }

  function subset(one, title, wanted, pick) {
    const rows = one.rows.filter((row) => !wanted.model || row.model === wanted.model);
    const metrics = [...new Set(rows.map((row) => row.metric))];
    if (!metrics.length) return null;
    const metric = [wanted.figure, ...SUMS, metrics[metrics.length - 1]].find((name) => metrics.includes(name));
    return h("section", { "aria-label": `${title} by subset` }, h("h2", {}, `${title} by subset`),
      metrics.length > 1 && buttons("Figure", metrics.map((name) => [name, name.replaceAll("_", " ")]), metric, (figure) => pick({ figure })),
      tables.subsets(rows, metric, title));
  }

  // The list

  function pager(count, page, to) {
    const last = Math.max(1, Math.ceil(count / PAGE));
    const first = count ? (page - 1) * PAGE + 1 : 0;
    return h("div", { class: "pager" },
      h("button", { type: "button", disabled: page <= 1, onclick: () => to(page - 1) }, "‹ Previous"),
      h("span", {}, `${first.toLocaleString("en")} to ${Math.min(count, page * PAGE).toLocaleString("en")} of ${count.toLocaleString("en")}`),
      h("button", { type: "button", disabled: page >= last, onclick: () => to(page + 1) }, "Next ›"));
  }

  const SEEN = { edit: "an edit", return: "a return", edit_pair: "two models’ edits", return_pair: "two models’ returns", advice: "an edit, to say what is still to be done" };

  function who(judging) {
    return h("section", { "aria-label": "Judges and rubrics" }, h("h2", {}, "Judges and rubrics"),
      judging.judges.map((one) => h("details", {}, h("summary", {}, one.name),
        h("dl", { class: "settings" }, h("dt", {}, "fingerprint"), h("dd", {}, h("code", {}, one.fingerprint)), h("dt", {}, "adapter"), h("dd", {}, `version ${one.version}`),
          one.settings.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])))),
      judging.rubrics.map((one) => h("details", {}, h("summary", {}, `${one.name}, of ${SEEN[one.of] ?? one.of}, ${one.wording}`),
        h("p", { class: "quiet" }, "fingerprint ", h("code", {}, one.fingerprint)), h("pre", { tabindex: "0", "aria-label": `The prompt of ${one.name}` }, one.prompt),
        h("ul", {}, one.asks.map((ask) => h("li", {}, h("b", {}, ask.name), ask.low === null ? "" : ` (${ask.low} to ${ask.high})`, `: ${ask.asks}`))))));
  }

  return { open };
})();
