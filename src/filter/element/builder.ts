import type { Expression, Range } from '../ast.ts'
import type { FieldDescription } from '../checking/describe-fields.ts'
import { format } from '../writing/format.ts'
import { selectorText } from '../writing/selector-text.ts'
import {
  arityOf,
  choicesFor,
  defaultFor,
  exampleFor,
  expressionOf,
  firstRowOf,
  type Group,
  groupOf,
  isRow,
  type Join,
  type Row,
  rowOf,
  textsFor,
  valuesOf,
} from './conditions.ts'
import { create } from './dom.ts'

/** Replaces a condition; `undefined` removes it. */
type Replace = (condition: Expression | undefined, focus?: string) => void

const joins: Readonly<Record<Join, string>> = {
  all: 'all of these hold',
  any: 'any of these holds',
  none: 'none of these holds',
  'not all': 'not all of these hold',
}

/** Options of a {@link Builder}. */
interface BuilderOptions {
  /** Takes the expression after each edit; `undefined` if there is no condition. */
  readonly edited: (expression: Expression | undefined) => void
  /** Shows a condition that is no row in the text box: its canonical text, and its place if it is still there. */
  readonly select: (text: string, place: Range | undefined) => void
}

/** An expression as rows of a field, an operator and values. The expression is all its state. */
export class Builder {
  readonly panel = create('fieldset', { id: 'builder', part: 'builder', hidden: true })
  readonly #options: BuilderOptions
  /** Whether the text was written anew since the conditions were made from it. */
  #isMoved = false
  #fields: readonly FieldDescription[] = []
  /** The fields as choices, to be copied into each row; made when first needed. */
  #fieldOptions: HTMLSelectElement | undefined

  constructor(options: BuilderOptions) {
    this.#options = options
  }

  set fields(fields: readonly FieldDescription[]) {
    this.#fields = fields.filter(({ operators }) => operators.length > 0)
    this.#fieldOptions = undefined
  }

  /** Shows an expression, or `'unreadable'`: then nothing can be edited. */
  show(expression: Expression | undefined | 'unreadable'): void {
    const isReadable = expression !== 'unreadable'
    this.panel.disabled = !isReadable
    if (isReadable) this.#render(expression)
    this.#isMoved = false
    const note = create('p', { part: 'note' }, 'Correct the text to edit it as conditions.')
    this.panel.querySelector('[part=note]')?.remove()
    if (!isReadable) this.panel.prepend(note)
  }

  #render(expression: Expression | undefined, focus?: string): void {
    const group = (expression && groupOf(expression)) ?? {
      join: 'all',
      conditions: expression === undefined ? [] : [expression],
    }
    this.panel.replaceChildren(
      create('legend', {}, 'Conditions'),
      this.#group(group, '', (replaced, key) => this.#edit(replaced, key)),
    )
    if (focus === undefined) return
    const focused = this.panel.querySelector<HTMLElement>(`[data-key="${focus}"]`)
    ;(focused ?? this.panel.querySelector<HTMLElement>('[data-key]'))?.focus()
  }

  #edit(expression: Expression | undefined, focus?: string): void {
    // While a value is typed, its row stays.
    if (focus !== undefined) this.#render(expression, focus)
    this.#isMoved = true
    this.#options.edited(expression)
  }

  #group(group: Group, key: string, replace: Replace): HTMLElement {
    let { conditions } = group
    const change = (next: readonly Expression[], focus?: string) => {
      conditions = next
      replace(expressionOf({ join: group.join, conditions }), focus)
    }
    const join = create(
      'select',
      {
        'data-key': `${key}join`,
        'aria-label': 'How the conditions are joined',
        // Of a single condition, only what is not true of it can be said.
        hidden: conditions.length === 1 && (group.join === 'all' || group.join === 'any'),
        onchange: () => replace(expressionOf({ join: join.value as Join, conditions }), `${key}join`),
      },
      ...Object.entries(joins).map(([value, text]) => optionOf(value, text)),
    )
    join.value = group.join
    const items = conditions.map((condition, at) => {
      const own = `${key}${at}.`
      const put: Replace = (replaced, focus) =>
        change(
          conditions.flatMap((each, index) => (index === at ? (replaced ?? []) : each)),
          focus,
        )
      const name = `condition ${own.slice(0, -1)}`.replace(/\d+/g, (index) => `${Number(index) + 1}`)
      const remove = button('×', `Remove ${name}`, `${own}remove`, () =>
        put(undefined, conditions.length > 1 ? `${key}${Math.max(0, at - 1)}.remove` : `${key}add`),
      )
      const inner = groupOf(condition)
      const shown =
        inner !== undefined
          ? this.#group(inner, own, put)
          : isRow(condition)
            ? this.#row(condition, own, name, put)
            : this.#text(condition, own)
      return create('div', { role: 'group', 'aria-label': name, part: 'condition' }, shown, remove)
    })
    const added = () => this.#fields.flatMap((field) => firstRowOf(field) ?? []).slice(0, 1)
    const add = button('Add a condition', '', `${key}add`, () =>
      change([...conditions, ...added()], `${key}${conditions.length}.field`),
    )
    const addGroup = button('Add a group', '', `${key}add-group`, () => {
      const inner = {
        join: group.join === 'all' ? 'any' : 'all',
        conditions: [...added(), ...added()],
      } as const
      change([...conditions, expressionOf(inner) ?? []].flat(), `${key}${conditions.length}.0.field`)
    })
    const isEmpty = conditions.length === 0
    return create(
      'div',
      { part: 'group' },
      ...(isEmpty ? [] : [join, create('div', {}, ...items)]),
      create('p', {}, add, ' ', ...(isEmpty ? [] : [addGroup])),
    )
  }

  /** What no row can show: it is edited as text. */
  #text(condition: Expression, key: string): HTMLElement {
    const edit = button('Edit as text', '', `${key}text`, () =>
      this.#options.select(format(condition), this.#isMoved ? undefined : condition),
    )
    return create('div', { part: 'row' }, create('code', {}, format(condition)), edit)
  }

  #row(row: Row, key: string, name: string, replace: Replace): HTMLElement {
    const selector = selectorText(row.selector.path)
    const field = this.#fields.find((each) => each.selector === selector) ?? unknownField(selector, row)
    const held = { texts: valuesOf(row).map(({ text }) => text) }
    const fields = create('select', {
      'data-key': `${key}field`,
      'aria-label': `Field of ${name}`,
      onchange: () => {
        const chosen = this.#fields.find((each) => each.selector === fields.value)
        if (chosen === undefined) return
        const choices = choicesFor(chosen)
        const choice = choices.find(({ op, negated }) => op === row.op && negated === row.negated)
        const isAlike = choice !== undefined && chosen.kind === field.kind && chosen.texts === undefined
        const [first] = choices
        if (first !== undefined)
          replace(rowOf(chosen, choice ?? first, isAlike ? held.texts : []), `${key}field`)
      },
    })
    this.#fieldOptions ??= create('select', {}, ...this.#fields.map((each) => optionOf(each.selector)))
    fields.append(...(this.#fieldOptions.cloneNode(true) as Element).children)
    if (!this.#fields.some((each) => each.selector === selector)) fields.prepend(optionOf(selector))
    fields.value = selector
    const choices = choicesFor(field)
    const operators = create(
      'select',
      {
        'data-key': `${key}operator`,
        'aria-label': `Operator of ${name}`,
        onchange: () => {
          const choice = choices[operators.selectedIndex]
          if (choice === undefined) return
          const isAlike = textsFor(field, choice.op)?.includes(held.texts[0] ?? '') !== false
          replace(rowOf(field, choice, isAlike ? held.texts : [], row.ignoreCase), `${key}operator`)
        },
      },
      ...choices.map(({ label }) => optionOf(label)),
    )
    operators.selectedIndex = choices.findIndex(({ op, negated }) => op === row.op && negated === row.negated)
    return create(
      'div',
      { part: 'row' },
      fields,
      operators,
      ...this.#values(row, field, held, key, name, replace),
      ...(row.ignoreCase ? [create('span', {}, 'ignoring case')] : []),
    )
  }

  #values(
    row: Row,
    field: FieldDescription,
    held: { texts: readonly string[] },
    key: string,
    name: string,
    replace: Replace,
  ): readonly HTMLElement[] {
    const { op, ignoreCase } = row
    const change = (next: readonly string[], focus?: string) => {
      held.texts = next
      replace(rowOf(field, row, next, ignoreCase), focus)
    }
    const known = textsFor(field, op)
    const isList = arityOf(op) === undefined
    const editors = held.texts.flatMap((text, at): HTMLElement[] => {
      const own = {
        'data-key': `${key}value${at}`,
        'aria-label': `${valueNames(op)[at] ?? `Value ${at + 1}`} of ${name}`,
      }
      const put = (value: string) => change(held.texts.map((each, index) => (index === at ? value : each)))
      const editor =
        known === undefined ? textBox(text, exampleFor(field, op), own, put) : choiceOf(text, known, own, put)
      const remove = button('−', `Remove value ${at + 1} of ${name}`, `${key}less${at}`, () =>
        change(
          held.texts.filter((_, index) => index !== at),
          `${key}value${Math.max(0, at - 1)}`,
        ),
      )
      return isList && held.texts.length > 1 ? [editor, remove] : [editor]
    })
    if (!isList) return editors
    const more = button('+', `Add a value to ${name}`, `${key}more`, () => {
      const next = known?.find((each) => !held.texts.includes(each)) ?? defaultFor(field, op)
      change([...held.texts, next], `${key}value${held.texts.length}`)
    })
    return [...editors, more]
  }
}

const valueNames = (op: Row['op']): readonly string[] =>
  op === 'between' ? ['Least value', 'Greatest value'] : arityOf(op) === 1 ? ['Value'] : []

/** A field that is not described: it keeps the operator that was written. */
const unknownField = (selector: string, { op }: Row): FieldDescription => ({
  selector,
  kind: 'any',
  optional: true,
  operators: [op],
})

const optionOf = (value: string, text = value): HTMLOptionElement => create('option', { value }, text)

const button = (text: string, label: string, key: string, onclick: () => void): HTMLButtonElement =>
  create(
    'button',
    { type: 'button', 'data-key': key, 'aria-label': label === '' ? undefined : label, onclick },
    text,
  )

type Own = Readonly<Record<string, string>>

function textBox(value: string, placeholder: string, own: Own, put: (value: string) => void): HTMLElement {
  const box = create('input', { ...own, placeholder, autocomplete: 'off', oninput: () => put(box.value) })
  box.value = value
  return box
}

function choiceOf(
  value: string,
  texts: readonly string[],
  own: Own,
  put: (value: string) => void,
): HTMLElement {
  const all = texts.includes(value) ? texts : [value, ...texts]
  const choice = create(
    'select',
    { ...own, onchange: () => put(choice.value) },
    ...all.map((text) => optionOf(text)),
  )
  choice.value = value
  return choice
}
