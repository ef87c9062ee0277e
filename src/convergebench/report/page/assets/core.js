"use strict";

/** The page's only global name: data, elements, numbers and addresses. Other scripts add their views to it. */
const convergebench = (() => {
  const ABSENT = "–";

  // Data. Each section is a script beside the page that calls receive(); that works from disk too.

  const sections = new Map();
  const waiting = new Map();
  let version = "";

  function receive(key, text) {
    sections.set(key, JSON.parse(text));
  }

  /** Which of several suites and protocols is looked at; the first needs no word in the address. */
  const scope = () => (/^[1-9]\d*$/.test(place().chosen.get("of") ?? "") ? `of/${place().chosen.get("of")}/` : "");

  /** A section of the data of the open suite, as a promise; it is fetched once. */
  const load = (key) => loadShared(scope() + key);

  /** Data of the page as a whole. */
  function loadShared(key) {
    if (sections.has(key)) return Promise.resolve(sections.get(key));
    if (!waiting.has(key)) waiting.set(key, fetched(key).finally(() => waiting.delete(key)));
    return waiting.get(key);
  }

  function fetched(key) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `page/data/${key.split("/").map(encodeURIComponent).join("/")}.js${version}`;
      script.onload = () => {
        script.remove();
        if (sections.has(key)) resolve(sections.get(key));
        else reject(new Error(`the data of ${key} cannot be read; write the report again`));
      };
      script.onerror = () => {
        script.remove();
        reject(new Error(`the data of ${key} is not beside this page; write the report again`));
      };
      document.head.append(script);
    });
  }

  /** Forget all data, so that it is fetched anew as of this version. */
  function renew(number) {
    version = `?v=${encodeURIComponent(number)}`;
    sections.clear();
  }

  // Elements. Text only ever becomes a text node or an attribute, so that nothing in it can be markup.

  function made(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "value") element.value = value;
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }

  const h = (name, attributes, ...children) => made(document.createElement(name), attributes, children);
  const s = (name, attributes, ...children) =>
    made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

  /** A labelled choice; options are [value, text] or {group, options}. */
  function choice(label, options, value, onpick) {
    const option = ([key, text]) => h("option", { value: key, selected: key === value }, text);
    const items = options.map((one) =>
      Array.isArray(one) ? option(one) : h("optgroup", { label: one.group }, one.options.map(option)));
    const select = h("select", { onchange: () => onpick(select.value) }, items);
    return h("label", { class: "field" }, h("span", {}, label), select);
  }

  /** Which round is looked at. */
  function roundField(round, rounds, onpick) {
    const text = h("output", {}, String(round));
    const slider = h("input", { type: "range", min: 1, max: rounds, oninput: () => { text.textContent = slider.value; }, onchange: () => onpick(Number(slider.value)) });
    slider.value = round;
    return h("label", { class: "field amount" }, h("span", {}, "Round"), slider, text);
  }

  /** A row of buttons of which one is pressed. */
  function buttons(label, options, value, onpick) {
    return h("div", { class: "buttons", role: "group", "aria-label": label },
      options.map(([key, text, hint]) =>
        h("button", { type: "button", title: hint, "data-key": key, "aria-pressed": String(key === value), onclick: () => onpick(key) }, text)));
  }

  /** A table alone; convergebench.table gives it its tools. */
  function bareTable(headings, rows, caption) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      h("table", {},
        h("thead", {}, h("tr", {}, headings.map((one) => h("th", { scope: "col", class: one.class, title: one.hint }, one.text ?? one)))),
        h("tbody", {}, rows)));
  }

  /** Text that may be broken after slashes and underscores: ids are long and have no spaces. */
  const breakable = (text) => text.split(/(?<=[/_])/).flatMap((part) => [part, h("wbr")]).slice(0, -1);

  /** A long list, to which rows are added as the reader comes near its end, few at a time so that no frame is late. */
  function paged(list, rows, size, node) {
    let next = 0;
    const end = h("div", { class: "more" });
    const add = () => {
      end.before(...rows.slice(next, next + size).map(node));
      next += size;
      watcher.unobserve(end);
      if (next < rows.length) watcher.observe(end);
      else end.remove();
    };
    const watcher = new IntersectionObserver((entries) => { if (entries.some((one) => one.isIntersecting)) add(); }, { rootMargin: "1600px" });
    list.append(end);
    add();
    return { close: () => watcher.disconnect() };
  }

  // Numbers

  const infinite = (value) => value === "inf" || value === "-inf";

  function number(value, places) {
    if (value === null || value === undefined) return ABSENT;
    if (infinite(value)) return value === "inf" ? "∞" : "−∞";
    const shown = value.toFixed(places);
    return (Number(shown) === 0 ? shown.replace("-", "") : shown).replace("-", "−"); // no minus before zero
  }

  const signed = (value, places) => (value > 0 ? "+" : "") + number(value, places);

  function interval(low, high, places) {
    return typeof low !== "number" || typeof high !== "number" ? "" : `[${number(low, places)}, ${number(high, places)}]`;
  }

  const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  /** How bad a value is, for sorting: the higher the worse. */
  function badness(value, metric) {
    if (infinite(value)) return value === "inf" ? -Infinity : Infinity;
    if (metric.better === "higher") return -value;
    return metric.better === "lower" ? value : Math.abs(value - metric.perfect);
  }

  /** A case by what was asked for: type a part of the instruction, the picture or the id. */
  function picker(label, names, at, onpick) {
    const id = `picker${++pickers}`;
    const found = (text) => {
      const wanted = text.trim().toLowerCase();
      const exact = names.findIndex((name) => name.toLowerCase() === wanted);
      return exact >= 0 || !wanted ? exact : names.findIndex((name) => wanted.split(/\s+/).every((word) => name.toLowerCase().includes(word)));
    };
    const input = h("input", { type: "search", list: id, placeholder: "Search…", autocomplete: "off", onchange: () => {
      const place = found(input.value);
      if (place >= 0 && place !== at) onpick(place);
      else input.value = names[at] ?? "";
    }, onfocus: () => input.select() });
    input.value = names[at] ?? "";
    return h("label", { class: "field picker" }, h("span", {}, label), input, h("datalist", { id }, names.map((name) => h("option", { value: name }))));
  }

  let pickers = 0;

  function casePicker(all, at, onpick) {
    const names = all.cases.map((one) => (one.asked ? `${one.asked} · ${one.picture}` : one.id));
    const count = new Map();
    for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
    return picker("Case", names.map((name, place) => (count.get(name) > 1 ? `${name} · ${all.cases[place].id}` : name)), at, onpick);
  }

  /** One of many cases: back, a choice of all by name, and on. */
  const stepper = (names, at, to) => h("div", { class: "stepper" },
    h("button", { type: "button", "aria-label": "Previous case", onclick: () => to(at - 1) }, "‹"),
    picker("Case", names, at, to),
    h("button", { type: "button", "aria-label": "Next case", onclick: () => to(at + 1) }, "›"));

  /** A view of one case and its pictures side by side: arrows up and down step, other keys are the pictures'. */
  const steppedView = (compared, at, to) => ({
    key: (event) => {
      if (event.key === "ArrowUp" || event.key === "ArrowDown") { to(at + (event.key === "ArrowUp" ? -1 : 1)); return true; }
      return compared.key(event);
    },
    keyUp: (event) => compared.keyUp(event),
    close: () => compared.close(),
  });

  // Addresses: #/view?name=value. Every choice is in them, so that every view can be linked to.

  function place() {
    const [view, query] = location.hash.replace(/^#\/?/, "").split("?");
    return { view, chosen: new URLSearchParams(query ?? "") };
  }

  /** Marks of cases and the suite go along to every place. */
  const KEPT = ["mark", "of"];

  function address(view, chosen) {
    const query = new URLSearchParams();
    const here = place().chosen;
    const along = Object.fromEntries(KEPT.filter((name) => here.has(name)).map((name) => [name, here.getAll(name)]));
    for (const [name, value] of Object.entries({ ...along, ...chosen })) {
      for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") query.append(name, one);
    }
    const text = query.toString();
    return `#/${view}${text ? "?" + text : ""}`;
  }

  /** Seconds, with the same places for those that stand below each other. */
  const duration = (seconds) => number(seconds, seconds >= 10 ? 1 : 2);

  const picture = (file) => `pictures/${file}`;
  const thumbnail = (digest) => `page/thumbnails/${digest.slice(0, 2)}/${digest}.jpg`;
  /** Where a picture differs from its source. */
  const changeMap = (source, result) => `page/maps/${result.slice(0, 2)}/${source}-${result}.png`;
  const cropPair = (name) => `page/crops/${name}`;
  const breakage = (name) => `page/breakages/${name}`;
  const meanMap = (model) => `page/maps/mean/${scope()}${model}.png${version}`;

  /** What the colours of all maps mean. */
  function changeLegend(scale) {
    const width = 200;
    const step = width / scale.length;
    const bars = scale.map((one, number) => s("rect", { x: number * step, y: 0, width: step + 0.5, height: 12, fill: one.colour }));
    const marks = [1, 3, 10, 30, 100].map((delta) => {
      const share = Math.log(delta) / Math.log(scale[scale.length - 1].delta);
      return s("text", { x: share * width, y: 24, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle" }, String(delta));
    });
    return h("p", { class: "quiet legend scale" }, "ΔE", s("svg", { width, height: 26, role: "img", "aria-label": "black at 1 or less, then violet at 3, magenta at 10, orange at 30, pale yellow at 100" }, bars, marks),
      "CIEDE2000 of each pixel; up to 1 nobody notices it.");
  }

  /** What the colours over a picture mean in which something broke. */
  const breakageLegend = (kinds) => h("p", { class: "quiet legend" }, kinds.map(([name, colour]) => {
    const swatch = s("svg", { width: 14, height: 14, "aria-hidden": "true" }, s("rect", { width: 14, height: 14, fill: colour }));
    return h("span", {}, swatch, " ", name);
  }), "visible differences: of the edit, where it was, and elsewhere");

  return {
    ABSENT, receive, load, loadShared, renew, h, s, choice, picker, casePicker, stepper, steppedView, roundField, buttons, bareTable, breakable, paged,
    infinite, number, duration, signed, interval, counted, badness, place, address, picture, thumbnail,
    changeMap, cropPair, breakage, meanMap, changeLegend, breakageLegend,
    views: {},
  };
})();
