// Sets the theme that the reader chose before the page is drawn. The system's is used until then.
(function () {
  "use strict";
  try {
    const chosen = localStorage.getItem("convlabs-theme");
    if (chosen === "light" || chosen === "dark") {
      document.documentElement.dataset.theme = chosen;
    }
  } catch {
    // A browser may keep nothing for pages that are files.
  }
})();
