"use strict";

/** Tables of what verdicts come to: by model and rubric, by subset, of two models, and what the calls took. */
convergebench.judged = (() => {
  const { h, s, number, interval, table, counted, ABSENT } = convergebench;
  const right = (text, hint) => ({ text, class: "number", hint });
  const places = (value) => (Math.abs(value) > 10 ? 1 : 2);

  /** How often each grade was given. */
  function bars(counts, low, high) {
    const most = Math.max(...counts, 1);
    const width = Math.max(6, Math.min(16, 120 / counts.length));
    return s("svg", { class: "grades", width: width * counts.length, height: 30, role: "img", "aria-label": `Grades from ${low} to ${high}: ${counts.join(", ")}` },
      counts.map((count, place) => [
        s("rect", { class: "bar-rail", x: place * width + 0.5, y: 28, width: width - 1, height: 1 }),
        s("rect", { class: "bar colour0", x: place * width + 0.5, y: 28 - (count / most) * 27, width: width - 1, height: (count / most) * 27 },
          s("title", {}, `${number(low + (place / Math.max(counts.length - 1, 1)) * (high - low), 0)}: ${count}`))]));
  }

  /** The mean at each round. */
  function spark(rounds, low, high) {
    if (rounds.length < 2) return ABSENT;
    const [first, last] = [rounds[0][0], rounds[rounds.length - 1][0]];
    const at = ([round, mean]) => `${(2 + ((round - first) / (last - first)) * 76).toFixed(1)},${(26 - ((mean - low) / (high - low)) * 24).toFixed(1)}`;
    return s("svg", { class: "spark", width: 80, height: 28, role: "img", "aria-label": rounds.map(([round, mean, n]) => `round ${round}: ${number(mean, 2)} of ${n}`).join(", ") },
      s("polyline", { class: "curve colour0", points: rounds.map(at).join(" ") }),
      s("title", {}, rounds.map(([round, mean, n]) => `round ${round}: ${number(mean, 2)} (n = ${n})`).join("\n")));
  }

  /** Why verdicts are missing; where there are repeats, a picture without one of them still has its mean. */
  function kinds(one) {
    const told = one.kinds.map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`).join(", ");
    return one.kinds.reduce((sum, [, count]) => sum + count, 0) === one.missing ? told : `of repeats: ${told}`;
  }

  function summaries(judging, lines, title) {
    const repeated = lines.some((one) => one.spread !== null);
    const rounds = lines.some((one) => one.rounds.length > 1);
    const headings = ["model", "rubric", { text: "mean", hint: "Over pictures, each at the mean of its repeats; 95 % interval, by source picture" }, { text: "grades", hint: "How often each grade was given, from the lowest to the highest" },
      rounds && { text: "by round", hint: "The mean at each round, on the whole scale" }, right("n"), right("missing"), repeated && right("agreement", "Krippendorff’s alpha of the judge with itself over repeats"), repeated && right("spread", "Standard deviation between repeats")].filter(Boolean);
    const rows = lines.map((one) => {
      const rubric = judging.rubricOf.get(one.rubric);
      return h("tr", {}, h("th", { scope: "row" }, one.model), h("td", {}, rubric.name),
        h("td", { class: "mean" }, h("b", { class: "number" }, one.mean === null ? ABSENT : number(one.mean, 2)), " ", h("span", { class: "quiet" }, one.mean === null ? "" : interval(one.low, one.high, 2), ` of ${rubric.low}–${rubric.high}`)),
        h("td", {}, bars(one.bars, rubric.low, rubric.high)), rounds && h("td", {}, spark(one.rounds, rubric.low, rubric.high)),
        h("td", { class: "number" }, String(one.n)),
        h("td", { class: "number" }, String(one.missing), one.kinds.length > 0 && h("span", { class: "quiet kinds" }, kinds(one))),
        repeated && h("td", { class: "number" }, number(one.alpha, 2)), repeated && h("td", { class: "number" }, number(one.spread, 2)));
    });
    return table(headings, rows, `${title}: verdicts by model and rubric`);
  }

  /** One figure of a benchmark: models by subsets, a table for each language. */
  function subsets(rows, metric, title) {
    const chosen = rows.filter((row) => row.metric === metric);
    return [...new Set(chosen.map((row) => row.language))].map((language) => {
      const mine = chosen.filter((row) => row.language === language);
      const names = [...new Set(mine.map((row) => row.subset))];
      const models = [...new Set(mine.map((row) => row.model))];
      const cell = (model, subset) => {
        const row = mine.find((one) => one.model === model && one.subset === subset);
        if (!row) return h("td", { class: "number" }, ABSENT);
        const told = row.missing ? `${row.missing} missing: ${row.reasons.map(([why, count]) => `${why} (${count})`).join("; ")}` : "";
        return h("td", { class: "number", title: told }, row.score === null ? ABSENT : number(row.score, places(row.score)),
          h("span", { class: "quiet kinds" }, `n ${row.n}${row.missing ? `, ${row.missing} missing` : ""}`));
      };
      const body = models.map((model) => h("tr", {}, h("th", { scope: "row" }, model), names.map((name) => cell(model, name))));
      return h("div", {}, language && h("h3", {}, language), table(["model", ...names.map((name) => right(name.replaceAll("_", " ")))], body, `${title}: ${metric} by subset${language ? `, ${language}` : ""}`));
    });
  }

  function contests(found, title) {
    const strengthOf = (one, model) => one.strengths.models.find((line) => line.model === model);
    return found.map((one) => h("div", {}, h("h3", {}, `${one.rubric}, ${title(one)}`),
      h("p", { class: "quiet" }, `${counted(one.n, "comparison")} with a verdict in both orders, ${one.missing} without; ${counted(one.ties, "tie")}, ${one.order_disagreements} of them because the orders disagree.`),
      table(["model", right("won"), right("tied"), right("lost"), right("wins"), right("strength"), right("95 % interval")], one.models.map((line) => {
        const strength = strengthOf(one, line.model);
        return h("tr", {}, h("th", { scope: "row" }, line.model), [line.won, line.tied, line.lost].map((count) => h("td", { class: "number" }, String(count))),
          h("td", { class: "number" }, `${Math.round(100 * line.share)} %`),
          h("td", { class: "number" }, strength ? convergebench.signed(strength.value, 2) : ABSENT),
          h("td", { class: "number" }, strength ? interval(strength.low, strength.high, 2) : ABSENT));
      }), `Models by ${one.rubric}`),
      h("p", { class: "quiet" }, one.strengths.missing ? `No strengths: ${one.strengths.missing}.` : "Strength, by Bradley and Terry with ties; intervals account for the source picture. Every two models:"),
      table(["model", "against", right("won"), right("tied"), right("lost")], one.wins.map(([model, other, won, tied, lost]) =>
        h("tr", {}, h("th", { scope: "row" }, model), h("td", {}, other), [won, tied, lost].map((count) => h("td", { class: "number" }, String(count))))), `Wins by ${one.rubric}`)));
  }

  function calls(judging, lines) {
    return table(["judge", "outcome", right("calls"), right("s/call"), right("cost"), "for example"], lines.map((one) => h("tr", {},
      h("th", { scope: "row" }, judging.judgeOf.get(one.judge)?.name ?? one.judge), h("td", {}, convergebench.verdict.outcomeText(one.outcome)),
      h("td", { class: "number" }, one.calls.toLocaleString("en")), h("td", { class: "number" }, number(one.seconds, 1)),
      h("td", { class: "number" }, one.cost_usd === null ? "unknown" : `$${number(one.cost_usd, 2)}`), h("td", { class: "text" }, one.example || ABSENT))), "Calls by outcome");
  }

  return { summaries, subsets, contests, calls };
})();
