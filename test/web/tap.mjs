// A TAP producer: test() registers, run() runs the tests one after another and reports the results.

const tests = [];

export function test(name, body) {
  tests.push({ name, body });
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

export async function run(context, onFailure) {
  console.log(`1..${tests.length}`);
  let failed = 0;
  for (const [i, { name, body }] of tests.entries()) {
    try {
      const result = await body(context); // a text: why the test was skipped
      console.log(`ok ${i + 1} - ${name}${typeof result === "string" ? ` # SKIP ${result}` : ""}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${i + 1} - ${name}`);
      console.log(plain(String(error?.stack ?? error)).replace(/^/gm, "# "));
      await onFailure(name).catch((problem) => console.log(`# no picture: ${problem.message}`));
    }
  }
  return failed;
}
