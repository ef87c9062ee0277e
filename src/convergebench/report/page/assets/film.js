"use strict";

/** A trajectory's pictures in order, compared with the source; several models in lockstep. */
convergebench.views.film = (() => {
  const { h, load, breakable, choice, buttons, address, casePicker } = convergebench;
  const { Pane } = convergebench;
  const { Viewer } = convergebench.viewer;
  /** A finger goes to the next round, where it would move the slider's handle. */
  const isSmall = () => matchMedia("(max-width: 640px)").matches;

  async function open(root, all, chosen, go) {
    const wanted = chosen.get("case");
    if (wanted !== null && all.caseNumber(wanted) < 0) {
      root.replaceChildren(h("h1", {}, "No such case"),
        h("p", { class: "notice" }, `There is no case “${wanted}” in ${all.suite} here. The link may come from another report, or from an earlier version of the suite.`),
        h("div", { class: "controls" }, casePicker(all, -1, (place) => go({ case: all.cases[place].id }))));
      return undefined;
    }
    const number = Math.max(0, all.caseNumber(wanted));
    const film = new FilmView(all, all.cases[number], await load(`case/${number}`), chosen, go);
    root.replaceChildren(...film.nodes(number));
    film.update();
    return film;
  }

  class FilmView extends Viewer {
    constructor(all, facts, data, chosen, go) {
      super({ all, chosen, mode: isSmall() ? "single" : "slider" });
      Object.assign(this, { facts, data, go });
      this.metric = all.figure(chosen.get("metric"));
      this.seeds = [...new Set(data.films.map((film) => film.seed))].sort((a, b) => a - b);
      this.seed = this.seeds.includes(Number(chosen.get("seed"))) ? Number(chosen.get("seed")) : this.seeds[0];
      this.films = data.films.filter((film) => film.seed === this.seed);
      this.shown = this.chosenFilms(chosen.getAll("model"));
      this.round = clamp(Number(chosen.get("round") ?? all.rounds), 0, all.rounds);
      this.step = /^edit\d*$/.test(chosen.get("step")) ? chosen.get("step") : "return";
      this.registered = chosen.get("registered") === "yes";
    }

    chosenFilms(names) {
      const named = this.films.filter((film) => names.includes(this.all.models[film.model].name));
      const models = this.films.filter((film) => this.all.models[film.model].role !== "floor");
      return named.length ? named : [...models, ...this.films].slice(0, 1);
    }

    // What is where

    nodes(number) {
      const { all, facts, data } = this;
      const heading = h("div", {}, h("h1", {}, breakable(facts.id)), convergebench.marks.editor(facts.id), this.asked());
      if (!data.source) return [heading, this.caseChoice(number), h("p", { class: "notice" }, noPictures(data))];
      this.panes = this.shown.map((film) => new Pane(this, film));
      this.panesNode.dataset.count = this.panes.length;
      this.panesNode.append(...this.panes.map((pane) => pane.node));
      this.registeredField = this.registrationChoice();
      this.scrubber = h("input", { type: "range", min: 0, max: all.rounds, step: 1, "aria-label": "Round", oninput: () => this.change({ round: Number(this.scrubber.value) }) });
      this.roundText = h("output", {});
      return [
        heading,
        h("div", { class: "controls film-choices" }, this.caseChoice(number), this.seedChoice(), this.modelChips()),
        this.toolbar,
        this.panesNode,
        h("section", { class: "timeline", "aria-label": "Rounds" },
          h("div", { class: "scrub" }, h("span", {}, "Round"), this.scrubber, this.roundText),
          this.panes.map((pane) => pane.strip()),
          h("div", { class: "controls" }, convergebench.views.overview.figureChoice(all, this.metric, (name) => this.reopen({ metric: name }))),
          this.curve(),
          h("p", { class: "quiet" }, "Keys: ← → round, ↑ ↓ case, e edit or return, 1 to 9 mode, + − zoom, 0 fit. Hold space to see the source. Drag to pan when zoomed.")),
      ];
    }

    asked() {
      const { asked, hints } = this.data;
      if (!asked) return null;
      return h("dl", { class: "asked" },
        h("div", {}, h("dt", {}, "Edit"), h("dd", { lang: asked.language }, asked.forward)),
        asked.backward && h("div", {}, h("dt", {}, "Undo"), h("dd", { lang: asked.language }, asked.backward)),
        hints.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    }

    caseChoice(number) {
      const { cases } = this.all;
      const to = (place) => this.reopen({ case: cases[(place + cases.length) % cases.length].id });
      this.previous = () => to(number - 1);
      this.next = () => to(number + 1);
      return h("div", { class: "stepper" },
        h("button", { type: "button", "aria-label": "Previous case", onclick: this.previous }, "‹"),
        casePicker(this.all, number, to),
        h("button", { type: "button", "aria-label": "Next case", onclick: this.next }, "›"));
    }

    seedChoice() {
      if (this.seeds.length < 2) return null;
      return choice("Seed", this.seeds.map((seed) => [String(seed), String(seed)]), String(this.seed), (seed) => this.reopen({ seed }));
    }

    modelChips() {
      const names = (films) => films.map((film) => this.all.models[film.model].name);
      return h("fieldset", { class: "chips" }, h("legend", {}, "Models"), this.films.map((film) => {
        const on = this.shown.includes(film);
        const toggled = on ? this.shown.filter((one) => one !== film) : this.films.filter((one) => one === film || this.shown.includes(one));
        return h("label", {}, h("input", { type: "checkbox", checked: on, onchange: () => this.reopen({ model: names(toggled) }) }),
          convergebench.chart.key(this.all.style(film.model)), this.all.models[film.model].name);
      }));
    }

    registrationChoice() {
      const fitted = this.shown.some((film) => film.measured.some((one) => typeof one.values.shift_x === "number"));
      if (!fitted) return null;
      const box = h("input", { type: "checkbox", checked: this.registered, onchange: () => this.change({ registered: box.checked }) });
      return h("label", { class: "check", title: "Lay the result back by the shift, zoom and turn that were measured" }, box, "registered");
    }

    curve() {
      const series = this.shown.map((film) => ({
        name: this.all.models[film.model].name, style: this.all.style(film.model),
        points: [...(typeof this.metric.perfect === "number" ? [{ round: 0, mean: this.metric.perfect }] : []),
          ...film.measured.map((one) => ({ round: one.round, mean: one.values[this.metric.name] ?? null }))],
      }));
      this.chart = convergebench.chart.chart({
        series, rounds: this.all.rounds, metric: this.metric, label: `${this.metric.title} of this case`,
        cursor: this.round, height: 200, onpick: (round) => this.change({ round }),
      });
      return this.chart.node;
    }

    // What happens

    state() {
      return {
        case: this.facts.id, model: this.shown.map((film) => this.all.models[film.model].name),
        seed: this.seeds.length > 1 ? this.seed : "", round: this.round, step: this.step === "return" ? "" : this.step,
        ...super.state(), metric: this.metric.name,
        registered: this.registered ? "yes" : "",
      };
    }

    reopen(changes) {
      this.go({ ...this.state(), ...changes });
    }

    changed() {
      history.replaceState(null, "", address("film", this.state()));
    }

    update() {
      if (!this.panes.length) return;
      super.update();
      this.scrubber.value = this.round;
      this.roundText.textContent = this.round === 0 ? "source" : `${Pane.stepText(this.step, this.round)} of ${this.all.rounds}`;
      this.chart.show(this.round);
    }

    moreTools() {
      return [
        buttons("Picture", [["return", "Return", "After the undo"], ["edit", "Edit", "After the forward edit"]], this.step === "return" ? "return" : "edit", (step) => this.change({ step })),
        this.registeredField,
      ];
    }

    /** A report has maps of returns only. */
    hasMaps() {
      return this.all.live || this.step === "return" || this.round === 0;
    }

    swiped(by) {
      this.change({ round: clamp(this.round + by, 0, this.all.rounds) });
    }

    moreKeys() {
      return {
        ArrowLeft: () => this.swiped(-1), ArrowRight: () => this.swiped(1),
        ArrowUp: this.previous, ArrowDown: this.next,
        Home: () => this.change({ round: 0 }), End: () => this.change({ round: this.all.rounds }),
        e: () => this.change({ step: this.step === "return" ? "edit" : "return" }),
      };
    }
  }

  const clamp = (value, low, high) => Math.max(low, Math.min(high, Number.isFinite(value) ? value : high));

  const noPictures = (data) => (data.films.length
    ? "The source of this case is not in the workspace any more, so there is nothing to compare with."
    : convergebench.strips.IMPORTED);

  return { open };
})();
