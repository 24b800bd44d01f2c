/* Steps through a recorded block: convlabs-step/v1, which the page holds compressed. */
"use strict";
(async () => {
  const { LANES, SECTOR, WORD, ...rules } = window.warpAccess, EVERY_LANE = [...Array(LANES).keys()];
  const byId = (id) => document.getElementById(id);
  const lanesOf = (mask) => EVERY_LANE.filter((lane) => (mask >>> lane) & 1);
  if (!window.DecompressionStream) {
    byId("words").textContent = "This browser is too old to unpack the page: use one of 2023 or later.";
    return;
  }
  document.body.setAttribute("aria-busy", "true");
  const packed = Uint8Array.from(atob(byId("data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(unpacked).json();

  /* ---- the recording, with names */

  const FIELDS = {
    block: ["launch", "kernel", "grid", "threads", "index"],
    object: ["number", "space", "bytes", "base", "name", "file", "line", "holds"],
    access: ["warp", "pc", "way", "space", "width", "lanes", "object", "offsets", "values", "apart", "costs"],
    barrier: ["file", "line", "lanes"],
    warp: ["warp", "file", "line", "name", "lanes", "sources", "inputs", "results"],
  };
  const named = ([kind, ...rest]) => ({ kind, ...Object.fromEntries(FIELDS[kind].map((name, i) => [name, rest[i]])) });
  const head = named(data.head), objects = data.objects.map(named), steps = data.steps.map(named);
  const threadCount = head.threads.reduce((a, b) => a * b);
  const hex = (text) => Uint8Array.from(text.match(/../g) || [], (byte) => parseInt(byte, 16));

  /* Gives an access `at` (the offset of each lane, or null) and `bytes` (its value, or null). */
  function expand(step) {
    [step.file, step.line] = data.places[step.pc];
    step.at = Array(LANES).fill(null);
    step.bytes = Array(LANES).fill(null);
    const { offsets, width } = step, each = [], values = hex(step.values);
    for (let i = 0; i < offsets.length; i += 3) for (let k = 0; k < offsets[i + 2]; k++) each.push(offsets[i] + k * offsets[i + 1]);
    step.active.forEach((lane, i) => {
      const from = values.length === width ? 0 : i * width;
      step.at[lane] = each[i];
      if (step.values) step.bytes[lane] = values.slice(from, from + width);
    });
  }

  /* The counters are those of --profile; of each limit, the sums of both its terms. */
  const rank = (name) => ["conflicts", "sectors", "wavefronts", "words", "requests", ""].findIndex((what) => name.endsWith(what));
  const names = [...new Set(data.counts.flatMap(({ counters }) => Object.keys(counters)))].sort().sort((a, b) => rank(a) - rank(b));
  const sums = [], total = { terms: data.limits.map(() => [0, 0]), ...Object.fromEntries(names.map((name) => [name, 0])) };
  const stored = new Set();
  let epoch = 0;
  steps.forEach((step, i) => {
    step.epoch = epoch;
    epoch += step.kind === "barrier";
    if (step.kind !== "barrier") step.active = lanesOf(step.lanes);
    if (step.kind === "access") expand(step);
    step.adds = data.counts[data.counted[i]];
    for (const [name, more] of Object.entries(step.adds.counters)) total[name] += more;
    total.terms = total.terms.map((pair, n) => pair.map((sum, k) => sum + step.adds.terms[n][k]));
    if (step.way === "store" && step.space === "global") {
      step.active.forEach((lane) => stored.add(step.object * 2 ** 40 + step.at[lane]));
    }
    sums.push({ ...total, pixels: stored.size });
  });

  /* What a check limits: a counter, or a quotient, of the steps so far; null: of nothing yet. */
  function limited(limit, n, sum) {
    const [above, below] = sum.terms[n];
    const divisor = limit.counter.includes("/") ? below : limit.per === "pixel" ? sum.pixels : 1;
    return divisor ? above / divisor : null;
  }

  /* ---- values in words */

  function short(number) {
    const text = String(Number.isInteger(number) ? number : Number(number?.toPrecision(4)));
    return number === null ? "–" : text.length > 8 ? number.toExponential(1) : text;
  }

  function shown(bytes, holds) {
    if (!bytes) return "?";
    const view = new DataView(bytes.buffer), parts = [];
    const size = bytes.length < 4 ? bytes.length : holds === "f8" && bytes.length % 8 === 0 ? 8 : 4;
    for (let i = 0; i < bytes.length; i += size) {
      if (size === 8) parts.push(short(view.getFloat64(i, true)));
      else if (size === 4 && bytes.slice(i, i + 4).every((b) => b === 255)) parts.push("unset");
      else if (size === 4 && holds === "i4") parts.push(view.getInt32(i, true));
      else if (size === 4 && holds !== "u1") parts.push(short(view.getFloat32(i, true)));
      else for (let k = 0; k < size; k++) parts.push(bytes[i + k]);
    }
    return parts.join(" ");
  }

  function bitsShown(text) {
    const bytes = hex(text.padStart(text.length > 8 ? 16 : 8, "0")).reverse();
    const exponent = (bytes[3] & 127) * 2 + (bytes[2] >> 7);
    if (bytes.length > 4) return bytes.every((b) => b === 255) ? "undefined" : shown(bytes, "f8");
    return shown(bytes, exponent > 60 && exponent < 190 ? "f4" : "i4");
  }

  const objectOf = (step) => objects[step.object] || { name: "memory", holds: "i4", base: 0, bytes: 0 };

  function element(step, lane) {
    const size = { f4: 4, i4: 4, f8: 8, u1: 1 }[objectOf(step).holds] || step.width;
    const index = step.at[lane] / Math.min(size, step.width);
    return Number.isInteger(index) ? `[${index}]` : `+${step.at[lane]} B`;
  }

  function thread(warp, lane) {
    const [x, y] = head.threads, n = warp * LANES + lane;
    return [n % x, Math.floor(n / x) % y, Math.floor(n / x / y)].join(", ");
  }
  const exists = (warp, lane) => warp * LANES + lane < threadCount;
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  function sentence(step) {
    const where = step.line ? ` (line ${step.line})` : "";
    if (step.kind === "barrier") {
      const here = step.lanes.reduce((n, mask) => n + lanesOf(mask).length, 0);
      return here === threadCount ? `All ${here} threads of the block meet at the barrier${where}.`
        : `${here} of ${threadCount} threads meet at this barrier${where}; the others have left the kernel or wait elsewhere.`;
    }
    const who = `Warp ${step.warp}: ${step.active.length === LANES ? "all 32 lanes" : plural(step.active.length, "lane")}`;
    if (step.kind === "warp") return `${who}${step.inputs.length ? " exchange values" : ""}: ${step.name}${where}.`;
    const object = objectOf(step), width = plural(step.width, "byte");
    const one = step.active.length === 1 ? "s" : "";
    const verb = { load: `load${one}`, store: `store${one}`, atomic: `update${one} atomically`, fault: `end${one} at a bad access of` }[step.way];
    const to = step.way === "store" ? "to" : step.way === "load" ? "from" : "in";
    const text = `${who} ${verb} ${width}${one ? "" : " each"} ${to} ${object.name} in ${step.space || object.space} memory${where}`;
    const [sectors, , , wavefronts, ideal, words] = step.costs, extra = wavefronts - ideal;
    if (step.way !== "load" && step.way !== "store") return `${text}.`;
    if (step.space === "shared") return `${text}: ${plural(wavefronts, "wavefront")}, ${extra > 0 ? `${extra} of them extra because of bank conflicts` : "no conflict"}.`;
    if (step.space === "constant") return `${text}: ${plural(words, "word")}${words > 1 ? ", read one after the other" : " for all"}.`;
    const used = new Set(step.active.flatMap((lane) => [...Array(step.width).keys()].map((i) => step.at[lane] + i))).size, moved = sectors * SECTOR;
    return `${text}: ${plural(sectors, "sector")}, ${moved} bytes moved, ${Math.round(100 * used / (moved || 1))} % of them used.`;
  }

  /* What one of the marked threads does in a step; without one, where the step is. */
  function oneThread(step, lanes) {
    const lane = lanesOf(lanes)[0];
    if (lane === undefined || step.kind !== "access") return step.line ? `line ${step.line}` : "";
    const verb = { load: "loads", store: "stores", atomic: "updates", fault: "accesses" }[step.way];
    const value = step.bytes[lane] ? `, ${shown(step.bytes[lane], objectOf(step).holds)}` : "";
    return `line ${step.line}: thread (${thread(step.warp, lane)}) ${verb} ${objectOf(step).name}${element(step, lane)}${value}`;
  }

  /* ---- drawing */

  function make(tag, text, attributes = {}, made = document.createElement(tag)) {
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }
  const filled = (made, ...parts) => (made.append(...parts), made);
  function button(text, press, attributes = {}) {
    const made = make("button", text, { type: "button", ...attributes });
    made.addEventListener("click", press);
    return made;
  }
  const hue = (lane) => `--hue:${Math.round((lane * 360) / LANES)}`;
  const svg = (tag, attributes, text = "") => make(tag, text, attributes, document.createElementNS("http://www.w3.org/2000/svg", tag));

  /* A cell is text, or made already; the first of a row is its head. */
  const cell = (text, kind) => make("td", text, kind ? { class: kind } : {});
  function table(caption, heads, rows, kind = "figures-table") {
    const made = make("table", "", { class: kind }), line = (cells) => filled(make("tr", ""), ...cells);
    made.append(make("caption", caption, { class: "hidden" }));
    if (heads.length) made.createTHead().append(line(heads.map((head) => (head instanceof Node ? head : make("th", head, { scope: "col" })))));
    made.createTBody().append(...rows.map((row) => line(row.map((one, i) => one instanceof Node ? one
      : i === 0 ? make("th", one, { scope: "row" }) : cell(one)))));
    return made;
  }

  let listed = null; /* the file that is shown */

  function drawSource({ file, line }) {
    const box = byId("source");
    if (listed !== file && data.sources[file]) {
      const ran = new Set(steps.map((step) => step.file === file && step.line));
      box.replaceChildren(filled(make("ol", ""), ...data.sources[file].map((text, i) => filled(
        make("li", "", { class: ran.has(i + 1) ? "ran" : "", ...(text === null ? { hidden: "" } : {}) }),
        make("span", i + 1, { class: "n" }), make("span", text || "", { style: `--in:${Math.min((text || "").search(/\S|$/), 12) + 4}ch` })))));
      byId("file").textContent = file;
      listed = file;
    }
    box.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const now = listed === file && box.firstChild?.children[line - 1];
    if (!now) return;
    now.setAttribute("aria-current", "step");
    const place = now.offsetTop - box.offsetTop, beyond = place - box.scrollTop - 0.7 * box.clientHeight;
    if (place < box.scrollTop + 30 || beyond > 0) box.scrollTop = place - 0.3 * box.clientHeight; /* its end may be below the screen */
  }

  /* The line of the branch or loop around a line, as its indentation says; 0: none is seen. */
  function branchAround({ file, line }) {
    const lines = data.sources[file] || [];
    for (let i = line - 1, least = Infinity; i >= 0 && lines[i] !== null && least > 0; i--) {
      const depth = (lines[i] || "").search(/\S/);
      if (depth < 0 || depth >= least) continue;
      if (/\b(if|else|for|while|switch|case)\b|\?/.test(lines[i])) return i + 1;
      least = depth;
    }
    return 0;
  }

  /* Why a lane takes no part, in words. */
  function reason({ warp, apart = [], file, line }, lane) {
    if (!exists(warp, lane)) return "no such thread";
    const i = apart.findIndex((mask, k) => k % 2 === 1 && (mask >>> lane) & 1), construct = apart[i - 1];
    if (i < 0) return "take no part";
    if (construct < 0) return "left the kernel, or wait";
    const head = construct > 0 ? (data.constructs[construct] || ["", 0])[1] : branchAround({ file, line });
    return head ? `took another way at the branch or loop of line ${head}` : "excluded by a condition of this line";
  }

  /* What the page says of each lane of a warp. */
  function lanesIn(step) {
    return EVERY_LANE.map((lane) => {
      const i = step.active.indexOf(lane), said = { lane, who: thread(step.warp, lane), value: "", address: "", why: "" };
      if (i < 0) return { ...said, why: reason(step, lane) };
      if (step.kind === "access") return { ...said, value: shown(step.bytes[lane], objectOf(step).holds), address: element(step, lane) };
      return { ...said, value: step.results.length ? bitsShown(step.results[i]) : "here", address: step.sources.length ? ` ← ${step.sources[i]}` : "" };
    });
  }

  /* What the texts in a lane's box are. */
  function legend(step) {
    const value = { load: "the value that it loads", store: "the value that it stores" }[step.way] || "its value";
    if (step.kind === "access") return `in a box: ${value}; below it, [its element] of ${objectOf(step).name}; at the right, the lane`;
    return step.sources?.length ? "in a box: the value that it gets; below it, ← the lane that passes it; at the right, the lane" : "";
  }

  function drawLanes(step) {
    const off = {}, one = step.kind !== "barrier";
    byId("legend").textContent = legend(step);
    byId("warp").textContent = !one ? "of all warps: below" : `of warp ${step.warp}, threads (${thread(step.warp, 0)}) to (${thread(step.warp, LANES - 1)})`;
    byId("grid").replaceChildren(...(one ? lanesIn(step) : []).map(({ lane, who, value, address, why }) => {
      if (why) off[why] = [...(off[why] || []), lane];
      return filled(make("div", "", { style: hue(lane), class: `${why ? "off" : "on"}${(marked >>> lane) & 1 ? " here" : ""}`,
        title: `lane ${lane}, thread (${who}): ${why || `${address} ${value}`}` }),
        make("span", why ? "off" : value), make("b", lane), make("span", why ? "–" : address));
    }));
    byId("off").replaceChildren(...Object.entries(off).map(([why, lanes]) => make("p", `${spans(lanes)} off: ${why}`)));
  }

  function spans(lanes) {
    const found = [];
    for (const lane of lanes) {
      if (found.length && found.at(-1)[1] === lane - 1) found.at(-1)[1] = lane;
      else found.push([lane, lane]);
    }
    return (lanes.length > 1 ? "lanes " : "lane ") + found.map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(", ");
  }

  /* A step for the rules: addresses from the object's aligned beginning. */
  function accessOf(step) {
    const { base } = objectOf(step);
    return { at: step.at.map((at) => (at === null ? null : at + base)), width: step.width, load: step.way === "load" };
  }

  /* The steps that the page is about, with their lanes; those of this step. */
  const places = data.focus ? [[data.focus.step, data.focus.lanes], [data.focus.other, data.focus.other_lanes]] : [];
  let marked = 0;

  function cellOf(tag, lanes, more = "") {
    const text = lanes.length === 0 ? "" : lanes.length === 1 ? String(lanes[0]) : `${lanes[0]}+`;
    const here = lanes.some((lane) => (marked >>> lane) & 1) ? " here" : "";
    return make(tag, text, lanes.length ? { class: `touched${here}${more}`, style: hue(lanes[0]), title: spans(lanes) } : {});
  }

  function drawSectors(step) {
    const words = rules.units(accessOf(step), WORD), sectors = [...rules.units(accessOf(step), SECTOR).keys()];
    const box = filled(make("div", "", { class: "sectors" }), ...sectors.map((sector) => filled(
      make("div", "", { class: "sector" }), make("span", `byte ${sector * SECTOR - objectOf(step).base}`),
      filled(make("div", "", { class: "cells" }), ...[...Array(SECTOR / WORD).keys()].map((i) =>
        cellOf("i", words.get((sector * SECTOR) / WORD + i) || []))))));
    return [make("p", `${plural(sectors.length, "sector")} of 32 bytes; each cell is 4 bytes, with the lane that touches it (+: and others)`, { class: "note" }), box];
  }

  function drawBanks(step) {
    const [, , , count, ideal] = step.costs;
    const rows = rules.wavefronts(accessOf(step)).map(({ banks }, i) => [make("th", String(i + 1), { scope: "row", "aria-label": `wavefront ${i + 1}` }),
      ...EVERY_LANE.map((bank) => cellOf("td", banks.get(bank)?.lanes || [], count > ideal ? " clash" : ""))]);
    return [make("p", `${plural(count, "wavefront")}, ${ideal} without conflicts; a row for each; below its bank, each word with the lane that wants it (+: and others)`, { class: "note" }),
      table("Banks of shared memory, one row for each wavefront", [make("th", "#", { scope: "col", "aria-label": "wavefront" }), ...EVERY_LANE], rows, "banks")];
  }

  function drawConstant(step) {
    const words = [...rules.units(accessOf(step), Math.max(WORD, step.width))];
    return [table("Words of constant memory", ["word", "value", "lanes"], words.map(([, lanes]) =>
      [element(step, lanes[0]), shown(step.bytes[lanes[0]], objectOf(step).holds), spans(lanes)]))];
  }

  function drawBarrier(step) {
    return [table("Which threads are at the barrier", ["warp", "lanes at the barrier", "not there"], step.lanes.map((mask, warp) => {
      const there = lanesOf(mask), missing = EVERY_LANE.filter((lane) => exists(warp, lane) && !there.includes(lane));
      return [`warp ${warp}`, there.length ? spans(there) : "none", missing.length ? cell(spans(missing), "over") : "none"];
    }))];
  }

  function drawShuffle(step) {
    if (!step.inputs.length) return [make("p", "The lanes wait for each other.", { class: "note" })];
    const wide = 20, picture = svg("svg", { class: "shuffle", viewBox: `0 0 ${LANES * wide} 212`, role: "img", "aria-label": sentence(step) });
    step.active.forEach((lane, i) => {
      const x = (lane + 0.5) * wide, from = step.sources.length ? step.sources[i] : null;
      if (from !== null) picture.append(svg("path", { d: `M${(from + 0.5) * wide} 75L${x} 147`, class: from === lane ? "own" : "" }));
      picture.append(svg("text", { x, y: 10, class: "lane" }, String(lane)));
      for (const [y, text, anchor] of [[71, step.inputs[i], "start"], [151, step.results[i], "end"]]) {
        const at = { transform: `translate(${x + 3.5} ${y}) rotate(-90)`, "text-anchor": anchor };
        picture.append(svg("text", at, bitsShown(text).slice(0, 8)));
      }
    });
    return [make("p", "above: what each lane passes; below: what it gets", { class: "note" }), picture];
  }

  function drawMemory(step) {
    byId("where").textContent = "";
    byId("what").textContent = { barrier: "Barrier", warp: "Exchange" }[step.kind] || "Memory";
    if (step.kind === "barrier") return drawBarrier(step);
    if (step.kind === "warp") return drawShuffle(step);
    const object = objectOf(step), line = (data.sources[object.file] || [])[object.line - 1] ? object.line : 0;
    byId("where").textContent = `${object.name}, ${object.bytes} bytes${line ? `, line ${line}` : ""}`;
    if (step.space === "shared") return drawBanks(step);
    const beyond = step.active.filter((lane) => step.at[lane] < 0 || step.at[lane] + step.width > object.bytes);
    const said = beyond.length ? [make("p", `outside of ${object.name}: ${spans(beyond)}`, { class: "warn" })] : [];
    return [...said, ...(step.space === "constant" ? drawConstant(step) : drawSectors(step))];
  }

  function drawCounters(at) {
    const own = steps[at].adds.counters, sum = sums[at], last = sums[sums.length - 1], has = data.limits.length;
    const rows = [], more = (name) => cell(own[name] ? `+${own[name]}` : "", "more");
    data.limits.forEach((limit, n) => { // what fails comes first
      const [bound, most] = limit.at_most !== null ? [limit.at_most, "most"] : [limit.at_least, "least"], end = limited(limit, n, last);
      const fails = end !== null && (most === "most" ? end > bound : end < bound);
      rows[fails ? "unshift" : "push"]([limit.words, more(limit.counter), short(limited(limit, n, sum)), cell(short(end), fails ? "over" : ""), `at ${most} ${short(bound)}`]);
    });
    rows.push(...names.filter((name) => last[name] && !data.limits.some((limit) => limit.counter === name && !limit.per)).map((name) =>
      [name.replaceAll("_", " "), more(name), short(sum[name]), short(last[name]), ...(has ? [""] : [])]));
    byId("counters").replaceChildren(table("Counters", ["counter", "this step", "so far", "at the end", ...(has ? ["limit"] : [])], rows));
  }

  function drawTable(step) {
    if (!byId("table-box").open) return;
    byId("table").replaceChildren(...(step.kind === "barrier" ? drawBarrier(step) : [table("The lanes", ["lane", "thread", "state", "address", "value"],
      lanesIn(step).map(({ lane, who, value, address, why }) => [`lane ${lane}`, who, why || "takes part", address, value]))]));
  }

  function drawTaps() {
    const { pixel } = data, box = byId("taps");
    if (!pixel || !box) return;
    const reach = Math.max(1, ...pixel.taps.flatMap((tap) => [Math.abs(tap[0]), Math.abs(tap[1])]));
    const size = Math.min(reach, 16), around = [...Array(2 * size + 1).keys()].map((i) => i - size);
    const cellAt = (dx, dy) => {
      const [, , step, needed] = pixel.taps.find(([x, y]) => x === dx && y === dy) || [];
      const place = cell("", [step < 0 ? "missing" : "", needed === false ? "extra" : "", dx === 0 && dy === 0 ? "centre" : ""].join(" ").trim());
      if (step < 0) place.append(make("span", "✕", { title: `(${dx}, ${dy}) was never read` }));
      if (step >= 0) place.append(button(needed ? "✓" : "!", () => show(step), { "aria-label": `(${dx}, ${dy}): read in step ${step + 1}` }));
      return place;
    };
    box.replaceChildren(table("Pixels of the input around the result", [], around.map((dy) => around.map((dx) => cellAt(dx, dy))), "taps"));
    const missing = pixel.taps.filter((tap) => tap[2] < 0).length, extra = pixel.taps.filter((tap) => !tap[3]).length;
    byId("taps-words").textContent = `✓ ${plural(pixel.taps.length - missing - extra, "pixel")} read (a click goes there), ✕ ${missing} missing, ! ${extra} read but not needed; `
      + `${plural(pixel.outside, "load")} of other values, such as those beyond the border; framed: the result's own place`;
  }

  /* ---- moving */

  let at = 0, speaking = 0;
  const moves = [...document.querySelectorAll("[data-move]")].map((move) => [move, move.dataset.move.split(" ")]).map(([move, [what, way]]) => [move, what, Number(way)]);
  const wanted = {
    step: () => true,
    barrier: (step) => step.kind === "barrier" || step.name === "__syncwarp",
    costly: (step) => step.adds.costly,
    line: (step) => step.file !== steps[at].file || step.line !== steps[at].line,
    store: (step) => step.way === "store" && step.space === "global",
  };

  function next(what, way) {
    const only = byId("only").value, all = only === "", fits = wanted[what];
    let i = at + way;
    while (steps[i] && !(fits(steps[i]) && (all || steps[i].kind === "barrier" || String(steps[i].warp) === only))) i += way;
    return steps[i] ? i : -1;
  }

  const go = (what, way) => next(what, way) >= 0 && show(next(what, way));

  function show(to) {
    at = to;
    const step = steps[at];
    marked = places.find(([place]) => place === at)?.[1] || 0;
    byId("at").value = at;
    byId("at").setAttribute("aria-valuetext", `step ${at + 1} of ${steps.length}`);
    byId("number").textContent = `${at + 1} of ${steps.length}, after ${plural(step.epoch, "barrier")}`;
    byId("words").textContent = sentence(step);
    drawSource(step);
    drawLanes(step);
    byId("memory").replaceChildren(...drawMemory(step));
    drawCounters(at);
    drawTable(step);
    for (const [move, what, way] of moves) move.disabled = next(what, way) < 0;
    clearTimeout(speaking); /* whoever holds a key down hears the last step alone */
    speaking = setTimeout(() => { byId("spoken").textContent = `Step ${at + 1}. ${sentence(step)}`; }, 500);
  }

  function controls() {
    for (const [move, what, way] of moves) move.addEventListener("click", () => go(what, way));
    const select = byId("only");
    const warps = [...new Set(steps.filter(({ kind }) => kind !== "barrier").map(({ warp }) => warp))].sort((a, b) => a - b);
    select.append(...warps.map((warp) => make("option", `warp ${warp}`, { value: warp })));
    select.addEventListener("change", () => show(at));
    select.parentElement.hidden = warps.length < 2;
    byId("at").max = steps.length - 1;
    byId("at").addEventListener("input", (event) => show(Number(event.target.value)));
    byId("table-box").addEventListener("toggle", () => drawTable(steps[at]));
    for (const [to, lanes] of places.filter(([place]) => steps[place])) {
      byId("jumps").append(filled(make("p", "", { class: "buttons" }), button(`step ${to + 1}`, () => show(to)), make("span", oneThread(steps[to], lanes))));
    }
  }

  /* In a frame, light or dark as the page around it, which says so when it is asked. */
  window.addEventListener("message", ({ source, data: told }) => {
    if (source === window.parent && ["light", "dark"].includes(told)) document.documentElement.style.colorScheme = told;
  });
  if (window.parent !== window) {
    window.parent.postMessage("light or dark?", "*");
    const tell = () => window.parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().bottom + scrollY) }, "*");
    new ResizeObserver(tell).observe(document.body); // so that nothing of it is cut off
  }

  const KEYS = { ArrowRight: ["step", 1], ArrowLeft: ["step", -1], b: ["barrier", 1], c: ["costly", 1], l: ["line", 1], p: ["store", 1] };
  document.addEventListener("keydown", (event) => {
    const inside = event.target.closest("select, .scroll");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!KEYS[key] || event.ctrlKey || event.altKey || event.metaKey || (inside && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    const [what, way] = KEYS[key];
    go(what, event.shiftKey && event.key.length === 1 ? -way : way);
  });

  if (steps.length) {
    controls();
    drawTaps();
    show(steps[places[0]?.[0]] ? places[0][0] : 0);
    window.convlabsStep = { counters: () => sums[sums.length - 1], steps, show };
  }
  document.body.removeAttribute("aria-busy");
})();
