/* The grid of blocks over an image, and its last blocks. */
(function (root) {
  "use strict";

  const { device, ceilDiv, html, svg, picture, rect, number, plural, panel } =
    root.interactiveFigures.shared;
  const WIDTH = 690; // of the picture
  const HEIGHT = 420;
  const KEY =
    "Blue: pixels with a thread. Grey: threads outside of the image. Red: pixels without a thread.";

  /* What a launch of blocks of blockX x blockY threads over width x height pixels has, with the
   * number of blocks rounded up and rounded down. */
  function count({ width, height, blockX, blockY }) {
    const up = [ceilDiv(width, blockX), ceilDiv(height, blockY)];
    const down = [Math.floor(width / blockX), Math.floor(height / blockY)];
    const pixels = width * height;
    const full = down[0] * down[1]; // blocks without a thread outside of the image
    return {
      allowed: blockX * blockY <= device.blockThreads,
      up,
      down,
      threads: up[0] * up[1] * blockX * blockY,
      outside: up[0] * up[1] * blockX * blockY - pixels,
      partial: up[0] * up[1] - full,
      unwritten: pixels - full * blockX * blockY, // with the number rounded down
    };
  }

  function draw(values, result) {
    const { width, height, blockX, blockY, rounding } = values;
    const [columns, rows] = rounding === "up" ? result.up : result.down;
    const across = Math.max(width, columns * blockX);
    const down = Math.max(height, rows * blockY);
    const scale = Math.min((WIDTH - 6) / across, (HEIGHT - 6) / down);
    const box = (x, y, w, h, kind) =>
      rect(3 + x * scale, 3 + y * scale, w * scale, h * scale, kind);
    const covered = [Math.min(width, columns * blockX), Math.min(height, rows * blockY)];
    const parts = [box(0, 0, columns * blockX, rows * blockY, "grey")];
    parts.push(box(0, 0, width, height, "red"));
    parts.push(box(0, 0, covered[0], covered[1], "blue"));
    const lines = [];
    for (let i = 0; i <= columns; i++) {
      lines.push(`M${3 + i * blockX * scale} 3v${rows * blockY * scale}`);
    }
    for (let j = 0; j <= rows; j++) {
      lines.push(`M3 ${3 + j * blockY * scale}h${columns * blockX * scale}`);
    }
    if (columns > 0 && rows > 0) {
      parts.push(svg("path", { d: lines.join(""), class: "lines" }));
    }
    parts.push(box(0, 0, width, height, "frame-blue"));
    const label =
      `${width} by ${height} pixels under ${columns} by ${rows} blocks of ` +
      `${blockX} by ${blockY} threads`;
    return picture(across * scale + 6, down * scale + 6, label, parts);
  }

  function words(values, result) {
    const { width, height, blockX, blockY, rounding } = values;
    if (!result.allowed) {
      return (
        `A block of ${blockX} × ${blockY} has ${number(blockX * blockY)} threads, more than ` +
        `${number(device.blockThreads)}: the launch fails with cudaErrorInvalidConfiguration.`
      );
    }
    if (rounding === "up") {
      const last = [width - (result.up[0] - 1) * blockX, height - (result.up[1] - 1) * blockY];
      return (
        `The last column of blocks covers ${plural(last[0], "column")} of the image, the last ` +
        `row of blocks ${plural(last[1], "row")}. ` +
        (result.outside > 0
          ? `${plural(result.outside, "thread")} must not touch the image: test x < width && ` +
            "y < height."
          : "No thread lies outside of the image.")
      );
    }
    if (result.down[0] * result.down[1] === 0) {
      return "Rounded down, the grid has no block: the launch fails, and no pixel is written.";
    }
    return result.unwritten > 0
      ? `Rounded down, ${plural(result.unwritten, "pixel")} at the right and lower edges keep ` +
          "what the buffer held before."
      : "This image is a multiple of the block, so rounding down changes nothing. Try one more " +
          "pixel.";
  }

  function show(container) {
    const sizes = (all) => all.map((n) => [n, String(n)]);
    panel(container, {
      title: "The grid and its last blocks",
      controls: [
        { name: "width", label: "width, pixels", value: 97, min: 1, max: 200 },
        { name: "height", label: "height, pixels", value: 61, min: 1, max: 120 },
        { name: "blockX", label: "blockDim.x", value: 32, options: sizes([4, 8, 16, 32, 64, 128]) },
        { name: "blockY", label: "blockDim.y", value: 8, options: sizes([1, 2, 4, 8, 16, 32]) },
        {
          name: "rounding", label: "number of blocks", value: "up",
          options: [
            ["up", "rounded up"],
            ["down", "rounded down"],
          ],
        },
      ],
      show(values) {
        const result = count(values);
        const up = values.rounding === "up";
        const [columns, rows] = up ? result.up : result.down;
        const threads = columns * rows * values.blockX * values.blockY;
        return {
          numbers: [
            ["blocks", `${columns} × ${rows} = ${number(columns * rows)}`],
            ["threads", number(threads)],
            ["threads outside of the image", number(up ? result.outside : 0)],
            ["pixels never written", number(up ? 0 : result.unwritten)],
          ],
          words: words(values, result),
          pictures: result.allowed
            ? [
                draw(values, result),
                html("p", { class: "key" }, KEY),
              ]
            : [],
        };
      },
    });
  }

  root.interactiveFigures.grid = { model: { count }, show };
})(typeof window === "undefined" ? globalThis : window);
