/* What one access of a warp costs: the rules of labs/sim/src/profile/access_cost.c, equal to Nsight
 * Compute in every pattern of labs/studies/nsight/patterns.csv. The page of steps and the figures of
 * the handouts use them.
 *
 * An access is { at, width, load }: of each of the 32 lanes the address of its first byte, or null
 * where the lane takes no part; how many bytes a lane accesses; whether it loads or stores. */
(function (root) {
  "use strict";

  const LANES = 32, BANKS = 32, SECTOR = 32, WORD = 4; // the last two in bytes

  const active = ({ at }) => at.flatMap((address, lane) => (address === null ? [] : [lane]));

  /* The lanes of each unit of `size` bytes, by the number of the unit, in order. */
  function units(access, size, lanes = active(access)) {
    const found = new Map();
    for (const lane of lanes) {
      const [first, last] = [0, access.width - 1].map((byte) => Math.floor((access.at[lane] + byte) / size));
      for (let unit = first; unit <= last; unit++) found.set(unit, [...(found.get(unit) || []), lane]);
    }
    return new Map([...found].sort((a, b) => a[0] - b[0]));
  }

  /* The lanes that shared memory serves together: half warps for 8 bytes, quarter warps for 16; of a
   * load twice as many where every two active lanes, 1 or 2 apart, read the same address. A part
   * without an active lane costs nothing. */
  function parts(access) {
    const { at, width, load } = access, lanes = active(access);
    const agree = (apart) => lanes.every((lane) => [null, at[lane]].includes(at[lane ^ apart]));
    const most = Math.max(1, width / WORD), count = most > 1 && load && (agree(1) || agree(2)) ? most / 2 : most;
    const own = (part) => lanes.filter((lane) => Math.floor((lane * count) / LANES) === part);
    return [...Array(count).keys()].map(own).filter((some) => some.length > 0);
  }

  /* The wavefronts of shared memory: { part, banks: Map of bank to { word, lanes } }. Each takes at
   * most one word from a bank. */
  function wavefronts(access) {
    return parts(access).flatMap((own, part) => {
      const made = [];
      for (const [word, lanes] of units(access, WORD, own)) {
        const bank = ((word % BANKS) + BANKS) % BANKS;
        if (made.every(({ banks }) => banks.has(bank))) made.push({ part, banks: new Map() });
        made.find(({ banks }) => !banks.has(bank)).banks.set(bank, { word, lanes });
      }
      return made;
    });
  }

  /* The words of constant memory, which the device serves one after the other. A word has the width
   * of the access, at least 4 bytes. */
  const constantWords = (access) => Math.ceil(units(access, WORD).size / Math.max(1, access.width / WORD));

  root.warpAccess = { LANES, SECTOR, WORD, BANKS, active, units, parts, wavefronts, constantWords };
})(typeof window === "undefined" ? globalThis : window);
