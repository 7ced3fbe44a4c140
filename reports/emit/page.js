// Adds a search field and a choice for each column of verdicts to tables that are long.
// A page is complete without it: it only hides rows.
(() => {
  "use strict";
  const make = (name, properties, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  const fold = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  for (const table of document.querySelectorAll("table[data-filter]")) {
    const rows = [...table.tBodies[0].rows];
    const texts = rows.map(row => fold(row.textContent + " " + (row.dataset.key || "")));
    const field = make("input", { type: "search", placeholder: "Search " + table.dataset.filter });
    field.setAttribute("aria-label", field.placeholder);
    const count = make("output", {});
    const choices = [...table.tHead.rows[0].cells].flatMap((head, column) => {
      const words = rows.map(row => row.cells[column].querySelector(".word"));
      const known = [...new Set(words.filter(Boolean).map(word => word.textContent.trim()))];
      if (known.length < 2) return [];
      const choice = make("select", {}, make("option", { value: "", textContent: "any" }));
      const told = word => words.filter(w => w && w.textContent.trim() === word).length;
      for (const word of known)
        choice.append(make("option", { value: word, textContent: `${word} (${told(word)})` }));
      const label = make("label", {}, head.textContent + " ", choice);
      return [{ choice, label, words }];
    });
    const fit = () => {
      const asked = fold(field.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, n) => {
        const fits = asked.every(part => texts[n].includes(part)) && choices.every(({ choice, words }) =>
          !choice.value || (words[n] && words[n].textContent.trim() === choice.value));
        row.hidden = !fits;
        shown += fits;
      });
      count.textContent = `${shown} of ${rows.length}`;
    };
    const folded = table.closest("details");
    const look = () => { if (folded) folded.open = true; fit(); };
    field.addEventListener("input", look);
    for (const { choice } of choices) choice.addEventListener("change", look);
    const bar = make("div", { className: "filter" }, field, ...choices.map(c => c.label), count);
    bar.setAttribute("role", "search");
    (folded || table.closest("figure")).before(bar);
    fit();
  }
})();
