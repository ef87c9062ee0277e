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

  /** A section of the data, as a promise; it is fetched once. */
  function load(key) {
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

  /** A row of buttons of which one is pressed. */
  function buttons(label, options, value, onpick) {
    return h("div", { class: "buttons", role: "group", "aria-label": label },
      options.map(([key, text, hint]) =>
        h("button", { type: "button", title: hint, "data-key": key, "aria-pressed": String(key === value), onclick: () => onpick(key) }, text)));
  }

  function table(headings, rows, caption) {
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      h("table", {},
        h("thead", {}, h("tr", {}, headings.map((one) => h("th", { scope: "col", class: one.class, title: one.hint }, one.text ?? one)))),
        h("tbody", {}, rows)));
  }

  /** Text that may be broken after slashes and underscores: ids are long and have no spaces. */
  const breakable = (text) => text.split(/(?<=[/_])/).flatMap((part) => [part, h("wbr")]).slice(0, -1);

  // Numbers

  const infinite = (value) => value === "inf" || value === "-inf";

  function number(value, places) {
    if (value === null || value === undefined) return ABSENT;
    if (infinite(value)) return value === "inf" ? "∞" : "−∞";
    return value.toFixed(places).replace("-", "−");
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

  // Addresses: #/view?name=value. Every choice is in them, so that every view can be linked to.

  function place() {
    const [view, query] = location.hash.replace(/^#\/?/, "").split("?");
    return { view, chosen: new URLSearchParams(query ?? "") };
  }

  function address(view, chosen) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(chosen)) {
      for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") query.append(name, one);
    }
    const text = query.toString();
    return `#/${view}${text ? "?" + text : ""}`;
  }

  const picture = (file) => `pictures/${file}`;
  const thumbnail = (digest) => `page/thumbnails/${digest.slice(0, 2)}/${digest}.webp`;

  return {
    ABSENT, receive, load, renew, h, s, choice, buttons, table, breakable,
    infinite, number, signed, interval, counted, badness, place, address, picture, thumbnail,
    views: {},
  };
})();
