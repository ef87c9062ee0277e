"use strict";

/** Tables that can be sorted, narrowed to some columns, and copied. */
convergebench.tables = (() => {
  const { h, infinite, bareTable, ABSENT } = convergebench;
  const FEW_COLUMNS = 4; // that nobody needs to choose among

  const asNumber = (value) => (infinite(value) ? (value === "inf" ? Infinity : -Infinity) : value);

  /** A heading that sorts by its column, the best first, then the other way round; calibration stays below.
      lines: [{node, row}]; value(row) is a number, a text, or null where there is none. */
  function sorter(text, better, lines, value) {
    if (lines.every(({ row }) => value(row) === null)) return text;
    let sign = better === "lower" ? -1 : 1;
    const button = h("button", { type: "button", class: "sort", onclick: () => {
      const before = (a, b) => {
        const [x, y] = [a, b].map(({ row }) => asNumber(value(row)));
        return Boolean(a.row.is_calibration) - Boolean(b.row.is_calibration) || (x === null) - (y === null) || (x === y ? 0 : sign * (y > x ? 1 : -1));
      };
      lines[0].node.parentNode.append(...[...lines].sort(before).map((one) => one.node));
      for (const heading of button.closest("tr").children) heading.removeAttribute("aria-sort");
      button.closest("th").setAttribute("aria-sort", sign === 1 ? "descending" : "ascending");
      sign = -sign;
    } }, text);
    return button;
  }

  /** columns: [{key, text, hint, class, better, value(row), cell(row): node, words(row): text, plain(row): {heading: value}}];
      the first stays, the others can be left out. hidden: keys of those that are; onhide is told of changes. */
  function dataTable({ caption, columns, rows, rowClass, lineOf, hidden = [], onhide = () => {} }) {
    const drawn = (row) => h("tr", { class: rowClass?.(row) }, columns.map((one) => one.cell(row)));
    const lines = rows.map((row) => ({ row, node: (lineOf ?? drawn)(row) }));
    const headings = columns.map((one) => ({ text: one.value ? sorter(one.text, one.better, lines, one.value) : one.heading ?? one.text, class: one.class, hint: one.hint }));
    const node = bareTable(headings, lines.map((one) => one.node), caption);
    const out = new Set(hidden);
    const show = () => {
      for (const line of node.querySelectorAll("tr")) columns.forEach((one, place) => { if (line.children[place]) line.children[place].hidden = out.has(one.key); });
    };
    show();
    const box = (one) => h("label", {}, h("input", { type: "checkbox", checked: !out.has(one.key), onchange: (event) => {
      if (event.target.checked) out.delete(one.key);
      else out.add(one.key);
      show();
      onhide([...out]);
    } }), one.text);
    const shown = () => columns.filter((one) => !out.has(one.key));
    const order = () => [...node.querySelectorAll("tbody tr")].map((line) => lines.find((one) => one.node === line).row);
    return h("div", { class: "data-table" },
      node,
      h("div", { class: "controls table-tools" },
        columns.length >= FEW_COLUMNS && h("details", { class: "chooser" }, h("summary", {}, "Columns"), h("div", { class: "chips" }, columns.filter((one) => !one.stays).map(box))),
        copier("Copy as Markdown", () => markdown(shown(), order())),
        copier("Copy as CSV", () => csv(shown(), order()))));
  }

  /** The number that a cell begins with, as it is written: "−0.38", "$1,200", "12 of 20", "1.2 s". */
  function numberIn(words) {
    const found = words.replaceAll("−", "-").replaceAll(",", "").match(/^[$<>≥≤~ ]*([+-]?(?:\d+\.?\d*|∞))/);
    return found ? Number(found[1].replace("∞", "Infinity")) : null;
  }

  /** Any table of which the cells are all there is: sorted by their numbers or words, narrowed and copied as they stand. */
  function table(headings, rows, caption) {
    if (rows.length < 2) return bareTable(headings, rows, caption);
    const words = (row, place) => (row.children[place]?.textContent ?? "").trim();
    const columns = headings.map((one, place) => {
      const text = one.text ?? one;
      const said = rows.map((row) => words(row, place)).filter((value) => value && value !== ABSENT);
      const isNumeric = said.length > 0 && said.every((value) => numberIn(value) !== null);
      const value = (row) => { const found = words(row, place); return !found || found === ABSENT ? null : isNumeric ? numberIn(found) : found; };
      const label = typeof text === "string" ? text : text.textContent;
      return { key: label || `column ${place + 1}`, text: label, heading: text, class: one.class, hint: one.hint, better: isNumeric ? "higher" : "lower",
        stays: place === 0, value: typeof text === "string" ? value : null, words: (row) => words(row, place) };
    });
    return dataTable({ caption, columns, rows, lineOf: (row) => row });
  }

  function markdown(columns, rows) {
    const safe = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ").trim();
    const line = (cells) => `| ${cells.map(safe).join(" | ")} |`;
    return [line(columns.map((one) => one.text)), line(columns.map((one) => (one.class?.startsWith("number") ? "---:" : "---"))),
      ...rows.map((row) => line(columns.map((one) => one.words(row))))].join("\n") + "\n";
  }

  /** Numbers as they are, with the ends of intervals in columns of their own. */
  function csv(columns, rows) {
    const safe = (value) => {
      const text = value === null || value === undefined ? "" : String(value);
      const guarded = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text; // else a spreadsheet runs it
      return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
    };
    const pieces = rows.map((row) => Object.assign({}, ...columns.map((one) => (one.plain ? one.plain(row) : { [one.key]: one.words(row) }))));
    const names = columns.flatMap((one) => Object.keys(rows.length && one.plain ? one.plain(rows[0]) : { [one.key]: 0 }));
    return [names, ...pieces.map((piece) => names.map((name) => piece[name]))].map((cells) => cells.map(safe).join(",")).join("\r\n") + "\r\n";
  }

  function copier(label, text) {
    const said = h("span", { role: "status" });
    return h("span", {}, h("button", { type: "button", onclick: async () => {
      said.textContent = await copied(text()) ? " copied" : " this browser does not let the page copy";
    } }, label), said);
  }

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = h("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  return { dataTable, table, markdown, csv };
})();
convergebench.table = convergebench.tables.table;
