"use strict";

/** Which view is open, keys, and live updates. */
(() => {
  const { h, load, loadShared, renew, place, address, choice, counted, views } = convergebench;
  const POLL_MS = 2000;
  const content = document.getElementById("content");
  const status = document.getElementById("status");
  let current = null;
  let turn = 0;

  /** The overview's data, with ways to find things in it. */
  class Everything {
    constructor(data) {
      Object.assign(this, data);
      this.places = new Map(data.models.map((model, number) => [model.name, number]));
      this.casePlaces = new Map(data.cases.map((one, number) => [one.id, number]));
    }

    metric(name) {
      const known = (wanted) => this.metrics.find((one) => one.name === wanted);
      return known(name) ?? known("ssim") ?? this.metrics[0];
    }

    /** What a person sees comes first, where it was measured. */
    figure(name) {
      return this.score && (name === this.score.name || !this.metrics.some((one) => one.name === name)) ? this.score : this.metric(name);
    }

    hasRounds() { return this.metrics.length > 0 && this.cases.length > 0; }

    /** The views that have something without a round trip, in the order of the navigation. */
    others() {
      const counts = { sessions: this.sessions, edits: this.single_edits, refine: this.refinements, judging: this.verdicts };
      return Object.keys(counts).filter((name) => counts[name] > 0);
    }

    modelNumber(name) { return this.places.get(name) ?? -1; }

    caseNumber(id) { return this.casePlaces.get(id) ?? -1; }

    /** Classes for a model's colour and dashes, which follow from its name; floors are grey. */
    style(number) {
      const { role, colour, dash } = this.models[number];
      const place = this.models.slice(0, number).filter((one) => one.role === "floor").length;
      return role === "floor" ? `floor dash${1 + (place % 3)}` : `colour${colour} dash${dash % 4}`;
    }
  }

  function go(view, chosen) {
    const wanted = address(view, chosen);
    if (location.hash === wanted) show();
    else location.hash = wanted;
  }

  async function show() {
    const mine = ++turn;
    const { view, chosen } = place();
    try {
      const [overview, sections, scopes] = await Promise.all([load("overview"), load("navigation"), loadShared("scopes")]);
      if (mine !== turn) return;
      const all = new Everything(overview);
      const name = Object.hasOwn(views, view) ? view : all.hasRounds() ? "overview" : all.others()[0] ?? "overview";
      const section = sections.find((one) => one.key === name);
      navigation(sections, name);
      suites(scopes, Number(chosen.get("of")) || 0);
      document.title = [section.title, all.hasRounds() && all.suite, "ConvergeBench"].filter(Boolean).join(" · ");
      const root = h("div", { class: `view ${name}` });
      const empty = section.needs_rounds && !all.hasRounds();
      const holder = { replaceChildren: (...nodes) => {
        if (mine !== turn) return;
        current?.opened?.close?.();
        root.replaceChildren(...nodes.flat(3).filter((node) => node instanceof Node));
        if (root.parentNode !== content) content.replaceChildren(root);
      } };
      const opened = empty ? holder.replaceChildren(h("p", { class: "notice" }, nothing(all, sections)), await convergebench.live.panel(all))
        : await views[name].open(holder, all, chosen, (changes) => go(name, changes));
      if (mine !== turn) { opened?.close?.(); return; }
      if (current?.name !== name) window.scrollTo(0, 0);
      current = { name, opened };
      stale = false;
      if (all.live) { announce(); follow(); }
    } catch (error) {
      if (mine === turn) content.replaceChildren(h("p", { class: "notice", role: "alert" }, `Cannot show this: ${error.message}.`));
    }
  }

  /** Why there is nothing to show, and what there is instead. */
  function nothing(all, sections) {
    const failures = all.uses.reduce((sum, use) => sum + use.failures, 0);
    const [others, live] = [all.others(), all.live ? " Results appear here as they are made." : ""];
    const titles = new Map(sections.map((one) => [one.key, one.title]));
    const elsewhere = others.map((name, place) => [place === 0 ? " See " : place === others.length - 1 ? " and " : ", ", h("a", { href: address(name, {}) }, titles.get(name))]);
    return [
      `${others.length ? "No round trip" : "Nothing"} ${all.live ? "is measured yet" : "was measured here"}.`, live,
      elsewhere, elsewhere.length > 0 && ".",
      failures > 0 && [" ", h("a", { href: address("runs", {}) }, `${counted(failures, "edit")} failed`), "."],
    ];
  }

  function navigation(sections, open) {
    const bar = document.getElementById("views");
    bar.replaceChildren(...sections.filter((one) => one.is_there).map(({ key, title }) =>
      h("a", { href: address(key, {}), "aria-current": key === open ? "page" : null }, title)));
    const current = bar.querySelector("[aria-current]");
    if (current) bar.scrollLeft = current.offsetLeft - bar.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  }

  /** A choice of what else the page has: other suites, and other protocols of the same suite. */
  function suites(scopes, at) {
    const asked = (one) => one.suite.split("/").find((part) => part === one.protocol || part.startsWith(`${one.protocol}-`)) ?? one.protocol;
    const several = new Set(scopes.map(asked)).size > 1;
    const name = (one) => [one.suite.replace(`/${asked(one)}`, ""), several && asked(one)?.replaceAll("_", " "), one.run !== null && `run ${one.run} alone`].filter(Boolean).join(", ");
    document.getElementById("suites").replaceChildren(...(scopes.length > 1
      ? [choice("Suite", scopes.map((one, place) => [String(place), name(one)]), String(at), (place) => { location.hash = address("overview", { of: place === "0" ? "" : place, mark: "" }); })] : []));
  }

  // Keys go to the open view, unless somebody types or a control wants them.

  function takesKeys(element, key) {
    if (element.closest("select, textarea, input:not([type=checkbox])")) return true;
    return (key === " " || key === "Enter") && element.closest("button, a, input, [role=slider]");
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || takesKeys(event.target, event.key)) return;
    if (current?.opened?.key?.(event)) event.preventDefault();
  });
  document.addEventListener("keyup", (event) => current?.opened?.keyUp?.(event));

  // Live updates: ask whether the workspace has changed, and draw the open view anew if so. Where somebody
  // is in the middle of something, they are told and asked first.

  let following = false;
  let stale = false;

  const isBusy = () => current?.name === "film" || content.contains(document.activeElement) || window.scrollY > 400;

  async function follow() {
    if (following) return;
    following = true;
    let seen = null;
    for (;;) {
      try {
        const { version } = await (await fetch("state", { cache: "no-store" })).json();
        if (seen !== null && version !== seen) { renew(version); stale = true; }
        seen = version;
        if (stale && !isBusy()) await show();
        announce();
      } catch {
        status.textContent = "not connected; start convergebench view again";
      }
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  }

  function announce() {
    const offered = status.querySelector("button") !== null;
    if (stale && !offered) status.replaceChildren(h("button", { type: "button", onclick: show }, "New results: show"));
    if (!stale) status.textContent = "live";
  }

  window.addEventListener("hashchange", show);
  show();
})();
