/** Names of opened files that differ. */

/**
 * Returns the name of each file, given as the parts of its path: the last part, with as many folders as differ from the other paths.
 * Names that are equal then, or equal to one in `taken`, have a number: "x.json (2)".
 */
export function distinctNames(paths: readonly (readonly string[])[], taken: readonly string[] = []): string[] {
  const used = new Set(taken);
  const tail = (path: readonly string[], parts: number) => path.slice(-parts).join("/");
  return paths.map((path) => {
    const others = paths.filter((other) => tail(other, other.length) !== tail(path, path.length));
    let parts = 1;
    while (parts < path.length && others.some((other) => tail(other, parts) === tail(path, parts))) parts++;
    const plain = tail(path, parts);
    let name = plain;
    for (let number = 2; used.has(name); number++) name = `${plain} (${number})`;
    used.add(name);
    return name;
  });
}
