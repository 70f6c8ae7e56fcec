import type { FilterProblem } from '../error.ts'
import { create } from './dom.ts'

/** With more mistakes than these, the rest appears once some are corrected. */
const mostShown = 5

/** Underlines the mistakes of a text box, and lists them with their corrections. */
export class Mistakes {
  /** Lies below the text box and holds the same text, of which only the underlines are visible. */
  readonly underlines = create('div', { part: 'mistakes', 'aria-hidden': 'true' })
  readonly list = create('ul', { part: 'problems', id: 'problems' })
  readonly #input: HTMLInputElement
  readonly #fix: (problem: FilterProblem) => void
  #shown: readonly FilterProblem[] = []

  constructor(input: HTMLInputElement, fix: (problem: FilterProblem) => void) {
    this.#input = input
    this.#fix = fix
  }

  /** The mistakes that are shown, in the order of the text. */
  get shown(): readonly FilterProblem[] {
    return this.#shown
  }

  show(problems: readonly FilterProblem[]): void {
    const before = this.#shown
    this.#shown = problems.slice(0, mostShown)
    const { value } = this.#input
    const pieces: (Node | string)[] = []
    let end = 0
    for (const { span } of this.#shown) {
      if (span.start < end) continue
      const marked = value.slice(span.start, Math.max(span.end, span.start + 1))
      // At the end of the text something is missing.
      pieces.push(value.slice(end, span.start), create('mark', {}, marked === '' ? '\u00a0' : marked))
      end = span.start + marked.length
    }
    this.underlines.replaceChildren(...pieces, value.slice(end))
    this.follow()
    // What stays keeps its nodes: the focus may be moving to one of them.
    const changed = this.#shown.findIndex((problem, at) => problem !== before[at])
    const kept = changed < 0 ? this.#shown.length : changed
    for (const item of [...this.list.children].slice(kept)) item.remove()
    this.list.append(...this.#shown.slice(kept).map((problem) => this.#item(problem)))
    if (this.#shown.length > 0) this.#input.setAttribute('aria-invalid', 'true')
    else this.#input.removeAttribute('aria-invalid')
  }

  #item(problem: FilterProblem): HTMLElement {
    const { message, suggestion } = problem
    if (suggestion === undefined) return create('li', { part: 'problem' }, message)
    const onclick = () => this.#fix(problem)
    const fix = create('button', { type: 'button', part: 'fix', onclick }, `Use ${suggestion.trim()}`)
    return create('li', { part: 'problem' }, message, ' ', fix)
  }

  /** Scrolls the underlines with the text. */
  follow(): void {
    this.underlines.style.translate = `${-this.#input.scrollLeft}px`
  }

  /** How far from the left edge of the text box a character is. */
  leftOf(at: number): number {
    const range = document.createRange()
    let left = at
    const texts = document.createTreeWalker(this.underlines, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { length } = text.textContent ?? ''
      if (left <= length) {
        range.setStart(text, left)
        // In jsdom, which draws nothing, a range has no place.
        return (range.getBoundingClientRect?.().left ?? 0) - this.#input.getBoundingClientRect().left
      }
      left -= length
    }
    return 0
  }
}
