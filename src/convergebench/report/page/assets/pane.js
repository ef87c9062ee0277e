"use strict";

/** One model in the filmstrip: its picture at the round, what is known of it, and its strip. */
convergebench.Pane = (() => {
  const { h, number, thumbnail, picture } = convergebench;
  const { Stage } = convergebench.stage;
  const { Comparison } = convergebench.viewer;

  class Pane {
    constructor(view, film) {
      this.view = view;
      this.film = film;
      this.name = view.all.models[film.model].name;
      this.comparison = new Comparison(view);
      this.rounds = h("div", { class: "rounds-grid", hidden: true });
      this.caption = h("figcaption", {});
      this.worst = h("div", { class: "worst-region" });
      this.node = h("figure", { class: "pane" }, this.comparison.node, this.rounds, this.caption, this.worst);
    }

    /** The step of a round that is looked at: its return, or one of its edits. */
    stepAt(round) {
      return this.film.steps.find((one) => one.round === round && this.nameOf(one) === this.view.step) ?? null;
    }

    /** How a step is called in its round; a protocol may have several edits in one. */
    nameOf(step) {
      if (step.is_return) return "return";
      const nth = this.film.steps.filter((one) => one.round === step.round && !one.is_return).indexOf(step);
      return nth > 0 ? `edit${nth + 1}` : "edit";
    }

    static stepText(name, round) {
      const nth = name.replace("edit", "");
      return name === "return" || nth === "" ? `${name} ${round}` : `edit ${round}.${nth}`;
    }

    update() {
      const { view } = this;
      const source = view.data.source;
      const step = view.round === 0 ? null : this.stepAt(view.round);
      const shown = view.round === 0 ? source : step?.picture ?? null;
      const text = view.round === 0 ? "The source" : `${this.name}, ${Pane.stepText(view.step, view.round)}`;
      this.rounds.hidden = view.mode !== "rounds";
      this.comparison.node.hidden = view.mode === "rounds";
      if (view.mode === "rounds") this.showRounds(source);
      else {
        const breakage = view.step === "return" && view.round > 0 ? this.measured()?.breakage : null;
        this.comparison.show(source, shown, { text, label: view.round === 0 ? "source" : Pane.stepText(view.step, view.round), reason: reasonOf(step, this.film, view.round), breakage });
      }
      this.register();
      this.caption.replaceChildren(...this.captionParts(step, shown).filter(Boolean));
      this.worst.replaceChildren(...this.worstCrops(source, shown));
      this.mark();
      for (const near of [view.round - 1, view.round + 1]) preload(this.stepAt(near)?.picture);
    }

    /** The source and the step of every round, each on a stage of its own that shares the zoom. */
    showRounds(source) {
      const told = { slide: () => {}, swipe: (by) => this.view.swiped(by) };
      this.stages ??= Array.from({ length: this.view.all.rounds + 1 }, () => new Stage(this.view.camera, told));
      if (!this.rounds.childElementCount) this.rounds.append(...this.stages.map((stage) => stage.node));
      this.stages.forEach((stage, round) => {
        const shown = round === 0 ? source : this.stepAt(round)?.picture;
        const label = round === 0 ? "source" : Pane.stepText(this.view.step, round);
        stage.node.hidden = !shown;
        stage.node.classList.toggle("here", round === this.view.round);
        if (shown) stage.show(source, shown, "single", 50, { text: `${this.name}, ${label}`, left: label });
      });
    }

    measured() {
      return this.film.measured.find((one) => one.round === this.view.round) ?? null;
    }

    /** Lay the result back: it is the source turned and zoomed about its centre, then shifted. */
    register() {
      const values = this.measured()?.values;
      const on = this.view.registered && this.view.step === "return" && this.view.round > 0 && typeof values?.shift_x === "number";
      this.comparison.stage.result.style.transform = on
        ? `scale(${1 / (1 + values.zoom / 100)}) rotate(${values.rotation}deg) translate(${-values.shift_x}px, ${-values.shift_y}px)` : "";
    }

    captionParts(step, shown) {
      const { view } = this;
      const source = view.data.source;
      const resized = shown && (shown.width !== source.width || shown.height !== source.height);
      const found = this.measured();
      const value = view.round === 0 || view.step !== "return" ? null : found?.values[view.metric.name];
      const missing = value === undefined ? found?.missing[view.metric.name] ?? (shown ? "not measured yet" : null) : null;
      return [
        h("b", {}, convergebench.chart.key(view.all.style(this.film.model)), this.name),
        h("span", {}, view.round === 0 ? "source" : Pane.stepText(view.step, view.round)),
        step?.instruction && h("q", {}, step.instruction),
        value !== undefined && value !== null && h("span", {}, `${view.metric.title} ${number(value, view.metric.decimals)}`, view.metric.unit && ` ${view.metric.unit}`),
        missing && h("span", { class: "warn" }, `${view.metric.title} missing: ${missing}`),
        shown && h("a", { href: picture(shown.file), target: "_blank", rel: "noopener" }, `${shown.width} × ${shown.height} ${shown.type.replace("image/", "").toUpperCase()}`),
        resized && h("span", { class: "warn" }, `shown at the source’s ${source.width} × ${source.height}`),
        step && h("span", { class: "quiet" }, `${convergebench.duration(step.seconds)} s`, step.cost_usd ? `, $${number(step.cost_usd, 3)}` : "", step.attempts > 1 ? `, ${step.attempts} attempts` : ""),
        view.registered && fitText(found?.values),
        view.mode === "broke" && view.round > 0 && view.step === "return" && h("span", {}, shares(found?.values)),
        convergebench.strips.saved(this.film.export, `${this.name}-${view.facts.id}`),
      ];
    }

    /** Where the return differs most from the source, magnified beside the same place of the source. */
    worstCrops(source, shown) {
      const box = this.view.step === "return" && this.view.round > 0 ? this.measured()?.worst_region : null;
      if (!box || !shown) return [];
      const where = `${box.width} × ${box.height} px at ${box.left}, ${box.top}`;
      return [crop(source, source, box, `The source, ${where}`), crop(shown, source, box, `${this.name}, return ${this.view.round}, ${where}`),
        h("p", { class: "quiet" }, "Where it differs most: source and return, ", where)];
    }

    strip() {
      const { view } = this;
      const tile = (round, kind, made, label) => h("button", {
        type: "button", class: `tile ${kind.replace(/\d+$/, "")}`, "data-round": round, "data-step": kind, "aria-label": `${this.name}: ${label}`, title: label,
        onclick: () => view.change(kind === "source" ? { round } : { round, step: kind }),
      }, made ? h("img", { src: thumbnail(made.digest), loading: "lazy", alt: "", width: 96, height: Math.round(96 * made.height / made.width) })
        : h("span", { class: "no-picture" }, "✕"), h("span", { "aria-hidden": "true" }, label));
      this.tiles = [tile(0, "source", view.data.source, "source"), ...this.film.steps.map((step) => {
        const name = this.nameOf(step);
        return tile(step.round, name, step.picture, Pane.stepText(name, step.round));
      })];
      this.stripNode = h("div", { class: "strip" }, this.tiles);
      return h("div", { class: "strip-row" }, h("p", { class: "strip-name" }, convergebench.chart.key(view.all.style(this.film.model)), this.name), this.stripNode);
    }

    mark() {
      const { round, step } = this.view;
      for (const tile of this.tiles ?? []) {
        const here = Number(tile.dataset.round) === round && (round === 0 || tile.dataset.step === step);
        tile.setAttribute("aria-current", here ? "true" : "false");
        if (here) this.stripNode.scrollTo({ left: tile.offsetLeft - this.stripNode.clientWidth / 2 + tile.clientWidth / 2 });
      }
    }
  }

  /** A part of a picture, as large as there is room; the box is in pixels of the source, whose size the picture is given. */
  function crop(made, source, box, text) {
    const image = h("img", { src: picture(made.file), alt: text, loading: "lazy" });
    image.style.width = `${100 * source.width / box.width}%`;
    image.style.height = `${100 * source.height / box.height}%`;
    image.style.left = `${-100 * box.left / box.width}%`;
    image.style.top = `${-100 * box.top / box.height}%`;
    const frame = h("div", { class: "crop" }, image);
    frame.style.aspectRatio = `${box.width} / ${box.height}`;
    return frame;
  }

  /** How much of the edit, of where it was, and of the rest broke. */
  const shares = (values) => ["left_behind", "rewritten", "collateral"].filter((name) => typeof values?.[name] === "number")
    .map((name) => `${name.replace("_", " ")} ${number(100 * values[name], 1)} %`).join(", ");

  const preload = (made) => { if (made) new Image().src = picture(made.file); };

  function fitText(values) {
    if (typeof values?.shift_x !== "number") return h("span", { class: "warn" }, "no shift and zoom could be fitted");
    const { signed } = convergebench;
    return h("span", { class: "quiet" }, `laid back by shift ${signed(values.shift_x, 1)}, ${signed(values.shift_y, 1)} px, zoom ${signed(values.zoom, 2)} %, turn ${signed(values.rotation, 2)}°`);
  }

  function reasonOf(step, film, round) {
    const failed = step?.failure ?? film.steps.filter((one) => one.failure && one.round <= round).at(-1)?.failure;
    return failed ? `No picture: ${failed.kind.replaceAll("_", " ")}. ${failed.reason}` : "No picture yet: the run has not come this far.";
  }

  return Pane;
})();
