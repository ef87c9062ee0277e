// Sorts a table by the column whose heading is pressed, missing values last, and leaves out columns.
"use strict";

function chooser(table, headings) {
  const boxes = headings.slice(2).map((heading, number) => {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => {
      for (const row of table.rows) row.cells[number + 2].hidden = !box.checked;
    });
    const label = document.createElement("label");
    label.append(box, heading.textContent);
    return label;
  });
  const summary = document.createElement("summary");
  summary.textContent = "Columns";
  const chips = document.createElement("div");
  chips.append(...boxes);
  const details = document.createElement("details");
  details.className = "columns";
  details.append(summary, chips);
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
  table.parentNode.after(chooser(table, headings));
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
}
