/** Texts that make a careless reader slow: quadratic look-ahead, endless repair, deep recursion. */

export interface HostileInput {
  name: string;
  text: string;
}

const KB = 1024;

function filled(start: string, unit: string, length: number, end = ''): string {
  return start + unit.repeat(Math.ceil(length / unit.length)) + end;
}

export function hostileInputs(): HostileInput[] {
  return [
    { name: '192KB_of_quotes', text: filled('{"a": "', '"', 192 * KB, '"}') },
    { name: '192KB_of_quoted_words', text: filled('{"name": "f", "arguments": {"a": "', 'say "x" and ', 192 * KB, '"}}') },
    { name: '192KB_of_keys_in_a_string', text: filled('{"a": "', '"b": "c", ', 192 * KB, '"}') },
    { name: '100000_brackets', text: '['.repeat(100_000) },
    { name: '100000_nested_objects', text: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    { name: '192KB_of_open_objects', text: filled('', '{"', 192 * KB) },
    { name: '192KB_of_open_calls', text: filled('', '<tool_call>{"name": "f", "arguments": {"x": "', 192 * KB) },
    { name: '192KB_of_open_parameters', text: filled('', '<function=f><parameter=a>', 192 * KB) },
    { name: '192KB_of_fences', text: filled('', '```json\n{', 192 * KB) },
    { name: '1MB_string', text: JSON.stringify({ a: 'x'.repeat(KB * KB) }) },
    { name: '1MB_string_without_its_brackets', text: JSON.stringify({ a: { b: `${'line "x" \\\n'.repeat(70_000)}` } }).slice(0, -2) },
    { name: '1MB_string_that_is_cut', text: filled('{"a": "', 'x', KB * KB) },
    { name: '1MB_of_spaces', text: filled('{"a": 1', ' ', KB * KB) },
  ];
}
