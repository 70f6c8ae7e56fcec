// Writes a parser for a Peggy grammar, smaller and faster than Peggy's own output. Peggy reads the grammar; this
// turns each rule into one function of one expression:
//   - a rule gives its value, or `undefined` where the text is not that; `null` is only what an optional left out
//     gives, so alternatives are joined by `??` and sequences by `&&`;
//   - text made of characters only (`$([a-z] [a-z0-9]*)`) becomes one sticky regular expression;
//   - the parser's state is the module's, reset for each text: rules are functions that exist once. So the
//     grammar's initializer runs once, and `options` in it are those of the text being read;
//   - what was expected is noted as texts: the names of rules have a blank in them, literals have none;
//   - a text that cannot be read goes to `options.fail(message, start, end, expected)`, which must throw.
// What the grammar's language has beyond what is used here is refused. A test holds parsers made this way against
// Peggy's own.
import peggy from 'peggy'

/** The source of an ES module that exports `parse(text, options)`. */
export function compact(grammar) {
  const ast = peggy.generate(grammar, { output: 'ast' })
  const writer = new Writer(ast.rules)
  const rules = ast.rules.map((rule) => writer.rule(rule))
  const initial = `${ast.topLevelInitializer?.code ?? ''}\n${ast.initializer?.code ?? ''}`
  return `${runtime}${initial.includes('location()') ? places : ''}${writer.helpers()}
${dedent(initial).replaceAll('peg$currPos', '$at')}
${[...writer.functions, ...writer.sets].join('\n')}
${rules.join('\n')}

export function parse(text, given) {
  $input = text
  options = given
  $at = $from = $farthest = $silent = $missed = 0${initial.includes('location()') ? '\n  $offset = $begin = 0\n  $line = 1' : ''}
  const value = ${ruleName(ast.rules[0].name)}()
  if (value != null) {
    if ($at === text.length) return value
    $expect('the end')
  }
  return options.fail(null, $farthest, $farthest + 1, $expected.slice(0, $missed))
}
`
}

const runtime = `let options
// The text and how far it is read; where what an action sees begins; how far any rule came, and what it missed there.
let $input, $at, $from, $farthest, $silent, $missed
// One list for all texts, of which \`$missed\` count: a new one at every step would cost more than the step.
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
`

const places = `// The place last asked for: the next one is near.
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
  if ($begin < 0) $begin = $from === 0 ? 0 : $input.lastIndexOf('\\n', $from - 1) + 1
  return { start: { line: $line, column: $from - $begin + 1 } }
}
`

/** What only some grammars need. */
const helpers = {
  $some: `const $some = (one) => {
  const all = $many(one)
  if (all.length > 0) return all
}
`,
  $list: `const $list = (one, between) => {
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
`,
  $peek: `const $peek = (run) => {
  const back = $at
  $silent += 1
  const found = run()
  $silent -= 1
  $at = back
  return found
}
`,
}

class Writer {
  functions = []
  /** Sets of ASCII characters, as tables by code. */
  sets = []
  #rules
  #helpers = new Set()
  #locals = []
  #scopes = []
  #taken = 0

  constructor(rules) {
    this.#rules = new Map(rules.map((rule) => [rule.name, rule]))
  }

  helpers() {
    return [...this.#helpers].map((name) => helpers[name]).join('')
  }

  #helper(name) {
    this.#helpers.add(name)
    return name
  }

  rule({ name, expression }) {
    this.#locals = []
    this.#taken = 0
    const body = this.value(expression)
    const locals = [...new Set(this.#locals)]
    if (locals.length === 0) return `const ${ruleName(name)} = () => ${body}`
    return `const ${ruleName(name)} = () => {\n  let ${locals.join(', ')}\n  return ${body}\n}`
  }

  #local(name = `$${this.#taken++}`) {
    this.#locals.push(name)
    return name
  }

  /** An expression that gives what the node does, `undefined` where it fails. */
  value(node) {
    switch (node.type) {
      case 'group':
        return this.value(node.expression)
      case 'named': {
        const name = JSON.stringify(node.name)
        if (!node.name.includes(' ')) throw new Error(`the name of a rule must have a blank in it: ${name}`)
        const sure = this.isSure(node.expression)
        if (this.isQuiet(node.expression, node.name)) {
          if (sure) return this.value(node.expression)
          return `(${this.value(node.expression)} ?? $expect(${name}))`
        }
        const value = this.#local()
        const result = sure ? value : `${value} ?? $expect(${name})`
        return `($silent += 1, ${value} = ${this.value(node.expression)}, $silent -= 1, ${result})`
      }
      case 'choice':
        return `(${node.alternatives.map((one) => this.value(one)).join(' ?? ')})`
      case 'action':
        return this.#sequence(elementsOf(node.expression), node.code)
      case 'sequence':
        return this.#sequence(node.elements, undefined)
      case 'labeled':
        return node.label === null || node.label === undefined
          ? this.value(node.expression)
          : `(${this.#local(node.label)} = ${this.value(node.expression)})`
      case 'text': {
        const span = this.#span(elementsOf(inner(node.expression)))
        if (span !== undefined) return span
        const pattern = this.pattern(inner(node.expression))
        if (pattern !== undefined) return `$scan(/${pattern}/${this.#flags(node)})`
        const start = this.#local()
        return `(${start} = $at, ${this.condition(node.expression)} ? $input.slice(${start}, $at) : undefined)`
      }
      case 'optional':
        return `(${this.value(node.expression)} ?? null)`
      case 'zero_or_more':
        return `$many(${this.#callable(node.expression)})`
      case 'rule_ref':
        return `${ruleName(node.name)}()`
      case 'literal':
        if (node.value === '') return `''`
        if (node.ignoreCase || node.value.includes(' ')) throw new Error(`unknown literal ${node.value}`)
        return `$literal(${JSON.stringify(node.value)})`
      case 'class':
        return `($scan(/${this.pattern(node)}/${this.#flags(node)})${this.#noted(node)})`
      case 'repeated': {
        const { min, max, delimiter, expression } = node
        if (min === null || max?.value != null || min.value > 1)
          throw new Error('only `|1..|` and `|.., x|` are known')
        if (delimiter !== null && delimiter !== undefined) {
          return `${this.#helper('$list')}(${this.#callable(expression)}, ${this.#callable(delimiter)})`
        }
        return `${this.#helper('$some')}(${this.#callable(expression)})`
      }
      case 'semantic_and':
      case 'simple_and':
      case 'simple_not':
        return `(${this.condition(node)} ? '' : undefined)`
      default:
        throw new Error(`this grammar uses ${node.type} where a value is wanted`)
    }
  }

  /** An expression that is truthy exactly where the node does not fail. */
  condition(node) {
    switch (node.type) {
      case 'semantic_and':
        return /\(/.test(node.code) ? `($from = $at, ${this.#code(node.code)})` : `(${this.#code(node.code)})`
      case 'simple_and':
      case 'simple_not': {
        const not = node.type === 'simple_not' ? '!' : ''
        const set = this.#set(node.expression)
        if (set !== undefined) return `${not}$is(${set})`
        const pattern = this.pattern(node.expression)
        if (pattern === undefined) {
          return `${not}${this.#helper('$peek')}(() => ${this.condition(node.expression)})`
        }
        return `${not}$see(/${pattern}/${this.#flags(node)})`
      }
      case 'literal':
        return node.value === '' ? 'true' : this.value(node)
      case 'sequence':
        return this.#mayStopHalfway(node.elements)
          ? `${this.value(node)} != null`
          : `(${node.elements.map((one) => this.condition(one)).join(' && ')})`
      case 'group':
        return this.condition(node.expression)
      case 'choice':
        return `(${node.alternatives.map((one) => this.condition(one)).join(' || ')})`
      default:
        return this.isSure(node) ? `(${this.#step(node)}, true)` : `${this.value(node)} != null`
    }
  }

  /** Elements one after the other; where one fails, nothing is read. */
  #sequence(elements, code) {
    const picks = []
    const steps = elements.map((element) => {
      if (element.type !== 'labeled' || !element.pick) return element
      const label = element.label ?? `$${this.#taken++}`
      picks.push(label)
      return { ...element, label }
    })
    if (picks.length > 1) throw new Error('a sequence picks at most one of its elements')
    const start = this.#local()
    this.#scopes.push(...steps.map(({ label }) => label).filter(Boolean))
    const conditions = []
    // What never fails goes before what comes next.
    let before = []
    for (const step of steps.filter(({ value }) => value !== '')) {
      if (this.isSure(step)) before.push(this.#step(step))
      else {
        const condition = this.condition(step)
        conditions.push(before.length === 0 ? condition : `(${[...before, condition].join(', ')})`)
        before = []
      }
    }
    // Where nothing is picked, only whether it is there matters.
    const value = code === undefined ? (picks[0] ?? `''`) : this.#action(code, start)
    const result = before.length === 0 ? value : `(${[...before, value].join(', ')})`
    this.#scopes.length -= steps.filter(({ label }) => label).length
    const reset = this.#mayStopHalfway(steps) ? `void ($at = ${start})` : 'undefined'
    const all = conditions.length === 0 ? result : `${conditions.join(' && ')} ? ${result} : ${reset}`
    return all.includes(start) ? `(${start} = $at, ${all})` : `(${all})`
  }

  /** What never fails, for what it reads. */
  #step(node) {
    const pattern = node.type === 'zero_or_more' ? this.pattern(node) : undefined
    return pattern === undefined ? this.value(node) : `$scan(/${pattern}/${this.#flags(node)})`
  }

  #action(code, start) {
    const expression = this.#code(code)
    return /\(/.test(expression) ? `($from = ${start}, ${expression})` : expression
  }

  /** An action as one expression: what it returns, or a call of a function of its labels. */
  #code(code) {
    const text = code.trim()
    const returned = /^return\s+([^;]*)$/s.exec(text)
    if (returned !== null) return returned[1].trim()
    if (!/[\n;]|\breturn\b|\bconst\b/.test(text)) return text
    const used = this.#scopes.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
    const name = `action${this.functions.length}`
    this.functions.push(`const ${name} = (${used.join(', ')}) => {\n  ${text}\n}`)
    return `${name}(${used.join(', ')})`
  }

  #flags(node) {
    return JSON.stringify(node).includes('"unicode":true') ? 'yu' : 'y'
  }

  /** A class of a few signs is expected as each of them. */
  #noted({ parts, inverted }) {
    if (inverted || parts.length > 2 || parts.some((part) => part.length !== 1)) return ''
    return ` ?? (${parts.map((part) => `$expect(${JSON.stringify(part)})`).join(', ')})`
  }

  #callable(node) {
    return node.type === 'rule_ref' ? ruleName(node.name) : `() => ${this.value(node)}`
  }

  /** Whether something can fail behind something that reads. */
  #mayStopHalfway(steps) {
    let read = false
    for (const step of steps) {
      if (read && !this.isSure(step)) return true
      read ||= !['semantic_and', 'simple_and', 'simple_not'].includes(step.type)
    }
    return false
  }

  /** Whether a node never fails. */
  isSure(node) {
    switch (node.type) {
      case 'optional':
      case 'zero_or_more':
        return true
      case 'literal':
        return node.value === ''
      case 'action':
      case 'labeled':
      case 'group':
      case 'named':
      case 'text':
        return this.isSure(node.expression)
      case 'repeated':
        return node.min !== null && node.min.value === 0
      case 'sequence':
        return node.elements.every((one) => this.isSure(one))
      case 'choice':
        return node.alternatives.some((one) => this.isSure(one))
      case 'rule_ref':
        return this.#once(node.name, (rule) => this.isSure(rule.expression), false)
      default:
        return false
    }
  }

  /** Whether failing within a node notes nothing, or nothing but that name. */
  isQuiet(node, name) {
    switch (node.type) {
      case 'literal':
        return node.value === ''
      case 'simple_and':
      case 'simple_not':
        return true
      case 'class':
        return this.#noted(node) === ''
      case 'rule_ref':
        return this.#once(node.name, ({ expression }) => this.isQuiet(expression, name), true)
      case 'named':
        return node.name === name || this.isSure(node.expression)
      case 'choice':
        return node.alternatives.every((one) => this.isQuiet(one, name))
      case 'sequence':
        return node.elements.every((one) => this.isQuiet(one, name))
      case 'text':
        return this.pattern(node.expression) !== undefined || this.isQuiet(node.expression, name)
      default:
        return node.expression === undefined || this.isQuiet(node.expression, name)
    }
  }

  /** `[a-z] [a-z0-9]*` and `[0-9]*`, which are read by tables. */
  #span(elements) {
    const last = elements.at(-1)
    const more = last.type === 'one_or_more'
    if (elements.length > (more ? 1 : 2) || (!more && last.type !== 'zero_or_more')) return undefined
    const rest = this.#set(last.expression)
    const first = more ? rest : elements.length === 1 ? null : this.#set(elements[0])
    return rest === undefined || first === undefined ? undefined : `$span(${first}, ${rest})`
  }

  /** The table of a class that holds ASCII characters only. */
  #set(node) {
    if (node.type !== 'class' || node.inverted || node.ignoreCase || node.unicode) return undefined
    if (node.parts.flat().some((unit) => unit > '\x7f')) return undefined
    const table = `/* @__PURE__ */ $among(/${this.pattern(node)}/)`
    const known = this.sets.findIndex((set) => set.endsWith(` = ${table}`))
    return `$set${known === -1 ? this.sets.push(`const $set${this.sets.length} = ${table}`) - 1 : known}`
  }

  #asked = new Set()
  /** A question about a rule, which may lead to itself. */
  #once(name, ask, otherwise) {
    const key = `${name} ${ask}`
    if (this.#asked.has(key)) return otherwise
    this.#asked.add(key)
    const answer = ask(this.#rules.get(name))
    this.#asked.delete(key)
    return answer
  }

  /** The regular expression of a node that is made of characters, or nothing where it is made otherwise. */
  pattern(node) {
    switch (node.type) {
      case 'group':
        return wrapped(this.pattern(node.expression))
      case 'literal':
        return [...node.value].map((unit) => spelt(unit, node.ignoreCase)).join('')
      case 'any':
        return '[^]'
      case 'class': {
        const parts = node.parts.flatMap((part) => cases(part, node.ignoreCase).map(inClass))
        return `[${node.inverted ? '^' : ''}${parts.join('')}]`
      }
      case 'optional':
        return suffixed(this.pattern(atomic(node.expression)), '?')
      case 'zero_or_more':
        return suffixed(this.pattern(atomic(node.expression)), '*')
      case 'one_or_more':
        return suffixed(this.pattern(atomic(node.expression)), '+')
      case 'repeated':
        return node.delimiter || node.min !== null
          ? undefined
          : suffixed(this.pattern(atomic(node.expression)), `{${node.max.value}}`)
      case 'simple_not':
        return ahead('!', this.pattern(node.expression))
      case 'simple_and':
        return ahead('=', this.pattern(node.expression))
      case 'rule_ref': {
        const { expression } = this.#rules.get(node.name)
        return expression.type === 'named'
          ? undefined
          : this.#once(node.name, () => wrapped(this.pattern(expression)), undefined)
      }
      case 'sequence':
        return joined(
          node.elements.map((one) => this.pattern(one)),
          '',
        )
      case 'choice':
        return wrapped(
          joined(
            node.alternatives.map((one) => this.pattern(one)),
            '|',
          ),
        )
      default:
        return undefined
    }
  }
}

const ruleName = (name) => `$${name}`
const inner = (node) => (node.type === 'group' && node.expression.type !== 'choice' ? node.expression : node)
const elementsOf = (node) => (node.type === 'sequence' ? node.elements : [node])
const atomic = (node) =>
  ['class', 'any', 'group', 'choice'].includes(node.type) || node.value?.length === 1
    ? node
    : { type: 'group', expression: node }
const wrapped = (pattern) =>
  pattern === undefined || /^\(\?:[^()]*\)$/.test(pattern) ? pattern : `(?:${pattern})`
const suffixed = (pattern, suffix) => (pattern === undefined ? undefined : pattern + suffix)
const joined = (patterns, by) => (patterns.includes(undefined) ? undefined : patterns.join(by))
const ahead = (sign, pattern) => (pattern === undefined ? undefined : `(?${sign}${pattern})`)
const spelt = (unit, ignoreCase) =>
  ignoreCase && unit.toLowerCase() !== unit.toUpperCase()
    ? `[${unit.toLowerCase()}${unit.toUpperCase()}]`
    : ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }[unit] ?? unit.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
const cases = (part, ignoreCase) => {
  const both = (change) => (Array.isArray(part) ? part.map(change) : change(part))
  if (!ignoreCase || (typeof part === 'object' && !Array.isArray(part))) return [part]
  const lower = both((unit) => unit.toLowerCase())
  const upper = both((unit) => unit.toUpperCase())
  return String(lower) === String(upper) ? [part] : [lower, upper]
}
const inClass = (part) =>
  Array.isArray(part)
    ? part.map(inClass).join('-')
    : typeof part === 'string'
      ? ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }[part] ?? part.replace(/[\\\]^/-]/, '\\$&'))
      : `\\${part.value}`
const dedent = (code) => code.replace(/^ {2}/gm, '').trim()
