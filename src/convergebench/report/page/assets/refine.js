"use strict";

/** Edits that a reasoner looked at and had edited again: what it said, and whether that helped. */
convergebench.views.refine = (() => {
  const { h, s, load, breakable, choice, stepper, steppedView, number, address, table, counted, interval, signed, ABSENT } = convergebench;
  const { Judging, card } = convergebench.verdict;
  const PAGE = 24;
  /** The worst first. */
  const WAYS = ["regressed", "unchanged", "improved", "maintained", "missing"];
  const MEANING = {
    regressed: "passed, then did not", unchanged: "did not pass, before or after", improved: "did not pass, then did",
    maintained: "passed before and after", missing: "without a verdict on both",
  };

  async function open(root, all, chosen, go) {
    if (!all.refinements) {
      root.replaceChildren(h("h1", {}, "Refine"), h("p", { class: "notice" }, "Nothing was refined in this workspace. Let a reasoner look at edits with convergebench refine."));
      return undefined;
    }
    const [data, judging] = await Promise.all([load("refine"), all.verdicts ? Judging.open() : null]);
    const at = data.cases.findIndex((one) => one.case === chosen.get("case") && (!chosen.get("pipeline") || one.pipeline === chosen.get("pipeline"))
      && (!chosen.get("suite") || one.suite === chosen.get("suite")));
    return at < 0 ? list(root, data, judging, chosen, go) : single(root, all, data, at, judging, chosen, go);
  }

  // All cases

  function list(root, data, judging, chosen, go) {
    const wanted = Object.fromEntries(["pipeline", "category", "way"].map((name) => [name, chosen.get(name) ?? ""]));
    const pick = (changes) => go({ ...wanted, ...changes });
    const of = (name) => [["", "All"], ...[...new Set(data.cases.map((one) => one[name]))].sort().map((one) => [one, one || "(none)"])];
    const rows = data.cases.map((one, place) => ({ ...one, place, way: wayOf(one) }))
      .filter((one) => (!wanted.pipeline || one.pipeline === wanted.pipeline) && (!wanted.category || one.category === wanted.category) && (!wanted.way || one.way === wanted.way))
      .sort((a, b) => WAYS.indexOf(a.way) - WAYS.indexOf(b.way));
    const shown = h("div", {});
    root.replaceChildren(
      h("h1", {}, "Refine"),
      h("p", { class: "lead" }, "A reasoner looks at an edit and says what is still to be done; the picture is edited again. Cases that got worse come first."),
      data.tables.filter((one) => !wanted.pipeline || one.pipeline === wanted.pipeline).map((one) => figures(one, judging)),
      h("h2", {}, "Cases"),
      h("div", { class: "controls" },
        of("pipeline").length > 2 && choice("Pipeline", of("pipeline"), wanted.pipeline, (pipeline) => pick({ pipeline })),
        choice("Category", of("category"), wanted.category, (category) => pick({ category })),
        choice("Went", [["", "Any way"], ...WAYS.map((way) => [way, `${way}: ${MEANING[way]}`])], wanted.way, (way) => pick({ way }))),
      h("p", { class: "quiet" }, `${counted(rows.length, "case")}.`), shown);
    return convergebench.paged(shown, rows, PAGE, row);
  }

  /** By the judge that says the worst. */
  const wayOf = (one) => WAYS.find((way) => one.ways.some(([, found]) => found === way)) ?? "missing";

  function row(one) {
    const to = address("refine", { suite: one.suite, case: one.case, pipeline: one.pipeline });
    const shot = (digest, text) => h("a", { class: "shot", href: to }, convergebench.strips.image(digest, text), text);
    return h("section", { class: "gallery-row", "aria-label": `${one.case}, ${one.pipeline}` },
      h("div", {}, h("h2", {}, h("a", { href: to }, breakable(one.case))), h("p", {}, one.asked),
        h("p", { class: "quiet" }, [one.category, one.pipeline, one.seed ? `seed ${one.seed}` : ""].filter(Boolean).join(", "))),
      h("div", { class: "gallery-pictures" }, shot(one.source, "source"), shot(one.primary, "primary"), shot(one.refined, one.content === 0 ? "kept: nothing was asked for" : "refined"),
        h("p", {}, h("span", { class: one.way === "regressed" ? "grade warn" : "grade" }, one.way), one.missing && h("span", { class: "quiet" }, one.missing))));
  }

  // What refining did

  function figures(one, judging) {
    const whole = one.rows.filter((found) => found.category === "OVERALL");
    const title = [one.pipeline, one.suite, one.wording, judging?.judges.length > 1 ? judging.judgeOf.get(one.judge)?.name : ""].filter(Boolean).join(", ");
    return h("section", { "aria-label": title }, h("h2", {}, title), whole.map((found) => h("div", { class: "flow" }, flow(found), told(found))), byCategory(one.rows, title));
  }

  function told(found) {
    const [rate, missing] = [found.improvement_rate, found.reasons.map(([why, count]) => `${why} (${count})`).join("; ")];
    return h("div", {},
      h("p", { class: "lead" }, rate === null ? "No case has a verdict before and after." : `${number(rate, 1)} % improved`, found.improvement_rate_interval && ` ${interval(found.improvement_rate_interval.low, found.improvement_rate_interval.high, 1)}`),
      h("ul", { class: "notes" }, WAYS.slice(0, 4).map((way) => h("li", {}, `${found[way]} ${way}: ${MEANING[way]}`)), found.missing > 0 && h("li", {}, `${found.missing} missing: ${missing}`)));
  }

  /** Verdicts before on the left and after on the right; as thick as there are cases. */
  function flow(found) {
    const [width, height, gap] = [320, 170, 26];
    const scale = (height - gap - 24) / Math.max(found.judged, 1);
    const counts = { yesYes: found.maintained, yesNo: found.regressed, noYes: found.improved, noNo: found.unchanged };
    const passedBefore = (counts.yesYes + counts.yesNo) * scale;
    const passedAfter = (counts.yesYes + counts.noYes) * scale;
    const [top, low, high] = [18, 18 + passedBefore + gap, 18 + passedAfter + gap];
    const ribbon = (from, to, count, style, name) => {
      if (!count) return null;
      const thick = count * scale;
      const path = `M70 ${from} C160 ${from} 160 ${to} 250 ${to} V${to + thick} C160 ${to + thick} 160 ${from + thick} 70 ${from + thick} Z`;
      return s("path", { class: `ribbon ${style}`, d: path }, s("title", {}, `${count} ${name}`));
    };
    const label = (x, y, anchor, text, count) => s("text", { x, y, "text-anchor": anchor }, `${text} ${count}`);
    return s("svg", { class: "sankey", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": WAYS.slice(0, 4).map((way) => `${found[way]} ${way}`).join(", ") },
      s("text", { x: 66, y: 11, "text-anchor": "end" }, "primary"), s("text", { x: 254, y: 11 }, "refined"),
      ribbon(top, top, counts.yesYes, "colour0", "maintained"), ribbon(top + counts.yesYes * scale, high, counts.yesNo, "colour1", "regressed"),
      ribbon(low, top + counts.yesYes * scale, counts.noYes, "colour2", "improved"), ribbon(low + counts.noYes * scale, high + counts.yesNo * scale, counts.noNo, "floor", "unchanged"),
      label(62, top + passedBefore / 2 + 4, "end", "pass", counts.yesYes + counts.yesNo), label(62, low + ((counts.noYes + counts.noNo) * scale) / 2 + 4, "end", "fail", counts.noYes + counts.noNo),
      label(258, top + passedAfter / 2 + 4, "start", "pass", counts.yesYes + counts.noYes), label(258, high + ((counts.yesNo + counts.noNo) * scale) / 2 + 4, "start", "fail", counts.yesNo + counts.noNo));
  }

  function byCategory(rows, title) {
    const right = (text) => ({ text, class: "number" });
    const figuresOf = [...new Set(rows.flatMap((found) => Object.keys(found.differences)))];
    const change = (one) => (one?.of_means ? `${signed(one.of_means.mean, 2)} ${interval(one.of_means.low, one.of_means.high, 2)}` : ABSENT);
    return table(["model", "category", ...WAYS.map(right), ...figuresOf.map((name) => right(`${name}, change`))], rows.map((found) => h("tr", {},
      h("th", { scope: "row" }, found.model), h("td", {}, found.category), WAYS.map((way) => h("td", { class: "number" }, String(found[way]))),
      figuresOf.map((name) => h("td", { class: "number" }, change(found.differences[name]))))), `${title} by category`);
  }

  // One case

  async function single(root, all, data, at, judging, chosen, go) {
    const one = data.cases[at];
    const found = await load(`refined/${at}`);
    const state = () => ({ suite: one.suite, case: one.case, pipeline: one.pipeline, ...compared.state() });
    const to = (place) => { const next = data.cases[(place + data.cases.length) % data.cases.length]; go({ ...state(), suite: next.suite, case: next.case, pipeline: next.pipeline }); };
    const result = async (title, stand, before) => ({
      title, picture: stand.picture, failure: { kind: null, reason: stand.missing ?? "" },
      below: [...before, ...(judging ? (await judging.all(stand.verdicts)).map(([verdict, details]) => card(all, verdict, details)) : [])],
    });
    const compared = convergebench.compared({
      all, source: found.sources[0], chosen, mode: "single", onchange: () => history.replaceState(null, "", address("refine", state())),
      results: await Promise.all([...(found.sources[0] ? [{ title: "source", picture: found.sources[0] }] : []), result(`primary, ${one.model}`, found.primary, []), ...found.rounds.map((look) => result(look.instructions.length ? `refined, round ${look.number}` : `after look ${look.number}`, look, [said(look)]))]),
    });
    root.replaceChildren(
      h("p", {}, h("a", { href: address("refine", {}) }, "‹ All refined cases")),
      h("h1", {}, breakable(one.case)),
      h("dl", { class: "asked" }, h("div", {}, h("dt", {}, "Edit"), h("dd", {}, one.asked)), h("div", {}, h("dt", {}, "Went"), h("dd", {}, `${wayOf(one)}: ${MEANING[wayOf(one)]}`)), found.hints.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("div", { class: "controls" }, stepper(data.cases.map((other) => `${other.case}, ${other.pipeline}`), at, to)),
      compared.nodes());
    compared.update();
    return steppedView(compared, at, to);
  }

  /** What the reasoner said of the picture before, and asked for. */
  const said = (look) => h("div", { class: "look" },
    look.reasoning === null ? h("p", { class: "warn" }, "There is no advice.") : h("blockquote", {}, look.reasoning),
    look.reasoning !== null && (look.instructions.length ? h("ol", {}, look.instructions.map((text) => h("li", {}, text))) : h("p", { class: "quiet" }, "Nothing was asked for: the picture stays as it was.")));

  return { open };
})();
