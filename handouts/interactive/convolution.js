/* A correlation or a convolution of a small image with a 3x3 mask, one pixel after the other. */
(function (root) {
  "use strict";

  const { html, picture, part, rect, text, number, panel } = root.interactiveFigures.shared;
  const WIDTH = 8;
  const HEIGHT = 6;
  const CELL = 30;
  const PAUSE = 500; // ms between the steps of Play
  const BORDERS = { zero: "zero", replicate: "replicate" };
  const MASKS = {
    gradient: { name: "gradient in x", rows: [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]] },
    right: { name: "a single 1, right of the middle", rows: [[0, 0, 0], [0, 0, 1], [0, 0, 0]] },
    sharpen: { name: "sharpen", rows: [[0, -1, 0], [-1, 5, -1], [0, -1, 0]] },
    uneven: { name: "1 to 9", rows: [[1, 2, 3], [4, 5, 6], [7, 8, 9]] },
  };
  const IMAGE = Array.from({ length: HEIGHT }, (_, y) =>
    Array.from({ length: WIDTH }, (_unused, x) => (3 * x + 5 * y) % 10),
  );

  /* f(x, y) with the border. */
  function pixel(image, x, y, border) {
    const row = Math.min(Math.max(y, 0), image.length - 1);
    const column = Math.min(Math.max(x, 0), image[0].length - 1);
    const outside = row !== y || column !== x;
    return outside && border === "zero" ? 0 : image[row][column];
  }

  /* The nine products of the output (x, y), row by row, and their sum. A correlation multiplies
   * f(x + a, y + b) by g(a, b), a convolution by g(-a, -b). */
  function step(image, mask, x, y, border, flipped) {
    const products = [];
    for (let b = -1; b <= 1; b++) {
      for (let a = -1; a <= 1; a++) {
        const value = pixel(image, x + a, y + b, border);
        const coefficient = flipped ? mask[1 - b][1 - a] : mask[b + 1][a + 1];
        products.push({ a, b, value, coefficient, product: value * coefficient });
      }
    }
    return { products, sum: products.reduce((sum, one) => sum + one.product, 0) };
  }

  function result(image, mask, border, flipped) {
    return image.map((row, y) =>
      row.map((_, x) => step(image, mask, x, y, border, flipped).sum),
    );
  }

  function cell(x, y, words, kind, faded) {
    return [
      rect(2 + x * CELL, 2 + y * CELL, CELL, CELL, kind),
      text(2 + (x + 0.5) * CELL, 2 + y * CELL + 20, words, faded ? "cell faded" : "cell"),
    ];
  }

  function drawImage({ x, y, border }) {
    const parts = [];
    for (let row = -1; row <= HEIGHT; row++) {
      for (let column = -1; column <= WIDTH; column++) {
        const inside = row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
        const near = Math.abs(row - y) <= 1 && Math.abs(column - x) <= 1;
        const far = inside ? "plain" : "grey";
        const kind = row === y && column === x ? "orange" : near ? "blue" : far;
        parts.push(...cell(column + 1, row + 1, pixel(IMAGE, column, row, border), kind, !inside));
      }
    }
    parts.push(rect(2 + CELL, 2 + CELL, WIDTH * CELL, HEIGHT * CELL, "frame"));
    parts.push(rect(2 + x * CELL, 2 + y * CELL, 3 * CELL, 3 * CELL, "frame-blue"));
    const label = `image f with its border; the window around (${x}, ${y}) is marked`;
    return picture((WIDTH + 2) * CELL + 4, (HEIGHT + 2) * CELL + 4, label, parts);
  }

  function drawMask(products, flipped) {
    const parts = products.flatMap(({ a, b, coefficient }) =>
      cell(a + 1, b + 1, number(coefficient), "green"),
    );
    const label = `the mask${flipped ? ", flipped" : ""}, row by row: ` +
      products.map((one) => number(one.coefficient)).join(", ");
    return picture(3 * CELL + 4, 3 * CELL + 4, label, parts);
  }

  function drawResult(all, { x, y }) {
    const parts = all.flatMap((row, j) =>
      row.flatMap((sum, i) => {
        const done = j * WIDTH + i <= y * WIDTH + x;
        return cell(i, j, done ? number(sum) : "", i === x && j === y ? "orange" : "plain");
      }),
    );
    const label = `result h; computed up to (${x}, ${y})`;
    return picture(WIDTH * CELL + 4, HEIGHT * CELL + 4, label, parts);
  }

  function sentence({ x, y, kind }, { products, sum }) {
    const factor = (n) => (n < 0 ? `(${number(n)})` : number(n));
    const terms = products.map((one) => `${factor(one.coefficient)}·${factor(one.value)}`);
    const name = kind === "convolution" ? "(g ∗ f)" : "h";
    return `${name}(${x}, ${y}) = ${terms.join(" + ")} = ${number(sum)}`;
  }

  function show(container) {
    const position = (by, values) => {
      const all = WIDTH * HEIGHT;
      const index = (((values.y * WIDTH + values.x + by) % all) + all) % all;
      return { x: index % WIDTH, y: Math.floor(index / WIDTH) };
    };
    const made = panel(container, {
      title: "Correlation and convolution, pixel by pixel",
      controls: [
        {
          name: "kind", label: "operation", value: "correlation",
          options: [["correlation", "correlation"], ["convolution", "convolution"]],
        },
        {
          name: "mask", label: "mask g", value: "gradient",
          options: Object.entries(MASKS).map(([key, mask]) => [key, mask.name]),
        },
        { name: "border", label: "border", value: "zero", options: Object.entries(BORDERS) },
        { name: "x", label: "x of the output", value: 0, min: 0, max: WIDTH - 1 },
        { name: "y", label: "y of the output", value: 0, min: 0, max: HEIGHT - 1 },
      ],
      show(values) {
        const flipped = values.kind === "convolution";
        const mask = MASKS[values.mask].rows;
        const now = step(IMAGE, mask, values.x, values.y, values.border, flipped);
        const all = result(IMAGE, mask, values.border, flipped);
        return {
          numbers: [],
          words: sentence(values, now),
          pictures: [
            part("image f and its border", drawImage(values)),
            part(flipped ? "mask g, flipped" : "mask g", drawMask(now.products, flipped)),
            part(flipped ? "result g ∗ f" : "result h", drawResult(all, values)),
          ],
        };
      },
    });
    addSteps(made, (by) => made.set(position(by, made.values)), "play" in container.dataset);
  }

  /* Buttons to step and play, and the arrow keys over the pictures. */
  function addSteps(made, move, plays) {
    const button = (words, act) => {
      const element = html("button", { type: "button" }, words);
      element.addEventListener("click", act);
      made.tools.append(element);
      return element;
    };
    let timer = 0;
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      made.said.quiet = false;
      play.setAttribute("aria-pressed", "false");
    };
    const stepped = (by) => {
      if (timer) {
        stop();
      }
      move(by);
    };
    button("Back", () => stepped(-1));
    button("Step", () => stepped(1));
    const play = button("Play", () => {
      if (timer) {
        stop();
        move(0);
        return;
      }
      made.said.quiet = true; // a sentence for each step would never end
      play.setAttribute("aria-pressed", "true");
      timer = setInterval(() => {
        if (made.pictures.isConnected) {
          move(1);
        } else {
          stop();
        }
      }, PAUSE);
    });
    play.setAttribute("aria-pressed", "false");
    /* Who asks for less motion steps; nothing moves by itself. */
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    const respect = () => {
      play.hidden = calm.matches;
      if (calm.matches && timer) {
        stop();
      }
    };
    calm.addEventListener("change", respect);
    respect();
    if (plays && !calm.matches) {
      play.click();
    }
    const keys = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    made.pictures.tabIndex = 0;
    made.pictures.setAttribute("role", "group");
    made.pictures.setAttribute("aria-label", "pictures; the arrow keys move the window");
    made.pictures.addEventListener("keydown", (event) => {
      const by = keys[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) {
        return;
      }
      event.preventDefault();
      if (timer) {
        stop();
      }
      const { x, y } = made.values;
      made.set({
        x: Math.min(Math.max(x + by[0], 0), WIDTH - 1),
        y: Math.min(Math.max(y + by[1], 0), HEIGHT - 1),
      });
    });
  }

  root.interactiveFigures.convolution = { model: { IMAGE, MASKS, step, result }, show };
})(typeof window === "undefined" ? globalThis : window);
