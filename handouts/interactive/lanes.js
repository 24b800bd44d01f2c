/* A warp's 32 lanes over the sectors of global memory and the banks of shared memory. */
(function (root) {
  "use strict";

  const { device, html, svg, picture, part, rect, text, number, plural, panel } =
    root.interactiveFigures.shared;
  const { SECTOR, WORD, BANKS, units, parts, wavefronts } = root.warpAccess;
  const CELL = 20;
  const LEFT = 32; // of the banks, for the numbers of the wavefronts

  /* The byte address of each lane. Thread (x, y) of a block that is `block` threads wide accesses
   * element[offset + y * pitch + x * stride]; an element has `width` bytes. */
  function addresses({ width, block, stride, pitch, offset }) {
    return Array.from({ length: device.warp }, (_, lane) => {
      const x = lane % block;
      const y = Math.floor(lane / block);
      return (offset + y * pitch + x * stride) * width;
    });
  }

  const accessOf = (values) => ({ at: addresses(values), width: values.width, load: true });

  function count(values) {
    const access = accessOf(values);
    const sectors = units(access, SECTOR).size;
    const all = wavefronts(access).length;
    return {
      sectors,
      moved: sectors * SECTOR, // bytes
      used: units(access, 1).size, // of these bytes
      wavefronts: all,
      extra: all - parts(access).length,
    };
  }

  /* The sectors that the lanes touch; filled: the words, or the parts of words, that they access. */
  function drawSectors(access) {
    const word = 9.5;
    const used = units(access, WORD);
    const boxes = [...units(access, SECTOR)].map(([sector, lanes]) => {
      const tip = `sector ${sector}: lanes ${lanes.join(", ")}`;
      const cells = Array.from({ length: SECTOR / WORD }, (_, k) => {
        const kind = used.has((sector * SECTOR) / WORD + k) ? "used" : "waste";
        return rect(1 + k * word, 13, word, 18, kind, tip);
      });
      const attributes = { viewBox: "0 0 78 32", width: 78, height: 32, "aria-hidden": "true" };
      return svg("svg", attributes, text(1, 9, `sector ${sector}`, "label"), ...cells);
    });
    const label = `${plural(boxes.length, "sector")}; the words that lanes access are filled`;
    return html("div", { class: "sectors", role: "img", "aria-label": label }, ...boxes);
  }

  function drawBanks(access) {
    const all = wavefronts(access);
    const parts = [];
    for (let bank = 0; bank < BANKS; bank++) {
      parts.push(text(LEFT + (bank + 0.5) * CELL, 12, bank, "fine middle"));
    }
    let y = 18;
    all.forEach((wavefront, i) => {
      if (i > 0 && wavefront.part !== all[i - 1].part) {
        y += 6;
      }
      parts.push(text(LEFT - 6, y + 12, i + 1, "fine end"));
      for (let bank = 0; bank < BANKS; bank++) {
        const access = wavefront.banks.get(bank);
        const tip = access && `bank ${bank}, word ${access.word}: lanes ${access.lanes.join(", ")}`;
        parts.push(rect(LEFT + bank * CELL, y, CELL, 16, access ? "used" : "empty", tip));
        if (access) {
          const more = access.lanes.length > 1 ? "+" : "";
          const x = LEFT + (bank + 0.5) * CELL;
          parts.push(text(x, y + 12, access.lanes[0] + more, "fine middle on"));
        }
      }
      y += 16;
    });
    const label = `${plural(all.length, "wavefront")} over 32 banks; each cell names its lane`;
    return picture(LEFT + BANKS * CELL + 4, y + 4, label, parts);
  }

  /* data-memory="global" leaves shared memory out. */
  function show(container) {
    const isGlobal = container.dataset.memory === "global";
    panel(container, {
      title: isGlobal ? "A warp's load: sectors" : "A warp's load: sectors and banks",
      controls: [
        {
          name: "width", label: "a lane loads", value: 4,
          options: [[4, "4 bytes: float"], [8, "8 bytes: float2"], [16, "16 bytes: float4"]],
        },
        {
          name: "block", label: "blockDim.x", value: 32,
          options: [1, 2, 4, 8, 16, 32].map((n) => [n, String(n)]),
        },
        { name: "stride", label: "stride of x", value: 1, min: 0, max: 33 },
        { name: "pitch", label: "pitch of a row", value: 32, min: 0, max: 68 },
        { name: "offset", label: "offset", value: 0, min: 0, max: 31 },
      ],
      presets: [
        ["a row", { width: 4, block: 32, stride: 1, pitch: 32, offset: 0 }],
        ["not aligned", { width: 4, block: 32, stride: 1, pitch: 32, offset: 2 }],
        ["every second", { width: 4, block: 32, stride: 2, pitch: 32, offset: 0 }],
        ["a column, pitch 32", { width: 4, block: 1, stride: 1, pitch: 32, offset: 0 }],
        ["a column, pitch 33", { width: 4, block: 1, stride: 1, pitch: 33, offset: 0 }],
        ["a row of float4", { width: 16, block: 32, stride: 1, pitch: 32, offset: 0 }],
        ["all the same", { width: 4, block: 32, stride: 0, pitch: 0, offset: 0 }],
      ],
      show(values) {
        const result = count(values);
        const access = accessOf(values);
        const type = { 4: "float", 8: "float2", 16: "float4" }[values.width];
        const phases = parts(access).length;
        const share = number((100 * result.used) / result.moved);
        const why =
          phases > 1 && !isGlobal
            ? ` A load of ${values.width} bytes is served in ${phases} parts of ` +
              `${device.warp / phases} lanes: ${phases} wavefronts are its least.`
            : "";
        return {
          numbers: [
            ["sectors per request", number(result.sectors)],
            [`of the ${number(result.moved)} bytes moved are used`, `${share} %`],
            ["wavefronts", number(result.wavefronts)],
            ["extra wavefronts caused by bank conflicts", number(result.extra)],
          ].slice(0, isGlobal ? 2 : 4),
          words:
            `Thread (x, y) loads the ${type} at index ${values.offset} + ${values.pitch} · y + ` +
            `${values.stride} · x. Pitch, stride and offset count elements.${why}`,
          pictures: [
            part("In global memory: the 32-byte sectors it touches", drawSectors(access)),
            part(
              "In shared memory: a row for each wavefront, a column for each bank",
              drawBanks(access),
            ),
          ].slice(0, isGlobal ? 1 : 2),
        };
      },
    });
  }

  root.interactiveFigures.lanes = { model: { addresses, count }, drawSectors, drawBanks, show };
})(typeof window === "undefined" ? globalThis : window);
