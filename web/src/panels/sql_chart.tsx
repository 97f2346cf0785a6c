/** A chart of a result of two columns: bars for texts with numbers, a line for numbers with numbers. */
import type { SqlResult } from "../transport/protocol.ts";
import { isNumeric, type SqlRow } from "../sql.ts";
import { t } from "../texts.ts";

/** The limit on the number of bars. */
const MOST_BARS = 200;
const BAR_PX = 22;
const WIDTH = 900;
const HEIGHT = 220;
const LEFT = 76;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 22;
/** The widths of the texts and of the bars. */
const TEXT_PX = 220;
const TEXT_CHARACTERS = 34;
const VALUE_PX = 110;

/** True if the result has two columns, the second of numbers. */
export function canChart({ columns, rows }: SqlResult): boolean {
  return columns.length === 2 && isNumeric(columns[1]?.kind) && rows.length > 1;
}

export function SqlChart({ result, rows }: { result: SqlResult; rows: readonly SqlRow[] }) {
  return <div class="sql-chart">{isNumeric(result.columns[0]?.kind) ? <Line result={result} rows={rows} /> : <Bars rows={rows} />}</div>;
}

function Bars({ rows }: { rows: readonly SqlRow[] }) {
  const bars = rows.slice(0, MOST_BARS).map(([text, value]) => ({ text: text ?? "NULL", value: value ?? "NULL", size: Number(value ?? 0) }));
  const most = Math.max(...bars.map(({ size }) => Math.abs(size)), Number.MIN_VALUE);
  const scale = (WIDTH - TEXT_PX - VALUE_PX) / most;
  return (
    <>
      <svg viewBox={`0 0 ${WIDTH} ${bars.length * BAR_PX}`} role="img" aria-label={t("sql-chart.bars", { count: bars.length })}>
        {bars.map(({ text, value, size }, i) => (
          <g key={i} transform={`translate(0 ${i * BAR_PX})`}>
            <title>{`${text}: ${value}`}</title>
            <text x={TEXT_PX - 8} y={15} text-anchor="end">
              {text.length > TEXT_CHARACTERS ? `${text.slice(0, TEXT_CHARACTERS - 1)}…` : text}
            </text>
            <rect x={TEXT_PX} y={3} width={Math.max(1, Math.abs(size) * scale)} height={BAR_PX - 6} />
            <text x={TEXT_PX + Math.max(1, Math.abs(size) * scale) + 6} y={15}>
              {value}
            </text>
          </g>
        ))}
      </svg>
      {rows.length > MOST_BARS && <p class="muted">{t("sql-chart.first-rows", { number: MOST_BARS })}</p>}
    </>
  );
}

function Line({ result, rows }: { result: SqlResult; rows: readonly SqlRow[] }) {
  const points = rows
    .filter(([x, y]) => x !== null && y !== null)
    .map(([x, y]) => ({ x: Number(x), y: Number(y), text: `${x}, ${y}` }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
    .sort((a, b) => a.x - b.x);
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, low, high] = [least(xs), most(xs), Math.min(0, least(ys)), Math.max(0, most(ys))];
  if (points.length < 2) return <p class="empty">{t("sql-chart.fewer-than-two-rows")}</p>;
  const px = (x: number) => LEFT + ((x - left) / (right - left || 1)) * (WIDTH - LEFT - RIGHT);
  const py = (y: number) => TOP + (1 - (y - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  const number = (value: number) => (Math.abs(value) >= 1e6 || !Number.isInteger(value) ? value.toPrecision(4) : String(value));
  return (
    <svg class="sql-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t("sql-chart.points", { count: points.length })}>
      <line x1={LEFT} x2={WIDTH - RIGHT} y1={py(low)} y2={py(low)} />
      <line x1={LEFT} x2={WIDTH - RIGHT} y1={py(high)} y2={py(high)} />
      <text x={LEFT - 6} y={py(high) + 4} text-anchor="end">{number(high)}</text>
      <text x={LEFT - 6} y={py(low) + 4} text-anchor="end">{number(low)}</text>
      <text x={LEFT - 6} y={HEIGHT / 2} text-anchor="end">{result.columns[1]?.name}</text>
      <text x={LEFT} y={HEIGHT - 4}>{number(left)}</text>
      <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} text-anchor="middle">{result.columns[0]?.name}</text>
      <text x={WIDTH - RIGHT} y={HEIGHT - 4} text-anchor="end">{number(right)}</text>
      <polyline points={points.map(({ x, y }) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ")} />
      {points.length <= MOST_BARS &&
        points.map(({ x, y, text }, i) => (
          <circle key={i} cx={px(x)} cy={py(y)} r={3}>
            <title>{text}</title>
          </circle>
        ))}
    </svg>
  );
}
