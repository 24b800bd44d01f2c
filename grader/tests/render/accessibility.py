"""What every page must give to people who read it by a screen reader, or see little contrast."""

from itertools import pairwise

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# The elements whose text has too little contrast with its background, as WCAG computes it.
CONTRAST = """() => {
  const level = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
  const light = c => 0.2126 * level(c[0]) + 0.7152 * level(c[1]) + 0.0722 * level(c[2]);
  const parse = s => (s.match(/[0-9.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, under) => {
    const a = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map(i => a * top[i] + (1 - a) * under[i]);
  };
  const ground = e => {
    const own = parse(getComputedStyle(e).backgroundColor);
    if (own.length === 3 || own[3] === 1) return own.slice(0, 3);
    return over(own, e.parentElement ? ground(e.parentElement) : [255, 255, 255]);
  };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || e.closest('svg') || !e.checkVisibility()) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${e.className} ${ratio.toFixed(1)} ${e.textContent.slice(0, 30)}`);
  }
  return poor;
}"""


def check_structure(page: Page) -> None:
    """Landmarks, headings without gaps, and names of pictures, regions, tables and their heads."""
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1, landmark
    assert page.locator("html[lang=en]").count() == 1
    assert page.locator("h1").count() == 1
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(e => +e.tagName[1])")
    assert all(b <= a + 1 for a, b in pairwise(levels))
    unnamed = "all => all.filter(e => !e.getAttribute('aria-label')?.trim()).length"
    assert page.eval_on_selector_all("svg, [role=region]", unnamed) == 0
    assert page.eval_on_selector_all("table", "all => all.filter(e => !e.caption).length") == 0
    assert page.eval_on_selector_all("th", "all => all.filter(e => !e.scope).length") == 0
    ids = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(ids) == len(set(ids))


def objections(page: Page) -> list[str]:
    """What axe-core objects to: its rule, and the elements."""
    # Without preload: it would request the styles, which a page that is a file may not, nor may it
    # send messages to a page in a frame, which is judged alone.
    options = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {[node['html'][:160] for node in each['nodes']]}" for each in found]
