"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // What only works with a script is only shown with one.
  all(".switch, .filters, .buttons").forEach(node => { node.hidden = false; });

  const setClock = clock => {
    document.body.dataset.clock = clock;
    all("[data-set-clock]").forEach(b => b.setAttribute("aria-pressed", String(b.dataset.setClock === clock)));
    filter();
  };
  all("[data-set-clock]").forEach(b => b.addEventListener("click", () => setClock(b.dataset.setClock)));

  const form = document.querySelector(".filters");
  const filter = () => {
    const wanted = Object.fromEntries(all("[data-filter]", form).map(i => [i.dataset.filter, i.value.trim().toLowerCase()]));
    let shown = 0, total = 0;
    all("tbody tr", form.closest("section")).forEach(row => {
      const matches = Object.entries(wanted).every(([key, value]) =>
        !value || (key === "kernel" ? row.dataset.kernel.includes(value) : row.dataset[key].split(" ").includes(value)));
      row.classList.toggle("filtered", !matches);
      if (row.classList.contains(document.body.dataset.clock)) { total += 1; shown += Number(matches); }
    });
    form.querySelector("output").textContent = shown + " of " + total;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  filter();

  const key = (row, column) => {
    const cell = row.cells[column], value = cell.dataset.sort;
    return value === undefined ? cell.textContent.trim() : value === "" ? NaN : Number(value);
  };
  const compare = (a, b) => {
    if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
    return Number.isNaN(a) - Number.isNaN(b) || a - b;  // what has no number comes last, both ways
  };
  all("table.sortable").forEach(table => all("thead tr:last-child th", table).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      all("thead th", table).forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const order = (a, b) => {
        const x = key(a, column), y = key(b, column);
        return down && !Number.isNaN(x) && !Number.isNaN(y) ? compare(y, x) : compare(x, y);
      };
      body.append(...[...body.rows].sort(order));
    });
  }));

  all("[data-all]").forEach(b => b.addEventListener("click", () =>
    all("details.kernel").forEach(d => { d.open = b.dataset.all === "open"; })));
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target instanceof HTMLDetailsElement) { target.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
