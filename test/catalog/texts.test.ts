import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  boxNameProblem,
  foldName,
  renderMarkdown,
  textsProblem,
  usernameProblem,
} from '../../src/catalog/index.ts'

describe('names', () => {
  it.each(['tiny', 'Tiny-2.0_x', '0', 'a'.repeat(128), 'constructor', '__proto__'.slice(2)])(
    'a box may be called %j',
    (name) => expect(boxNameProblem(name)).toBeUndefined(),
  )
  it.each([
    '',
    '.',
    '..',
    '-a',
    '_a',
    'a/b',
    'a b',
    'a%2f',
    'ä',
    'a\n',
    'a\u0000',
    '__proto__',
    'a'.repeat(129),
  ])('a box may not be called %j', (name) => expect(boxNameProblem(name)?.refusal.code).toBe('invalid_name'))
  it.each(['api', 'API', '', '../x', 'a'.repeat(65)])('a user may not be called %j', (name) =>
    expect(usernameProblem(name)?.refusal.code).toBe('invalid_username'),
  )
  it('are equal regardless of the case of ASCII letters', () => {
    expect(foldName('Alice')).toBe('alice')
    expect(foldName('İ')).toBe('İ')
  })
  it('come with texts of bounded length', () => {
    expect(
      textsProblem({ description: 'a'.repeat(20_000), shortDescription: 'a'.repeat(1024) }),
    ).toBeUndefined()
    expect(textsProblem({ description: 'a'.repeat(20_001) })?.refusal.code).toBe('text_too_long')
    expect(textsProblem({ shortDescription: 'a'.repeat(1025) })?.refusal.code).toBe('text_too_long')
  })
})

describe('markdown', () => {
  it.each([
    ['Testing', '<p>Testing</p>\n'],
    ['', ''],
    ['# A\n\n* b', '<h1>A</h1>\n<ul>\n<li>b</li>\n</ul>\n'],
    ['[x](https://example.com)', '<p><a href="https://example.com">x</a></p>\n'],
  ])('renders %j', (text, html) => expect(renderMarkdown(text)).toBe(html))

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '![x](javascript:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](vbscript:x)',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '[x](https://e.com "\\" onmouseover=alert(1)")',
    '```"><script>\nx\n```',
    '<svg/onload=alert(1)>',
    '&lt;script&gt;&#60;script&#62;',
  ])('lets nothing dangerous through: %j', (text) => {
    const html = renderMarkdown(text)
    expect(html).not.toMatch(/<(?!\/?(?:p|a|img|em|strong|code|pre|h[1-6]|ul|ol|li|blockquote|hr|br)[ />])/)
    expect(html).not.toMatch(/(?:href|src)="(?!https?:|mailto:|")/i)
    // Inside a tag, quotes end attributes; none may begin with "on".
    for (const tag of html.match(/<[^>]*>/g) ?? [])
      expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/\son\w+=/i)
  })

  it('opens no tag of its own making from any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('<', '>', '"', '[', ']', '(', ')', 'a', ':', '!', '`', '*', '\n', '&', '/'),
        }),
        (text) => {
          expect(renderMarkdown(text)).not.toMatch(
            /<(?!\/?(?:p|a|img|em|strong|code|pre|h[1-6]|ul|ol|li|blockquote|hr|br)[ />])/,
          )
        },
      ),
    )
  })

  it.each([
    ['emphasis', '_a*', 6000],
    ['quotes within quotes', '>', 20_000],
    ['lists within lists', '1. ', 6000],
    ['lists within quotes', '>- ', 6000],
    ['underlined headings', 'a\n=\n', 5000],
    ['lines with any line ending', 'a\r', 9000],
    ['brackets', '[', 20_000],
    ['escapes', '\\)', 9000],
    ['declarations without an end', '<?aaaa', 3000],
  ])('shows a text as it is that would take for ever to render: %s', (_, unit, times) => {
    expect(renderMarkdown(unit.repeat(times))).toMatch(/^<pre>(?!<)/)
  })

  it('escapes it then', () => {
    expect(renderMarkdown('<'.repeat(5000))).toBe(`<pre>${'&lt;'.repeat(5000)}</pre>\n`)
  })

  it('renders long texts of people, with lists, tables, code and links', () => {
    const chapter = [
      '## A chapter\n',
      'Some *words* about `code`, and a [link](https://example.com/a-b_c) - 1.5 times as many.\n',
      '- one\n- two\n  1. and more\n  2. and `more`\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '```sh\nvagrant init acme/tiny --box-version "~> 1.0"\n```\n',
      `${'A long line of plain text, as there are many. '.repeat(6)}\n`,
    ].join('\n')
    const text = chapter.repeat(Math.floor(20_000 / chapter.length))
    expect(renderMarkdown(text)).toMatch(/^<h2>A chapter<\/h2>/)
  })
})
