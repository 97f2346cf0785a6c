/**
 * SQL without the native engine: DuckDB as WebAssembly in a worker, in a bundle of its own that the page loads when its
 * SQL panel opens.
 *
 * The tables are those of the native engine (src/query/tables.h). DuckDB copies a table when a statement first needs
 * it: the engine of each trace returns an Arrow stream (request "table") of the rows that the parameters of the table
 * function select. Each table has a macro and a view:
 *
 *     CREATE MACRO slice("range" := NULL, name := NULL, ...) AS TABLE FROM query_table(['read."slice?range=...&name=..."'])
 *     CREATE VIEW slice AS FROM slice()
 *
 * The values of the parameters are part of the name of the copy, in hexadecimal because table names ignore case. A
 * statement that needs a missing copy fails with that name in DuckDB's message; then the copy is made and all
 * statements run again. They run in a transaction that is rolled back at the end, so that every statement takes effect
 * once and no table, view or macro outlives the run.
 */
import { AsyncDuckDB, VoidLogger, type Connection, type Field, type RecordBatchReader, type Value } from "@duckdb/duckdb-wasm";
import { messageOf, type Load } from "../transport/transport.ts";
import type { SqlKind, SqlResult, SqlTable } from "../transport/protocol.ts";
import type { SqlRunner } from "./runner.ts";

/** As in src/app/session/handlers_sql.c. */
const MOST_ROWS = 10_000;
const MOST_CHARACTERS = 32 << 20;

/** Disables file access. The module has at most 4 GiB, which include an Arrow stream while it is copied. */
const SETTINGS = [
  "SET memory_limit = '3GB'",
  "SET autoinstall_known_extensions = false",
  "SET autoload_known_extensions = false",
  "SET allow_community_extensions = false",
  "SET enable_external_access = false",
  "SET lock_configuration = true",
];

enum Token {
  Identifier = 0,
  Operator = 3,
  Comment = 5,
}

/** Column kinds by the enumeration Type of Apache Arrow: Int, Float, Utf8, Bool. */
const ARROW_KINDS = new Map<number, SqlKind>([
  [2, "integer"],
  [3, "real"],
  [5, "text"],
  [6, "bool"],
]);

interface Statement {
  sql: string;
  /** The line in the text of all statements, from 1. */
  firstLine: number;
  /** True if the first token is a keyword such as SELECT or FROM. */
  beginsWithKeyword: boolean;
}

interface Column {
  name: string;
  kind: SqlKind;
  /** The type in DuckDB. */
  type: string;
}

type Rows = Pick<SqlResult, "columns" | "rows" | "more">;

/** An error in a statement. */
class SqlError extends Error {
  constructor(
    message: string,
    readonly line: number | null,
  ) {
    super(message);
  }
}

/** A statement needs a copy with this name. */
class MissingCopy extends Error {
  constructor(readonly copy: string) {
    super(copy);
  }
}

/* ---- names of copies ---- */

/** Returns the statements that make the macro and the view of a table. They need an existing copy. */
function statementsOf({ table, columns, parameters }: SqlTable): string[] {
  const copy = `read."${table}?"`;
  const declared = parameters.map((name) => `"${name}" := NULL`).join(", ");
  const given = parameters.map((name) => `'${name}=' || hex("${name}"::VARCHAR)`).join(", ");
  const suffix = given === "" ? "" : ` || concat_ws('&', ${given})`;
  return [
    `CREATE TABLE ${copy} (${columns.map(({ name, type }) => `"${name}" ${type}`).join(", ")})`,
    `CREATE MACRO "${table}"(${declared}) AS TABLE FROM query_table(['read."${table}?'${suffix} || '"'])`,
    `CREATE VIEW "${table}" AS FROM "${table}"()`,
    `DROP TABLE ${copy}`,
  ];
}

/** Returns the request for the rows of a copy. */
function requestOf(copy: string, as: string): Record<string, string> {
  const [table = "", parameters = ""] = copy.split("?");
  const texts = parameters.split("&").filter((part) => part !== "");
  const decoded = texts.map((part): [string, string] => {
    const [name = "", hex = ""] = part.split("=");
    const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
    return [name, new TextDecoder().decode(bytes)];
  });
  return { table, as, ...Object.fromEntries(decoded) };
}

/** Returns the names of traces for the column `trace`, as sql_trace_name of src/query/sql.h does. */
function traceNames(loads: readonly Load[]): string[] {
  const names = loads.map((load) => load.status.value.name);
  return names.map((name, i) => {
    const same = names.slice(0, i).filter((other) => other === name).length;
    return same === 0 ? name : `${name}#${same + 1}`;
  });
}

/* ---- values ---- */

function kindOf(type: string): SqlKind {
  if (/\[\d*\]$|^(STRUCT|MAP|UNION)\(/.test(type)) return "json";
  if (/^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/.test(type)) return "integer";
  if (/^(U?HUGEINT|BIGNUM|DECIMAL\(.*\))$/.test(type)) return "number";
  if (type === "FLOAT" || type === "DOUBLE") return "real";
  return type === "BOOLEAN" ? "bool" : "text";
}

function arrowKind({ type }: Field): SqlKind {
  return ARROW_KINDS.get(type.typeId) ?? "text";
}

/** Returns the type of a nested value that JSON can represent. */
function plainType(type: string): string {
  return type
    .replace(/\b(U?HUGEINT|BIGNUM|DECIMAL\(\d+,\d+\))/g, "DOUBLE")
    .replace(/\b(DATE|TIME(STAMP(_S|_MS|_NS)?)?( WITH TIME ZONE)?|INTERVAL|UUID|BLOB|BIT)\b/g, "VARCHAR");
}

/** Returns a nested value of Apache Arrow as JSON text. */
function jsonOf(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const plain = "toJSON" in value ? (value as { toJSON(): object }).toJSON() : value;
  if (Array.isArray(plain) || ArrayBuffer.isView(plain)) return `[${Array.from(plain as ArrayLike<unknown>, jsonOf).join(",")}]`;
  const members = Object.entries(plain).map(([key, part]) => `${JSON.stringify(key)}:${jsonOf(part)}`);
  return `{${members.join(",")}}`;
}

/** Returns the shortest text with 15 to 17 digits that gives the same number, in the notation of C's %g. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const digits = [15, 16].find((digits) => Number(value.toPrecision(digits)) === value) ?? 17;
  const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
  const withoutZeros = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (Number(exponent) >= -4 && Number(exponent) < digits) return withoutZeros(value.toPrecision(digits));
  return `${withoutZeros(mantissa)}e${exponent.replace(/\d+/, (power) => power.padStart(2, "0"))}`;
}

/** Returns a value as text, as sql_text of src/query/sql.h does. */
function textOf(value: Value, kind: SqlKind): string | null {
  if (value === null) return null;
  if (kind === "json") return jsonOf(value);
  if (kind === "real") return realText(Number(value));
  return typeof value === "object" ? null : String(value); // an object: only from statements that are not queries
}

async function readRows(reader: RecordBatchReader, kinds: readonly SqlKind[]): Promise<{ rows: (string | null)[][]; more: boolean }> {
  const rows: (string | null)[][] = [];
  let characters = 0;
  for await (const batch of reader) {
    const columns = kinds.map((_, i) => batch.getChildAt(i));
    for (let row = 0; row < batch.numRows; row++) {
      if (rows.length === MOST_ROWS || characters > MOST_CHARACTERS) return { rows, more: true };
      const values = columns.map((column, i) => textOf(column?.get(row) ?? null, kinds[i] as SqlKind));
      for (const value of values) characters += value?.length ?? 4;
      rows.push(values);
    }
  }
  return { rows, more: false };
}

/* ---- statements ---- */

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** Splits a text at its semicolons. Skips statements without tokens. */
async function splitStatements(db: AsyncDuckDB, text: string): Promise<Statement[]> {
  const bytes = new TextEncoder().encode(text);
  const { offsets, types } = await db.tokenize(text);
  const statements: Statement[] = [];
  let begin = 0;
  let line = 1;
  let first: Token | null = null;
  const end = (at: number) => {
    const sql = new TextDecoder().decode(bytes.subarray(begin, at));
    if (first !== null) statements.push({ sql, firstLine: line, beginsWithKeyword: first !== Token.Identifier });
    line += countLines(sql);
    begin = at + 1;
    first = null;
  };
  for (const [i, offset] of offsets.entries()) {
    const type = types[i] as Token;
    if (type === Token.Operator && bytes[offset] === 0x3b) end(offset);
    else if (type !== Token.Comment) first ??= type;
  }
  end(bytes.length);
  return statements;
}

/** Returns DuckDB's message with the line number in the whole text in place of the line number in the statement. */
function failureOf(message: string, { firstLine }: Statement): SqlError {
  const found = /\nLINE (\d+):(.*\n)/.exec(message);
  if (found === null) return new SqlError(message, null);
  const [whole, digits = "", rest = ""] = found;
  const line = firstLine + Number(digits) - 1;
  const caret = " ".repeat(String(line).length - digits.length); // the next line has a caret below a word of this one
  const at = found.index + whole.length;
  return new SqlError(`${message.slice(0, found.index)}\nLINE ${line}:${rest}${caret}${message.slice(at)}`, line);
}

/** Returns DuckDB's error of a statement as a MissingCopy or a SqlError. */
function problemOf(error: unknown, statement: Statement): Error {
  const message = messageOf(error).trimEnd();
  const missing = /Table with name (\w+\?[\w=&]*) does not exist!/.exec(message)?.[1];
  return missing === undefined ? failureOf(message, statement) : new MissingCopy(missing);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns a statement with the same rows, converted to types that the page reads. */
function readable({ sql }: Statement, columns: readonly Column[]): string {
  const cast = ({ type, kind }: Column, i: number) => {
    if (kind === "json") return `CAST(c${i} AS ${plainType(type)})`;
    return kind === "number" || (kind === "text" && type !== "VARCHAR") ? `CAST(c${i} AS VARCHAR)` : `c${i}`;
  };
  const chosen = columns.map((column, i) => `${cast(column, i)} AS ${quoted(column.name)}`);
  return `SELECT ${chosen.join(", ")} FROM (${sql}\n) AS result(${columns.map((_, i) => `c${i}`).join(", ")})`;
}

/* ---- the database ---- */

/** DuckDB in its worker. */
class Database {
  private copies = new Set<string>();
  private isChanged = false;

  private constructor(
    private db: AsyncDuckDB,
    private connection: Connection,
    private loads: readonly Load[],
  ) {}

  static async open(worker: Worker, loads: readonly Load[], tables: readonly SqlTable[]): Promise<Database> {
    const db = new AsyncDuckDB(new VoidLogger(), worker);
    await db.instantiate(new URL("./duckdb-eh.wasm", document.baseURI).href);
    await db.open({ path: ":memory:" });
    const connection = await db.connect();
    for (const setting of [...SETTINGS, "CREATE SCHEMA read", ...tables.flatMap(statementsOf)]) await connection.query(setting);
    return new Database(db, connection, loads);
  }

  /** True if the database has the tables of exactly these traces. */
  isOf(loads: readonly Load[]): boolean {
    return !this.isChanged && loads.length === this.loads.length && loads.every((load, i) => load === this.loads[i]);
  }

  async run(text: string, signal: AbortSignal): Promise<SqlResult> {
    const traces = traceNames(this.loads).map((name, i) => ({ trace: (this.loads[i] as Load).number, name, shape: 0 }));
    const none = { run: 0, error: null, line: null, columns: [], rows: [], more: false, traces };
    try {
      const statements = await splitStatements(this.db, text);
      if (statements.length === 0) throw new SqlError("there is no statement", null);
      return { ...none, state: "done", ...(await this.runAll(statements, signal)) };
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      return { ...none, state: "failed", error: error.message, line: error.line };
    }
  }

  /** Runs the statements until no copy is missing. */
  private async runAll(statements: readonly Statement[], signal: AbortSignal): Promise<Rows> {
    for (;;) {
      try {
        return await this.runOnce(statements);
      } catch (error) {
        if (!(error instanceof MissingCopy) || this.copies.has(error.copy)) throw error;
        await this.copy(error.copy, signal);
      }
    }
  }

  private async runOnce(statements: readonly Statement[]): Promise<Rows> {
    await this.connection.query("BEGIN");
    try {
      for (const statement of statements.slice(0, -1)) await this.ask(statement, () => this.connection.query(statement.sql));
      return await this.readLast(statements.at(-1) as Statement);
    } finally {
      await this.connection.query("ROLLBACK").catch(() => (this.isChanged = true)); // one of the statements was COMMIT
    }
  }

  private async ask<T>(statement: Statement, question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw problemOf(error, statement);
    }
  }

  private async readLast(statement: Statement): Promise<Rows> {
    const described = await this.describe(statement);
    const sql = described === null ? statement.sql : readable(statement, described);
    return this.ask(statement, async () => {
      const reader = await (await this.connection.send(sql, true)).open();
      const { fields } = reader.schema;
      const columns = described ?? fields.map((field) => ({ name: field.name, kind: arrowKind(field) }));
      const { rows, more } = await readRows(reader, columns.map(({ kind }) => kind));
      if (more) await this.connection.cancelSent();
      return { columns: columns.map(({ name, kind }) => ({ name, kind })), rows, more };
    });
  }

  /** Returns the columns of a query; null for other statements and for wrong ones. */
  private async describe(statement: Statement): Promise<Column[] | null> {
    if (!statement.beginsWithKeyword) return null;
    try {
      const described = await this.connection.query(`DESCRIBE ${statement.sql}`);
      return described.toArray().map((row) => {
        const type = String(row["column_type"]);
        return { name: String(row["column_name"]), type, kind: kindOf(type) };
      });
    } catch (error) {
      const problem = problemOf(error, statement);
      if (problem instanceof MissingCopy) throw problem;
      return null;
    }
  }

  /** Copies the rows of all traces. */
  private async copy(name: string, signal: AbortSignal): Promise<void> {
    const names = traceNames(this.loads);
    try {
      for (const [i, load] of this.loads.entries()) {
        const stream = await load.request("table", requestOf(name, names[i] as string), signal);
        await this.connection.insertArrowFromIPCStream(new Uint8Array(stream), { schema: "read", name, create: i === 0 });
      }
    } catch (error) {
      await this.connection.query(`DROP TABLE IF EXISTS read."${name}"`);
      throw signal.aborted ? error : new SqlError(`Binder Error: ${messageOf(error)}`, null);
    }
    this.copies.add(name);
  }
}

class PageSql implements SqlRunner {
  private worker: Worker | null = null;
  private database: Promise<Database> | null = null;
  /** Stops the current statements. */
  private stop: ((why: "cancelled" | Error) => void) | null = null;

  constructor(
    private loads: () => readonly Load[],
    private tables: readonly SqlTable[],
  ) {}

  get canCancel(): boolean {
    return this.stop !== null;
  }

  async run(text: string, signal: AbortSignal): Promise<SqlResult> {
    this.cancel(); // one run at a time, as in the native engine
    const stopped = new Promise<SqlResult>((resolve, reject) => {
      this.stop = (why) => {
        if (why !== "cancelled") return reject(why);
        resolve({ run: 0, state: "cancelled", error: null, line: null, columns: [], rows: [], more: false, traces: [] });
      };
    });
    const { stop } = this;
    try {
      return await Promise.race([stopped, this.open().then((database) => database.run(text, signal))]);
    } catch (error) {
      this.end(); // a failure outside the statement: the next run starts again
      throw error;
    } finally {
      if (this.stop === stop) this.stop = null;
    }
  }

  /** Returns the database of the open traces. */
  private async open(): Promise<Database> {
    const loads = this.loads();
    const before = await this.database;
    if (before?.isOf(loads)) return before;
    this.end();
    const worker = new Worker(new URL("./sql-worker.js", document.baseURI), { name: "DuckDB" });
    worker.onerror = (event) => {
      event.preventDefault();
      event.stopImmediatePropagation(); // otherwise AsyncDuckDB prints it
      if (this.worker === worker) this.stop?.(new Error(`DuckDB stopped: ${event.message || "it could not be started"}.`));
    };
    this.worker = worker;
    this.database = Database.open(worker, loads, this.tables);
    return this.database;
  }

  /** Ends the worker and its statements. The next run starts another worker. */
  cancel(): void {
    const { stop } = this;
    if (stop === null) return;
    this.end();
    this.stop = null;
    stop("cancelled");
  }

  close(): void {
    this.cancel();
    this.end();
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.database = null;
  }
}

/** `loads`: returns the open traces, which change. */
export function createPageSql(loads: () => readonly Load[], tables: readonly SqlTable[]): SqlRunner {
  return new PageSql(loads, tables);
}
