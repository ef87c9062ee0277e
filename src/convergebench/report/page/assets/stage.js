"use strict";

/** A picture laid over its source: modes of comparison, and zoom and pan that all stages share. */
convergebench.stage = (() => {
  const { h } = convergebench;
  const ZOOMS = ["fit", "1", "2", "4", "8"];
  const MODES = [
    ["single", "Result", "The result alone; hold the pointer or space to see the source"],
    ["side", "Side by side", "Source and result beside each other"],
    ["slider", "Slider", "Source on the left of the handle, result on the right"],
    ["onion", "Onion skin", "The result, half transparent, over the source"],
    ["flicker", "Flicker", "Source and result in turn"],
    ["difference", "Difference", "Absolute difference of each channel, amplified"],
    ["delta", "ΔE map", "How far each pixel's colour moved, as CIEDE2000, over the picture"],
    ["broke", "What broke", "What is left behind of the edit, rewritten where it was, and changed elsewhere"],
    ["rounds", "All rounds", "The source and every return beside each other, zoomed together"],
  ];
  const AMOUNTS = {
    slider: { label: "Handle", min: 0, max: 100, start: 50, unit: " %" },
    onion: { label: "Opacity of the result", min: 0, max: 100, start: 50, unit: " %" },
    difference: { label: "Amplified", min: 1, max: 16, start: 4, unit: "×" },
    delta: { label: "Opacity of the map", min: 0, max: 100, start: 75, unit: " %" },
  };

  /** So many pixels to the side. */
  const SWIPE = 40;
  const NO_MAP = "There is no ΔE map of this picture, so this is the difference, amplified. A report has maps of returns; “convergebench view” draws every map.";
  const NOT_DRAWN = "Nothing is drawn here. A report draws the returns of rounds 1, 3 and the last that were measured by region; “convergebench view” draws those of every round.";

  /** What all stages of a view share: which part of the source is seen, and how large. */
  class Camera {
    constructor() {
      this.zoom = "fit";
      this.x = 0.5;
      this.y = 0.5;
      this.stages = new Set();
    }

    change(values) {
      Object.assign(this, values);
      this.x = Math.max(0, Math.min(1, this.x));
      this.y = Math.max(0, Math.min(1, this.y));
      for (const stage of this.stages) stage.place();
    }

    step(by) {
      const next = Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(this.zoom) + by));
      this.change({ zoom: ZOOMS[next] });
    }
  }

  class Stage {
    /** slide is told where the slider's handle is dragged to, in percent; swipe, which way a finger went. */
    constructor(camera, { slide, swipe }) {
      this.camera = camera;
      this.onslide = slide;
      this.onswipe = swipe;
      this.source = h("img", { class: "under", alt: "", draggable: "false" });
      this.result = h("img", { class: "over", alt: "", draggable: "false" });
      this.map = h("img", { class: "map", alt: "", draggable: "false", hidden: true });
      this.world = h("div", { class: "world" }, this.source, this.result, this.map);
      this.handle = h("div", { class: "handle", hidden: true });
      this.note = h("p", { class: "stage-note", hidden: true });
      this.left = h("span", { class: "stage-label", "aria-hidden": "true" });
      this.right = h("span", { class: "stage-label right", "aria-hidden": "true" });
      this.node = h("div", { class: "stage" }, this.world, this.handle, this.left, this.right, this.note);
      this.amount = 50;
      camera.stages.add(this);
      new ResizeObserver(() => this.place()).observe(this.node);
      this.listen();
      this.result.addEventListener("error", () => this.say("This browser cannot show the picture; open it with the link below."));
      this.map.addEventListener("error", () => {
        this.map.hidden = true;
        if (this.mode === "broke") this.say(NOT_DRAWN);
        if (this.mode !== "delta") return;
        this.node.dataset.mode = this.mode = "difference";
        this.amount = AMOUNTS.difference.start;
        this.place();
        this.say(NO_MAP);
      });
    }

    say(text) {
      this.note.textContent = text;
      this.note.hidden = false;
    }

    /** Show a result over the source; both are {digest, file, width, height}, and either text says what is seen. */
    show(source, result, mode, amount, { text, left = "", right = "", breakage = null }) {
      this.size = source;
      this.mode = mode;
      this.amount = amount;
      this.node.dataset.mode = mode;
      this.node.style.aspectRatio = `${source.width} / ${source.height}`;
      assign(this.source, convergebench.picture(source.file), mode === "source" ? text : "The source");
      if (result) assign(this.result, convergebench.picture(result.file), text);
      this.result.hidden = !result || mode === "source";
      this.handle.hidden = mode !== "slider";
      this.map.hidden = !result || !(mode === "delta" || (mode === "broke" && breakage));
      this.note.hidden = true;
      this.left.textContent = left;
      this.right.textContent = right;
      if (mode === "broke" && result && !breakage && result.digest !== source.digest) this.say(NOT_DRAWN);
      if (!this.map.hidden && mode === "broke") assign(this.map, convergebench.breakage(breakage), `${text}: what broke`);
      else if (!this.map.hidden) assign(this.map, convergebench.changeMap(source.digest, result.digest), `${text}: where it differs from the source`);
      this.place();
    }

    place() {
      if (!this.size) return;
      const { clientWidth: width, clientHeight: height } = this.node;
      const fit = Math.min(width / this.size.width, height / this.size.height);
      const fixed = this.camera.zoom !== "fit";
      const scale = fixed ? Number(this.camera.zoom) / window.devicePixelRatio : fit;
      const left = offset(width, this.size.width * scale, this.camera.x);
      const top = offset(height, this.size.height * scale, this.camera.y);
      this.scale = scale;
      this.world.style.width = `${this.size.width}px`;
      this.world.style.height = `${this.size.height}px`;
      this.world.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
      this.node.classList.toggle("true-pixels", fixed);
      this.blend(left, width, scale);
    }

    blend(left, width, scale) {
      const at = (this.amount / 100) * width;
      const share = Math.max(0, Math.min(1, (at - left) / (this.size.width * scale)));
      this.handle.style.left = `${this.amount}%`;
      this.result.style.clipPath = this.mode === "slider" ? `inset(0 0 0 ${share * 100}%)` : "";
      this.result.style.opacity = this.mode === "onion" ? String(this.amount / 100) : "";
      this.map.style.opacity = this.mode === "delta" ? String(this.amount / 100) : "";
      this.world.style.filter = this.mode === "difference" ? `brightness(${this.amount})` : "";
    }

    listen() {
      let last = null;
      let first = null;
      this.node.addEventListener("pointerdown", (event) => {
        last = first = event;
        this.node.setPointerCapture(event.pointerId);
        if (this.mode === "slider" && this.camera.zoom === "fit") this.slide(event);
        if (this.mode === "single") this.node.classList.add("held");
      });
      this.node.addEventListener("pointermove", (event) => {
        if (!last) return;
        if (this.mode === "slider" && (this.camera.zoom === "fit" || this.nearHandle(last))) this.slide(event);
        else this.pan(event.clientX - last.clientX, event.clientY - last.clientY);
        last = event;
      });
      const end = () => { last = null; this.node.classList.remove("held"); };
      this.node.addEventListener("pointerup", (event) => {
        const [right, down] = first ? [event.clientX - first.clientX, event.clientY - first.clientY] : [0, 0];
        const isSwipe = event.pointerType === "touch" && this.mode !== "slider" && this.camera.zoom === "fit" && Math.abs(right) > SWIPE && Math.abs(right) > 2 * Math.abs(down);
        end();
        if (isSwipe) this.onswipe(right < 0 ? 1 : -1);
      });
      this.node.addEventListener("pointercancel", end);
      this.node.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && this.camera.zoom === "fit") return;
        event.preventDefault();
        if (event.ctrlKey) this.camera.step(event.deltaY < 0 ? 1 : -1);
        else this.pan(-event.deltaX, -event.deltaY);
      }, { passive: false });
      this.node.addEventListener("dblclick", (event) => {
        const box = this.world.getBoundingClientRect();
        const at = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
        this.camera.change({ ...at, zoom: this.camera.zoom === "fit" ? "2" : "fit" });
      });
    }

    nearHandle(event) {
      const box = this.node.getBoundingClientRect();
      return Math.abs(event.clientX - box.left - (this.amount / 100) * box.width) < 24;
    }

    slide(event) {
      const box = this.node.getBoundingClientRect();
      this.onslide(Math.max(0, Math.min(100, Math.round(((event.clientX - box.left) / box.width) * 100))));
    }

    pan(right, down) {
      if (this.camera.zoom === "fit") return;
      this.camera.change({
        x: this.camera.x - right / (this.size.width * this.scale),
        y: this.camera.y - down / (this.size.height * this.scale),
      });
    }
  }

  const assign = (image, address, text) => {
    if (image.getAttribute("src") !== address) image.setAttribute("src", address);
    image.alt = text;
  };

  /** Where a picture's edge lies in a room: centred on the share, not past its own ends, on a whole screen pixel. */
  function offset(room, picture, share) {
    const wanted = picture <= room ? (room - picture) / 2
      : Math.min(0, Math.max(room - picture, room / 2 - share * picture));
    return Math.round(wanted * devicePixelRatio) / devicePixelRatio;
  }

  /** How far each mode that has an amount is set, and the field that sets it. */
  class Amounts {
    constructor(slide) {
      this.slide = slide;
      this.amounts = Object.fromEntries(Object.entries(AMOUNTS).map(([mode, one]) => [mode, one.start]));
    }

    of(mode) {
      return this.amounts[mode] ?? 50;
    }

    set(mode, amount) {
      this.amounts[mode] = amount;
      this.field(mode);
    }

    /** The same field while it is dragged: one that is replaced lets go of the pointer. Null where a mode has none. */
    field(mode) {
      const one = AMOUNTS[mode];
      if (!one) return null;
      if (this.mode !== mode) {
        this.mode = mode;
        this.input = h("input", { type: "range", min: one.min, max: one.max, "data-key": "amount", oninput: () => this.slide(Number(this.input.value)) });
        this.text = h("output", {});
        this.node = h("label", { class: "field amount" }, h("span", {}, one.label), this.input, this.text);
      }
      this.input.value = this.amounts[mode];
      this.text.textContent = `${this.amounts[mode]}${one.unit}`;
      return this.node;
    }
  }

  return { Camera, Stage, Amounts, ZOOMS, MODES, NO_MAP };
})();
