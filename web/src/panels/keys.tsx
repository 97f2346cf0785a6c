/** The keys of a command from the key table, where two spaces separate alternatives. */
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
