// Generated from grammar/filter.peggy by `npm run gen`. Do not edit.
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

// This runs once, not for each text (see scripts/peggy-compact.mjs): `options` are those of the text being read.

// Where the node being built ends. (`range()` says so too, at the price of an object per node.)
const end = () => $at

const enter = () => options.nest(1, offset())
const leave = () => options.nest(-1)

const selector = (path) => ({ path, start: offset(), end: end() })
const literal = (form, text) => ({ type: 'value', form, text, start: offset(), end: end() })
// A bare name in a value's place is its own text (`Status == running`): nothing is looked up.
const bareName = (path) => literal('string', path.join('.'))

// bexpr reads a quoted value that looks like a pointer as one, and so drops its leading slash.
const quoted = (raw) => {
  const path = options.bexpr ? options.pointerPath(raw) : null
  return literal('string', path === null ? options.unquote(raw, error) : path.join('/'))
}
const pointer = (raw) => {
  const path = options.pointerPath(raw)
  return path && selector(path)
}

// The mistake is where the quote was opened.
const closed = (text, quote) => (quote === null ? error('this string is not closed') : text)

const chain = (type, first, rest) =>
  rest.length === 0 ? first : { type, operands: [first, ...rest], start: offset(), end: end() }

// What stands left of the operator being read: as a selector if it can be one, as a value if it can be one.
let leftSelector = null
let leftValue = null
let leftStart = 0
const left = (selector, value) => {
  leftSelector = selector
  leftValue = value
  leftStart = offset()
  return true
}

const match = (op, negated, operand, ignoreCase, selector = leftSelector) =>
  ({ type: 'match', selector, op, negated, operand, ignoreCase, start: leftStart, end: end() })
const $set0 = /* @__PURE__ */ $among(/[a-zA-Z0-9_\/]/)
const $set1 = /* @__PURE__ */ $among(/[a-zA-Z]/)
const $set2 = /* @__PURE__ */ $among(/[a-zA-Z0-9_]/)
const $set3 = /* @__PURE__ */ $among(/[0-9]/)
const $set4 = /* @__PURE__ */ $among(/[ \t\r\n)]/)
const $set5 = /* @__PURE__ */ $among(/[a-zA-Z0-9_.]/)
const $set6 = /* @__PURE__ */ $among(/[ \t\r\n]/)
const $Expression = () => {
  let $1, $0
  return ($1 = $at, ($_(), ($0 = $Or()) != null) ? ($_(), $0) : void ($at = $1))
}
const $Or = () => {
  let $0, first, rest, last, $2, $1, $4, $3
  return (($0 = $at, (first = $And()) != null ? ((rest = $many($OrAnd)), (last = (($2 = $at, (options.bexpr) && $before() != null && $literal("or") && $after() != null && ($1 = $Quantifier()) != null ? $1 : void ($at = $2)) ?? null)), ($from = $0, chain('or', first, last === null ? rest : [...rest, last]))) : undefined) ?? ((options.bexpr) && ($3 = $Quantifier()) != null ? $3 : undefined))
}
const $OrAnd = () => {
  let $1, $0
  return ($1 = $at, $before() != null && $literal("or") && $after() != null && ($0 = $And()) != null ? $0 : void ($at = $1))
}
const $And = () => {
  let $0, first, rest
  return ($0 = $at, (first = $Not()) != null ? ((rest = $many($AndNot)), ($from = $0, chain('and', first, rest))) : undefined)
}
const $AndNot = () => {
  let $1, $0
  return ($1 = $at, $before() != null && $literal("and") && $after() != null && ($0 = $Not()) != null ? $0 : void ($at = $1))
}
const $Not = () => {
  let $0, $1, operand
  return (($0 = $at, ($1 = $at, $literal("not") && $after() != null ? ($from = $1, enter()) : void ($at = $1)) != null && ((operand = ($Not() ?? null)), ($from = $at, leave() && operand !== null)) ? ($from = $0, operand.type === 'not' ? operand.operand : { type: 'not', operand, start: offset(), end: end() }) : void ($at = $0)) ?? $Operand())
}
const $Operand = () => {
  let $1, $2, $0, $4, $3
  return (($1 = $at, ($2 = $at, $literal("(") ? ($from = $2, enter()) : undefined) != null && ($_(), ($0 = $Or()) != null) && ($_(), $literal(")")) && $leave() != null ? $0 : void ($at = $1)) ?? ((!options.bexpr) && ($3 = $Quantifier()) != null ? $3 : undefined) ?? $Match())
}
const $Quantifier = () => {
  let $0, type, over, names, $1, body
  return ($0 = $at, (type = ($literal("any") ?? $literal("all"))) != null && $after() != null && (over = $Selector()) != null && $before() != null && $literal("as") && $after() != null && (names = $Names()) != null && ($_(), ($1 = $at, $literal("{") ? ($from = $1, enter()) : undefined) != null) && ($_(), (body = $Or()) != null) && ($_(), $literal("}")) && $leave() != null ? ($from = $0, { type, selector: over, ...names, body, start: offset(), end: end() }) : void ($at = $0))
}
const $Names = () => {
  let $0, value, $1, first, second, $3, $2
  return (($0 = $at, $literal("_") && ($_(), $literal(",")) && ($_(), (value = $Name()) != null) ? { name: null, key: null, value } : void ($at = $0)) ?? ((first = $Name()) != null ? ((second = (($3 = $at, ($_(), $literal(",")) && ($_(), ($2 = ($literal("_") ?? $Name())) != null) ? $2 : void ($at = $3)) ?? null)), second === null
        ? { name: first, key: null, value: null }
        : { name: null, key: first, value: second === '_' ? null : second }) : undefined))
}
const $Match = () => {
  let $1, $0, $3, $2, $5, $4
  return ($1 = $at, $Left() != null && ($0 = (((leftSelector !== null) && ($2 = $Comparison()) != null ? $2 : undefined) ?? ($5 = $at, $before() != null && ($4 = $In()) != null ? $4 : void ($at = $5)))) != null ? $0 : void ($at = $1))
}
const $Left = () => {
  let $0, path, $1, value, $2, raw
  return (($0 = $at, (path = $Path()) != null ? ($from = $0, left(selector(path), bareName(path))) : undefined) ?? ($1 = $at, (value = ($Number() ?? $Raw())) != null ? ($from = $1, left(null, value)) : undefined) ?? ($2 = $at, (raw = $Quoted()) != null ? ($from = $2, left(pointer(raw), quoted(raw))) : undefined))
}
const $Comparison = () => {
  let $1, blanks, $0, $2, op, operand, fold, $3, $5, $4
  return ($1 = $at, ((blanks = $_()), ($0 = (($2 = $at, (op = ($literal("==") ?? $literal("!="))) != null && ($_(), (operand = $Value()) != null) ? ((fold = $Fold()), ($from = $2, match('==', op === '!=', operand, fold))) : void ($at = $2)) ?? ($3 = $at, (!options.bexpr) && (op = $Order()) != null && ($_(), (operand = $Value()) != null) ? ($from = $3, match(op, false, operand, false)) : void ($at = $3)) ?? ((!options.bexpr || blanks !== '') && ($4 = $Words()) != null ? $4 : undefined))) != null) ? $0 : void ($at = $1))
}
const $Order = () => ($literal("<=") ?? $literal("<") ?? $literal(">=") ?? $literal(">"))
const $Words = () => {
  let $0, negated, op, $2, $1, $3, operand, fold, $4, $5, values
  return (($0 = $at, $literal("is") && $after() != null && ((negated = $Negated()), (op = ($literal("empty") ?? $literal("nil"))) != null) && $boundary() != null ? ($from = $0, match('is ' + op, negated, null, false)) : void ($at = $0)) ?? ($2 = $at, ((negated = $Negated()), ($1 = (($3 = $at, $literal("contains") && $after() != null && (operand = $Value()) != null ? ((fold = $Fold()), ($from = $3, match('in', negated, operand, fold))) : void ($at = $3)) ?? ($4 = $at, $literal("matches") && $after() != null && (operand = $Literal()) != null ? ((fold = $Fold()), ($from = $4, match('matches', negated, operand, fold))) : void ($at = $4)) ?? ($5 = $at, $literal("in") && $after() != null && (!options.bexpr) && (values = $List()) != null ? ((fold = $Fold()), ($from = $5, match('one of', negated, values, fold))) : void ($at = $5)))) != null) ? $1 : void ($at = $2)) ?? $In())
}
const $In = () => {
  let $0, negated, target, fold
  return ($0 = $at, ((negated = $Negated()), $literal("in")) && $after() != null && (target = $Selector()) != null ? ((fold = $Fold()), ($from = $0, match('in', negated, leftValue, fold, target))) : void ($at = $0))
}
const $Negated = () => {
  let $0, $1
  return (($0 = $at, $literal("not") && $after() != null ? true : void ($at = $0)) ?? (false))
}
const $Fold = () => {
  let $0, $1
  return (($0 = $at, (!options.bexpr) && $before() != null && $literal("ignoring") && $after() != null && $literal("case") && $boundary() != null ? true : void ($at = $0)) ?? (false))
}
const $Selector = () => {
  let $0, path, $1, raw
  return (($0 = $at, (path = $Path()) != null ? ($from = $0, selector(path)) : undefined) ?? ($1 = $at, (raw = $Quoted()) != null && ($from = $at, pointer(raw) !== null) ? ($from = $1, pointer(raw)) : void ($at = $1)))
}
const $Path = () => {
  let $0, first, rest
  return ((first = $Name()) != null ? ((rest = $many($Segment)), [first, ...rest]) : undefined)
}
const $Segment = () => {
  let $1, $0, $3, $2, $4, value
  return (($1 = $at, $literal(".") && ($0 = ($Name() ?? $Digits())) != null ? $0 : void ($at = $1)) ?? ($3 = $at, $literal("[") && ($_(), ($2 = ((value = ($Raw() ?? $Text())) != null ? value.text : undefined)) != null) && ($_(), $literal("]")) ? $2 : void ($at = $3)))
}
const $Name = () => {
  let $1, $0
  return ((((options.bexpr) && ($0 = $span($set1, $set0)) != null ? $0 : undefined) ?? $span($set1, $set2)) ?? $expect("a name"))
}
const $Digits = () => ($span($set3, $set3) ?? $expect("a number"))
const $Value = () => {
  let $0, selector
  return ($Literal() ?? ($0 = $at, (!options.bexpr) && $literal("@") && (selector = $Selector()) != null ? ($from = $0, { type: 'field', selector, start: offset(), end: end() }) : void ($at = $0)))
}
const $List = () => {
  let $0, values, $1, first, rest, $3, $2
  return ($0 = $at, $literal("[") && ($_(), (values = (((first = $Literal()) != null ? ((rest = $many(() => ($3 = $at, ($_(), $literal(",")) && ($_(), ($2 = $Literal()) != null) ? $2 : void ($at = $3)))), [first, ...rest]) : undefined) ?? null)), $_(), $literal("]")) ? ($from = $0, { type: 'values', values: values ?? [], start: offset(), end: end() }) : void ($at = $0))
}
const $Literal = () => {
  let $0, path
  return (($0 = $at, (path = $Path()) != null ? ($from = $0, bareName(path)) : undefined) ?? $Number() ?? $Raw() ?? $Text())
}
const $Number = () => {
  let $0, text
  return (($0 = $at, (text = $scan(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/y)) != null ? ($NumberEnd(), ($from = $0, literal('number', text))) : undefined) ?? $expect("a number"))
}
const $NumberEnd = () => {
  let $0, $1, $2
  return (((options.bexpr) && ($is($set4) || !$see(/[^]/y)) ? '' : undefined) ?? ((!options.bexpr) && !$is($set5) ? '' : undefined) ?? ($2 = $at, ($from = $2, error('invalid number literal'))))
}
const $Text = () => {
  let $0, raw
  return ($0 = $at, (raw = $Quoted()) != null ? ($from = $0, quoted(raw)) : undefined)
}
const $Quoted = () => {
  let $0, $1, text, quote
  return ($silent += 1, $0 = ($1 = $at, $literal("\"") ? ((text = $scan(/[^"]*/y)), (quote = ($literal("\"") ?? null)), ($from = $1, closed(text, quote))) : undefined), $silent -= 1, $0 ?? $expect("a double-quoted string"))
}
const $Raw = () => {
  let $0, $1, text, quote
  return ($silent += 1, $0 = ($1 = $at, $literal("`") ? ((text = $scan(/[^`]*/y)), (quote = ($literal("`") ?? null)), ($from = $1, literal('string', options.bexpr ? closed(text, quote).replaceAll('\r', '') : closed(text, quote)))) : undefined), $silent -= 1, $0 ?? $expect("a backtick string"))
}
const $leave = () => (($from = $at, leave()) ? '' : undefined)
const $_ = () => $span(null, $set6)
const $before = () => {
  let $0, blanks
  return (($0 = $at, ((blanks = $_()), (!options.bexpr || blanks !== '')) ? blanks : void ($at = $0)) ?? $expect("a blank"))
}
const $after = () => {
  let $0, blanks
  return (($0 = $at, $boundary() != null && ((blanks = $_()), (!options.bexpr || blanks !== '')) ? blanks : void ($at = $0)) ?? $expect("a blank"))
}
const $boundary = () => ((!$is($set2) ? '' : undefined) ?? $expect("a blank"))

export function parse(text, given) {
  $input = text
  options = given
  $at = $from = $farthest = $silent = $missed = 0
  const value = $Expression()
  if (value != null) {
    if ($at === text.length) return value
    $expect('the end')
  }
  return options.fail(null, $farthest, $farthest + 1, $expected.slice(0, $missed))
}
