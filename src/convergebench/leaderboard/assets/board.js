// Sorts a table by the column whose heading is pressed; missing values stay last.
"use strict";

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
}
