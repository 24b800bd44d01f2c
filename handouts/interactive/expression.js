/* Whole-number expressions of C, evaluated exactly: no value wraps around. */
(function (root) {
  "use strict";

  const TOKEN =
    /\s*(?:(0[xX][\da-fA-F]+|\d+)[uUlL]*|([A-Za-z_]\w*(?:\.\w+)*)|(<<|>>|[<>=!]=|&&|\|\||[-+*\/%&|^~!?:(),<>=]))/y;
  const CAST = /\(\s*(?:(?:const|unsigned|signed|int|long|short|size_t|ptrdiff_t|u?int(?:32|64)_t)\s*)+\)/y;
  const DEFINITION = /^\s*(?:(?:const|unsigned|int|long|size_t)\s+)*([A-Za-z_]\w*(?:\.\w+)?)\s*=(?!=)/;
  const FUNCTIONS = { min: [2, Math.min], max: [2, Math.max], abs: [1, Math.abs] };
  const bits = (work) => (a, b) => work(BigInt(a), BigInt(b));
  const LEVELS = [
    { "||": null },
    { "&&": null }, // these two compute what is right of them only where it decides
    { "|": bits((a, b) => a | b) },
    { "^": bits((a, b) => a ^ b) },
    { "&": bits((a, b) => a & b) },
    { "==": (a, b) => a === b, "!=": (a, b) => a !== b },
    { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b },
    { "<<": (a, b) => a * 2 ** b, ">>": (a, b) => Math.floor(a / 2 ** b) },
    { "+": (a, b) => a + b, "-": (a, b) => a - b },
    { "*": (a, b) => a * b, "/": (a, b) => Math.trunc(a / b), "%": (a, b) => a % b },
  ]; // from the loosest operators to the tightest
  const UNARY = { "-": (a) => -a, "+": (a) => a, "!": (a) => a === 0, "~": (a) => -a - 1 };

  /* What is wrong with a text, and where: `at`, counted from 0. */
  class Problem extends Error {
    constructor(message, at) {
      super(message);
      this.at = at;
    }
  }

  function tokens(text) {
    const found = [];
    const end = text.trimEnd().length;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match) {
        const at = from + text.slice(from).search(/\S/);
        throw new Problem(`“${text[at]}” has no meaning here`, at);
      }
      const [, number, name, operator] = match;
      const at = from + match[0].search(/\S/);
      if (/^0\d/.test(number)) {
        throw new Problem("in C, a number that begins with 0 is octal", at);
      }
      found.push({ number, name, operator, at });
    }
    return [...found, { end: true, at: end }];
  }

  /* A result as a whole number, or a Problem at the operator. */
  function checked(result, at) {
    const value = Number(result);
    if (!Number.isFinite(value)) {
      throw new Problem("this divides by 0", at);
    }
    if (!Number.isSafeInteger(value)) {
      throw new Problem("this is too large, or no whole number", at);
    }
    return value + 0 || 0; // no −0
  }

  /* A function of `lookup`, which takes a name and gives its value or undefined. Throws Problem. */
  function compile(text) {
    const all = tokens(text);
    let next = 0;
    const shown = (token) => (token.end ? "the end" : `“${token.number ?? token.name ?? token.operator}”`);
    const is = (operator) => all[next].operator === operator;
    const expect = (operator) => {
      if (!is(operator)) {
        throw new Problem(`“${operator}” is missing before ${shown(all[next])}`, all[next].at);
      }
      next++;
    };

    function call({ name, at }) {
      const [count, work] = FUNCTIONS[name];
      const values = [];
      do {
        next++; // past ( or ,
        values.push(choice());
      } while (is(","));
      expect(")");
      if (values.length !== count) {
        throw new Problem(`${name} takes ${count} value${count > 1 ? "s" : ""}`, at);
      }
      return (lookup) => work(...values.map((value) => value(lookup)));
    }

    function operand() {
      const token = all[next];
      CAST.lastIndex = token.at;
      if (is("(") && CAST.test(text)) {
        while (all[next].at < CAST.lastIndex && !all[next].end) {
          next++;
        }
        return operand(); // whole numbers are exact, of whatever type
      }
      next++;
      if (token.operator === "(") {
        const inner = choice();
        expect(")");
        return inner;
      }
      if (token.operator in UNARY) {
        const value = operand();
        return (lookup) => checked(UNARY[token.operator](value(lookup)), token.at);
      }
      if (token.number !== undefined) {
        return () => checked(Number(token.number), token.at);
      }
      if (token.name === undefined) {
        throw new Problem(`a number or a name is missing before ${shown(token)}`, token.at);
      }
      if (is("(")) {
        if (!Object.hasOwn(FUNCTIONS, token.name)) {
          throw new Problem(`there is no function ${token.name}: min, max and abs are known`, token.at);
        }
        return call(token);
      }
      return (lookup) => {
        const value = lookup(token.name);
        if (value === undefined) {
          const hint = /^(thread|block|grid)(Idx|Dim)$/.test(token.name)
            ? `${token.name} needs .x, .y or .z`
            : `there is no ${token.name}: define it, such as ${token.name} = 1`;
          throw new Problem(hint, token.at);
        }
        return value;
      };
    }

    function binary(level) {
      if (level === LEVELS.length) {
        return operand();
      }
      let left = binary(level + 1);
      while (Object.hasOwn(LEVELS[level], all[next].operator)) {
        const { operator, at } = all[next++];
        const [a, b, work] = [left, binary(level + 1), LEVELS[level][operator]];
        left = work ? (lookup) => checked(work(a(lookup), b(lookup)), at)
          : operator === "&&" ? (lookup) => Number(a(lookup) !== 0 && b(lookup) !== 0)
          : (lookup) => Number(a(lookup) !== 0 || b(lookup) !== 0);
      }
      return left;
    }

    function choice() {
      const condition = binary(0);
      if (!is("?")) {
        return condition;
      }
      next++;
      const yes = choice();
      expect(":");
      const no = choice();
      return (lookup) => (condition(lookup) !== 0 ? yes : no)(lookup);
    }

    const whole = choice();
    if (!all[next].end) {
      throw new Problem(`an operator is missing before ${shown(all[next])}`, all[next].at);
    }
    return whole;
  }

  /* What "width = 97; int x = blockIdx.x * 32 + threadIdx.x" defines: [{ name, value }], in order;
   * a statement ends with a semicolon or its line. Throws Problem. */
  function definitions(text) {
    const found = [];
    let start = 0;
    for (const statement of text.split(/[;\n]/)) {
      const match = DEFINITION.exec(statement);
      if (statement.trim() && !match) {
        throw new Problem("write a name, = and its value", start + statement.search(/\S/));
      }
      if (match) {
        const from = start + match[0].length;
        const value = placed(from, () => compile(statement.slice(match[0].length)));
        found.push({ name: match[1], value: (lookup) => placed(from, () => value(lookup)) });
      }
      start += statement.length + 1;
    }
    return found;
  }

  /* Does the work; a Problem's place moves by `from`. */
  function placed(from, work) {
    try {
      return work();
    } catch (problem) {
      problem.at += from;
      throw problem;
    }
  }

  root.interactiveFigures.expression = { Problem, compile, definitions };
})(typeof window === "undefined" ? globalThis : window);
