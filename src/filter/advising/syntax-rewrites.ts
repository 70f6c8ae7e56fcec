import { nearest } from '../../kernel/nearest.ts'
import { readableLength } from '../reading/read.ts'
import { stringText } from '../writing/selector-text.ts'
import type { Rewrite } from './advice.ts'

/** How many characters around an error are considered. */
export const nearby = 120

/** How many characters are parsed in search of a rewrite. */
const parsedUnits = 2_000

/**
 * Finds the rewrite around a syntax error with which the parser gets furthest. Rewrites with which it does not get past
 * the error are dropped, so that a suggestion always fixes this error.
 */
export function rewriteAt(source: string, at: number, bexpr: boolean): Rewrite | undefined {
  const from = Math.max(0, at - nearby)
  const around = source.slice(from, at + nearby)
  let best: Rewrite | undefined
  let least = source.length - at
  let budget = parsedUnits
  for (const [pattern, template] of rewrites) {
    for (const match of around.matchAll(pattern)) {
      const start = from + match.index
      const end = start + match[0].length
      // Parsing may fail after the mistake: `NOT Live == true`.
      if (start > at || source.slice(end, at).trim() !== '') continue
      const before = source.slice(0, start)
      const after = source.slice(end)
      const meant = expand(template, match)
      if (meant === match[0]) continue
      const suggestion = apart(before, meant, after)
      const text = before + suggestion + after
      budget -= text.length
      if (budget < 0) return best
      const unread = text.length - readableLength(text, bexpr)
      if (unread >= least || unread > after.length) continue
      least = unread
      best = { start, end, suggestion }
      // No other rewrite can do better.
      if (unread < 0) return best
    }
  }
  return best
}

/** Adds spaces where a replacement would join the words around it. */
const apart = (before: string, text: string, after: string): string =>
  (/[\w\])}"`]$/.test(before) && /^\w/.test(text) ? ' ' : '') +
  text +
  (/^[\w({"`]/.test(after) && /\w$/.test(text) ? ' ' : '')

/** `$1` is the match of a group, `"$1"` the same as a string. */
type Template = string | ((found: string, ...groups: string[]) => string)

const expand = (template: Template, [found, ...groups]: RegExpExecArray): string =>
  typeof template === 'string'
    ? template.replace(/("?)\$(\d)\1/g, (_, quote, group) =>
        (quote ? stringText : String)(groups[group - 1] ?? ''),
      )
    : template(found, ...groups)

const keywords =
  'and or not in contains matches is empty nil missing present any all as starts ends with between none ignoring'.split(
    ' ',
  )

const quantifiers: Readonly<Record<string, string>> = { some: 'any', every: 'all', no: 'none' }

/** Common mistakes and their corrections: syntax of other languages, swapped operands, missing quotes. */
const rewrites: readonly (readonly [RegExp, Template])[] = [
  // Single and typographic quotes.
  [/['‘’“”„«»]([^'"‘’“”„«»\\]*)['‘’“”„«»]/g, '"$1"'],
  [/===|(?<![=!<>])=(?![=<>~])|:|\beq(uals)?\b/gi, '=='],
  [/!==?|<>|≠|\bne\b|\bnot\s*==?/gi, '!='],
  [/&&?/g, 'and'],
  [/\|\|?/g, 'or'],
  [/=>|≥|\bgte\b/gi, '>='],
  [/=<|≤|\blte\b/gi, '<='],
  [/!~\*?/g, 'not matches'],
  [/!/g, 'not'],
  [/=~|~[=*]?|\bi?like\b/gi, 'matches'],
  [/\blt\b/gi, '<'],
  [/\bgt\b/gi, '>'],
  [/\b(?:exists|has|defined)\s*\(\s*([\w.]+)\s*\)/gi, '$1 is present'],
  [/\bexists\s+([\w.]+)/gi, '$1 is present'],
  [
    /([A-Za-z][\w.]*)\s+(not\s+)?exists?\b/gi,
    (_, field, not) => `${field} is ${not ? 'missing' : 'present'}`,
  ],
  [/\b(some|every|no)\b(?=\s+\w)/gi, (word) => quantifiers[word.toLowerCase()] ?? word],
  [/\b(has|includes|contain)\b/gi, 'contains'],
  [/\bdoes\s+not\s+contain\b/gi, 'not contains'],
  [/\b(start|end)s?[\s_]*with\b/gi, '$1s with'],
  [/\bbegins?[\s_]*with\b/gi, 'starts with'],
  [/\bhas[\s_]*prefix\b|\^=/gi, 'starts with'],
  [/\bhas[\s_]*suffix\b|\$=/gi, 'ends with'],
  [/\bnow\s*\(\s*\)/gi, 'now'],
  [/\b(now\s*[+-]\s*\d+)\s*([dhms])[a-z]+\b/g, '$1$2'],
  [/\b(?:len|length|size|count)\s*\(\s*([\w.]+)\s*\)/gi, 'count $1'],
  [
    /\b(start|end)s\s*with\s+("[^"\\]*"|[\w.-]+)/gi,
    (_, edge, text) =>
      `matches ${stringText(edge.length > 3 ? `^${literally(text)}` : `${literally(text)}$`)}`,
  ],
  [/\bbetween\s+([^\s,)]+)\s*(?:,|\.\.+|-|\bto\b)\s*([^\s,)]+)/gi, 'between $1 and $2'],
  [
    /("[^"]*"|`[^`]*`|-?[\d.]+)\s*(==|!=|<=?|>=?)\s*([A-Za-z][\w.]*)/g,
    (_, value, sign, field) =>
      `${field} ${sign.replace(/[<>]/, (end) => (end === '<' ? '>' : '<'))} ${value}`,
  ],
  [/([A-Za-z][\w.]*)\s+(not\s+)?in\s+("[^"]*")/g, '$3 $2in $1'],
  [/(?<=\bin\s*)\(([^()]*)\)/g, '[$1]'],
  [/([A-Za-z][\w.]*)\[\s*(\d+)\s*\]/g, '$1.$2'],
  [/([A-Za-z][\w.]*)\[\s*([\w-]+)\s*\]/g, '$1["$2"]'],
  [/\b(null|none|undefined)\b/gi, 'missing'],
  [new RegExp(`\\b(${keywords.join('|')})\\b`, 'gi'), (word) => word.toLowerCase()],
  // A misspelt keyword; a comparison begins with a field.
  [
    /(?<=[\w\])}"`]\s+)(?<!\b(?:and|or)\s+)[a-z]{2,12}\b/gi,
    (word) => nearest(word.toLowerCase(), keywords) ?? word,
  ],
  [/\b(null|none|undefined)\b/gi, 'nil'],
  [/\bignore\s*(case\b)?/gi, 'ignoring case'],
  [/\bis\s+not\s+("[^"]*"|[\w.-]+)/g, '!= $1'],
  [/\bis\s+("[^"]*"|[\w.-]+)/g, '== $1'],
  // A word that is not a name: `Name == edge-07`, `Owner == a@b.org`, `Meta.rack-no == 12`; a pointer accepts more than
  // a name does.
  [/(?=((?!@|now\b)[^\s()[\]{}"'`,;=<>!&|]+))\1(?!\s*([=!<>]|(is|contains|matches)\b))/g, '"$1"'],
  [/([A-Za-z][\w.]*)\.([\w-]+)/g, '$1["$2"]'],
  [/(?!\d)[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*/gu, (word) => `"/${word.replaceAll('.', '/')}"`],
]

/** Escapes a string, with or without quotes, as a pattern. */
const literally = (text: string): string => text.replace(/^"|"$/g, '').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
