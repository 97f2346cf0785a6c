/**
 * The part of the npm package @duckdb/duckdb-wasm that sql/page.ts uses. The package is optional: the types are checked
 * without it.
 */
declare module "@duckdb/duckdb-wasm" {
  /** A value of Apache Arrow. */
  export type Value = string | number | bigint | boolean | object | null;
  export interface Column {
    get(row: number): Value;
  }
  export interface RecordBatch {
    readonly numRows: number;
    getChildAt(column: number): Column | null;
  }
  export interface Field {
    readonly name: string;
    /** typeId: the enumeration Type of Apache Arrow. */
    readonly type: { readonly typeId: number };
  }
  export interface RecordBatchReader extends AsyncIterable<RecordBatch> {
    /** Reads the schema. */
    open(): Promise<this>;
    readonly schema: { readonly fields: readonly Field[] };
  }
  export interface Connection {
    query(sql: string): Promise<{ toArray(): Record<string, unknown>[] }>;
    send(sql: string, allowStreamResult: boolean): Promise<RecordBatchReader>;
    cancelSent(): Promise<boolean>;
    insertArrowFromIPCStream(stream: Uint8Array, options: { schema: string; name: string; create: boolean }): Promise<void>;
  }
  export class VoidLogger {}
  export class AsyncDuckDB {
    constructor(logger: VoidLogger, worker: Worker);
    instantiate(moduleUrl: string): Promise<null>;
    open(config: { path: string }): Promise<void>;
    connect(): Promise<Connection>;
    /**
     * offsets: of the tokens, in bytes of UTF-8. types: 0 identifier, 1 number, 2 string, 3 operator, 4 keyword, 5
     * comment.
     */
    tokenize(text: string): Promise<{ offsets: number[]; types: number[] }>;
  }
}
