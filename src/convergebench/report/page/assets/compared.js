"use strict";

/** Several results compared with one source in every mode, with one zoom for all: for what has no rounds. */
convergebench.compared = (() => {
  const { h, buttons, number, picture } = convergebench;
  const { Camera, Stage, ZOOMS, MODES, Amounts } = convergebench.stage;
  const FLICKER_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 700;

  /** results: [{title, picture, failure, seconds, cost_usd, attempts, below: [nodes]}]. */
  class Compared {
    constructor({ all, source, results, chosen, onchange, mode = "side" }) {
      Object.assign(this, { all, source, onchange });
      this.mode = MODES.some(([key]) => key === chosen.get("mode")) ? chosen.get("mode") : mode;
      this.amounts = new Amounts((amount) => this.slide(amount));
      this.camera = new Camera();
      if (ZOOMS.includes(chosen.get("zoom"))) this.camera.zoom = chosen.get("zoom");
      const slide = (amount) => this.slide(amount);
      this.panes = results.map((result) => ({ result, stage: new Stage(this.camera, slide), beside: new Stage(this.camera, slide) }));
    }

    state() {
      return { mode: this.mode, zoom: this.camera.zoom === "fit" ? "" : this.camera.zoom };
    }

    nodes() {
      this.toolbar = h("div", { class: "controls" });
      this.panesNode = h("div", { class: "panes", "data-count": this.panes.length }, this.panes.map((pane) => h("div", { class: "pane-column" }, this.pane(pane), pane.result.below ?? [])));
      return [this.toolbar, this.panesNode];
    }

    pane({ result, stage, beside }) {
      const made = result.picture;
      const shown = made && this.source ? [beside.node, stage.node]
        : made ? h("img", { class: "alone", src: picture(made.file), alt: result.title }) : h("p", { class: "absent" }, absence(result.failure));
      return h("figure", { class: "pane" }, h("div", { class: "stages" }, shown), h("figcaption", {},
        h("b", {}, result.title),
        made && h("a", { href: picture(made.file), target: "_blank", rel: "noopener" }, `${made.width} × ${made.height} ${made.type.replace("image/", "").toUpperCase()}`),
        made && this.source && (made.width !== this.source.width || made.height !== this.source.height) && h("span", { class: "warn" }, `shown at the source’s ${this.source.width} × ${this.source.height}`),
        typeof result.seconds === "number" && h("span", { class: "quiet" }, `${convergebench.duration(result.seconds)} s`, result.cost_usd ? `, $${number(result.cost_usd, 3)}` : "", result.attempts > 1 ? `, ${result.attempts} attempts` : "")));
    }

    change(changes) {
      const { zoom, ...own } = changes;
      Object.assign(this, own);
      if (zoom) this.camera.change({ zoom });
      this.update();
      this.onchange();
    }

    update() {
      if (!this.source) return;
      clearInterval(this.flicker);
      this.panesNode.classList.remove("swapped");
      if (this.mode === "flicker") this.flicker = setInterval(() => this.panesNode.classList.toggle("swapped"), FLICKER_MS);
      this.panesNode.dataset.mode = this.mode;
      const focused = this.toolbar.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      this.toolbar.replaceChildren(...this.tools().filter(Boolean));
      if (focused) this.toolbar.querySelector(`[data-key="${focused}"]`)?.focus();
      this.showAll();
    }

    showAll() {
      for (const { result, stage, beside } of this.panes) {
        if (!result.picture) continue;
        beside.node.hidden = this.mode !== "side";
        if (this.mode === "side") beside.show(this.source, null, "source", 50, "The source");
        stage.show(this.source, result.picture, this.mode === "side" ? "single" : this.mode, this.amounts.of(this.mode), result.title);
      }
    }

    tools() {
      return [
        buttons("Compare by", MODES, this.mode, (mode) => this.change({ mode })),
        this.amounts.field(this.mode),
        buttons("Zoom", ZOOMS.map((zoom) => [zoom, zoom === "fit" ? "Fit" : `${zoom}×`]), this.camera.zoom, (zoom) => this.change({ zoom })),
        this.mode === "delta" && convergebench.changeLegend(this.all.change_scale),
      ];
    }

    slide(amount) {
      this.amounts.set(this.mode, amount);
      this.showAll();
    }

    key(event) {
      const actions = {
        "+": () => { this.camera.step(1); this.change({}); }, "=": () => { this.camera.step(1); this.change({}); },
        "-": () => { this.camera.step(-1); this.change({}); }, 0: () => this.change({ zoom: "fit" }),
        " ": () => this.panesNode.classList.add("held"),
      };
      const mode = MODES[Number(event.key) - 1];
      const action = mode ? () => this.change({ mode: mode[0] }) : actions[event.key];
      if (!action || !this.source) return false;
      action();
      return true;
    }

    keyUp(event) {
      if (event.key === " ") this.panesNode.classList.remove("held");
    }

    close() {
      clearInterval(this.flicker);
    }
  }

  const absence = ({ kind, reason }) => (kind ? `No picture: ${kind.replaceAll("_", " ")}. ${reason}` : reason);

  return (options) => new Compared(options);
})();
