// A TAP producer: test() registers, run() runs the tests one after another, and reports the results and the times.

const groups = [[]];
const last = [];

export function test(name, body) {
  groups.at(-1).push({ name, body });
}

/** Registers a test that runs after all others. */
export function testAtEnd(name, body) {
  last.push({ name, body });
}

/** Begins a group: a test may need the state that an earlier one of its group left, and no state of another group. */
export function beginGroup() {
  groups.push([]);
}

/** Ends the program with a skip. */
export function skipAll(why) {
  console.log(`1..0 # SKIP ${why}`);
  process.exit(0);
}

/** Ends the program with a failure. */
export function failAll(why) {
  console.log(`1..1\nnot ok 1 - ${why}`);
  process.exit(1);
}

/** Without the escape sequences of terminals, which no XML can hold. */
// eslint-disable-next-line no-control-regex
const plain = (text) => text.replace(/\x1b\[[0-9;]*m/g, "").replace(/[\x00-\x08\x0b-\x1f]/g, " ");

/** Runs one test. Returns the words of the result, and the lines of a failure. */
async function resultOf({ name, body }, { context, onFailure }) {
  try {
    const result = await body(context); // a text: why the test was skipped
    return { isOk: true, words: `${name}${typeof result === "string" ? ` # SKIP ${result}` : ""}`, lines: [] };
  } catch (error) {
    const lines = [plain(String(error?.stack ?? error))];
    await onFailure(name).catch((problem) => lines.push(`no picture: ${problem.message}`));
    return { isOk: false, words: name, lines };
  }
}

/** Runs the groups in several lanes at the same time. A lane has a context and a function that is called after a failure. */
export async function runInLanes(lanes) {
  const waiting = groups.filter((group) => group.length > 0);
  console.log(`1..${waiting.flat().length + last.length}`);
  let done = 0;
  let failed = 0;
  const runGroup = async (group, lane) => {
    for (const one of group) {
      const begin = performance.now();
      const { isOk, words, lines } = await resultOf(one, lane);
      const comments = [...lines, `${Math.round(performance.now() - begin)} ms`].join("\n").replace(/^/gm, "# ");
      if (!isOk) failed++;
      console.log(`${isOk ? "ok" : "not ok"} ${++done} - ${words}\n${comments}`);
    }
  };
  const work = async (lane) => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runGroup(group, lane);
  };
  await Promise.all(lanes.map(work));
  await runGroup(last, lanes[0]);
  return failed;
}

export const run = (context, onFailure) => runInLanes([{ context, onFailure }]);
