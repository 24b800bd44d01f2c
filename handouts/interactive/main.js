/* Fills each <div class="interactive" data-figure="lanes|tile|grid|convolution|calculator"> of a
 * page.
 *
 * A page needs only this script; it loads the others and interactive.css from its own folder,
 * unless the page has them. data-NAME="value" sets a control: data-pitch="33". */
(function () {
  "use strict";

  /* The scripts of each figure; grader/render/templates/access.js is copied beside them. */
  const SCRIPTS = {
    lanes: ["shared", "access", "lanes"],
    tile: ["shared", "tile"],
    grid: ["shared", "grid"],
    convolution: ["shared", "convolution"],
    calculator: ["shared", "access", "lanes", "expression", "calculator"],
  };
  const folder = document.currentScript ? new URL(".", document.currentScript.src).href : "";
  const figures = (window.interactiveFigures = window.interactiveFigures || {});
  const pending = new Map(); // by file: the promise of its script

  function load(name) {
    if (figures[name]) {
      return Promise.resolve();
    }
    if (!pending.has(name)) {
      const loaded = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${folder}${name}.js`;
        script.addEventListener("load", resolve);
        script.addEventListener("error", () => reject(new Error(`${script.src} is missing`)));
        document.head.append(script);
      });
      pending.set(name, loaded);
    }
    return pending.get(name);
  }

  function style() {
    if (!document.querySelector('link[href$="interactive.css"]')) {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = `${folder}interactive.css`;
      document.head.append(link);
    }
  }

  async function fill(container) {
    const name = container.dataset.figure;
    if (!Object.hasOwn(SCRIPTS, name) || container.dataset.filled) {
      return;
    }
    container.dataset.filled = "yes";
    for (const script of SCRIPTS[name]) {
      await load(script);
    }
    figures[name].show(container);
  }

  function start() {
    const containers = document.querySelectorAll("div.interactive[data-figure]");
    if (containers.length > 0) {
      style();
    }
    /* Without a script the page still has the drawing above the figure: an empty element does. */
    containers.forEach((container) => fill(container).catch((problem) => console.error(problem)));
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
