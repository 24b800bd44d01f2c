"""Finds text of drawings that cannot be read, in a browser."""

from playwright.sync_api import Page

# Text below 11 px, outside of its drawing, over another text, or with too little contrast (WCAG) to
# the last shape below it, in every <svg> of the page. Text that the page hides does not count.
_UNREADABLE = """() => [...document.querySelectorAll('svg')].flatMap(svg => {
  const bad = [];
  const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
  const level = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
  const light = s => { const c = s.match(/[0-9.]+/g).map(Number);
    return 0.2126 * level(c[0]) + 0.7152 * level(c[1]) + 0.0722 * level(c[2]) };
  const ground = e => { for (; e; e = e.parentElement) {
    const own = getComputedStyle(e).backgroundColor;
    if (!own.startsWith('rgba')) return own;
  } return 'rgb(255, 255, 255)' };
  const shapes = [], texts = [], page = ground(svg);
  for (const e of svg.querySelectorAll('rect, text')) {
    const style = getComputedStyle(e), box = e.getBBox();
    if (e.tagName === 'rect') {
      if (style.fill !== 'none') shapes.push([box, style.fill]);
      continue;
    }
    const name = e.textContent;
    if (style.display === 'none' || !name) continue;
    if (parseFloat(style.fontSize) < 11) bad.push(`small: ${name}`);
    if (box.x < -1 || box.y < -1 || box.x + box.width > width || box.y + box.height > height) {
      bad.push(`outside: ${name}`);
      continue;
    }
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const below = shapes.filter(([b]) => b.x <= x && x <= b.x + b.width && b.y <= y
      && y <= b.y + b.height).pop();
    const [a, b] = [light(style.fill), light(below ? below[1] : page)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`contrast ${ratio.toFixed(1)}: ${name}`);
    for (const [other, o] of texts) {
      const across = Math.min(box.x + box.width, o.x + o.width) - Math.max(box.x, o.x);
      const down = Math.min(box.y + box.height, o.y + o.height) - Math.max(box.y, o.y);
      if (across > 1 && down > 0.3 * Math.min(box.height, o.height))
        bad.push(`overlap: ${other} / ${name}`);
    }
    texts.push([name, box]);
  }
  return bad;
})"""


def unreadable(page: Page) -> list[str]:
    """A complaint for each text that cannot be read."""
    complaints: list[str] = page.evaluate(_UNREADABLE)
    return complaints
