// Generated from grammar/hcl.peggy by `npm run gen`. Do not edit.
let options
// The text and how far it is read; where what an action sees begins; how far any rule came, and what it missed there.
let $input, $at, $from, $farthest, $silent, $missed
// One list for all texts, of which `$missed` count: a new one at every step would cost more than the step.
const $expected = []

const $expect = (what) => {
  if ($silent > 0 || $at < $farthest) return
  if ($at > $farthest) {
    $farthest = $at
    $missed = 0
  }
  $expected[$missed] = what
  $missed += 1
}
const $literal = (text) => {
  if ($input.charCodeAt($at) === text.charCodeAt(0) && $input.startsWith(text, $at)) {
    $at += text.length
    return text
  }
  $expect(text)
}
const $see = (pattern) => {
  pattern.lastIndex = $at
  return pattern.test($input)
}
const $scan = (pattern) => {
  if ($see(pattern)) return $input.slice($at, ($at = pattern.lastIndex))
}
const $among = (pattern) => Uint8Array.from({ length: 128 }, (_, code) => +pattern.test(String.fromCharCode(code)))
const $is = (set) => {
  const code = $input.charCodeAt($at)
  return code < 128 && set[code] === 1
}
const $span = (first, rest) => {
  const start = $at
  if (first !== null) {
    if (!$is(first)) return
    $at += 1
  }
  while ($is(rest)) $at += 1
  return $input.slice(start, $at)
}
const $many = (one) => {
  const all = []
  for (let each; (each = one()) != null; ) all.push(each)
  return all
}
// What the grammar's own code may call.
const offset = () => $from
const error = (message, location) => options.fail(message, $from, $at, null, location)
// The place last asked for: the next one is near.
let $offset, $line, $begin
const location = () => {
  for (; $offset > $from; $offset -= 1)
    if ($input.charCodeAt($offset - 1) === 10) {
      $line -= 1
      $begin = -1
    }
  for (; $offset < $from; $offset += 1)
    if ($input.charCodeAt($offset) === 10) {
      $line += 1
      $begin = $offset + 1
    }
  // Only behind a step back over lines: a text may be one long line with many places on it.
  if ($begin < 0) $begin = $from === 0 ? 0 : $input.lastIndexOf('\n', $from - 1) + 1
  return { start: { line: $line, column: $from - $begin + 1 } }
}
const $some = (one) => {
  const all = $many(one)
  if (all.length > 0) return all
}
const $peek = (run) => {
  const back = $at
  $silent += 1
  const found = run()
  $silent -= 1
  $at = back
  return found
}
const $list = (one, between) => {
  const all = []
  let back = $at
  for (let each; (each = one()) != null; ) {
    all.push(each)
    back = $at
    if (between() == null) break
  }
  $at = back
  return all
}

const escapes = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', a: '\x07', v: '\v', '"': '"', '\\': '\\', '/': '/' }


// This runs once, not for each text (see scripts/peggy-compact.mjs): `options` are those of the text being read.
let depth = 0
const begin = () => {
  depth = 0
  return true
}

const enter = (levels = 1) => {
  depth += levels
  const deepest = options.depth
  if (depth > deepest) error(`nested deeper than ${deepest} levels`)
  return true
}
const leave = (levels = 1) => {
  depth -= levels
  return true
}
const at = () => {
  const { line, column } = location().start
  return { line, column }
}
/** An attribute is said once: of two, one would be silently ignored. */
const object = (entries, position) => {
  const said = new Map()
  for (const entry of entries) {
    if (!entry.assigned) continue
    const [key] = entry.keys
    const first = said.get(key.text)
    if (first) {
      error(`"${key.text}" is given twice, first at line ${first.at.line}, column ${first.at.column}`, {
        start: key.at,
        end: key.at,
      })
    }
    said.set(key.text, key)
  }
  return { kind: 'object', entries, at: position }
}
const character = (digits) => {
  const point = Number.parseInt(digits, 16)
  if (point > 0x10ffff) error(`\\U${digits} is not a character`)
  return String.fromCodePoint(point)
}
const indent = (line) => /^[ \t]*/.exec(line)[0].length
const unindent = (lines) => {
  const written = lines.filter((line) => line.trim() !== '')
  const shared = written.reduce((least, line) => Math.min(least, indent(line)), Number.POSITIVE_INFINITY)
  return lines.map((line) => line.slice(Math.min(shared, indent(line)))).join('')
}
const action0 = (keys, assigned, value) => {
  // Each label is a level of objects to whoever reads the values.
      leave(keys.length - 1)
      if (!assigned && value.kind !== 'object') error('expected "=" after the name', { start: value.at, end: value.at })
      if (assigned && keys.length > 1) error('a label is followed by a block in braces, not by "="')
      return { keys, value, assigned: Boolean(assigned), at: keys[0].at }
}
const action1 = (text) => {
  const value = text.startsWith('-') ? -Number(text.slice(1)) : Number(text)
      if (!Number.isFinite(value)) error('the number is too large')
      return { kind: 'number', value: value + 0, at: at() }
}
const action2 = () => {
  error('unknown escape; a backslash itself is written \\\\')
}
const $Document = () => {
  let $0, found, $2, $1
  return (($from = $at, begin()) ? (($literal("﻿") ?? null), $_(), (found = (($see(/\{/y) && ($1 = $JsonObject()) != null ? $1 : undefined) ?? $Body())), $_(), found) : undefined)
}
const $Body = () => {
  let $0, entries, $2, $1
  return ($0 = $at, ((entries = $many(() => (($1 = $Entry()) != null ? ($Separator(), $1) : undefined))), ($from = $0, object(entries, at()))))
}
const $Separator = () => {
  let $0, $1
  return (($_(), (($literal(",") ? ($_(), '') : undefined) ?? null), ''))
}
const $Entry = () => {
  let $0, keys, assigned, value
  return ($0 = $at, (keys = $Keys()) != null && ($from = $at, enter(keys.length - 1)) && ((assigned = (($scan(/[=:]/y) ?? ($expect("="), $expect(":"))) ?? null)), $_(), (value = $Value()) != null) ? ($from = $0, action0(keys, assigned, value)) : void ($at = $0))
}
const $Keys = () => {
  let $1, $0
  return $some(() => (($0 = $Key()) != null ? ($_(), $0) : undefined))
}
const $Key = () => {
  let $0, text
  return ($0 = $at, (text = ($Name() ?? $String())) != null ? ($from = $0, { text, at: at() }) : undefined)
}
const $Name = () => ($scan(/[\p{L}_][\p{L}\p{Nd}_.\-]*/yu) ?? $expect("a name"))
const $Value = () => {
  let $0, entries, $2, $1, $3, items, $5, $4, $6, value
  return (($0 = $at, $literal("{") && ($from = $at, enter()) && ($_(), (entries = $many(() => (($1 = $Entry()) != null ? ($Separator(), $1) : undefined))), $literal("}")) && ($from = $at, leave()) ? ($from = $0, object(entries, at())) : void ($at = $0)) ?? ($3 = $at, $literal("[") && ($from = $at, enter()) && ($_(), (items = $many(() => ($5 = $at, ($4 = $Value()) != null && ($_(), (($literal(",") && ($_(), true)) || $see(/\]/y))) ? $4 : void ($at = $5)))), $literal("]")) && ($from = $at, leave()) ? ($from = $3, { kind: 'list', items, at: at() }) : void ($at = $3)) ?? ($6 = $at, (value = ($String() ?? $Heredoc())) != null ? ($from = $6, { kind: 'string', value, at: at() }) : undefined) ?? $Number() ?? $Word())
}
const $Word = () => {
  let $0, word
  return ($0 = $at, (word = ($literal("true") ?? $literal("false") ?? $literal("null"))) != null && !$see(/[\p{L}\p{Nd}_.\-]/yu) ? ($from = $0, word === 'null'
        ? { kind: 'null', value: null, at: at() }
        : { kind: 'bool', value: word === 'true', at: at() }) : void ($at = $0))
}
const $Number = () => {
  let $0, text
  return (($0 = $at, (text = $scan(/-?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?)/y)) != null && !$see(/[\p{L}\p{Nd}_.]/yu) ? ($from = $0, action1(text)) : void ($at = $0)) ?? $expect("a number"))
}
const $String = () => {
  let $0, parts, $2, $1
  return ($0 = $at, $literal("\"") && ((parts = $many(() => ((($1 = $scan(/[^"\\\n\r]+/y)) != null ? $1 : undefined) ?? $Escape()))), ($literal("\"") || ($from = $at, error('the string is not closed on its line')))) ? ($from = $0, parts.join('')) : void ($at = $0))
}
const $Escape = () => {
  let $1, $0, $2, sign, $3, digits, $4, $5
  return ($1 = $at, $literal("\\") && ($0 = (((sign = ($scan(/[ntrbfav"\\\/]/y))) != null ? escapes[sign] : undefined) ?? ($3 = $at, $literal("u") && (digits = $scan(/(?:[0-9a-fA-F]){4}/y)) != null ? ($from = $3, String.fromCharCode(Number.parseInt(digits, 16))) : void ($at = $3)) ?? ($4 = $at, $literal("U") && (digits = $scan(/(?:[0-9a-fA-F]){8}/y)) != null ? ($from = $4, character(digits)) : void ($at = $4)) ?? ($5 = $at, $literal("x") && (digits = $scan(/(?:[0-9a-fA-F]){2}/y)) != null ? ($from = $5, character(digits)) : void ($at = $5)) ?? (($from = $at, action2()) ? '' : undefined))) != null ? $0 : void ($at = $1))
}
const $Hex = () => ($scan(/[0-9a-fA-F]/y))
const $Heredoc = () => {
  let $0, dash, tag, lines, $2, $3, end, $1, $4
  return ($0 = $at, $literal("<<") && ((dash = ($literal("-") ?? null)), (tag = $Tag()) != null) && ($scan(/[ \t]*/y), ($literal("\r") ?? null), $literal("\n")) && ((lines = $many(() => (!$peek(() => ($3 = $at, ($scan(/[ \t]*/y), (end = $Tag()) != null) && (end === tag) && $EndOfLine() != null ? '' : void ($at = $3)) != null) && ($1 = $scan(/[^\n]*\n/y)) != null ? $1 : undefined))), (($4 = $at, ($scan(/[ \t]*/y), $Tag() != null) && $see(/(?:[ \t]*(?:\r?\n|(?![^])))/y) ? '' : void ($at = $4)) != null || ($from = $at, error(`the heredoc is not closed: no line says ${tag} alone`)))) ? ($from = $0, dash ? unindent(lines) : lines.join('')) : void ($at = $0))
}
const $Tag = () => ($scan(/[\p{L}_][\p{L}\p{Nd}_]*/yu) ?? $expect("the heredoc's end mark"))
const $EndOfLine = () => {
  let $0, $1
  return ($0 = $at, ($scan(/[ \t]*/y), (($1 = $at, (($literal("\r") ?? null), $literal("\n")) ? '' : void ($at = $1)) != null || !$see(/[^]/y))) ? '' : void ($at = $0))
}
const $JsonObject = () => {
  let $0, entries
  return ($0 = $at, $literal("{") && ($from = $at, enter()) && ($_(), (entries = $list($JsonMember, $Comma)), $literal("}")) && ($from = $at, leave()) ? ($from = $0, object(entries, at())) : void ($at = $0))
}
const $JsonMember = () => {
  let $0, key, value
  return ($0 = $at, (key = $JsonKey()) != null && ($_(), $literal(":")) && ($_(), (value = $JsonValue()) != null) ? ($_(), { keys: [key], value, assigned: true, at: key.at }) : void ($at = $0))
}
const $JsonKey = () => {
  let $0, text
  return ($0 = $at, (text = $String()) != null ? ($from = $0, { text, at: at() }) : undefined)
}
const $JsonValue = () => {
  let $0, items, $2, $1, $3, value
  return ($JsonObject() ?? ($0 = $at, $literal("[") && ($from = $at, enter()) && ($_(), (items = $list(() => (($1 = $JsonValue()) != null ? ($_(), $1) : undefined), $Comma)), $literal("]")) && ($from = $at, leave()) ? ($from = $0, { kind: 'list', items, at: at() }) : void ($at = $0)) ?? ($3 = $at, (value = $String()) != null ? ($from = $3, { kind: 'string', value, at: at() }) : undefined) ?? $Number() ?? $Word())
}
const $Comma = () => {
  let $0
  return ($literal(",") ? ($_(), '') : undefined)
}
const $_ = () => {
  let $0
  return ($silent += 1, $0 = $many(() => (($scan(/[ \t\r\n]/y)) ?? $Comment())), $silent -= 1, $0)
}
const $Comment = () => {
  let $0, $1
  return ((($literal("#") || $literal("//")) ? ($scan(/[^\n]*/y), '') : undefined) ?? ($1 = $at, $literal("/*") && ($scan(/(?:(?!\*\/)[^])*/y), ($literal("*/") || ($from = $at, error('the comment is not closed')))) ? '' : void ($at = $1)))
}

export function parse(text, given) {
  $input = text
  options = given
  $at = $from = $farthest = $silent = $missed = 0
  $offset = $begin = 0
  $line = 1
  const value = $Document()
  if (value != null) {
    if ($at === text.length) return value
    $expect('the end')
  }
  return options.fail(null, $farthest, $farthest + 1, $expected.slice(0, $missed))
}
