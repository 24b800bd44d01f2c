// Searches the pages' sections. The index is a script, search-index.js, because a page that is a
// file may load no other file; it is loaded when the reader first needs it.
(function () {
  "use strict";
  const MOST = 20;
  const AROUND = 70; // characters of text that are shown before the first match

  const form = document.querySelector("form.search");
  const input = document.getElementById("query");
  const list = document.getElementById("results");
  const status = document.getElementById("search-status");
  const vocabulary = new Map(); // of all pages: how often each word is used
  let sections = null;

  function load() {
    if (sections !== null) {
      return;
    }
    sections = [];
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.onload = () => {
      sections = window.convlabsSearchIndex.map((entry) => ({
        ...entry,
        plainTitle: plain(`${entry.heading} ${entry.page}`),
        plainText: plain(entry.text),
        names: entry.term ? plain(entry.heading).split(/[(),]+/).map((name) => name.trim()) : [],
      }));
      for (const { plainTitle, plainText } of sections) {
        for (const word of `${plainTitle} ${plainText}`.match(/[\p{L}_]{4,}/gu) || []) {
          vocabulary.set(word, (vocabulary.get(word) || 0) + 1);
        }
      }
      show();
    };
    script.onerror = () => {
      status.textContent = "The search index is missing";
    };
    document.head.append(script);
  }

  // For comparison: lower case, one form of each character. It keeps the length of nearly all text;
  // where it does not, a snippet begins a few characters off.
  function plain(text) {
    return text.normalize("NFKC").toLowerCase();
  }

  // Without the s of a plural: a part of both.
  function singular(word) {
    return word.length > 3 ? word.replace(/s$/, "") : word;
  }

  // How many letters must be changed, added, left out or exchanged with the next one.
  function distance(a, b) {
    const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
    for (let i = 1; i <= a.length; i++) {
      rows.push([i]);
      for (let j = 1; j <= b.length; j++) {
        const change = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
        rows[i][j] = Math.min(change, rows[i - 1][j] + 1, rows[i][j - 1] + 1);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
          rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
      }
    }
    return rows[a.length][b.length];
  }

  // A word that no page has, as the nearest one that pages have: one error in four letters.
  function corrected(word) {
    if (sections.some((s) => s.plainTitle.includes(word) || s.plainText.includes(word))) {
      return word;
    }
    let best = word;
    let fewest = Math.min(2, Math.floor(word.length / 4)) + 1;
    for (const [known, uses] of vocabulary) {
      if (Math.abs(known.length - word.length) >= fewest + 1) {
        continue;
      }
      const errors = distance(word, known);
      if (errors < fewest || (errors === fewest && best !== word && uses > vocabulary.get(best))) {
        [best, fewest] = [known, errors];
      }
    }
    return best;
  }

  // The sections that have all words, best first: a term of the glossary, then a phrase before
  // single words, headings before text.
  function find(query) {
    const words = plain(query).split(/\s+/).filter(Boolean).map(singular);
    const phrase = words.join(" ");
    const found = [];
    for (const section of sections) {
      const all = words.every(
        (word) => section.plainTitle.includes(word) || section.plainText.includes(word),
      );
      if (!all || words.length === 0) {
        continue;
      }
      let score = 0;
      score += section.names.includes(phrase) ? 1000 : 0;
      score += section.names.some((name) => name.startsWith(phrase)) ? 300 : 0;
      score += section.plainTitle.includes(phrase) ? 100 : 0;
      score += section.plainText.includes(phrase) ? 30 : 0;
      for (const word of words) {
        score += section.plainTitle.includes(word) ? 20 : 0;
        score += Math.min(section.plainText.split(word).length - 1, 5);
      }
      found.push({ section, score, words, phrase });
    }
    return found.sort((a, b) => b.score - a.score);
  }

  function snippet({ section, words, phrase }) {
    const places = [phrase, ...words].map((word) => section.plainText.indexOf(word));
    const first = places.find((place) => place >= 0) ?? 0;
    const start = Math.max(0, section.text.lastIndexOf(" ", first - AROUND) + 1);
    const shown = section.text.slice(start, first + 2 * AROUND);
    return marked((start > 0 ? "… " : "") + shown + " …", words);
  }

  // The text as nodes, with the words in <mark>. Nothing is parsed as HTML.
  function marked(text, words) {
    const parts = document.createDocumentFragment();
    const lower = text.toLowerCase();
    let at = 0;
    while (at < text.length) {
      let next = text.length;
      let length = 0;
      for (const word of words) {
        const place = lower.indexOf(word, at);
        if (place >= 0 && place < next) {
          next = place;
          length = word.length;
        }
      }
      parts.append(text.slice(at, next));
      if (length > 0) {
        const mark = document.createElement("mark");
        mark.textContent = text.slice(next, next + length);
        parts.append(mark);
      }
      at = next + length;
    }
    return parts;
  }

  function result(match) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = match.section.address;
    const title = document.createElement("strong");
    title.append(marked(match.section.heading, match.words));
    const page = document.createElement("span");
    page.className = "page";
    page.textContent = match.section.page;
    const text = document.createElement("span");
    text.className = "snippet";
    text.append(snippet(match));
    link.append(title, page, text);
    item.append(link);
    return item;
  }

  function show() {
    let query = input.value.trim();
    if (query.length < 2 || sections === null) {
      close();
      return;
    }
    let found = find(query);
    if (found.length === 0) {
      query = plain(query).split(/\s+/).map(corrected).join(" ");
      found = find(query);
    }
    const meant = query === input.value.trim() ? "" : ` for “${query}”`;
    const count = `${found.length} ${found.length === 1 ? "section" : "sections"}${meant}`;
    status.textContent = found.length ? `${count} found` : "Nothing found";
    const head = document.createElement("p");
    head.textContent = found.length
      ? `${count}${found.length > MOST ? `, the best ${MOST}` : ""}`
      : `No section has all words of “${input.value.trim()}”`;
    const items = document.createElement("ol");
    items.append(...found.slice(0, MOST).map(result));
    list.replaceChildren(head, ...(found.length ? [items] : []));
    list.hidden = false;
  }

  function close() {
    list.hidden = true;
    status.textContent = "";
  }

  function move(step) {
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement) + step;
    stops[Math.max(0, Math.min(stops.length - 1, at))].focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first && !list.hidden) {
      first.click();
    }
  });
  input.addEventListener("focus", () => {
    load();
    show();
  });
  input.addEventListener("input", show);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      input.focus();
      close();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !list.hidden) {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    }
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) {
      close();
    }
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) {
      close();
    }
  });
  form.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !form.contains(event.relatedTarget)) {
      close();
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
  });
  form.hidden = false;
})();
