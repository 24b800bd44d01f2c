/* Source lines and instructions: what belongs together is marked together. */
(async () => {
  const byId = (id) => document.getElementById(id);
  if (!window.DecompressionStream) {
    byId("words").textContent = "This browser is too old to unpack the page: use one of 2023 or later.";
    return;
  }
  const packed = Uint8Array.from(atob(byId("data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(unpacked).json();
  const FAR = /^(@\S+ )?(LDG|STG|LDL|STL|ATOM|RED)/;
  let kernel, rows, chosen = -1;

  const item = (className, owner, ...texts) => {
    const li = document.createElement("li");
    li.className = className;
    if (owner >= 0) li.dataset.owner = owner;
    for (const [name, text] of texts) {
      const span = document.createElement("span");
      span.className = name;
      span.textContent = text;
      li.append(span);
    }
    return li;
  };

  const list = (id, items) => byId(id).firstElementChild.replaceChildren(...items);

  const show = (number) => {
    kernel = data.kernels[number];
    chosen = -1;
    byId("needs").textContent = kernel.needs;
    byId("count").textContent = `${kernel.code.length} of this kernel`;
    const counts = kernel.lines.map(() => 0);
    for (const [owner] of kernel.code) if (owner >= 0) counts[owner]++;
    const source = data.files.flatMap((file, f) => {
      const owners = new Map(kernel.lines.flatMap(([of, line], i) => (of === f ? [[line, i]] : [])));
      const lines = data.sources[f].map((text, i) => {
        const owner = owners.has(i + 1) ? owners.get(i + 1) : -1;
        return item(owner < 0 ? "" : "owned", owner, ["n", i + 1], ["c", owner < 0 ? "" : counts[owner]], ["t", text || " "]);
      });
      return [item("file", -1, ["t", file]), ...lines];
    });
    list("source", source);
    list("code", kernel.code.map(([owner, label, text]) =>
      item(`${owner < 0 ? "" : "owned"}${FAR.test(text) ? " hot" : ""}`, owner, ["n", label.replace(".L_x_", "L")], ["t", text.replace(/`\(\.L_x_(\d+)\)/, "L$1")])));
    rows = [...document.querySelectorAll(".listing li[data-owner]")];
    const lengths = kernel.lines.map(([, , , sentence]) => sentence.length);
    choose(lengths.indexOf(Math.max(...lengths)), byId("code"), byId("source"));
  };

  const mark = (owner) => {
    for (const li of rows) {
      const is = +li.dataset.owner === owner;
      if (is !== li.hasAttribute("aria-current")) is ? li.setAttribute("aria-current", "true") : li.removeAttribute("aria-current");
    }
  };

  /* Scrolls only the lists, never the page. */
  const choose = (owner, ...lists) => {
    if (!kernel.lines[owner]) return;
    chosen = owner;
    mark(owner);
    const [, line, counted, sentence] = kernel.lines[owner];
    const small = document.createElement("b");
    small.textContent = `line ${line}: ${counted}`;
    byId("words").replaceChildren(small, sentence);
    for (const each of lists) {
      const li = each.querySelector("[aria-current]");
      if (li) each.scrollTop = li.offsetTop - each.offsetTop - each.clientHeight / 3;
    }
  };

  const ownerOf = (event) => Number(event.target.closest?.("li[data-owner]")?.dataset.owner ?? -1);
  for (const [id, other] of [["source", "code"], ["code", "source"]]) {
    const pane = byId(id);
    pane.addEventListener("click", (event) => choose(ownerOf(event), byId(other)));
    pane.addEventListener("mouseover", (event) => mark(ownerOf(event) < 0 ? chosen : ownerOf(event)));
    pane.addEventListener("mouseleave", () => mark(chosen));
    pane.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(chosen + step, byId("code"), byId("source"));
    });
  }
  byId("kernel").addEventListener("change", (event) => show(+event.target.value));
  show(0);
})();
