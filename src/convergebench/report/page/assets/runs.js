"use strict";

/** How the results came about, and what is missing or doubtful in them. */
convergebench.views.runs = (() => {
  const { h, load, number, table, counted, ABSENT } = convergebench;
  const LONG = 24; // letters that stand on one line
  const right = (text) => ({ text, class: "number" });
  const cells = (...values) => values.map((value) => (typeof value === "number"
    ? h("td", { class: "number" }, value.toLocaleString("en")) : h("td", { class: value?.length > LONG ? "text" : "phrase" }, value ?? ABSENT)));

  async function open(root, all) {
    const data = await load("runs");
    root.replaceChildren(
      h("h1", {}, "Runs"),
      section("What an audit finds", data.findings.length
        ? h("ul", {}, data.findings.map((one) => h("li", {}, one.sentence)))
        : h("p", {}, "Nothing that would make a comparison wrong.")),
      section("Use and cost", use(data.uses)),
      section("Failed edits", data.failures.length
        ? table(["model", "kind", "reason", right("edits")], data.failures.map((one) => h("tr", {}, cells(one.model, one.kind.replaceAll("_", " "), one.reason, one.count))), "Failed edits by kind")
        : h("p", {}, "None.")),
      section("Missing", data.missing.length
        ? table(["model", "what", "kind", "reason", right("count")], data.missing.map((one) => h("tr", {}, cells(one.model, one.what, one.kind.replaceAll("_", " "), one.reason, one.count))), "What is missing, and why")
        : h("p", {}, "Nothing is missing.")),
      section("Runs", data.runs.map(run)),
      section("Editors", table(["editor", "version", "fingerprint", "parameters"], data.editors.map((one) => h("tr", {},
        h("th", { scope: "row" }, one.name, one.role !== "model" && h("span", { class: "tag" }, one.role)),
        h("td", {}, one.version), h("td", {}, h("code", {}, one.fingerprint)),
        h("td", { class: "text" }, one.parameters.length ? one.parameters.map(([name, value]) => `${name} = ${value}`).join(", ") : ABSENT))), "Editors and their fingerprints")),
      section("Metrics", table(["metric", "version", right("measured"), right("missing")], data.metrics.map((one) => h("tr", {},
        cells(one.metric, one.captions ? `${one.version}, ${counted(one.captions, "pair")} of captions` : one.version, one.measured, one.missing))), "Metrics and their versions")),
      h("p", { class: "quiet" }, `Shown by ConvergeBench ${all.version}.`));
  }

  const section = (title, ...content) => h("section", { "aria-label": title }, h("h2", {}, title), content);

  function use(uses) {
    const rows = uses.map((one) => h("tr", {}, h("th", { scope: "row" }, one.model),
      cells(one.trajectories, one.complete, one.edits, one.failures),
      h("td", { class: "number" }, convergebench.duration(one.mean_seconds)),
      h("td", { class: "number" }, one.cost_usd === null ? "unknown" : `$${number(one.cost_usd, 2)}`)));
    return table(["model", right("trajectories"), right("complete"), right("edits"), right("failed edits"), right("s/edit"), right("cost")], rows, "What each model took");
  }

  function run(one) {
    const lasted = one.finished ? `${number((Date.parse(one.finished) - Date.parse(one.started)) / 1000, 0)} s` : "not ended";
    return h("details", {},
      h("summary", {}, `Run ${one.id}, ${one.started.slice(0, 16).replace("T", " ")} UTC: ${one.outcome ?? "going on, or killed"}, ${lasted}, ConvergeBench ${one.package}`),
      h("dl", { class: "settings" }, one.settings.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
  }

  return { open };
})();
