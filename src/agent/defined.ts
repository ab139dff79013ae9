/** Objects without what is not there. */

/** Without the keys whose value is undefined. */
export function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: NonNullable<T[K]> };
}
