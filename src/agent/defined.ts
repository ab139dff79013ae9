/** Objects without what is not there. */

/** Without the keys whose value is undefined. */
export function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key] as NonNullable<T[typeof key]>;
  return kept;
}
