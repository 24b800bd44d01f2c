/* A tile of the image with its apron, as parts A and B of lab 4 share the work among threads. */
(function (root) {
  "use strict";

  const { device, ceilDiv, html, svg, picture, part, rect, number, plural, panel } =
    root.interactiveFigures.shared;
  const SIDE = 330; // of the picture, at most

  /* design A: a thread for each pixel of tile and apron. B: a thread for each pixel of the tile. */
  function count({ design, blockX, blockY, radius }) {
    const threads = blockX * blockY;
    const tile = design === "A" ? [blockX - 2 * radius, blockY - 2 * radius] : [blockX, blockY];
    const area = [tile[0] + 2 * radius, tile[1] + 2 * radius]; // tile and apron
    const outputs = tile[0] > 0 && tile[1] > 0 ? tile[0] * tile[1] : 0;
    const loaded = area[0] * area[1];
    const bytes = 4 * loaded;
    const warps = ceilDiv(threads, device.warp);
    const blocks = Math.min(
      Math.floor(device.warps / warps),
      Math.floor(device.shared / (bytes + device.reserved)),
      device.blocks,
    );
    return {
      allowed: threads <= device.blockThreads && outputs > 0,
      threads,
      tile,
      area,
      outputs,
      loaded,
      iterations: ceilDiv(area[0], blockX) * ceilDiv(area[1], blockY), // of the loop that loads
      idle: threads - outputs, // while the others compute
      bytes,
      blocks, // that a multiprocessor holds at once, as far as threads and shared memory decide
      residentWarps: blocks * warps,
      perOutput: outputs > 0 ? loaded / outputs : Infinity,
    };
  }

  function draw(values, result) {
    const { design, blockX, blockY, radius } = values;
    const [across, down] = result.area;
    const cell = Math.min(SIDE / across, SIDE / down, 24);
    const box = (x, y, w, h, kind) => rect(3 + x * cell, 3 + y * cell, w * cell, h * cell, kind);
    const parts = [];
    if (design === "A") {
      parts.push(box(0, 0, across, down, "orange"));
      parts.push(box(radius, radius, result.tile[0], result.tile[1], "green"));
    } else {
      const fills = ["blue", "green", "orange", "red"];
      for (let j = 0; j * blockY < down; j++) {
        for (let i = 0; i * blockX < across; i++) {
          const w = Math.min(blockX, across - i * blockX);
          const h = Math.min(blockY, down - j * blockY);
          parts.push(box(i * blockX, j * blockY, w, h, fills[(i % 2) + 2 * (j % 2)]));
        }
      }
    }
    const lines = [];
    for (let i = 1; i < across; i++) {
      lines.push(`M${3 + i * cell} 3v${down * cell}`);
    }
    for (let j = 1; j < down; j++) {
      lines.push(`M3 ${3 + j * cell}h${across * cell}`);
    }
    parts.push(svg("path", { d: lines.join(""), class: "lines" }));
    parts.push(box(0, 0, blockX, blockY, "frame-blue"));
    parts.push(box(radius, radius, result.tile[0], result.tile[1], "frame-green"));
    const label =
      `${across} by ${down} pixels in shared memory, a tile of ${result.tile.join(" by ")} ` +
      `in their middle, a block of ${blockX} by ${blockY} threads`;
    return picture(across * cell + 6, down * cell + 6, label, parts);
  }

  /* The 64 warps that a multiprocessor can hold; those of the same block have the same colour. */
  function drawWarps(result) {
    const warps = ceilDiv(result.threads, device.warp);
    const parts = [];
    for (let i = 0; i < device.warps; i++) {
      const block = Math.floor(i / warps);
      const kind = i >= result.residentWarps ? "empty" : block % 2 ? "green" : "used";
      parts.push(rect(3 + (i % 16) * 19, 3 + Math.floor(i / 16) * 19, 17, 17, kind));
    }
    const label = `${result.residentWarps} of ${device.warps} warps of a multiprocessor are used`;
    return picture(310, 82, label, parts);
  }

  function words(values, result) {
    const { design, blockX, blockY, radius } = values;
    if (result.threads > device.blockThreads) {
      return (
        `A block of ${blockX} × ${blockY} has ${number(result.threads)} threads, more than ` +
        `${number(device.blockThreads)}: the launch fails.`
      );
    }
    if (!result.allowed) {
      return (
        `The apron takes ${2 * radius} rows and columns of a block of ${blockX} × ${blockY}: ` +
        "no pixel is left for a tile. Use a larger block or a smaller radius."
      );
    }
    const reads = `Without a tile, each output reads ${number((2 * radius + 1) ** 2)} pixels.`;
    if (design === "A") {
      return (
        `Each of the ${plural(result.threads, "thread")} loads one pixel. Then ` +
        `${plural(result.outputs, "thread")} compute and ${number(result.idle)} idle. ${reads}`
      );
    }
    return (
      `${plural(result.threads, "thread")} load ${plural(result.loaded, "pixel")} in ` +
      `${plural(result.iterations, "iteration")}; then all of them compute. ${reads}`
    );
  }

  function show(container) {
    panel(container, {
      title: "A tile with its apron",
      controls: [
        {
          name: "design", label: "design", value: "A",
          options: [["A", "A: the apron idles"], ["B", "B: all compute"]],
        },
        { name: "radius", label: "radius r", value: 2, min: 0, max: 16 },
        { name: "blockX", label: "blockDim.x", value: 16, min: 1, max: 64 },
        { name: "blockY", label: "blockDim.y", value: 16, min: 1, max: 64 },
      ],
      presets: [
        ["A, r = 8", { design: "A", radius: 8, blockX: 32, blockY: 32 }],
        ["B, r = 8", { design: "B", radius: 8, blockX: 32, blockY: 32 }],
        ["morris, 2010: A, 20 × 20, r = 8", { design: "A", radius: 8, blockX: 20, blockY: 20 }],
        ["B, 16 × 16, r = 6", { design: "B", radius: 6, blockX: 16, blockY: 16 }],
      ],
      show(values) {
        const result = count(values);
        const valid = (value) => (result.allowed ? value : "–");
        const product = (sides, area) => `${sides.join(" × ")} = ${number(area)}`;
        const idle = `${number(result.idle)} of ${number(result.threads)}`;
        return {
          numbers: [
            ["outputs of a block (its tile)", valid(product(result.tile, result.outputs))],
            ["pixels loaded", valid(product(result.area, result.loaded))],
            ["pixels loaded per output", valid(number(result.perOutput, 2))],
            ["threads that idle while others compute", valid(idle)],
            ["bytes of shared memory", valid(number(result.bytes))],
            ["blocks that a multiprocessor holds, at most", valid(number(result.blocks))],
          ],
          words: words(values, result),
          pictures: result.allowed ? pictures(values, result) : [],
        };
      },
    });
  }

  function pictures(values, result) {
    const key =
      values.design === "A"
        ? "Blue frame: the block. Green: threads that load and compute. Orange: threads that " +
          "load and then idle."
        : "Blue frame: the pixels that the threads load first; each colour is another iteration. " +
          "Green frame: the tile.";
    const resident =
      `Warps: ${result.residentWarps} of ${device.warps} (H100, H200), block by block blue and ` +
      "green. A kernel that needs many registers has fewer.";
    return [
      part("Shared memory of a block", draw(values, result)),
      part("Warps of a multiprocessor", drawWarps(result)),
      html("p", { class: "key" }, key, html("br"), resident),
    ];
  }

  root.interactiveFigures.tile = { model: { count }, show };
})(typeof window === "undefined" ? globalThis : window);
