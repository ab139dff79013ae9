/** The last resort for pages that break everything else: right, and in one pass over whatever comes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText } from '../../src/web/plain.ts';

test('the text between tags, line by line; scripts, styles and comments are none of it', () => {
  const html = `<title>A &lt;b&gt; &#20320;&#x597d;</title><style>p{}</style><p>one <b>two</b><br>three</p><script>if (a < b) "</p>"</script>
    <!-- <p>no</p> --><div>four &amp; five &nbsp;&unknown; &#0;</div><p>6 < 7`;
  assert.deepEqual(plainText(html), { title: 'A <b> 你好', text: 'one two\nthree\nfour & five &unknown; &#0;\n6' });
  assert.deepEqual(plainText(''), { text: '' });
});

test('what never ends is looked at once', () => {
  const began = performance.now();
  for (const part of ['<', '<!--', '<script>', '<p ', '&', '&#', '</', ' ', '<title>']) plainText(part.repeat(500_000));
  assert.ok(performance.now() - began < 20_000);
});
