/** What is asked of a database, and what comes back: plain data, as it goes to another process. */

/** `file`: absolute. */
export type Database = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string; password?: string };

export interface DatabaseRequest {
  /** One statement; absent: the schema is asked for. */
  sql?: string;
  /** The one table that is described; absent = all. */
  table?: string;
  maxRows: number;
  /** Milliseconds. */
  timeoutMs: number;
}
export type Cell = string | number | boolean | null;
export interface Table {
  columns: string[];
  rows: Cell[][];
  /** There are more rows, or they are too large. */
  next?: string;
}
/** `id INTEGER not null, primary key` */
export interface TableInfo {
  table: string;
  kind: 'table' | 'view';
  columns?: string[];
}
export interface Schema {
  tables: TableInfo[];
  next?: string;
}
export interface DatabaseError {
  code: string;
  message: string;
  next?: string;
}
export type Answered = { data: Table | Schema } | { error: DatabaseError };
