"use strict";
// Adds to a page that is complete without it: sorting of tables, and a filter of the students.

function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  return text === "" ? null : isNaN(text) ? text : Number(text);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
}

// Rows without a value stay at the end, in either direction. Equal rows keep their order.
function sort(table, column, ascending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row, column), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return ascending ? compare(a, b) : compare(b, a);
  });
  body.append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.dataset.first === "descending";
      const last = head.getAttribute("aria-sort");
      const ascending = last ? last === "descending" : !descending;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      sort(table, column, ascending);
    });
  });
}

const filter = document.getElementById("filter");
if (filter) {
  const text = document.getElementById("filter-text");
  const kind = document.getElementById("filter-kind");
  const rows = [...document.getElementById("students-table").tBodies[0].rows];
  const shown = document.getElementById("filter-shown");
  const apply = () => {
    const words = text.value.normalize().toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const name = row.dataset.find.normalize().toLowerCase();
      const kinds = row.dataset.kinds.split(",");
      const fits = words.every((word) => name.includes(word));
      row.hidden = !fits || (kind.value !== "" && !kinds.includes(kind.value));
      count += !row.hidden;
    }
    shown.textContent = `${count} of ${rows.length} students`;
  };
  filter.hidden = false;
  filter.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", apply);
  kind.addEventListener("change", apply);
  window.addEventListener("hashchange", reveal);
  function reveal() {
    const row = document.getElementById(location.hash.slice(1));
    if (row && row.hidden) {
      text.value = kind.value = "";
      apply();
      row.scrollIntoView();
    }
  }
  apply();
}
