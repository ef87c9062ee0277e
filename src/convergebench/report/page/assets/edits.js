"use strict";

/** Single edits: each case with every model's result and its scores; one case with every verdict on it. */
convergebench.views.edits = (() => {
  const { h, load, breakable, choice, stepper, steppedView, number, address, thumbnail, counted } = convergebench;
  const { Judging, card } = convergebench.verdict;
  const PAGE = 24;

  async function open(root, all, chosen, go) {
    if (!all.single_edits) {
      root.replaceChildren(h("h1", {}, "Single edits"), h("p", { class: "notice" }, "There are none in this workspace. Suites such as gedit-mini ask for one edit of each picture."));
      return undefined;
    }
    const [cases, judging] = await Promise.all([load("edits"), all.verdicts ? Judging.open() : null]);
    const at = cases.findIndex((one) => one.case === chosen.get("case") && (!chosen.get("suite") || one.suite === chosen.get("suite")));
    return at < 0 ? list(root, cases, judging, chosen, go) : single(root, all, cases, at, judging, chosen, go);
  }

  // All cases

  function list(root, cases, judging, chosen, go) {
    const wanted = { suite: chosen.get("suite") ?? "", category: chosen.get("category") ?? "", model: chosen.get("model") ?? "", judge: chosen.get("judge") ?? "", rubric: chosen.get("rubric") ?? "", order: chosen.get("order") ?? "" };
    const pick = (changes) => go({ ...wanted, ...changes });
    const isKept = (one) => (!wanted.suite || one.suite === wanted.suite) && (!wanted.category || one.category === wanted.category);
    const scores = (edit) => edit.scores.map(([judge, rubric, value]) => ({ judge: judging.judgeOf.get(judge), rubric: judging.rubricOf.get(rubric), value }))
      .filter((one) => (!wanted.judge || one.judge.name === wanted.judge) && (!wanted.rubric || one.rubric.name === wanted.rubric));
    const rows = cases.filter(isKept).map((one) => ({
      ...one, edits: one.edits.filter((edit) => !wanted.model || edit.model === wanted.model).map((edit) => ({ ...edit, shown: scores(edit) })),
    })).filter((one) => one.edits.length);
    if (wanted.order === "worst") rows.sort((a, b) => worst(a) - worst(b));
    const shown = h("div", {});
    root.replaceChildren(
      h("h1", {}, "Single edits"), controls(cases, judging, wanted, pick),
      h("p", { class: "quiet" }, `${counted(rows.length, "case")}, ${counted(rows.reduce((sum, one) => sum + one.edits.length, 0), "edit")}. A picture opens its case with all that judges said of it.`),
      shown);
    return convergebench.paged(shown, rows, PAGE, (one) => row(one));
  }

  /** The lowest score of a case as a share of its scale; a case without a score comes last. */
  function worst(one) {
    const found = one.edits.flatMap((edit) => edit.shown).filter((score) => score.value !== null);
    return Math.min(...found.map(({ value, rubric }) => (value - rubric.low) / (rubric.high - rubric.low)));
  }

  function controls(cases, judging, wanted, pick) {
    const of = (values) => [...new Set(values)].sort().map((one) => [one, one || "(none)"]);
    const suites = cases.filter((one) => !wanted.suite || one.suite === wanted.suite);
    const ANY = ["", "All"];
    return h("div", { class: "controls" },
      choice("Suite", [ANY, ...of(cases.map((one) => one.suite))], wanted.suite, (suite) => pick({ suite, category: "" })),
      choice("Subset", [ANY, ...of(suites.map((one) => one.category))], wanted.category, (category) => pick({ category })),
      choice("Model", [ANY, ...of(cases.flatMap((one) => one.edits.map((edit) => edit.model)))], wanted.model, (model) => pick({ model })),
      judging && judging.judges.length > 1 && choice("Judge", [ANY, ...of(judging.judges.map((one) => one.name))], wanted.judge, (judge) => pick({ judge })),
      judging && choice("Rubric", [ANY, ...of(judging.rubrics.filter((one) => one.grades).map((one) => one.name))], wanted.rubric, (rubric) => pick({ rubric })),
      judging && choice("Order", [["", "By case"], ["worst", "Lowest score first"]], wanted.order, (order) => pick({ order })));
  }

  function row(one) {
    const to = (model) => address("edits", { suite: one.suite, case: one.case, model });
    return h("section", { class: "gallery-row", "aria-label": one.case },
      h("div", {}, h("h2", {}, h("a", { href: to() }, breakable(one.case))), h("p", { lang: one.language === "cn" ? "zh" : one.language }, one.asked), h("p", { class: "quiet" }, [one.suite, one.category].filter(Boolean).join(", "))),
      h("div", { class: "gallery-pictures" },
        h("div", { class: "shot" }, convergebench.strips.image(one.source, "The source"), "source"),
        one.edits.map((edit) => h("a", { class: "shot", href: to(edit.model) },
          convergebench.strips.image(edit.digest, edit.model), edit.model, edit.seed ? ` seed ${edit.seed}` : "",
          edit.failure && h("span", { class: "warn" }, ` ${edit.failure.replaceAll("_", " ")}`),
          worded(edit.shown)))));
  }

  /** Scores under the wording that the judge was asked in: those of different wordings are not comparable. */
  function worded(scores) {
    return [...new Set(scores.map((one) => one.rubric.wording))].flatMap((wording) => [
      h("span", { class: "quiet score" }, wording),
      ...scores.filter((one) => one.rubric.wording === wording).map((one) => h("span", { class: "quiet score" }, `${one.rubric.id} `, h("b", {}, number(one.value, 1)))),
    ]);
  }

  // One case

  async function single(root, all, cases, at, judging, chosen, go) {
    const one = cases[at];
    const data = await load(`edit/${at}`);
    const state = () => ({ suite: one.suite, case: one.case, model: chosen.getAll("model"), ...compared.state() });
    const to = (place) => { const next = cases[(place + cases.length) % cases.length]; go({ ...state(), suite: next.suite, case: next.case }); };
    const models = chosen.getAll("model");
    const edits = data.edits.filter((edit) => !models.length || models.includes(edit.model));
    const compared = convergebench.compared({
      all, source: data.sources[0], chosen, onchange: () => history.replaceState(null, "", address("edits", state())),
      results: await Promise.all((edits.length ? edits : data.edits).map(async (edit) => ({
        title: [edit.model, edit.seed ? `seed ${edit.seed}` : ""].filter(Boolean).join(", "), ...edit,
        below: judging ? (await judging.all(edit.verdicts)).map(([verdict, details]) => card(all, verdict, details)) : [],
      }))),
    });
    root.replaceChildren(
      h("p", {}, h("a", { href: address("edits", { suite: one.suite }) }, "‹ All single edits")),
      h("h1", {}, breakable(one.case)),
      h("dl", { class: "asked" }, h("div", {}, h("dt", {}, "Edit"), h("dd", { lang: one.language === "cn" ? "zh" : one.language }, one.asked)),
        data.hints.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
      h("div", { class: "controls" },
        stepper(cases.map((other) => other.case), at, to),
        data.edits.length > 1 && choice("Model", [["", "All"], ...[...new Set(data.edits.map((edit) => edit.model))].map((name) => [name, name])], models.length === 1 ? models[0] : "", (model) => go({ ...state(), model })),
        data.sources.length > 1 && h("div", { class: "sources" }, data.sources.map((source, place) => source && h("figure", {}, h("img", { src: thumbnail(source.digest), alt: `Source ${place + 1}`, width: 96, height: 72 }), h("figcaption", {}, `source ${place + 1}`))))),
      compared.nodes());
    compared.update();
    return steppedView(compared, at, to);
  }

  return { open };
})();
