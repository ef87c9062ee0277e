// Sorts a table by the column whose heading is pressed, missing values last, and leaves out columns.
"use strict";

const ALWAYS = 2, LEAST = 8; // columns that stay, and that are shown even where they do not fit

function chooser(table, headings) {
  const summary = document.createElement("summary");
  const boxes = headings.slice(ALWAYS).map(() => Object.assign(document.createElement("input"), { type: "checkbox", checked: true }));
  const show = () => {
    boxes.forEach((box, number) => { for (const row of table.rows) row.cells[number + ALWAYS].hidden = !box.checked; });
    const left = boxes.filter((box) => !box.checked).length;
    summary.textContent = left ? `Columns (${left} left out)` : "Columns";
  };
  const chips = document.createElement("div");
  chips.append(...boxes.map((box, number) => {
    box.addEventListener("change", show);
    const label = document.createElement("label");
    label.append(box, headings[number + ALWAYS].textContent);
    return label;
  }));
  const details = document.createElement("details");
  details.className = "columns";
  details.append(summary, chips);
  const pane = table.parentNode;
  show();
  for (const box of [...boxes].reverse()) {
    if (pane.scrollWidth <= pane.clientWidth || boxes.filter((one) => one.checked).length <= LEAST - ALWAYS) break;
    box.checked = false;
    show();
  }
  return details;
}

function sorted(rows, column, direction) {
  const value = (row) => {
    const text = row.cells[column].dataset.value;
    return text === undefined ? row.cells[column].textContent.trim() : text === "" ? null : Number(text);
  };
  const compared = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
  return [...rows].sort((first, second) => {
    const a = value(first), b = value(second);
    if (a === null || b === null) return (a === null) - (b === null);
    return direction * compared(a, b);
  });
}

for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const wasAscending = heading.getAttribute("aria-sort") === "ascending";
      const first = heading.dataset.better === "higher" ? "descending" : "ascending";
      const order = heading.hasAttribute("aria-sort") ? (wasAscending ? "descending" : "ascending") : first;
      headings.forEach((one) => one.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      const body = table.tBodies[0];
      body.append(...sorted(body.rows, column, order === "ascending" ? 1 : -1));
    });
  });
  table.parentNode.after(chooser(table, headings));
}
