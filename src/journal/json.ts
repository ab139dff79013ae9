/** Walking plain JSON without copying what does not change. */

/**
 * A copy of plain JSON with nodes changed, itself when nothing is. `change` sees strings, arrays and
 * objects from the outside in; what it has changed is not entered.
 */
export function mapJson<T>(value: T, change: (node: unknown) => unknown, rename: (key: string) => string = (key) => key): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  const changed = change(value);
  if (changed !== value) return changed as T;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = mapJson(value[i], change, rename);
      if (item !== value[i]) {
        copy ??= value.slice();
        copy[i] = item;
      }
    }
    return (copy ?? value) as T;
  }
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  let entries: [string, unknown][] | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const item = mapJson(source[key], change, rename);
    const name = rename(key);
    if (!entries && (item !== source[key] || name !== key)) entries = keys.slice(0, i).map((earlier) => [earlier, source[earlier]]);
    entries?.push([name, item]);
  }
  return (entries ? Object.fromEntries(entries) : value) as T; // fromEntries: a `__proto__` key stays a key
}
