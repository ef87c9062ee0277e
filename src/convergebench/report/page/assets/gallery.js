"use strict";

/** Cases by models at one round, by picture, the worst first. */
convergebench.views.gallery = (() => {
  const { h, load, breakable, choice, buttons, number, badness, address, counted, marks } = convergebench;
  const { IMPORTED, image, broke } = convergebench.strips;
  /** So many are added at once. */
  const PICTURES = 60;
  const MARKED = "marked";

  async function open(root, all, chosen, go) {
    const metric = all.figure(chosen.get("metric"));
    const [values, pictures] = await Promise.all([load(`values/${metric.name}`), load("pictures")]);
    const wanted = {
      metric: metric.name, round: bounded(Number(chosen.get("round") ?? all.rounds), 1, all.rounds), step: chosen.get("step") === "edit" ? "edit" : "",
      ...Object.fromEntries(["edits", "category", "kind", "drift", "search", MARKED].map((name) => [name, chosen.get(name) ?? ""])),
      order: chosen.get("order") ?? "worst", model: chosen.getAll("model").filter((name) => all.modelNumber(name) >= 0),
    };
    const pick = (changes) => go({ ...wanted, ...changes });
    const rows = sorted(gathered(all, wanted, values, pictures), metric, wanted.order);
    const groups = byPicture(rows);
    const shots = rows.reduce((sum, row) => sum + row.shots.length, 0);
    const list = h("div", {});
    const what = wanted.step === "edit" ? "edit" : "return";
    const isPictured = pictures.films.some((film) => !wanted.model.length || wanted.model.includes(all.models[film.model].name));
    root.replaceChildren(
      h("h1", {}, "Gallery"),
      controls(all, metric, wanted, pictures, pick),
      h("p", { class: "quiet" }, rows.length
        ? `${counted(shots, what)} of ${counted(rows.length, "case")} on ${counted(groups.length, "picture")} at round ${wanted.round}${wanted.order === "worst" ? ", the picture with the worst return first" : ""}. A picture opens its filmstrip.`
        : isPictured ? `No ${what} is left by these choices.` : IMPORTED),
      list);
    return convergebench.paged(list, groups, Math.max(1, Math.floor(PICTURES / all.models.length / 2)), (group) => groupNode(group, all, metric, wanted));
  }

  const bounded = (value, low, high) => Math.max(low, Math.min(high, Number.isFinite(value) ? value : high));

  /** One row a case and seed: what each chosen model made of it. */
  function gathered(all, wanted, values, pictures) {
    const measured = new Map(values.map((one) => [`${one.model} ${one.case} ${one.seed}`, one.values]));
    const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    const at = wanted.round - 1;
    const isFound = (facts) => {
      const text = `${facts.asked} ${facts.id} ${facts.picture}`.toLowerCase();
      return words.every((word) => text.includes(word)) && (!wanted[MARKED] || marks.has(facts.id, wanted[MARKED] === "★" ? "" : wanted[MARKED]));
    };
    const rows = new Map();
    for (const film of pictures.films) {
      const facts = all.cases[film.case];
      const model = all.models[film.model];
      const kept = (!wanted.edits || facts.edits === wanted.edits) && (!wanted.category || facts.category === wanted.category) && (!wanted.kind || facts.kind === wanted.kind)
        && (wanted.model.length ? wanted.model.includes(model.name) : true) && isFound(facts)
        && (!wanted.drift || (film.drifts[at] ?? "none") === wanted.drift);
      if (!kept) continue;
      const key = `${film.case} ${film.seed}`;
      if (!rows.has(key)) rows.set(key, { facts, seed: film.seed, source: pictures.sources[film.case], shots: [] });
      rows.get(key).shots.push({
        model, drift: film.drifts[at], digest: wanted.step === "edit" ? film.edits[at] : film.digests[at], crop: wanted.step === "edit" ? null : film.crops[at],
        value: measured.get(`${film.model} ${film.case} ${film.seed}`)?.[at] ?? null,
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

  /** Cases with the same source stand together, where the first of them stands. */
  function byPicture(rows) {
    const groups = new Map();
    for (const row of rows) {
      const key = `${row.facts.picture} ${row.source}`;
      if (!groups.has(key)) groups.set(key, { picture: row.facts.picture, source: row.source, rows: [] });
      groups.get(key).rows.push(row);
    }
    return [...groups.values()];
  }

  function controls(all, metric, wanted, pictures, pick) {
    const of = (name) => [...new Set(all.cases.map((one) => one[name]))].sort().map((one) => [one, one || "(none)"]);
    const drifts = [...new Set(pictures.films.flatMap((film) => film.drifts.map((one) => one ?? "none")))].sort();
    const toggled = (name) => (wanted.model.includes(name) ? wanted.model.filter((one) => one !== name) : [...wanted.model, name]);
    const search = h("input", { type: "search", placeholder: "chair…", onchange: () => pick({ search: search.value }) });
    search.value = wanted.search;
    const more = [
      convergebench.views.overview.figureChoice(all, metric, (name) => pick({ metric: name })),
      convergebench.roundField(wanted.round, all.rounds, (round) => pick({ round })),
      of("edits").length > 1 && choice("Edits", [["", "All"], ...of("edits")], wanted.edits, (edits) => pick({ edits })),
      choice("Category", [["", "All"], ...of("category")], wanted.category, (category) => pick({ category })),
      choice("Kind of picture", [["", "All"], ...of("kind")], wanted.kind, (kind) => pick({ kind })),
      drifts.length > 1 && choice("Drifted most in", [["", "Anything"], ...drifts.map((one) => [one, one === "none" ? "nothing noticeable" : one])], wanted.drift, (drift) => pick({ drift })),
      marks.tags().length > 0 && choice("Marked", [["", "All"], ...marks.tags().map((tag) => [tag || "★", marks.title(tag)])], wanted[MARKED], (tag) => pick({ [MARKED]: tag })),
      choice("Order", [["worst", "Worst first"], ["case", "By case"]], wanted.order, (order) => pick({ order })),
      h("fieldset", { class: "chips" }, h("legend", {}, "Models (all, unless chosen)"), all.models.map((model, place) =>
        h("label", {}, h("input", { type: "checkbox", checked: wanted.model.includes(model.name), onchange: () => pick({ model: toggled(model.name) }) }),
          convergebench.chart.key(all.style(place)), model.name))),
    ];
    const isNarrow = matchMedia("(max-width: 640px)").matches; // where pictures come first
    return h("div", { class: "controls" },
      h("label", { class: "field picker" }, h("span", {}, "Instruction or picture"), search),
      buttons("Picture", [["", "Returns", "After the undo"], ["edit", "Edits", "After the forward edit"]], wanted.step, (step) => pick({ step })),
      isNarrow ? h("details", { class: "filters", open: Boolean(wanted.category || wanted.kind || wanted.drift || wanted.edits || wanted.model.length) }, h("summary", {}, "More to choose"), h("div", { class: "controls" }, more)) : more);
  }

  function groupNode(group, all, metric, wanted) {
    return h("div", { class: "gallery-group" },
      h("div", { class: "gallery-source" }, h("h2", {}, breakable(group.picture)), h("div", { class: "shot" }, image(group.source, "The source"), "source")),
      h("div", { class: "gallery-rows" }, group.rows.map((row) => rowNode(row, all, metric, wanted))));
  }

  function rowNode(row, all, metric, wanted) {
    const to = (models) => address("film", { case: row.facts.id, model: models, seed: row.seed || "", round: wanted.round, metric: metric.name, step: wanted.step });
    const tags = marks.tagsOf(row.facts.id).filter(Boolean);
    return h("div", { class: "gallery-row" },
      h("h3", {}, marks.star(row.facts.id), h("a", { href: to(row.shots.map((shot) => shot.model.name)) }, row.facts.asked || breakable(row.facts.id)),
        h("span", { class: "quiet" }, " ", [row.facts.id, row.facts.category, row.facts.kind, row.seed ? `seed ${row.seed}` : ""].filter(Boolean).join(", ")), tags.map((tag) => h("span", { class: "tag" }, tag))),
      h("div", { class: "gallery-pictures" },
        row.shots.map((shot) => h("a", { class: "shot", href: to([shot.model.name]) },
          image(shot.digest, `${shot.model.name}, round ${wanted.round}`), broke(shot.crop, `${shot.model.name}, round ${wanted.round}`),
          shot.model.name, " ", h("b", {}, number(shot.value, metric.decimals)), shot.drift && h("span", { class: "quiet" }, ` ${shot.drift}`)))));
  }

  return { open };
})();
