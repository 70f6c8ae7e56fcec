import type { RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Completion, complete, FilterError, parse } from '../../../filter/index.ts'
import { fieldsOfRows } from './filter-fields.ts'
import { expressionOf, plainWords } from './plain-words.ts'
import { QueryForm } from './query-form.tsx'

/** The largest list of rows of each kind that was shown. */
const most = new Map<string, readonly object[]>()

export const mostRowsOf = (kind: string): readonly object[] => most.get(kind) ?? []

const nothing: Completion = { from: 0, to: 0, options: [] }

interface FilterBoxProps {
  /** The kind of rows, whose fields are suggested. */
  readonly fields: string
  readonly value: string
  /** The fields that name a row: plain words are searched in them. */
  readonly names: readonly string[]
  /** An expression, which the empty box shows. */
  readonly example: string
  /** The service's error message for it. */
  readonly problem?: string | undefined
  /** Rows of the list, whose fields are suggested. */
  readonly rows?: readonly object[] | undefined
  readonly onChange: (text: string) => void
}

/**
 * The filter of a list: words of a name, or an expression, which is completed while it is typed. Its service evaluates
 * it.
 */
export function FilterBox(props: FilterBoxProps) {
  const { fields: kind, value, example, problem, rows = [], onChange } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const fields = useFields(kind, rows)
  useEffect(() => setText(value), [value])

  const moveCaret = useCaret(input)
  const put = (next: string, cursor = next.length) => {
    setText(next)
    moveCaret(cursor)
  }
  const { options, active, ...completion } = useCompletions({ input, text, fields, put })
  const isPlain = problem === undefined && plainWords(text).length > 0
  const described = problem !== undefined || isPlain ? `${id}-about` : undefined
  return (
    <QueryForm
      label="Filter"
      field={id}
      onSubmit={() => {
        completion.close()
        onChange(text.trim())
      }}
    >
      <div class="filter-field">
        <input
          ref={input}
          id={id}
          name="filter"
          type="text"
          data-query
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={text}
          placeholder={`a name, or ${example}`}
          aria-autocomplete="list"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-activedescendant={active >= 0 ? `${id}-option-${active}` : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={described}
          onInput={({ currentTarget: box }) => {
            setText(box.value)
            completion.offer(box.value, box.selectionStart ?? box.value.length, false)
          }}
          onKeyDown={completion.onKeyDown}
          onBlur={completion.close}
        />
        <Completions id={id} options={options} active={active} take={completion.take} />
      </div>
      <AboutFilter {...props} id={described} text={text} isPlain={isPlain} put={put} />
    </QueryForm>
  )
}

/** The suggestions for a text while it is typed, and the keys that choose among them. */
function useCompletions({
  input,
  text,
  fields,
  put,
}: {
  readonly input: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly fields: ReturnType<typeof useFields>
  readonly put: (next: string, cursor?: number) => void
}) {
  const [found, setFound] = useState(nothing)
  const [active, setActive] = useState(-1)
  const isOpen = found.options.length > 0
  const close = () => {
    setFound(nothing)
    setActive(-1)
  }
  const offer = (typed: string, cursor: number, isAsked: boolean) => {
    const offered = complete(typed, cursor, { fields })
    const word = bare(typed.slice(offered.from, offered.to))
    // A complete word needs no suggestion, so that Enter applies the filter.
    const isWhole = offered.options.some((option) => bare(option.text) === word)
    setFound(isWhole && !isAsked ? nothing : offered)
    // Enter searches for plain words, so that it takes no suggestion then.
    setActive(word !== '' && !isWhole && plainWords(typed).length === 0 ? 0 : -1)
  }
  const take = (index: number) => {
    const option = found.options[index]
    if (option === undefined) return
    const rest = text.slice(found.to)
    const taken = `${text.slice(0, found.from)}${option.text}${rest.startsWith(' ') ? '' : ' '}`
    close()
    put(taken + rest, taken.length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const count = found.options.length
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen) offer(text, input.current?.selectionStart ?? text.length, true)
      else setActive((at) => (key === 'ArrowDown' ? (at + 1) % count : (at <= 0 ? count : at) - 1))
    } else if (isOpen && (key === 'Tab' || (key === 'Enter' && active >= 0))) {
      event.preventDefault()
      take(Math.max(active, 0))
    } else if (key === 'Escape' && isOpen) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  return { options: found.options, active, close, offer, take, onKeyDown }
}

/** Below the box: what plain words do, or what is wrong. */
function AboutFilter({
  id,
  value,
  text,
  names,
  isPlain,
  problem,
  put,
  onChange,
}: Pick<FilterBoxProps, 'value' | 'names' | 'problem' | 'onChange'> & {
  readonly id: string | undefined
  readonly text: string
  readonly isPlain: boolean
  readonly put: (next: string) => void
}) {
  if (isPlain)
    return <WordsHint id={id} text={text} names={names} isApplied={text.trim() === value} edit={put} />
  if (problem === undefined || id === undefined) return null
  const fix = (fixed: string) => {
    put(fixed)
    onChange(fixed)
  }
  return <FilterProblem id={id} text={text} problem={problem} fix={fix} />
}

/** The fields of the rows of a kind. Rows that pass a filter have fewer than the earlier rows. */
function useFields(kind: string, rows: readonly object[]) {
  const seen = mostRowsOf(kind)
  const shown = rows.length > seen.length ? rows : seen
  most.set(kind, shown)
  return useMemo(() => fieldsOfRows(shown), [shown])
}

/** Returns how to move the caret in a text that is put into a box. */
function useCaret(input: RefObject<HTMLInputElement | null>) {
  const caret = useRef<number | undefined>(undefined)
  // Not in the next frame: text typed before it would be split.
  useLayoutEffect(() => {
    const cursor = caret.current
    if (cursor === undefined) return
    caret.current = undefined
    input.current?.focus()
    input.current?.setSelectionRange(cursor, cursor)
  })
  return (cursor: number) => {
    caret.current = cursor
  }
}

/** What a filter of plain words does, and a button that makes it an expression. */
const WordsHint = ({
  id,
  text,
  names,
  isApplied,
  edit,
}: {
  readonly id: string | undefined
  readonly text: string
  readonly names: readonly string[]
  readonly isApplied: boolean
  readonly edit: (expression: string) => void
}) => (
  <p class="field-hint" id={id}>
    {isApplied ? 'Rows' : 'Enter finds rows'} whose {names.join(' or ')} contains “
    {plainWords(text).join('” and “')}”.{' '}
    <button type="button" class="link" onClick={() => edit(expressionOf(text, names))}>
      Edit as an expression
    </button>
  </p>
)

/** The suggestions below the box, among which its keys choose. */
function Completions({
  id,
  options,
  active,
  take,
}: {
  readonly id: string
  readonly options: Completion['options']
  readonly active: number
  readonly take: (index: number) => void
}) {
  return (
    <div
      class="options"
      id={`${id}-options`}
      role="listbox"
      aria-label="Completions"
      hidden={options.length === 0}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the box keeps the focus, and names the active option
        <div
          key={option.text}
          id={`${id}-option-${index}`}
          role="option"
          aria-selected={index === active}
          ref={(item) => {
            if (index === active) item?.scrollIntoView({ block: 'nearest' })
          }}
          onMouseDown={(event) => {
            event.preventDefault()
            take(index)
          }}
        >
          <code>{option.text}</code> <span class="muted">{option.detail ?? option.kind}</span>
        </div>
      ))}
    </div>
  )
}

/** What is wrong with a filter, where, and a button that fixes it if the fix is known. */
function FilterProblem({
  id,
  text,
  problem,
  fix,
}: {
  readonly id: string | undefined
  readonly text: string
  readonly problem: string
  readonly fix: (text: string) => void
}) {
  const mistake = mistakeIn(text)
  return (
    <div class="field-problem" id={id} role="alert">
      {mistake !== undefined && (
        <p>
          <code>
            {text.slice(0, mistake.start)}
            <mark class="mistake">{text.slice(mistake.start, mistake.end) || ' '}</mark>
            {text.slice(mistake.end)}
          </code>
        </p>
      )}
      <p>{problem}</p>
      {mistake?.suggestion !== undefined && (
        <button
          type="button"
          onClick={() =>
            fix(`${text.slice(0, mistake.start)}${mistake.suggestion}${text.slice(mistake.end)}`)
          }
        >
          Use {mistake.suggestion.trim()}
        </button>
      )}
    </div>
  )
}

/** A word without its quotes, in lower case. */
const bare = (word: string): string => word.replace(/^["`]|["`]$/g, '').toLowerCase()

interface Mistake {
  readonly start: number
  readonly end: number
  readonly suggestion: string | undefined
}

/** The position of a syntax error, and the fix. */
function mistakeIn(text: string): Mistake | undefined {
  try {
    parse(text)
    return undefined
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const { span, suggestion } = error
    return { start: span.start, end: span.end, suggestion }
  }
}
