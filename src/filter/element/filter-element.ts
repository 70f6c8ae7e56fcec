import type { Expression, Range } from '../ast.ts'
import type { FieldDescription } from '../checking/describe-fields.ts'
import { schemaOfFields } from '../checking/schema-of-fields.ts'
import { isBegun } from '../completing/is-begun.ts'
import type { FilterProblem } from '../error.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import { parse } from '../reading/parse.ts'
import { format } from '../writing/format.ts'
import { Builder } from './builder.ts'
import { create, setAttribute } from './dom.ts'
import { formPartOf } from './form-part.ts'
import { type FilterChange, type Judged, judge } from './judge.ts'
import { Mistakes } from './mistakes.ts'
import { addFilterStyle } from './style.ts'
import { Suggestions } from './suggestions.ts'

/** What an element is made of in a host without a DOM, where the module can be imported, but no element created. */
const HTMLElementOrNone = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement

const none: readonly FieldDescription[] = []

/**
 * The element `<plinth-filter>`: a text box for a filter expression, with completion, underlined mistakes and their
 * corrections, and with the attribute `builder` rows of a field, an operator and values that edit the same text.
 *
 * @remarks
 * The text is one line in the dialect `standard`, with the default limits and without parameters.
 *
 * Attributes: `fields` (JSON of what `describeFields` returns), `value`, `builder` (`open` to begin with the rows),
 * `name`, `placeholder`, `aria-label`, `disabled`, `readonly`, `required`. The event `change` comes after every edit of
 * the user; its `detail` is a {@link FilterChange}. A form sends the text under `name`, and is not submitted while the text
 * has a mistake. Custom properties for the style: `--filter-border`, `--filter-mistake`, `--filter-accent`,
 * `--filter-active`; parts: `field`, `input`, `suggestions`, `suggestion`, `problems`, `problem`, `fix`, `builder`, `row`.
 *
 * Keys: Control+Space or the arrow down open the suggestions, the arrows choose one, Enter takes it, Escape closes them;
 * F8 goes to the next mistake, Alt+Enter takes its correction.
 */
export class PlinthFilterElement extends HTMLElementOrNone {
  /** Tells the browser that it belongs to a form, as a text box does. */
  static readonly formAssociated = true
  /** The attributes whose changes it follows. */
  static readonly observedAttributes = [
    'fields',
    'value',
    'builder',
    'placeholder',
    'aria-label',
    'disabled',
    'readonly',
    'required',
  ]

  readonly #input = create('input', {
    part: 'input',
    role: 'combobox',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': 'suggestions',
    'aria-describedby': 'problems',
  })
  readonly #internals = formPartOf(this, this.#input)
  readonly #field = create('div', { part: 'field' })
  readonly #toggle = create(
    'button',
    {
      type: 'button',
      part: 'toggle',
      'aria-expanded': 'false',
      'aria-controls': 'builder',
      hidden: true,
      onclick: () => this.#showBuilder(this.#builder.panel.hidden === true),
    },
    'Conditions',
  )
  readonly #suggestions = new Suggestions(this.#input, ({ from, to, insert }) => {
    this.#replace(from, to, insert)
    // Something else follows a field and an operator, but not a value.
    if (!insert.endsWith(' ')) this.#suggestions.close()
  })
  readonly #mistakes = new Mistakes(this.#input, (problem) => this.#correct(problem))
  readonly #builder = new Builder({
    edited: (expression) => this.#write(expression === undefined ? '' : format(expression)),
    select: (text, place) => {
      const start = this.#text.indexOf(text)
      this.#select(place ?? { start, end: start + text.length })
    },
  })
  #fields = none
  /** The fields as JSON. */
  #fieldsText = '[]'
  #schema: FilterSchema | undefined
  #text = ''
  #isEdited = false
  #judged: Judged = judge('', undefined)

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    addFilterStyle(root)
    this.#field.append(this.#mistakes.underlines, this.#input)
    root.append(
      create('div', { part: 'box' }, this.#field, this.#toggle),
      this.#suggestions.list,
      create('div', { role: 'status' }, this.#mistakes.list),
      this.#builder.panel,
    )
    this.#listen()
  }

  /** Takes what was set before the element was defined. */
  connectedCallback(): void {
    for (const name of ['fields', 'value', 'disabled', 'readOnly', 'required'] as const) {
      if (!Object.hasOwn(this, name)) continue
      const given = this[name]
      Reflect.deleteProperty(this, name)
      Object.assign(this, { [name]: given })
    }
    this.#name()
    this.#judge()
  }

  /** Follows an attribute. */
  attributeChangedCallback(name: string, _before: string | null, after: string | null): void {
    switch (name) {
      case 'fields':
        this.fields = after === null ? none : JSON.parse(after)
        return
      case 'value':
        if (!this.#isEdited) this.#take(after ?? '')
        return
      case 'builder':
        this.#toggle.hidden = after === null
        this.#showBuilder(after === 'open')
        return
      case 'placeholder':
        setAttribute(this.#input, name, after ?? undefined)
        return
      case 'aria-label':
        this.#name()
        return
      default:
        this.#enable()
    }
  }

  /** Follows the form or a fieldset that is disabled. */
  formDisabledCallback(): void {
    this.#enable()
  }

  /** Goes back to the attribute `value`. */
  formResetCallback(): void {
    this.#isEdited = false
    this.#take(this.getAttribute('value') ?? '')
  }

  /** Takes the text that the browser kept. */
  formStateRestoreCallback(state: string): void {
    this.value = state
  }

  /** The fields of a row, as `describeFields` returns them; the attribute has them as JSON. */
  get fields(): readonly FieldDescription[] {
    return this.#fields
  }
  set fields(fields: readonly FieldDescription[] | undefined) {
    const given = fields ?? none
    // Frameworks give them with each rendering: what the user is about to click or to choose must stay.
    const text = JSON.stringify(given)
    if (text === this.#fieldsText) return
    this.#schema = given.length === 0 && Array.isArray(given) ? undefined : schemaOfFields(given)
    this.#fieldsText = text
    this.#fields = given
    this.#builder.fields = given
    this.#judge()
  }

  /** The text. The attribute is only its beginning, as with every text box. */
  get value(): string {
    return this.#text
  }
  set value(text: string | null | undefined) {
    this.#isEdited = true
    this.#take(String(text ?? ''))
  }

  /** The filter of the text, or what is wrong with it: as the event `change` tells it. */
  get detail(): FilterChange {
    return this.#judged.change
  }

  /** The name under which a form sends the text. */
  get name(): string {
    return this.getAttribute('name') ?? ''
  }
  set name(name: string) {
    this.setAttribute('name', name)
  }

  /** The name of the element, as every control of a form has it. */
  get type(): string {
    return this.localName
  }

  /** The form that it belongs to. */
  get form(): HTMLFormElement | null {
    return this.#internals.form
  }

  /** Whether it cannot be used. */
  get disabled(): boolean {
    return this.hasAttribute('disabled')
  }
  set disabled(isDisabled: boolean) {
    this.toggleAttribute('disabled', isDisabled)
  }

  /** Whether it can be read and copied, but not edited. */
  get readOnly(): boolean {
    return this.hasAttribute('readonly')
  }
  set readOnly(isReadOnly: boolean) {
    this.toggleAttribute('readonly', isReadOnly)
  }

  /** Whether its form needs a text. */
  get required(): boolean {
    return this.hasAttribute('required')
  }
  set required(isRequired: boolean) {
    this.toggleAttribute('required', isRequired)
  }

  /** Whether the text is a filter. */
  get validity(): ValidityState {
    return this.#internals.validity
  }

  /** What is wrong with the text. */
  get validationMessage(): string {
    return this.#internals.validationMessage
  }

  /** Whether its form checks it. */
  get willValidate(): boolean {
    return this.#internals.willValidate
  }

  /** Whether the text is a filter; if not, the event `invalid` comes. */
  checkValidity(): boolean {
    return this.#internals.checkValidity()
  }

  /** As `checkValidity`; the browser also shows what is wrong. */
  reportValidity(): boolean {
    return this.#internals.reportValidity()
  }

  #listen(): void {
    const input = this.#input
    input.addEventListener('input', () => {
      this.#edited(input.value)
      if (isBegun(input.value.slice(0, input.selectionStart ?? 0))) this.#suggest(false)
      else this.#suggestions.close()
    })
    input.addEventListener('keydown', (event) => {
      if (event.isComposing || !this.#isKeyUsed(event)) return
      event.preventDefault()
      event.stopPropagation()
    })
    for (const type of ['scroll', 'keyup', 'select'])
      input.addEventListener(type, () => this.#mistakes.follow())
    input.addEventListener('paste', (event) => {
      const pasted = event.clipboardData?.getData('text') ?? ''
      const line = inOneLine(pasted)
      if (line === pasted) return
      event.preventDefault()
      this.#replace(input.selectionStart ?? 0, input.selectionEnd ?? 0, line)
    })
    input.addEventListener('click', () => this.#suggestions.close())
    input.addEventListener('focus', () => this.#name())
    input.addEventListener('blur', () => {
      this.#suggestions.close()
      this.#show()
    })
    // Those of the rows are not those of the element.
    this.#builder.panel.addEventListener('input', (event) => event.stopPropagation())
  }

  /** Does what a key means; false if the text box itself does. */
  #isKeyUsed(event: KeyboardEvent): boolean {
    const { key } = event
    const list = this.#suggestions
    if (key === 'F8') return this.#goToMistake(event.shiftKey ? -1 : 1)
    if (key === 'Enter' && event.altKey) return this.#correctNear()
    if (key === 'Enter') {
      if (list.hasActive) list.accept()
      else this.#submit()
      return true
    }
    if (key === ' ' && event.ctrlKey) return this.#suggest(true)
    if (key === 'Escape' && list.isOpen) {
      list.close()
      return true
    }
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return false
    if (list.isOpen) list.move(key === 'ArrowDown' ? 1 : -1)
    else if (key === 'ArrowDown') this.#suggest(true)
    else return false
    return true
  }

  #submit(): void {
    this.#suggestions.close()
    this.#mistakes.show(this.#judged.problems)
    this.form?.requestSubmit()
  }

  #suggest(isAsked: boolean): true {
    if (this.#input.readOnly) return true
    this.#suggestions.open(this.#fields, isAsked)
    const { list } = this.#suggestions
    if (list.hidden) return true
    list.style.top = `${this.#field.offsetTop + this.#field.offsetHeight}px`
    const most = this.offsetWidth - list.offsetWidth
    list.style.insetInlineStart = `${Math.max(0, Math.min(this.#mistakes.leftOf(this.#suggestions.from), most))}px`
    return true
  }

  #goToMistake(by: 1 | -1): boolean {
    const { problems } = this.#judged
    if (problems.length === 0) return false
    this.#mistakes.show(problems)
    const at = this.#input.selectionStart ?? 0
    const next =
      by === 1
        ? (problems.find(({ span }) => span.start > at) ?? problems[0])
        : (problems.findLast(({ span }) => span.start < at) ?? problems.at(-1))
    if (next !== undefined) this.#select(next.span)
    return true
  }

  #correctNear(): boolean {
    const at = this.#input.selectionStart ?? 0
    const corrected = this.#judged.problems.filter(({ suggestion }) => suggestion !== undefined)
    const problem = corrected.find(({ span }) => span.start <= at && at <= span.end) ?? corrected[0]
    if (problem !== undefined) this.#correct(problem)
    return true
  }

  #correct({ span, suggestion = '' }: FilterProblem): void {
    this.#replace(span.start, span.end, suggestion)
    this.#suggestions.close()
    this.#show()
  }

  /** Replaces a part of the text as if it was typed, so that it can be undone. */
  #replace(from: number, to: number, insert: string): void {
    const input = this.#input
    if (input.readOnly || input.disabled) return
    input.focus()
    input.setSelectionRange(from, to)
    // jsdom has no commands.
    if (document.execCommand?.('insertText', false, insert)) return
    input.setRangeText(insert, from, to, 'end')
    this.#edited(input.value)
  }

  /** Selects a part of the text. */
  #select({ start, end }: Range): void {
    this.#input.focus()
    this.#input.setSelectionRange(start, end)
    this.#mistakes.follow()
  }

  /** The user edited the text. */
  #edited(text: string): void {
    this.#isEdited = true
    this.#text = text
    this.#judge()
    this.#tell()
  }

  /** The user edited the conditions. */
  #write(text: string): void {
    this.#isEdited = true
    this.#text = text
    this.#input.value = text
    this.#judge(false)
    this.#tell()
  }

  #tell(): void {
    this.dispatchEvent(
      new CustomEvent('change', { bubbles: true, composed: true, detail: this.#judged.change }),
    )
  }

  /** The program set the text. */
  #take(given: string): void {
    const text = inOneLine(given)
    if (text === this.#text) return
    this.#text = text
    this.#input.value = text
    this.#suggestions.close()
    this.#judge()
  }

  #judge(isBuilderStale = true): void {
    this.#judged = judge(this.#text, this.#schema)
    this.#internals.setFormValue(this.#text)
    const { error } = this.#judged.change
    const isMissing = this.required && this.#text.trim() === ''
    if (error !== undefined) this.#internals.setValidity({ customError: true }, error.message, this.#input)
    else if (isMissing) this.#internals.setValidity({ valueMissing: true }, 'Write a filter.', this.#input)
    else this.#internals.setValidity({})
    this.#show()
    if (isBuilderStale && !this.#builder.panel.hidden) this.#builder.show(this.#expression())
  }

  /** Shows the mistakes, except the one that is only the unfinished end of a text that is being typed. */
  #show(): void {
    const { problems } = this.#judged
    const end = this.#input.value.trimEnd().length
    const isTyped = this.#input.matches(':focus') && (this.#input.selectionStart ?? 0) >= end
    this.#mistakes.show(isTyped ? problems.filter(({ span }) => span.end < end) : problems)
  }

  /** The tree of the text, which may have unknown fields. */
  #expression(): Expression | undefined | 'unreadable' {
    if (this.#text.trim() === '') return undefined
    const { filter } = this.#judged.change
    if (filter !== undefined) return filter.ast
    try {
      return parse(this.#text)
    } catch {
      return 'unreadable'
    }
  }

  #showBuilder(isShown: boolean): void {
    this.#builder.panel.hidden = !isShown
    this.#toggle.setAttribute('aria-expanded', String(isShown))
    if (isShown) this.#builder.show(this.#expression())
  }

  #enable(): void {
    this.#input.disabled = this.disabled || this.matches(':disabled')
    this.#input.readOnly = this.readOnly
    this.#input.required = this.required
    this.#builder.panel.inert = this.#input.disabled || this.readOnly
    this.#judge()
  }

  /** The label of the form is outside of the shadow tree, so that the text box takes its text. */
  #name(): void {
    const [label] = this.#internals.labels
    const name = this.getAttribute('aria-label') ?? label?.textContent?.trim()
    this.#input.setAttribute('aria-label', name || 'Filter')
  }
}

/** A text box has one line: a line break becomes a space, or in a string an escape. */
function inOneLine(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ')
  if (line === text) return text
  try {
    const meant = format(parse(text))
    return format(parse(line)) === meant ? line : meant
  } catch {
    return line
  }
}
