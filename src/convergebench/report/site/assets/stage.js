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
    ["delta", "ΔE map", "How far each pixel's colour moved, as CIE 1976 ΔE in Lab"],
  ];
  const AMOUNTS = {
    slider: { label: "Handle", min: 0, max: 100, start: 50, unit: " %" },
    onion: { label: "Opacity of the result", min: 0, max: 100, start: 50, unit: " %" },
    difference: { label: "Amplified", min: 1, max: 16, start: 4, unit: "×" },
  };

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
    /** onslide is told where the slider's handle is dragged to, in percent. */
    constructor(camera, onslide) {
      this.camera = camera;
      this.onslide = onslide;
      this.source = h("img", { class: "under", alt: "", draggable: "false" });
      this.result = h("img", { class: "over", alt: "", draggable: "false" });
      this.map = h("canvas", { class: "map", hidden: true });
      this.world = h("div", { class: "world" }, this.source, this.result, this.map);
      this.handle = h("div", { class: "handle", hidden: true });
      this.note = h("p", { class: "stage-note", hidden: true });
      this.node = h("div", { class: "stage" }, this.world, this.handle, this.note);
      this.amount = 50;
      camera.stages.add(this);
      new ResizeObserver(() => this.place()).observe(this.node);
      this.listen();
      this.result.addEventListener("error", () => this.say("This browser cannot show the picture; open it with the link below."));
    }

    say(text) {
      this.note.textContent = text;
      this.note.hidden = false;
    }

    /** Show a result over the source; both are {file, width, height}, and either text says what is seen. */
    show(source, result, mode, amount, text) {
      this.size = source;
      this.mode = mode;
      this.amount = amount;
      this.node.dataset.mode = mode;
      this.node.style.aspectRatio = `${source.width} / ${source.height}`;
      assign(this.source, convergebench.picture(source.file), mode === "source" ? text : "The source");
      if (result) assign(this.result, convergebench.picture(result.file), text);
      this.result.hidden = !result || mode === "source";
      this.handle.hidden = mode !== "slider";
      this.map.hidden = mode !== "delta";
      this.note.hidden = true;
      if (mode === "delta" && result) this.drawMap();
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
      this.world.style.filter = this.mode === "difference" ? `brightness(${this.amount})` : "";
    }

    listen() {
      let last = null;
      this.node.addEventListener("pointerdown", (event) => {
        last = event;
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
      this.node.addEventListener("pointerup", end);
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

    async drawMap() {
      const wanted = this.result.src;
      await Promise.all([ready(this.source), ready(this.result)]);
      if (this.result.src !== wanted || this.mode !== "delta") return;
      try {
        paintDelta(this.map, this.source, this.result, this.size);
      } catch {
        this.map.hidden = true;
        this.say("A browser does not let a page that is opened from disk read pixels. "
          + "Open this with “convergebench view”, or from a web server, to see the ΔE map; Difference works here.");
      }
    }
  }

  const assign = (image, address, text) => {
    if (image.getAttribute("src") !== address) image.setAttribute("src", address);
    image.alt = text;
  };

  /** Resolves when the picture is there, or never will be. */
  const ready = (image) => image.decode().catch(() => null);

  /** Where a picture's edge lies in a room: centred on the share, not past its own ends, on a whole screen pixel. */
  function offset(room, picture, share) {
    const wanted = picture <= room ? (room - picture) / 2
      : Math.min(0, Math.max(room - picture, room / 2 - share * picture));
    return Math.round(wanted * devicePixelRatio) / devicePixelRatio;
  }

  function paintDelta(canvas, source, result, size) {
    canvas.width = size.width;
    canvas.height = size.height;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const pixels = (image) => {
      context.drawImage(image, 0, 0, size.width, size.height);
      return context.getImageData(0, 0, size.width, size.height);
    };
    const before = pixels(source).data;
    const after = pixels(result);
    const [a, b] = [[0, 0, 0], [0, 0, 0]];
    for (let at = 0; at < before.length; at += 4) {
      lab(before, at, a);
      lab(after.data, at, b);
      heat(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), after.data, at);
    }
    context.putImageData(after, 0, 0);
  }

  const LINEAR = Float64Array.from({ length: 256 }, (_, value) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const cube = (t) => (t > 216 / 24389 ? Math.cbrt(t) : (t * 24389 / 27 + 16) / 116);

  /** CIE Lab of an sRGB pixel, D65 white. */
  function lab(data, at, out) {
    const [r, g, b] = [LINEAR[data[at]], LINEAR[data[at + 1]], LINEAR[data[at + 2]]];
    const x = cube((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const y = cube(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
    const z = cube((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
  }

  const HEAT = [[0, 0, 0], [80, 18, 123], [182, 54, 121], [251, 136, 97], [252, 253, 191]];
  const MOST_DELTA = 100;

  /** Black below ΔE 1, which nobody notices; from there on by its logarithm. */
  function heat(delta, data, at) {
    const place = Math.min(1, Math.max(0, Math.log(delta) / Math.log(MOST_DELTA))) * (HEAT.length - 1);
    const step = Math.min(HEAT.length - 2, Math.floor(place));
    for (let channel = 0; channel < 3; channel += 1) {
      data[at + channel] = HEAT[step][channel] + (place - step) * (HEAT[step + 1][channel] - HEAT[step][channel]);
    }
  }

  /** What the map's colours mean. */
  function deltaLegend() {
    const marks = [1, 3, 10, 32, 100].map((delta, number) => convergebench.s("g", {},
      convergebench.s("rect", { x: number * 30, y: 0, width: 30, height: 12, fill: `rgb(${HEAT[number].join(" ")})` })));
    return h("p", { class: "quiet legend" }, "ΔE", convergebench.s("svg", { width: 150, height: 12, role: "img", "aria-label": "black, violet, magenta, orange, pale yellow" }, marks),
      "1 or less (not noticed), 3, 10, 32, 100 or more. CIE 1976, in Lab.");
  }

  return { Camera, Stage, ZOOMS, MODES, AMOUNTS, deltaLegend };
})();
