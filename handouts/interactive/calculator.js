/* The access calculator: an index expression, and what the warp's access costs. The address of the
 * page has the state, so that a link carries an expression: #index=threadIdx.x*2&space=shared. */
(function (root) {
  "use strict";

  const { html, part, number, plural, panel } = root.interactiveFigures.shared;
  const { Problem, compile, definitions } = root.interactiveFigures.expression;
  const { drawSectors, drawBanks } = root.interactiveFigures.lanes;
  const { LANES, SECTOR, WORD, BANKS, active, units, parts, wavefronts, constantWords } =
    root.warpAccess;
  const MOST_THREADS = 1024; // of a block
  const NAMED = 8; // lanes of a sentence; of more, the first three and the last

  const CONTROLS = [
    { name: "index", label: "index", value: "threadIdx.y * pitch + threadIdx.x", rows: 2 },
    { name: "constants", label: "definitions", value: "pitch = 32", rows: 2 },
    { name: "where", label: "only lanes where", value: "1", rows: 1 },
    { name: "block", label: "blockDim", value: "32, 8", rows: 1 },
    { name: "warp", label: "warp", value: "0", rows: 1 },
    { name: "base", label: "base, in bytes", value: "0", rows: 1 },
    {
      name: "space", label: "memory", value: "global",
      options: ["global", "shared", "constant"].map((space) => [space, space]),
    },
    { name: "way", label: "access", value: "load", options: [["load", "load"], ["store", "store"]] },
    {
      name: "width", label: "element", value: 4,
      options: [
        [1, "1 byte: char"], [2, "2 bytes: half"], [4, "4 bytes: float, int"],
        [8, "8 bytes: double, float2"], [16, "16 bytes: float4"],
      ],
    },
  ];
  const DEFAULTS = Object.fromEntries(CONTROLS.map(({ name, value }) => [name, value]));
  const example = (changes) => ({ ...DEFAULTS, ...changes });
  const COLUMN = { index: "threadIdx.x * pitch + threadIdx.y", space: "shared" };

  /* Does the work on a control's text; a Problem gets the name of the control. */
  function inField(field, work) {
    try {
      return work();
    } catch (error) {
      const isDeep = error instanceof RangeError; // the stack is full
      const problem = isDeep ? new Problem("this is nested too deeply", 0) : error;
      problem.field = problem.field || field;
      throw problem;
    }
  }

  function blockOf(text) {
    const sides = text.trim().split(/\s*[,x×]\s*|\s+/).map(Number);
    const isValid = sides.length <= 3 && sides.every((side) => Number.isInteger(side) && side > 0);
    if (!isValid || sides.reduce((a, b) => a * b) > MOST_THREADS) {
      throw new Problem(`write 1 to 3 numbers such as 32, 8, at most ${MOST_THREADS} threads`, 0);
    }
    return [...sides, 1, 1].slice(0, 3);
  }

  /* Of each lane { thread, index, at }, or null where it takes no part, and the access. Throws
   * Problem. */
  function evaluate(values) {
    const compiled = (field) => inField(field, () => compile(values[field]));
    const [x, y, z] = inField("block", () => blockOf(values.block));
    const [index, where, warp, base] = ["index", "where", "warp", "base"].map(compiled);
    const defined = inField("constants", () => definitions(values.constants));
    const width = Number(values.width);
    const warps = Math.ceil((x * y * z) / LANES);
    const launch = { "blockDim.x": x, "blockDim.y": y, "blockDim.z": z };
    for (const axis of "xyz") {
      launch[`blockIdx.${axis}`] = 0;
      launch[`gridDim.${axis}`] = 1;
    }

    function laneOf(lane, ofWarp) {
      const thread = ofWarp * LANES + lane;
      const place = [thread % x, Math.floor(thread / x) % y, Math.floor(thread / x / y)];
      const known = new Map(Object.entries({ ...launch, lane, warp: ofWarp }));
      place.forEach((value, k) => known.set(`threadIdx.${"xyz"[k]}`, value));
      const lookup = (name) => known.get(name);
      for (const { name, value } of defined) {
        known.set(name, inField("constants", () => value(lookup)));
      }
      if (thread >= x * y * z || !inField("where", () => where(lookup))) {
        return null;
      }
      const element = inField("index", () => index(lookup));
      const at = inField("base", () => base(lookup)) + element * width;
      if (at % width !== 0) {
        const why = `lane ${lane} would access byte ${at}, which is no multiple of ${width}`;
        inField("base", () => { throw new Problem(`${why}: a GPU stops (misaligned address)`, 0); });
      }
      return { thread: place, index: element, at };
    }

    const ofWarp = inField("warp", () => {
      const asked = warp((name) => launch[name]);
      if (asked < 0 || asked >= warps) {
        throw new Problem(`this block has ${plural(warps, "warp")}, the last is ${warps - 1}`, 0);
      }
      return asked;
    });
    const lanes = Array.from({ length: LANES }, (_, lane) => laneOf(lane, ofWarp));
    const at = lanes.map((lane) => lane && lane.at);
    return { lanes, access: { at, width, load: values.way === "load" } };
  }

  /* What Nsight Compute counts for this memory. */
  function count({ access }, space) {
    const requests = Number(active(access).length > 0);
    if (space === "global") {
      return { requests, sectors: units(access, SECTOR).size };
    }
    return space === "constant" ? { requests, words: constantWords(access) }
      : { requests, wavefronts: wavefronts(access).length, ideal: parts(access).length };
  }

  function named(lanes) {
    const last = lanes.at(-1);
    if (lanes.length > 2 && last - lanes[0] === lanes.length - 1) {
      return `lanes ${lanes[0]} to ${last}`;
    }
    const first = lanes.slice(0, lanes.length > NAMED ? 3 : -1).join(", ");
    return lanes.length === 1 ? `lane ${last}`
      : `lanes ${first}${lanes.length > NAMED ? ", …" : ""} and ${last}`;
  }
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

  /* "lanes 0, 8, 16 and 24 need bank 0: 4 wavefronts", of the bank that most words are needed of. */
  function meeting(access, counted) {
    const groups = new Map(); // by part and bank: the lanes of each word
    for (const { part: k, banks } of wavefronts(access)) {
      for (const [bank, { lanes }] of banks) {
        const key = `${k} ${bank}`;
        groups.set(key, { k, bank, words: [...(groups.get(key)?.words || []), lanes] });
      }
    }
    const all = [...groups.values()];
    const deepest = Math.max(...all.map(({ words }) => words.length));
    const worst = all.filter(({ words }) => words.length === deepest);
    const [{ k, bank, words }] = worst;
    const first = words.map((lanes) => lanes[0]).sort((a, b) => a - b);
    const { ideal } = counted, of = ideal > 1 ? ` in part ${k + 1}` : "";
    return [
      ideal > 1 && `the lanes are served in ${ideal} parts: ${ideal} wavefronts are the least`,
      deepest === 1 ? "no two lanes need different words of one bank"
        : `${named(first)} need bank ${bank}${of}: ${plural(deepest, "wavefront")}`,
      deepest > 1 && worst.length > 1 && `the same is true of ${plural(worst.length - 1, "other bank")}`,
      words.some((lanes) => lanes.length > 1) && "lanes with the same word share it",
    ];
  }

  function words({ access }, counted, values) {
    const lanes = active(access);
    if (values.space === "constant" && values.way === "store") {
      return "A kernel cannot store to constant memory.";
    }
    if (lanes.length === 0) {
      return "No lane takes part: there is no request.";
    }
    const said = [];
    if (values.space === "global") {
      const used = units(access, 1).size;
      const ideal = Math.ceil(used / SECTOR);
      const sectors = units(access, SECTOR);
      const [[, together]] = [...sectors].sort((a, b) => b[1].length - a[1].length);
      const share = together.length > 1 ? `${named(together)} share a sector` : "no two lanes share a sector";
      said.push(share, `${number((100 * used) / (sectors.size * SECTOR))} % of the bytes moved are used`);
      if (sectors.size > ideal) {
        said.push(`neighbours from an aligned start would need ${plural(ideal, "sector")}`);
      }
    } else if (values.space === "shared") {
      said.push(...meeting(access, counted));
    } else {
      said.push(counted.words === 1 ? "all lanes read the same word" : "the words are read one after the other");
    }
    const before = lanes.filter((lane) => access.at[lane] < 0);
    if (before.length > 0) {
      said.push(`${named(before)} access bytes before the first`);
    }
    return said.filter(Boolean).map(sentence).join(" ");
  }

  function laneList({ lanes }, { space, width }) {
    const unit = (at) =>
      space === "global" ? `sector ${Math.floor(at / SECTOR)}`
      : space === "shared" ? `bank ${((Math.floor(at / WORD) % BANKS) + BANKS) % BANKS}`
      : `word ${Math.floor(at / Math.max(WORD, width))}`;
    const items = lanes.map((lane, i) => {
      const name = html("b", {}, `lane ${i}`);
      const facts = lane ? [`[${lane.index}]`, `byte ${lane.at}`, unit(lane.at)] : ["takes no part"];
      const tip = lane ? { title: `thread (${lane.thread.join(", ")})` } : { class: "off" };
      return html("li", tip, name, ...facts.map((fact) => html("span", {}, fact)));
    });
    return html("ol", { class: "lane-list" }, ...items);
  }

  function numbers({ requests, sectors, wavefronts: all, ideal, words: constants }, access) {
    return Object.entries({
      "requests": requests,
      "sectors": sectors,
      "bytes moved": sectors * SECTOR,
      "bytes used": sectors === undefined ? sectors : units(access, 1).size,
      "wavefronts": all,
      "extra wavefronts caused by bank conflicts": all - ideal,
      "words of constant memory": constants,
    }).filter(([, count]) => count >= 0).map(([label, count]) => [label, number(count)]);
  }

  /* The text of a control with the place of a Problem marked. */
  function placeOf({ field, at }, values) {
    const text = values[field];
    const end = text[at] === undefined ? " " : text[at];
    return html("p", { class: "place" }, text.slice(0, at), html("mark", {}, end), text.slice(at + 1));
  }

  function shown(values) {
    try {
      const result = evaluate(values);
      const counted = count(result, values.space);
      const { access } = result;
      const pictures = [part("The lanes: index, first byte and where it lies", laneList(result, values))];
      if (counted.requests && values.space === "global") {
        pictures.push(part("The 32-byte sectors that they touch", drawSectors(access)));
      }
      if (counted.requests && values.space === "shared") {
        pictures.push(part("A row for each wavefront, a column for each bank", drawBanks(access)));
      }
      return {
        numbers: numbers(counted, access),
        words: words(result, counted, values),
        pictures,
      };
    } catch (problem) {
      if (!problem.field) {
        throw problem;
      }
      const { label } = CONTROLS.find(({ name }) => name === problem.field);
      const place = `${label}, character ${problem.at + 1}`;
      return {
        problem: problem.field,
        numbers: [],
        words: sentence(`${place}: ${problem.message}`),
        pictures: [placeOf(problem, values)],
      };
    }
  }

  /* What the page's address says of the controls. A + is a plus. */
  function linked() {
    const given = {};
    for (const pair of root.location.hash.slice(1).split("&")) {
      const [name, ...text] = pair.split("=");
      const { value, options } = CONTROLS.find((one) => one.name === name) || {};
      const asked = decoded(text.join("="));
      if (value !== undefined && (!options || options.some(([key]) => String(key) === asked))) {
        given[name] = typeof value === "number" ? Number(asked) : asked;
      }
    }
    return given;
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // someone has typed a % of C
    }
  }

  /* Puts what differs from the defaults into the page's address. */
  function link(values) {
    const changed = Object.keys(DEFAULTS).filter((name) => values[name] !== DEFAULTS[name]);
    const pairs = changed.map((name) => `${name}=${encodeURIComponent(values[name])}`);
    root.history.replaceState(null, "", `#${pairs.join("&")}`);
  }

  function show(container) {
    let waiting = null; // null: nothing has changed yet
    Object.assign(container.dataset, linked());
    const made = panel(container, {
      title: "Access calculator",
      controls: CONTROLS,
      presets: [
        ["a row", example({})],
        ["every second", example({ index: "2 * threadIdx.x" })],
        ["a column, pitch 32", example(COLUMN)],
        ["a column, pitch 33", example({ ...COLUMN, constants: "pitch = 33" })],
        ["float4, shared", example({ index: "threadIdx.x", space: "shared", width: 16 })],
        ["a mask", example({
          index: "b * size + a", constants: "size = 13; a = 3; b = 2", space: "constant",
        })],
      ],
      show(values) {
        const result = shown(values);
        for (const field of container.querySelectorAll("[name]")) {
          field.setAttribute("aria-invalid", String(field.name === result.problem));
        }
        if (waiting !== null) {
          clearTimeout(waiting);
          waiting = setTimeout(() => link(values), 300); // browsers limit how often
        }
        return result;
      },
    });
    waiting = 0;
    root.addEventListener("hashchange", () => {
      if (root.location.hash.includes("=")) {
        made.set({ ...DEFAULTS, ...linked() });
      }
    });
  }

  root.interactiveFigures.calculator = { model: { evaluate, count, shown }, show };
})(typeof window === "undefined" ? globalThis : window);
