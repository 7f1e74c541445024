import { describe, expect, test } from 'bun:test';
import { htmlToMarkdown } from '../../src/convert/html.ts';

const convert = (html: string) => htmlToMarkdown(html, 'https://site.example/dir/page').text;

describe('HTML as Markdown', () => {
  const cases: [name: string, html: string, markdown: string][] = [
    [
      'headings and paragraphs',
      '<h1>A <em>b</em></h1><p>One\n  two</p><p>three',
      '# A *b*\n\nOne two\n\nthree',
    ],
    [
      'absolute links',
      '<a href="../x?y=1">go</a> <a href="https://e.example/a(b)">on</a>',
      '[go](https://site.example/x?y=1) [on](https://e.example/a%28b%29)',
    ],
    [
      'links that lead nowhere',
      '<a href="#top">up</a> <a href="javascript:x()">run</a> <a href="/i"><svg></svg></a>',
      'up run',
    ],
    ['lists within lists', '<ul><li>a<ol><li>b<li><p>c</p></ol><li>d</ul>', '- a\n  1. b\n  2. c\n- d'],
    [
      'code blocks',
      '<p>see</p><pre><code>if (a &lt; b) {\n\n  x\n}</code></pre>',
      'see\n\n```\nif (a < b) {\n\n  x\n}\n```',
    ],
    ['code in a line', 'call <code>f()</code>, then', 'call `f()`, then'],
    [
      'tables',
      '<table><tr><th>A</th><th>B</th></tr><tr><td><p>1</p></td><td>2|3</td></tr></table>',
      '| A | B    |\n| - | ---- |\n| 1 | 2\\|3 |',
    ],
    ['quotations', '<blockquote><p>a</p></blockquote>b', '> a\n\nb'],
    [
      'scripts, styles and comments are left out',
      'a<script>if (x<y) "</p>"</script><style>b{}</style><!-- c --><template>d</template>e',
      'ae',
    ],
    [
      'entities',
      '&lt;b&gt; &amp;amp; &#x41;&#66; &eacute;&nbsp;&unknown; &#xd800;',
      '<b> &amp; AB é &unknown; \ufffd',
    ],
    ['a lone sign', '1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['line breaks and rules', 'a<br>b<hr>c', 'a\nb\n\n---\n\nc'],
    [
      'images by their text',
      '<img src="p.png" alt="a  cat"><img src="q.png">',
      '![a cat](https://site.example/dir/p.png)',
    ],
    ['attributes with signs in them', '<a title="a > b" href=\'/q\'>x</a>', '[x](https://site.example/q)'],
  ];
  for (const [name, html, markdown] of cases) test(name, () => expect(convert(html)).toBe(markdown));

  test('the title', () => {
    expect(htmlToMarkdown('<title> A &amp;\n B </title><p>x', 'https://a.example')).toEqual({
      text: 'x',
      title: 'A & B',
    });
  });
});
