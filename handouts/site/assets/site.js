// The theme, the contents, which follow the text, what scrolls sideways, and copying code.
(function () {
  "use strict";
  const root = document.documentElement;

  // ---- light or dark
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  const TALLEST = 1400; // px of a frame; more is scrolled in it

  // Names the button, and tells frames, which may not look at this page: each asks when it is loaded.
  function tellTheme() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
    for (const frame of document.querySelectorAll("iframe")) {
      frame.contentWindow.postMessage(isDark() ? "dark" : "light", "*");
    }
  }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("convlabs-theme", root.dataset.theme);
    } catch {
      // Then it holds for this page alone.
    }
    tellTheme();
  });
  system.addEventListener("change", tellTheme);
  window.addEventListener("message", ({ source, data: asked }) => {
    const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source);
    const height = Math.min(Number(asked?.height) || 0, TALLEST);
    // It only grows, so that no step moves the text below.
    if (frame && height > frame.clientHeight) frame.style.height = `${height + 2}px`;
    tellTheme();
  });
  tellTheme();
  button.hidden = false;

  // ---- contents: closed on a narrow screen, where they are above the text
  const contents = document.getElementById("contents");
  const wide = matchMedia("(min-width: 62rem)");
  function openOrClose() {
    contents.open = wide.matches;
  }
  wide.addEventListener("change", openOrClose);
  openOrClose();
  const here = contents.querySelector("[aria-current]");
  const list = contents.closest("nav");
  if (here && wide.matches) {
    list.scrollTop = here.offsetTop - list.clientHeight / 3;
  }

  // ---- the section that is being read is marked
  const links = [...contents.querySelectorAll('a[href^="#"]')];
  const headings = links.map((link) => document.getElementById(decodeURI(link.hash.slice(1))));
  function follow() {
    const begun = headings.filter((heading) => heading.getBoundingClientRect().top < 120).length;
    const read = links[begun - 1];
    for (const link of links.filter((link) => (link === read) !== link.hasAttribute("aria-current"))) {
      link.toggleAttribute("aria-current");
      if (link === read) {
        link.setAttribute("aria-current", "location");
        const above = link.offsetTop - list.scrollTop;
        if (wide.matches && (above < 0 || above > list.clientHeight - 40)) {
          list.scrollTop = link.offsetTop - list.clientHeight / 2;
        }
      }
    }
  }
  addEventListener("scroll", follow, { passive: true });
  follow();

  // ---- code can be copied; of a terminal, its commands
  function commands(text) {
    const typed = text.split("\n").filter((line) => line.startsWith("$ "));
    return typed.length ? typed.map((line) => line.slice(2)).join("\n") : text;
  }

  for (const code of navigator.clipboard ? document.querySelectorAll("main pre") : []) {
    const copy = document.createElement("button");
    copy.className = "copy";
    copy.type = "button";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(commands(code.textContent).trim());
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    const box = document.createElement("div");
    box.className = "code";
    code.before(box);
    box.append(code, copy);
  }

  // ---- what is wider than the screen says so, and can be scrolled by keyboard
  const what = { table: "Table", formula: "Formula", drawing: "Drawing" };
  function reach() {
    for (const box of document.querySelectorAll("main .scroll, main pre, nav.contents")) {
      const scrolls =
        box.scrollWidth > box.clientWidth + 1 ||
        (box.matches("nav") && box.scrollHeight > box.clientHeight + 1);
      if (scrolls) {
        box.tabIndex = 0;
        if (!box.matches("nav")) {
          box.setAttribute("role", "group");
          const kind = Object.keys(what).find((name) => box.classList.contains(name));
          box.setAttribute("aria-label", `${what[kind] || "Code"}, scrolls sideways`);
        }
      } else {
        box.removeAttribute("tabindex");
        if (!box.matches("nav")) {
          box.removeAttribute("role");
          box.removeAttribute("aria-label");
        }
      }
      box.classList.toggle("scrolls", scrolls);
    }
  }
  addEventListener("resize", reach);
  addEventListener("load", reach);
  reach();
})();
