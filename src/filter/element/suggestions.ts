import type { FieldDescription } from '../checking/describe-fields.ts'
import { type CompletionOption, complete } from '../completing/complete.ts'
import { create, setAttribute } from './dom.ts'

/** With more options than these, the rest appears once the word is longer. */
const mostShown = 100

/** An option with the range that it replaces, and the text to put there. */
export interface Accepted {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** The list of completions of a text box: a listbox whose active option the text box names. */
export class Suggestions {
  readonly list = create('ul', { id: 'suggestions', role: 'listbox', part: 'suggestions', hidden: true })
  readonly #input: HTMLInputElement
  readonly #accept: (accepted: Accepted) => void
  #options: readonly CompletionOption[] = []
  #active = -1
  #from = 0
  #to = 0

  constructor(input: HTMLInputElement, accept: (accepted: Accepted) => void) {
    this.#input = input
    this.#accept = accept
    this.list.setAttribute('aria-label', 'Suggestions')
    // The text box keeps the focus.
    this.list.addEventListener('mousedown', (event) => event.preventDefault())
    this.list.addEventListener('click', (event) => {
      const item = (event.target as Element).closest('[role=option]')
      if (item !== null) this.accept([...this.list.children].indexOf(item))
    })
  }

  get isOpen(): boolean {
    return !this.list.hidden
  }

  /** Whether an option would be accepted now. */
  get hasActive(): boolean {
    return this.isOpen && this.#active >= 0
  }

  /**
   * Opens the list at the cursor, or closes it if there is nothing to offer.
   *
   * @param isAsked - whether the user asked for the list: its first option is active then
   */
  open(fields: readonly FieldDescription[], isAsked: boolean): void {
    const { value, selectionStart, selectionEnd } = this.#input
    this.close()
    if (selectionStart === null || selectionStart !== selectionEnd) return
    const { from, to, options } = complete(value, selectionStart, { fields })
    const typed = value.slice(from, selectionStart)
    const isTyped = options.some(({ text }) => text === typed)
    if (options.length === 0 || (!isAsked && isTyped && options.length === 1)) return
    this.#options = options.slice(0, mostShown)
    this.#from = from
    this.#to = to
    this.list.replaceChildren(...this.#options.map(itemOf))
    this.list.hidden = false
    this.#input.setAttribute('aria-expanded', 'true')
    this.#activate(isAsked || (typed !== '' && !isTyped) ? 0 : -1)
  }

  close(): void {
    this.list.hidden = true
    this.#input.setAttribute('aria-expanded', 'false')
    this.#activate(-1)
  }

  /** Makes the next option active, or the previous one: the list has no ends. */
  move(by: 1 | -1): void {
    const { length } = this.#options
    this.#activate(this.#active < 0 && by < 0 ? length - 1 : (this.#active + by + length) % length)
  }

  /** The start of the word that an option would replace. */
  get from(): number {
    return this.#from
  }

  accept(at = this.#active): void {
    const option = this.#options[at]
    if (option === undefined) return
    const isFollowed = /^\s/.test(this.#input.value.slice(this.#to))
    this.close()
    this.#accept({
      from: this.#from,
      to: this.#to,
      insert: option.text + (isFollowed || !isContinued[option.kind] ? '' : ' '),
    })
  }

  #activate(at: number): void {
    this.list.children[this.#active]?.setAttribute('aria-selected', 'false')
    this.#active = at
    const item = this.list.children[at]
    item?.setAttribute('aria-selected', 'true')
    item?.scrollIntoView?.({ block: 'nearest' })
    setAttribute(this.#input, 'aria-activedescendant', item?.id)
  }
}

/** After which options something else always follows. */
const isContinued: Readonly<Record<CompletionOption['kind'], boolean>> = {
  field: true,
  operator: true,
  connective: true,
  quantifier: true,
  keyword: true,
  name: false,
  value: false,
  function: false,
  parameter: false,
}

const itemOf = ({ text, detail }: CompletionOption, at: number): HTMLLIElement =>
  create(
    'li',
    { role: 'option', id: `suggestion-${at}`, part: 'suggestion', 'aria-selected': 'false' },
    text,
    ...(detail === undefined ? [] : [create('small', {}, ` ${detail}`)]),
  )
