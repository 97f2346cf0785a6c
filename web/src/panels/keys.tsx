/** A command's keys as the table writes them: alternatives stand two spaces apart. */
export function Keys({ keys }: { keys: string }) {
  const parts = keys.split(/\s{2,}/).filter((part) => part !== "");
  return (
    <>
      {parts.map((part) => (
        <kbd key={part}>{part}</kbd>
      ))}
    </>
  );
}
