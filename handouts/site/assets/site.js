// The button for the theme, the contents on a narrow screen, and the keyboard in what scrolls.
(function () {
  "use strict";
  const root = document.documentElement;

  // ---- light or dark
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }

  function nameButton() {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
  }

  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("convlabs-theme", root.dataset.theme);
    } catch {
      // Then it holds for this page alone.
    }
    nameButton();
  });
  system.addEventListener("change", nameButton);
  nameButton();
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

  // ---- what is wider than the screen can be scrolled by keyboard
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
    }
  }
  addEventListener("resize", reach);
  addEventListener("load", reach);
  reach();
})();
