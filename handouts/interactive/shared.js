/* What the interactive figures share: the device, elements, and a panel of controls and numbers.
 *
 * Classic scripts, because browsers refuse modules from file://. Each figure adds itself to
 * window.interactiveFigures as { model: functions without a page, show: fills an element }. */
(function (root) {
  "use strict";

  const figures = (root.interactiveFigures = root.interactiveFigures || {});

  /* An H100 or H200; labs/sim/src/base/device.h has the same limits, and a test compares them. */
  const device = {
    warp: 32, // lanes
    blockThreads: 1024,
    warps: 64, // of a multiprocessor
    blocks: 32, // of a multiprocessor
    shared: 228 * 1024, // bytes of a multiprocessor
    reserved: 1024, // bytes of shared memory that the system takes for each block
  };

  const LIVE_DELAY = 500; // ms without a change before a screen reader speaks
  const SVG = "http://www.w3.org/2000/svg";

  function ceilDiv(count, size) {
    return Math.ceil(count / size);
  }

  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  function html(tag, attributes, ...children) {
    return filled(document.createElement(tag), attributes, children);
  }

  function svg(tag, attributes, ...children) {
    return filled(document.createElementNS(SVG, tag), attributes, children);
  }

  /* An <svg> of this size, or as wide as its column, with a description. */
  function picture(width, height, label, parts) {
    const size = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
    const element = svg("svg", size, ...parts);
    element.style.width = `${width}px`;
    return element;
  }

  /* A picture, or several, under a heading. */
  function part(heading, ...children) {
    return html("div", { class: "part" }, html("p", { class: "heading" }, heading), ...children);
  }

  function rect(x, y, width, height, kind, tip) {
    const element = svg("rect", { x, y, width, height, class: kind });
    if (tip) {
      element.append(svg("title", {}, tip));
    }
    return element;
  }

  function text(x, y, words, kind) {
    return svg("text", { x, y, class: kind || "" }, String(words));
  }

  function number(value, digits) {
    const [whole, part] = value.toFixed(digits === undefined ? 0 : digits).split(".");
    const grouped = whole.replace("-", "−").replace(/\B(?=(\d{3})+$)/g, ",");
    return part ? `${grouped}.${part}` : grouped;
  }

  function plural(count, word) {
    return `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  }

  let ids = 0;

  /* A label with a slider, a list of choices or a text. `change` gets the new value. */
  function control(spec, value, change) {
    const id = `interactive-${++ids}`;
    const output = html("output", { for: id });
    let input;
    if (spec.options) {
      const options = spec.options.map(([key, words]) => html("option", { value: key }, words));
      input = html("select", { id }, ...options);
    } else if (spec.rows) {
      const kind = spec.rows > 1 ? { rows: spec.rows } : { type: "text" };
      const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
      input = html(spec.rows > 1 ? "textarea" : "input", { id, name: spec.name, ...kind, ...plain });
    } else {
      const { min, max } = spec;
      input = html("input", { id, type: "range", min, max, step: spec.step || 1 });
    }
    const isSlider = input.type === "range";
    const show = (shown) => {
      input.value = shown;
      output.textContent = isSlider ? number(Number(shown)) : "";
    };
    show(value);
    input.addEventListener("input", () => {
      const numeric = typeof spec.value === "number";
      change(spec.name, numeric ? Number(input.value) : input.value);
    });
    const label = html("label", { for: id }, spec.label);
    const parts = isSlider ? [label, input, output] : [label, input];
    return { element: html("div", { class: "control" }, ...parts), show };
  }

  /* What data-NAME of the element says of a control, if it is a value that the control can have. */
  function initial(container, spec) {
    const asked = container.dataset[spec.name];
    if (asked === undefined || spec.rows) {
      return asked ?? spec.value;
    }
    const value = typeof spec.value === "number" ? Number(asked) : asked;
    const known = spec.options
      ? spec.options.some(([key]) => String(key) === asked)
      : value >= spec.min && value <= spec.max;
    return known ? value : spec.value;
  }

  /* Fills the container with controls, numbers and pictures.
   *
   * spec.controls: [{ name, label, value, and min, max or options: [[value, words]] or, of a text,
   *                rows }]
   * spec.presets:  [[words, values]], buttons that set several controls
   * spec.show:     takes the values, returns { numbers: [[label, text]], words, pictures }
   * Returns { values, set(changes), tools, said }: `tools` is an element for more buttons; while
   * `said.quiet` is true, screen readers hear no changes. */
  function panel(container, spec) {
    const values = {};
    const shown = {};
    const form = html("div", { class: "controls" });
    const presets = html("div", { class: "tools", role: "group", "aria-label": "examples" });
    const tools = html("div", { class: "tools" });
    const numbers = html("dl", { class: "numbers" });
    const words = html("p", { class: "words" });
    const pictures = html("div", { class: "pictures" });
    const live = html("p", { class: "spoken", role: "status" });
    const said = { quiet: false };
    let timer = 0;

    function update() {
      const result = spec.show(values);
      const rows = result.numbers.map(([label, value]) =>
        html("div", {}, html("dt", {}, label), html("dd", {}, value)),
      );
      numbers.replaceChildren(...rows);
      words.textContent = result.words;
      pictures.replaceChildren(...result.pictures);
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!said.quiet) {
          const list = result.numbers.map(([label, value]) => `${label}: ${value}`);
          live.textContent = [...list, result.words].join(". ");
        }
      }, LIVE_DELAY);
    }

    function set(changes) {
      Object.assign(values, changes);
      for (const name of Object.keys(changes)) {
        if (shown[name]) {
          shown[name](values[name]);
        }
      }
      update();
    }

    for (const one of spec.controls) {
      values[one.name] = initial(container, one);
      const made = control(one, values[one.name], (name, value) => set({ [name]: value }));
      shown[one.name] = made.show;
      form.append(made.element);
    }
    for (const [name, changes] of spec.presets || []) {
      const button = html("button", { type: "button" }, name);
      button.addEventListener("click", () => set(changes));
      presets.append(button);
    }
    const title = html("p", { class: "title" }, spec.title);
    container.setAttribute("role", "group");
    container.setAttribute("aria-label", spec.title);
    container.replaceChildren(title, form, ...(spec.presets ? [presets] : []), tools);
    container.append(numbers, words, pictures, live);
    update();
    return { values, set, tools, pictures, said };
  }

  figures.shared = {
    device, ceilDiv, html, svg, picture, part, rect, text, number, plural, panel,
  };
})(typeof window === "undefined" ? globalThis : window);
