"use strict";

/** The one viewer of the page: pictures compared with their source in every mode, with one zoom and pan for all. */
convergebench.viewer = (() => {
  const { h, buttons } = convergebench;
  const { Camera, Stage, ZOOMS, MODES, Amounts } = convergebench.stage;
  const FLICKER_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 700;

  /** A result beside or over its source; where there is no result, the reason. */
  class Comparison {
    constructor(viewer) {
      const told = { slide: (amount) => viewer.slide(amount), swipe: (by) => viewer.swiped(by) };
      this.viewer = viewer;
      this.stage = new Stage(viewer.camera, told);
      this.beside = new Stage(viewer.camera, told);
      this.absent = h("p", { class: "absent" });
      this.node = h("div", { class: "stages" }, this.beside.node, this.stage.node, this.absent);
    }

    /** shown is a picture or null; text says what it is, label does in a word or two, breakage is the drawing's name. */
    show(source, shown, { text, label, reason = "", breakage = null }) {
      const { mode, amounts } = this.viewer;
      const isMapless = mode === "delta" && !this.viewer.hasMaps();
      this.beside.node.hidden = mode !== "side";
      this.stage.node.hidden = !shown;
      this.absent.hidden = Boolean(shown);
      this.absent.textContent = reason;
      if (mode === "side") this.beside.show(source, null, "source", 50, { text: "The source", left: "source" });
      const labels = mode === "slider" ? { left: "source", right: label } : { left: mode === "side" ? label : "" };
      const [drawn, amount] = isMapless ? ["difference", amounts.of("difference")] : [mode === "side" ? "single" : mode, amounts.of(mode)];
      if (shown) this.stage.show(source, shown, drawn, amount, { text, breakage, ...labels });
      if (shown && isMapless) this.stage.say(convergebench.stage.NO_MAP);
    }
  }

  /** Mode, zoom and keys. What extends it has `panes` with update(), and may add tools and keys. */
  class Viewer {
    constructor({ all, chosen, mode, without = [] }) {
      this.all = all;
      this.modes = MODES.filter(([key]) => !without.includes(key));
      this.mode = this.modes.some(([key]) => key === chosen.get("mode")) ? chosen.get("mode") : mode;
      this.amounts = new Amounts((amount) => this.slide(amount));
      this.camera = new Camera();
      if (ZOOMS.includes(chosen.get("zoom"))) this.camera.zoom = chosen.get("zoom");
      this.panes = [];
      this.toolbar = h("div", { class: "controls viewer-tools" });
      this.panesNode = h("div", { class: "panes" });
    }

    state() {
      return { mode: this.mode, zoom: this.camera.zoom === "fit" ? "" : this.camera.zoom };
    }

    change(changes) {
      const { zoom, ...own } = changes;
      Object.assign(this, own);
      if (zoom) this.camera.change({ zoom });
      this.update();
      this.changed();
    }

    update() {
      clearInterval(this.flicker);
      this.panesNode.classList.remove("swapped");
      if (this.mode === "flicker") this.flicker = setInterval(() => this.panesNode.classList.toggle("swapped"), FLICKER_MS);
      this.panesNode.dataset.mode = this.mode;
      const focused = this.toolbar.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      this.toolbar.replaceChildren(...this.tools().filter(Boolean));
      if (focused) this.toolbar.querySelector(`[data-key="${focused}"]`)?.focus();
      for (const pane of this.panes) pane.update();
    }

    tools() {
      const isMapless = this.mode === "delta" && !this.hasMaps();
      return [
        buttons("Compare by", this.modes, this.mode, (mode) => this.change({ mode })),
        this.amounts.field(isMapless ? "difference" : this.mode),
        buttons("Zoom", ZOOMS.map((zoom) => [zoom, zoom === "fit" ? "Fit" : `${zoom}×`, zoom === "fit" ? "The whole picture" : `${zoom} screen pixels for each pixel of the source`]), this.camera.zoom, (zoom) => this.change({ zoom })),
        ...this.moreTools(),
        this.mode === "delta" && !isMapless && convergebench.changeLegend(this.all.change_scale),
        this.mode === "broke" && convergebench.breakageLegend(this.all.breakage_kinds),
      ];
    }

    moreTools() { return []; }
    hasMaps() { return true; }
    changed() {}
    swiped() {}
    moreKeys() { return {}; }

    /** Faster than change(): only the pictures and the number. */
    slide(amount) {
      this.amounts.set(this.mode === "delta" && !this.hasMaps() ? "difference" : this.mode, amount);
      for (const pane of this.panes) pane.update();
    }

    key(event) {
      const actions = {
        "+": () => { this.camera.step(1); this.change({}); }, "=": () => { this.camera.step(1); this.change({}); },
        "-": () => { this.camera.step(-1); this.change({}); }, 0: () => this.change({ zoom: "fit" }),
        " ": () => this.panesNode.classList.add("held"), ...this.moreKeys(),
      };
      const mode = this.modes[Number(event.key) - 1];
      const action = mode ? () => this.change({ mode: mode[0] }) : actions[event.key];
      if (!action || !this.panes.length) return false;
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

  return { Viewer, Comparison };
})();
