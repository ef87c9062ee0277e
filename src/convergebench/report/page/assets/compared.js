"use strict";

/** Several results compared with one source: for what has no rounds. */
convergebench.compared = (() => {
  const { h, number, picture } = convergebench;
  const { Viewer, Comparison } = convergebench.viewer;

  /** results: [{title, picture, failure, seconds, cost_usd, attempts, below: [nodes]}]. */
  class Compared extends Viewer {
    constructor({ all, source, results, chosen, onchange, mode = "side" }) {
      super({ all, chosen, mode, without: ["broke", "rounds"] });
      Object.assign(this, { source, changed: onchange });
      this.panes = results.map((result) => new ResultPane(this, result));
      this.panesNode.dataset.count = this.panes.length;
      this.panesNode.append(...this.panes.map((pane) => h("div", { class: "pane-column" }, pane.node, pane.result.below ?? [])));
    }

    nodes() {
      return [this.toolbar, this.panesNode];
    }

    update() {
      if (this.source) super.update();
    }

    key(event) {
      return this.source ? super.key(event) : false;
    }
  }

  class ResultPane {
    constructor(view, result) {
      Object.assign(this, { view, result });
      const made = result.picture;
      this.comparison = made && view.source ? new Comparison(view) : null;
      const shown = this.comparison ? this.comparison.node
        : h("div", { class: "stages" }, made ? h("img", { class: "alone", src: picture(made.file), alt: result.title }) : h("p", { class: "absent" }, absence(result.failure)));
      this.node = h("figure", { class: "pane" }, shown, h("figcaption", {},
        h("b", {}, result.title),
        made && h("a", { href: picture(made.file), target: "_blank", rel: "noopener" }, `${made.width} × ${made.height} ${made.type.replace("image/", "").toUpperCase()}`),
        made && view.source && (made.width !== view.source.width || made.height !== view.source.height) && h("span", { class: "warn" }, `shown at the source’s ${view.source.width} × ${view.source.height}`),
        typeof result.seconds === "number" && h("span", { class: "quiet" }, `${convergebench.duration(result.seconds)} s`, result.cost_usd ? `, $${number(result.cost_usd, 3)}` : "", result.attempts > 1 ? `, ${result.attempts} attempts` : "")));
    }

    update() {
      this.comparison?.show(this.view.source, this.result.picture, { text: this.result.title, label: "result" });
    }
  }

  const absence = ({ kind, reason }) => (kind ? `No picture: ${kind.replaceAll("_", " ")}. ${reason}` : reason);

  return (options) => new Compared(options);
})();
