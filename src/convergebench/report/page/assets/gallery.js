"use strict";

/** Cases by models at one round, the worst first. */
convergebench.views.gallery = (() => {
  const { h, load, breakable, choice, number, badness, address, thumbnail, counted } = convergebench;
  /** So many are added at once. */
  const PICTURES = 80;

  async function open(root, all, chosen, go) {
    const metric = all.metric(chosen.get("metric"));
    const [values, pictures] = await Promise.all([load(`values/${metric.name}`), load("pictures")]);
    const wanted = {
      metric: metric.name, round: bounded(Number(chosen.get("round") ?? all.rounds), 1, all.rounds),
      edits: chosen.get("edits") ?? "", category: chosen.get("category") ?? "", kind: chosen.get("kind") ?? "", drift: chosen.get("drift") ?? "",
      order: chosen.get("order") ?? "worst", model: chosen.getAll("model").filter((name) => all.modelNumber(name) >= 0),
    };
    const pick = (changes) => go({ ...wanted, ...changes });
    const rows = sorted(gathered(all, wanted, values, pictures), metric, wanted.order);
    const shots = rows.reduce((sum, row) => sum + row.shots.length, 0);
    const list = h("div", {});
    root.replaceChildren(
      h("h1", {}, "Gallery"),
      controls(all, metric, wanted, pictures, pick),
      h("p", { class: "quiet" }, rows.length
        ? `${counted(shots, "return")} of ${counted(rows.length, "case")} at round ${wanted.round}${wanted.order === "worst" ? ", the case with the worst return first" : ""}. A picture opens its filmstrip.`
        : "No return is left by these choices."),
      list);
    return convergebench.paged(list, rows, Math.max(2, Math.floor(PICTURES / all.models.length)), (row) => rowNode(row, all, metric, wanted));
  }

  const bounded = (value, low, high) => Math.max(low, Math.min(high, Number.isFinite(value) ? value : high));

  /** One row a case and seed: its source, and what each chosen model made of it. */
  function gathered(all, wanted, values, pictures) {
    const measured = new Map(values.map((one) => [`${one.model} ${one.case} ${one.seed}`, one.values]));
    const rows = new Map();
    for (const film of pictures.films) {
      const facts = all.cases[film.case];
      const model = all.models[film.model];
      const kept = (!wanted.edits || facts.edits === wanted.edits) && (!wanted.category || facts.category === wanted.category) && (!wanted.kind || facts.kind === wanted.kind)
        && (wanted.model.length ? wanted.model.includes(model.name) : true)
        && (!wanted.drift || (film.drifts[wanted.round - 1] ?? "none") === wanted.drift);
      if (!kept) continue;
      const key = `${film.case} ${film.seed}`;
      if (!rows.has(key)) rows.set(key, { facts, seed: film.seed, source: pictures.sources[film.case], shots: [] });
      rows.get(key).shots.push({
        model, digest: film.digests[wanted.round - 1], drift: film.drifts[wanted.round - 1],
        value: measured.get(`${film.model} ${film.case} ${film.seed}`)?.[wanted.round - 1] ?? null,
      });
    }
    return [...rows.values()];
  }

  function sorted(rows, metric, order) {
    const bad = (shot) => (shot.value === null ? -Infinity : badness(shot.value, metric));
    for (const row of rows) {
      row.worst = Math.max(...row.shots.map(bad));
      if (order === "worst") row.shots.sort((a, b) => bad(b) - bad(a));
    }
    return order === "worst" ? rows.sort((a, b) => b.worst - a.worst) : rows;
  }

  function controls(all, metric, wanted, pictures, pick) {
    const of = (name) => [...new Set(all.cases.map((one) => one[name]))].sort().map((one) => [one, one || "(none)"]);
    const drifts = [...new Set(pictures.films.flatMap((film) => film.drifts.map((one) => one ?? "none")))].sort();
    const toggled = (name) => (wanted.model.includes(name) ? wanted.model.filter((one) => one !== name) : [...wanted.model, name]);
    return h("div", { class: "controls" },
      convergebench.views.overview.metricChoice(all, metric, (name) => pick({ metric: name })),
      convergebench.roundField(wanted.round, all.rounds, (round) => pick({ round })),
      of("edits").length > 1 && choice("Edits", [["", "All"], ...of("edits")], wanted.edits, (edits) => pick({ edits })),
      choice("Category", [["", "All"], ...of("category")], wanted.category, (category) => pick({ category })),
      choice("Kind of picture", [["", "All"], ...of("kind")], wanted.kind, (kind) => pick({ kind })),
      drifts.length > 1 && choice("Drifted most in", [["", "Anything"], ...drifts.map((one) => [one, one === "none" ? "nothing noticeable" : one])], wanted.drift, (drift) => pick({ drift })),
      choice("Order", [["worst", "Worst first"], ["case", "By case"]], wanted.order, (order) => pick({ order })),
      h("fieldset", { class: "chips" }, h("legend", {}, "Models (all, unless chosen)"), all.models.map((model, place) =>
        h("label", {}, h("input", { type: "checkbox", checked: wanted.model.includes(model.name), onchange: () => pick({ model: toggled(model.name) }) }),
          convergebench.chart.key(all.style(place)), model.name))));
  }

  function rowNode(row, all, metric, wanted) {
    const to = (models) => address("film", { case: row.facts.id, model: models, seed: row.seed || "", round: wanted.round, metric: metric.name });
    return h("section", { class: "gallery-row", "aria-label": row.facts.id },
      h("div", {}, h("h2", {}, h("a", { href: to(row.shots.map((shot) => shot.model.name)) }, breakable(row.facts.id))),
        h("p", { class: "quiet" }, [row.facts.category, row.facts.kind, row.seed ? `seed ${row.seed}` : ""].filter(Boolean).join(", "))),
      h("div", { class: "gallery-pictures" },
        h("div", { class: "shot" }, convergebench.strips.image(row.source, "The source"), "source"),
        row.shots.map((shot) => h("a", { class: "shot", href: to([shot.model.name]) },
          convergebench.strips.image(shot.digest, `${shot.model.name}, round ${wanted.round}`),
          shot.model.name, " ", h("b", {}, number(shot.value, metric.decimals)), shot.drift && h("span", { class: "quiet" }, ` ${shot.drift}`)))));
  }

  return { open };
})();
