/** The maximum length of a description that is taken from a README. */
const longest = 300

/** Lines that are no prose: headings, badges, tables, lists of links, rules, quotes, HTML and code. */
const isMarkup = (line: string): boolean =>
  /^(?:#|[=-]{2,}$|[*_-](?: ?[*_-]){2,}$|\||>|<|```|~~~|\[?!\[|[-*+] \[| {4}|\t)/.test(line)

/** The first paragraph of prose in a Markdown text, as plain text on one line; empty if there is none. */
export function firstParagraph(markdown: string): string {
  const text = markdown
    .slice(0, 16_384)
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\n---\r?\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
  const paragraph: string[] = []
  const lines = text.split(/\r?\n/)
  for (const [at, line] of lines.entries()) {
    const isHeading = /^(?:={2,}|-{2,})\s*$/.test(lines[at + 1] ?? '')
    if (line.trim() !== '' && !isMarkup(line) && !isHeading) paragraph.push(line.trim())
    else if (paragraph.length > 0) break
  }
  const plain = paragraph
    .join(' ')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/(\*\*|__|`)(.+?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= longest ? plain : `${plain.slice(0, longest).replace(/\s+\S*$/, '')} …`
}
