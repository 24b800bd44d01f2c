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
    const query = input.value.trim();
    if (query.length < 2 || sections === null) {
      close();
      return;
    }
    const found = find(query);
    const count = `${found.length} ${found.length === 1 ? "section" : "sections"}`;
    status.textContent = found.length ? `${count} found` : "Nothing found";
    const head = document.createElement("p");
    head.textContent = found.length
      ? `${count}${found.length > MOST ? `, the best ${MOST}` : ""}`
      : `No section has all words of “${query}”`;
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
