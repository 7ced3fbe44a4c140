// What pages do beside being read: long tables are looked through, and a box finds pages.
// A page is complete without it.
(() => {
  "use strict";
  const make = (name, properties, ...inside) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...inside);
    return element;
  };
  const fold = text => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

  // A search field, and a choice for each column of verdicts, over a table that is long.
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

  // The box on every page. Its index is a file beside the pages, and is loaded when the box is used.
  const place = document.querySelector(".find");
  if (!place) return;
  const MOST = 24;
  const file = new URL(place.dataset.index, location.href);
  const field = make("input", { type: "search", placeholder: "Search all pages", id: "find" });
  field.setAttribute("aria-label", field.placeholder);
  field.setAttribute("aria-controls", "found");
  field.autocomplete = "off";
  const count = make("output", {});
  const list = make("ul", { id: "found" });
  const box = make("div", { className: "found", hidden: true }, count, list);
  place.setAttribute("role", "search");
  place.append(field, box);
  place.hidden = false;

  let index = null;
  const load = () => {
    if (index) return;
    index = { pages: [], same: [], waits: true };
    const script = make("script", { src: file.href });
    script.onload = () => { index = ready(window.sgtheoryIndex); find(); };
    script.onerror = () => { index = null; say("The search index is not there yet: it is a file beside this report's pages."); };
    document.head.append(script);
  };
  const ready = told => ({
    same: told.same.map(group => group.map(fold)),
    pages: told.pages.map(([kind, title, where, address, verdict, says]) => ({
      kind, title, where, address, verdict,
      head: " " + fold(title), rest: " " + fold([where, says, kind, verdict, address].join(" ")),
    })),
  });
  const say = words => { count.textContent = words; box.hidden = !words; };

  // The parts of a question, each with all that is the same: "learning rate" is "step size".
  const parts = asked => {
    let left = ` ${asked} `;
    const found = [];
    for (const group of index.same)
      for (const word of [...group].sort((a, b) => b.length - a.length)) {
        const there = [` ${word} `, ` ${word}s `].find(way => left.includes(way));
        if (!there) continue;
        left = left.replace(there, "  ");
        found.push({ own: word, all: group });
        break;
      }
    for (const word of left.split(/\s+/).filter(Boolean)) {
      const ways = word.length > 3 && word.endsWith("s") ? [word, word.slice(0, -1)] : [word];
      found.push({ own: word, all: ways });
    }
    return found;
  };
  const begins = (text, word) => text.includes(" " + word) || text.includes("." + word) || text.includes("_" + word);
  // How well a page fits: a title that is asked for by its name first, what only speaks of it last.
  const worth = (page, asked, wanted) => {
    let sum = page.head === " " + asked ? 40 : page.head.startsWith(" " + asked) ? 12 : 0;
    if (page.kind === "sampler") sum += 3;
    for (const { own, all } of wanted) {
      const inside = word => word.length > 3 && page.head.includes(word);
      const each = all.map(word => (begins(page.head, word) ? 9 : inside(word) ? 5 : begins(page.rest, word) ? 2 : 0)
        - 0.5 * (word !== own));
      const best = Math.max(...each);
      if (best <= 0) return 0;
      sum += best;
    }
    return sum;
  };
  const find = () => {
    const asked = fold(field.value).trim().replace(/\s+/g, " ");
    list.replaceChildren();
    if (!asked) return say("");
    if (!index || index.waits) return say("Loading");
    const wanted = parts(asked);
    const found = index.pages.map(page => ({ page, sum: worth(page, asked, wanted) }))
      .filter(one => one.sum > 0).sort((a, b) => b.sum - a.sum);
    say(found.length ? `${found.length} found${found.length > MOST ? `; the first ${MOST}` : ""}` : "Nothing found");
    for (const { page } of found.slice(0, MOST)) {
      const told = [page.kind, page.where, page.verdict].filter(Boolean).join(" · ");
      const link = make("a", { href: new URL(page.address, file).href }, page.title, make("small", {}, told));
      list.append(make("li", {}, link));
    }
  };
  field.addEventListener("focus", load);
  field.addEventListener("input", () => { load(); find(); });
  const move = (event, step) => {
    const links = [field, ...list.querySelectorAll("a")];
    const here = links.indexOf(document.activeElement);
    if (here < 0) return;
    event.preventDefault();
    links[Math.max(0, Math.min(links.length - 1, here + step))].focus();
  };
  place.addEventListener("keydown", event => {
    if (event.key === "ArrowDown") move(event, 1);
    else if (event.key === "ArrowUp") move(event, -1);
    else if (event.key === "Escape") { field.value = ""; find(); field.blur(); }
    else if (event.key === "Enter" && document.activeElement === field && list.querySelector("a"))
      list.querySelector("a").click();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !event.target.closest("input, select, textarea")) { event.preventDefault(); field.focus(); }
  });
  document.addEventListener("click", event => { if (!place.contains(event.target)) box.hidden = true; });
})();
