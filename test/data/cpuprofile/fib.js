'use strict';
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function parse(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += JSON.parse(`{"a":[${i},2,3],"b":"${'x'.repeat(50)}"}`).a[0];
  return sum;
}
function garbage(n) {
  const kept = [];
  for (let i = 0; i < n; i++) { kept.push({ i, text: String(i) }); if (kept.length > 5000) kept.length = 0; }
  return kept.length;
}
class Job {
  constructor(name) { this.name = name; }
  run(step) { return step % 3 === 0 ? fib(21) : step % 3 === 1 ? parse(1500) : garbage(30000); }
}
let step = 0;
const timer = setInterval(() => {
  new Job('job').run(step);
  if (++step === 12) clearInterval(timer);
}, 8);
