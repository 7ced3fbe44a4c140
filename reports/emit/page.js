// What pages do beside being read: tables are looked through, text is copied, drawings move, a box finds pages.
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

  // What is to be typed or quoted is copied by a button.
  for (const code of document.querySelectorAll("main pre")) {
    if (!navigator.clipboard) break;
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent).then(
        () => { button.textContent = "Copied"; }, () => { button.textContent = "Not allowed"; });
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const box = make("div", { className: "copied" });
    code.before(box);
    box.append(code, button);
  }

  // A drawing that a reader moves: curves of closed forms, run by a machine with a stack.
  const run = (program, at) => {
    const stack = [];
    for (const token of program.split(" ")) {
      if (token === "exp" || token === "log") stack.push(Math[token](stack.pop()));
      else if (token === "+" || token === "*" || token === "^") {
        const b = stack.pop(), a = stack.pop();
        stack.push(token === "+" ? a + b : token === "*" ? a * b : Math.pow(a, b));
      } else stack.push(Object.hasOwn(at, token) ? at[token] : Number(token));
    }
    return stack[0];
  };
  const drawn = (name, properties, ...inside) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const short = value => {
    const text = value >= 1e-3 && value < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(2);
    return text.replace(/\.?0*e/, "e").replace(/e\+?(-?)(\d+)/, (_, minus, digits) => "·10" +
      (minus + digits).replace(/./g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
  };
  const LEFT = 58, TOP = 10, BOTTOM = 246, POINTS = 240;
  for (const place of document.querySelectorAll("[data-live]")) {
    const told = JSON.parse(place.dataset.live), { across } = told;
    const output = make("output", {}), inputs = {};
    const picture = drawn("svg", { class: "sg-plot", role: "img" });
    picture.setAttribute("aria-label", told.says);
    // a slider runs from 0 to 1000; what it stands for, once it is moved, is in a scale of its own
    const moved = new Set();
    const value = ({ letter, least, most, scale, value: first }) => {
      if (!moved.has(letter)) return first;
      const share = inputs[letter].value / 1000;
      if (scale === "log") return least * Math.pow(most / least, share);
      const found = least + (most - least) * share;
      return scale === "whole" ? Math.round(found) : found;
    };
    const share = ({ least, most, scale, value }) => scale === "log"
      ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
    const bar = make("div", { className: "sliders" });
    const seen = {};
    for (const slider of [across, ...told.sliders]) {
      const input = make("input", { type: "range", min: 0, max: 1000, step: 1 });
      input.value = 1000 * share(slider);
      inputs[slider.letter] = input;
      seen[slider.letter] = make("span", {});
      input.addEventListener("input", () => { moved.add(slider.letter); draw(); });
      bar.append(make("label", {}, make("span", {}, slider.label), input, seen[slider.letter]));
    }
    const off = by => `${Number((100 * Math.abs(by)).toPrecision(2))} % ${by < 0 ? "lower" : "higher"}`;
    const stable = at => told.conditions.every(c => run(c, at) > 0);
    const draw = () => {
      const at = Object.fromEntries([across, ...told.sliders].map(s => [s.letter, value(s)]));
      for (const [letter, span] of Object.entries(seen)) span.textContent = short(at[letter]);
      const wide = Math.max(320, Math.min(600, place.clientWidth)), RIGHT = wide - 12;
      picture.setAttribute("viewBox", `0 0 ${wide} 282`);
      const ratio = across.most / across.least;
      const xs = [...Array(POINTS + 1).keys()].map(k => across.least * Math.pow(ratio, k / POINTS));
      const lines = told.curves.map(([, program]) => xs.map(x => {
        const there = { ...at, [across.letter]: x };
        const y = stable(there) ? run(program, there) : NaN;
        return y > 0 && Number.isFinite(y) ? y : NaN;
      }));
      const heights = lines.flat().filter(y => y > 0);
      const low = Math.min(...heights) / 1.3, high = Math.min(Math.max(...heights) * 1.3, low * 1e5);
      const across_ = x => LEFT + (RIGHT - LEFT) * Math.log(x / across.least) / Math.log(ratio);
      const up = y => BOTTOM - (BOTTOM - TOP) * Math.log(Math.min(y, high) / low) / Math.log(high / low);
      const parts = [drawn("path", { d: `M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}`, fill: "none", stroke: "currentColor" })];
      const mark = (x, y, words, anchor) => parts.push(drawn("text", { x, y, "text-anchor": anchor, "font-size": 12, fill: "currentColor" }, words));
      const tens = (from, to, put) => {
        const first = Math.ceil(Math.log10(from) - 1e-9), last = Math.floor(Math.log10(to) + 1e-9);
        const every = Math.max(1, Math.ceil((last - first) / 6));
        for (let k = first; k <= last; k += every) put(Math.pow(10, k));
        if (last < first) put(Math.sqrt(from * to));
      };
      tens(across.least, across.most, x => mark(across_(x), BOTTOM + 16, short(x), "middle"));
      if (heights.length) tens(low, high, y => mark(LEFT - 6, up(y) + 4, short(y), "end"));
      mark((LEFT + RIGHT) / 2, BOTTOM + 33, across.label, "middle");
      lines.forEach((line, n) => {
        const d = line.map((y, k) => y > 0 ? `${k && line[k - 1] > 0 ? "L" : "M"}${across_(xs[k]).toFixed(1)} ${up(y).toFixed(1)}` : "").join("");
        parts.push(drawn("path", { d, fill: "none", class: `line line-${n + 1}` }));
      });
      const here = across_(at[across.letter]);
      parts.push(drawn("path", { d: `M${here} ${TOP}V${BOTTOM}`, class: "here" }));
      picture.replaceChildren(...parts);
      const values = told.curves.map(([name, program]) => [name, run(program, at)]);
      const exact = values[0][1];
      output.textContent = stable(at)
        ? values.map(([name, y], n) => `${name}: ${short(y)}${n && y > 0 ? ` (${off(y / exact - 1)})` : ""}`).join("; ")
        : "Unstable: there is no stationary law.";
    };
    const names = make("p", { className: "names" }, ...told.curves.map(([name], n) => {
      const line = drawn("svg", { viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" }, drawn("path", { d: "M0 4H30", class: `line line-${n + 1}` }));
      return make("span", {}, line, " " + name);
    }));
    output.setAttribute("aria-live", "polite");
    place.append(names, picture, bar, output);
    place.hidden = false;
    place.previousElementSibling.classList.add("replaced"); // its letters are those of other drawings too
    addEventListener("resize", draw);
    draw();
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
